import Platform
import Synchronization
import Testing

@testable import Storage

/// Mending of files that another program has changed: the lock, other processes, and files that stay in place.
@Suite struct MendingTests {
    let directory = TestDirectory()

    private func open(_ fileSystem: FileSystem = .system) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem, timeout: 200))
    }

    /// Actions during calls of the lock. `subject` is the locked file or directory.
    private final class Turns: Sendable {
        private let directory: TestDirectory
        private let deed = Mutex<(@Sendable (_ subject: FileStatus, FileSystem.Lock) -> Bool)?>(nil)

        init(_ directory: TestDirectory) { self.directory = directory }

        /// - Parameter body: called before each call of the lock until it returns true.
        func before(_ body: @escaping @Sendable (_ subject: FileStatus, FileSystem.Lock) -> Bool) {
            deed.withLock { $0 = body }
        }

        var fileSystem: FileSystem {
            var fileSystem = FileSystem.system
            fileSystem.lock = { [self] descriptor, lock throws(SystemError) in
                let subject = try FileSystem.system.status(descriptor)
                // The action may itself call the lock.
                if let body = deed.withLock({ $0.take() }), !body(subject, lock) {
                    deed.withLock { $0 = $0 ?? body }
                }
                try FileSystem.system.lock(descriptor, lock)
            }
            return fileSystem
        }
    }

    /// The lock fails at first; before it is taken, another process commits.
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

    /// It reads everything again under the same lock under which it found the need.
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

    /// A process was killed before it published, and the disk is full: the next opener cannot continue after the end,
    /// but judges and shows it. A living process shows the same.
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

    /// A repetition with a commit in between that the process that could not write has not seen.
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

    /// Files whose status cannot be read are not removed: neither at opening nor when mending.
    @Test func takesNothingAwayThatItCannotLookAt() throws {
        for number in 1...40 {
            TestDirectory.remove(directory.path)
            try ChangedFilesTests.commit(try open(), 1)
            let files = FaultyFiles()
            files.set(.namedOnce("fstat", number, EIO))
            guard let store = try? open(files.fileSystem) else { continue }
            files.set(.named("fstat", EIO))
            // Usually it fails; the state afterwards counts.
            try? ChangedFilesTests.commit(store, 2)
            files.set(.none)
            store.close()
            let again = try open()
            #expect(again.with { $0.refusal } == nil, "\(number)")
            #expect(try ChangedFilesTests.numbers(again).contains(1), "\(number)")
        }
    }

    /// Files that cannot be mended stay as they are, after any number of attempts.
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

    /// The store was there at the check, and has vanished when it is opened.
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
