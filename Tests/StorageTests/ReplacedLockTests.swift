import Foundation
import Platform
import Synchronization
import Testing

@testable import Storage

/// Another program replaces `lock` while a process holds the old file, in the middle of a commit.
@Suite struct ReplacedLockTests {
    let directory = TestDirectory()

    enum Deed: CaseIterable { case copy, older, unlink }
    /// The other process's action.
    enum Other: CaseIterable { case opens, goesOn, reads }
    /// The first process's next step.
    enum Moment: CaseIterable { case writes, syncs, publishes, begins }

    struct Case: CustomTestStringConvertible {
        var deed: Deed
        var other: Other
        var moment: Moment
        var testDescription: String { "\(deed), \(other), \(moment)" }
    }

    static let cases = Deed.allCases.flatMap { deed in
        Other.allCases.flatMap { other in Moment.allCases.map { Case(deed: deed, other: other, moment: $0) } }
    }

    /// One action on a thread of its own, which may have to wait for the test's thread.
    private final class Beside: Sendable {
        private let failure = Mutex<(any Error)?>(nil)
        private let isDone = Atomic(false)

        func begin(_ body: @escaping @Sendable () throws -> Void) {
            Thread.detachNewThread { [self] in
                do { try body() } catch { failure.withLock { $0 = error } }
                isDone.store(true, ordering: .releasing)
            }
        }

        func wait(milliseconds: Int) {
            let deadline = Clock.monotonicMilliseconds + milliseconds
            while !isDone.load(ordering: .acquiring), Clock.monotonicMilliseconds < deadline { usleep(1000) }
        }

        func finish() throws {
            wait(milliseconds: 10_000)
            let isDone = isDone.load(ordering: .acquiring)
            try #require(isDone)
            if let failure = failure.withLock({ $0 }) { throw failure }
        }
    }

    @Test(arguments: cases)
    func isWaitedFor(_ example: Case) throws {
        let (directory, beside) = (directory, Beside())
        let deed = Mutex<(@Sendable () -> Void)?>(nil)
        @Sendable func happens(_ moment: Moment) {
            guard example.moment == moment, let body = deed.withLock({ $0.take() }) else { return }
            body()
            beside.wait(milliseconds: 100)
        }
        var files = FileSystem.system
        files.write = { descriptor, bytes, offset throws(SystemError) in
            if bytes.starts(with: Array("{\"seq\"".utf8)) { happens(.writes) }
            if bytes.starts(with: Array("{\"format\":\"moodboard-lock\"".utf8)) { happens(.publishes) }
            return try FileSystem.system.write(descriptor, bytes, offset)
        }
        files.syncData = { descriptor throws(SystemError) in
            happens(.syncs)
            try FileSystem.system.syncData(descriptor)
        }
        files.rename = { from, to throws(SystemError) in
            if to.hasSuffix("/moods.json") { happens(.begins) }
            try FileSystem.system.rename(from, to)
        }
        @Sendable func open(_ files: FileSystem = .system, isReadOnly: Bool = false) throws -> TestRecords {
            var settings = settings(directory, files, timeout: 5000)
            settings.isReadOnly = isReadOnly
            return try TestRecords(settings)
        }

        let first = try open(files)
        try ChangedFilesTests.commit(first, 1)
        let older = directory.read("lock")
        try ChangedFilesTests.commit(first, 2)
        nonisolated(unsafe) let second = example.other == .goesOn ? try open() : nil
        deed.withLock {
            $0 = {
                switch example.deed {
                case .copy: directory.write("lock", directory.read("lock"))
                case .older: directory.write("lock", older)
                case .unlink: directory.remove("lock")
                }
                beside.begin {
                    switch example.other {
                    case .opens: try ChangedFilesTests.commit(try open(), 4)
                    case .goesOn: if let second { try ChangedFilesTests.commit(second, 4) }
                    case .reads:
                        #expect(try ChangedFilesTests.numbers(try open(isReadOnly: true)).isSuperset(of: [1, 2]))
                    }
                }
            }
        }
        if example.moment == .begins {
            // The rest of the hold writes to the new journal.
            try first.with { try $0.lock() }
            try first.with { _ = try $0.rewrite() }
            try OperationTests.commit(first, 3)
            try first.with { try $0.flush() }
            first.with { $0.unlock() }
        } else {
            try ChangedFilesTests.commit(first, 3)
        }
        #expect(deed.withLock { $0 == nil })
        try beside.finish()
        let all: Set<Int> = example.other == .reads ? [1, 2, 3] : [1, 2, 3, 4]
        #expect(try ChangedFilesTests.numbers(try open()) == all)
        #expect(try ChangedFilesTests.numbers(first) == all)
        if let second { #expect(try ChangedFilesTests.numbers(second) == all) }
        // No process has found anything to mend.
        #expect(!directory.names.contains { $0.hasPrefix("set-aside-") })
    }

    private static func isBusy(_ body: () throws -> Void) throws {
        guard case .busy? = #expect(throws: StorageError.self, performing: body) else {
            throw TestFailure("it is not busy")
        }
    }

    /// The holder of the journal has locked another file: no other process writes, or judges its end.
    @Test func isBusyWhileSomebodyHoldsTheJournal() throws {
        let store = try TestRecords(settings(directory, timeout: 20))
        try ChangedFilesTests.commit(store, 1)
        let other = try File(directory.path("journal-1.jsonl"), .read, in: .system)
        try FileSystem.system.lock(other.descriptor, .exclusiveNow)
        try Self.isBusy { try store.with { try $0.lock() } }
        #expect(!store.with { $0.isLocked })
        try Self.isBusy { _ = try TestRecords(settings(directory, timeout: 20)) }
        #expect(try ChangedFilesTests.numbers(TestRecords(settings(directory, isReadOnly: true))) == [1])
        try FileSystem.system.lock(other.descriptor, .none)
        try ChangedFilesTests.commit(store, 2)
        #expect(try ChangedFilesTests.numbers(try TestRecords(settings(directory))) == [1, 2])
    }

    /// Another file gets the lock's name while the store is opened, and its lock is held.
    @Test func isBusyWhereTheOtherLockIsHeld() throws {
        let directory = directory
        try ChangedFilesTests.commit(try TestRecords(settings(directory)), 1)
        let other = Mutex<Int32?>(nil)
        var files = FileSystem.system
        files.lock = { descriptor, lock throws(SystemError) in
            let system = FileSystem.system
            try system.lock(descriptor, lock)
            let journal = try system.statusOfPath(directory.path("journal-1.jsonl"))
            guard other.withLock({ $0 }) == nil, try system.status(descriptor).isSameFile(as: journal) else { return }
            directory.write("lock", directory.read("lock"))
            let replacement = try system.open(directory.path("lock"), .read)
            try system.lock(replacement, .exclusiveNow)
            other.withLock { $0 = replacement }
        }
        try Self.isBusy { _ = try TestRecords(settings(directory, files, timeout: 20)) }
        FileSystem.system.close(try #require(other.withLock { $0 }))
        #expect(try ChangedFilesTests.numbers(try TestRecords(settings(directory, files, timeout: 20))) == [1])
    }

    /// Lines staged without the lock are written under the file that has the name by then.
    @Test func writesWhatWasStagedUnderTheOtherLock() throws {
        let (first, second) = (try TestRecords(settings(directory)), try TestRecords(settings(directory)))
        try ChangedFilesTests.commit(first, 1)
        try OperationTests.commit(first, 2)
        directory.write("lock", directory.read("lock"))
        try first.flush()
        #expect(try ChangedFilesTests.numbers(second) == [1, 2])
        try ChangedFilesTests.commit(second, 3)
        #expect(try ChangedFilesTests.numbers(first) == [1, 2, 3])
    }

    /// Publishing in the other file fails at first.
    @Test func goesOnWhereTheOtherLockCannotBeWrittenAtFirst() throws {
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        try ChangedFilesTests.commit(store, 1)
        directory.write("lock", directory.read("lock"))
        files.set(.namedOnce("pwrite", 1, EIO))
        try ChangedFilesTests.commit(store, 2)
        #expect(try ChangedFilesTests.numbers(try TestRecords(settings(directory))) == [1, 2])
    }

    /// A lock of a later generation beside earlier files, as a sync folder leaves it: nothing is begun over that.
    @Test func leavesALaterLockBesideEarlierFiles() throws {
        let (first, second) = (try TestRecords(settings(directory)), try TestRecords(settings(directory)))
        try ChangedFilesTests.commit(first, 1)
        let snapshot = directory.read("moods.json")
        _ = try second.with { try $0.compact() }
        try ChangedFilesTests.commit(second, 2)
        second.close()
        let (later, lock) = (directory.contents(), directory.read("lock"))
        for name in ["moods.json", "journal-2.jsonl", "lock"] { directory.remove(name) }
        directory.write("moods.json", snapshot)
        directory.write("lock", lock)
        #expect(throws: StorageError.self) { try ChangedFilesTests.numbers(first) }
        #expect(directory.read("moods.json") == snapshot)
        for name in ["moods.json", "journal-2.jsonl"] { directory.write(name, try #require(later[name])) }
        #expect(try ChangedFilesTests.numbers(first) == [1, 2])
    }
}
