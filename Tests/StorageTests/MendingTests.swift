import Platform
import Synchronization
import Testing

@testable import Storage

/// What happens around the mending of files that something else has changed: the lock, other processes, and what stays in place.
@Suite struct MendingTests {
    let directory = TestDirectory()

    private func open(_ fileSystem: FileSystem = .system) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem, timeout: 200))
    }

    /// What calls of the lock do besides. `subject` is what is locked: a file or the directory.
    private final class Turns: Sendable {
        private let directory: TestDirectory
        private let deed = Mutex<(@Sendable (_ subject: FileStatus, FileSystem.Lock) -> Bool)?>(nil)

        init(_ directory: TestDirectory) { self.directory = directory }

        /// - Parameter body: called before each call of the lock until it answers true.
        func before(_ body: @escaping @Sendable (_ subject: FileStatus, FileSystem.Lock) -> Bool) {
            deed.withLock { $0 = body }
        }

        var fileSystem: FileSystem {
            var fileSystem = FileSystem.system
            fileSystem.lock = { [self] descriptor, lock throws(SystemError) in
                let subject = try FileSystem.system.status(descriptor)
                // What is done then may call the lock itself.
                if let body = deed.withLock({ $0.take() }), !body(subject, lock) {
                    deed.withLock { $0 = $0 ?? body }
                }
                try FileSystem.system.lock(descriptor, lock)
            }
            return fileSystem
        }
    }

    /// Why the lock was not to be had at first is over, and before it is had somebody else commits.
    @Test func takesOverWhatOthersCommitBeforeItsTurn() throws {
        let turns = Turns(directory)
        let isFaulty = Atomic(false)
        var fileSystem = turns.fileSystem
        let path = directory.path
        fileSystem.statusOfPath = { name throws(SystemError) in
            if name == path, isFaulty.exchange(false, ordering: .relaxed) {
                throw SystemError(call: "lstat", subject: name, code: EIO)
            }
            return try FileSystem.system.statusOfPath(name)
        }
        let (first, second) = (try open(fileSystem), try open())
        try ChangedFilesTests.commit(first, 1)
        try ChangedFilesTests.commit(second, 2)
        let count = Mutex(0)
        nonisolated(unsafe) let other = second
        let lockFile = try FileSystem.system.statusOfPath(directory.path("lock"))
        turns.before { subject, lock in
            guard case .exclusiveNow = lock, subject.isSameFile(as: lockFile) else { return false }
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number == 2 { #expect(throws: Never.self) { try ChangedFilesTests.commit(other, 3) } }
            return number == 2
        }
        isFaulty.store(true, ordering: .relaxed)
        try ChangedFilesTests.commit(first, 4)
        #expect(count.withLock { $0 } == 2)
        #expect(try ChangedFilesTests.numbers(second) == [1, 2, 3, 4])
    }

    /// It reads everything anew under the hold of the lock in which it has seen that it must.
    @Test func keepsTheLockUntilItHasMended() throws {
        let turns = Turns(directory)
        let store = try open(turns.fileSystem)
        try ChangedFilesTests.commit(store, 1)
        directory.remove("journal-1.jsonl")
        directory.write("journal-1.jsonl", "another\n")
        let releases = Mutex(0)
        let lockFile = try FileSystem.system.statusOfPath(directory.path("lock"))
        turns.before { subject, lock in
            if case .none = lock, subject.isSameFile(as: lockFile) { releases.withLock { $0 += 1 } }
            return false
        }
        try ChangedFilesTests.commit(store, 2)
        #expect(releases.withLock { $0 } == 1)
        #expect(try ChangedFilesTests.numbers(try open()) == [1, 2])
    }

    /// A process was killed before it published, and the disk is full: who opens the store then cannot go on after the end, but
    /// judges and shows it. Whoever lives shows the same.
    @Test func showsWhatOthersShowWhoCannotGoOn() throws {
        let living = try open()
        try ChangedFilesTests.commit(living, 1)
        let published = directory.read("lock")
        let killed = try open()
        try ChangedFilesTests.commit(killed, 2)
        killed.close()
        directory.overwrite("lock", published)
        let files = FaultyFiles()
        files.setFreeBytes(0)
        let late = try open(files.fileSystem)
        #expect(try ChangedFilesTests.numbers(late) == [1, 2])
        #expect(try ChangedFilesTests.numbers(living) == [1, 2])
        #expect(throws: Never.self) { try ChangedFilesTests.commit(living, 3) }
        #expect(try ChangedFilesTests.numbers(living) == [1, 2, 3])
        #expect(try ChangedFilesTests.numbers(late) == [1, 2, 3])
    }

    /// The same again, and in between something was committed that who could not write has not seen.
    @Test func seesWhatWasCommittedBeforeTheEndHadToBeJudged() throws {
        let living = try open()
        func leaveUnpublished(_ number: Int) throws {
            let published = directory.read("lock")
            let killed = try open()
            try ChangedFilesTests.commit(killed, number)
            killed.close()
            directory.overwrite("lock", published)
        }
        let full = FaultyFiles()
        full.setFreeBytes(0)
        try ChangedFilesTests.commit(living, 1)
        let reader = try TestRecords(settings(directory, isReadOnly: true))
        try leaveUnpublished(2)
        let refused = try open(full.fileSystem)
        #expect(try ChangedFilesTests.numbers(refused) == [1, 2])
        try ChangedFilesTests.commit(living, 3)
        try leaveUnpublished(4)
        let late = try open(full.fileSystem)
        #expect(try ChangedFilesTests.numbers(late) == [1, 2, 3, 4])
        #expect(directory.read("lock").allSatisfy { $0 == UInt8(ascii: " ") })
        #expect(directory.read("lock").count == Publication.byteCount)
        #expect(try ChangedFilesTests.numbers(refused) == [1, 2, 3, 4])
        #expect(try ChangedFilesTests.numbers(reader) == [1, 2, 3, 4])
        #expect(try ChangedFilesTests.numbers(living) == [1, 2, 3, 4])
    }

    /// What nobody can look at is not taken away: neither when it is opened nor when it is mended.
    @Test func takesNothingAwayThatItCannotLookAt() throws {
        for number in 1...40 {
            TestDirectory.remove(directory.path)
            try ChangedFilesTests.commit(try open(), 1)
            let files = FaultyFiles()
            files.set(.namedOnce("fstat", number, EIO))
            guard let store = try? open(files.fileSystem) else { continue }
            files.set(.named("fstat", EIO))
            // Most often it cannot; what counts is what is there afterwards.
            try? ChangedFilesTests.commit(store, 2)
            files.set(.none)
            store.close()
            let again = try open()
            #expect(again.with { $0.refusal } == nil, "\(number)")
            #expect(try ChangedFilesTests.numbers(again).contains(1), "\(number)")
        }
    }

    /// What cannot be mended is left as it is, however often that is tried.
    @Test func setsNothingAsideInVain() throws {
        let store = try open()
        try ChangedFilesTests.commit(store, 1)
        _ = try store.with { try $0.compact() }
        directory.overwrite("moods.json", [])
        for _ in 1...3 {
            guard
                case .corrupt? = #expect(
                    throws: StorageError.self, performing: { try ChangedFilesTests.commit(store, 2) })
            else {
                throw TestFailure("it does not say that the snapshot cannot be read")
            }
        }
        #expect(!directory.names.contains { $0.hasPrefix("set-aside-") || $0.hasPrefix("temporary-") })
    }

    @Test func beginsNoStoreToCompactIt() throws {
        let store = try open()
        try ChangedFilesTests.commit(store, 1)
        for isEmptied in [true, false] {
            directory.restore([:])
            if !isEmptied { TestDirectory.remove(directory.path) }
            let failure = #expect(throws: StorageError.self) {
                _ = try Compaction.run(settings(directory), .test, from: 1)
            }
            guard case .unavailable? = failure else { throw TestFailure("it does not say that the store is gone") }
            #expect(directory.names.isEmpty)
            #expect((try? FileSystem.system.statusOfPath(directory.path)) == nil || isEmptied)
        }
    }

    /// It was there when it was looked for, and is gone when it is opened.
    @Test func beginsNoStoreWhereOneWas() throws {
        try ChangedFilesTests.commit(try open(), 1)
        let turns = Turns(directory)
        let place = directory
        turns.before { _, _ in
            place.restore([:])
            return true
        }
        let failure = #expect(throws: StorageError.self) {
            _ = try RecordStore.openIfThere(settings(directory, turns.fileSystem), .test)
        }
        guard case .unavailable? = failure else { throw TestFailure("it does not say that the store is gone") }
        #expect(!directory.names.contains { $0 != "lock" })
    }
}
