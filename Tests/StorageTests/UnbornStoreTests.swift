import Platform
import Testing

@testable import Storage

/// A store that has no files yet: its first commit makes them, and nothing else does.
@Suite struct UnbornStoreTests {
    let directory = TestDirectory()

    private func unborn(_ commitBytes: Int = .max) throws -> TestRecords {
        var settings = settings(directory)
        settings.commitBytesInMemory = commitBytes
        let store = try TestRecords(nil)
        store.with { $0 = .unborn(settings, .test) }
        return store
    }

    private func reopened() throws -> [RecordID: TestRecord] {
        let store = try TestRecords(settings(directory))
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
        return store.contents
    }

    @Test func onlyACommitMakesFiles() throws {
        let store = try unborn()
        let record = OperationTests.record(1)
        #expect(try store.with { try $0.record(record.head.id) == nil })
        #expect(try !store.remove(record.head.id))
        try store.put(record)
        store.abandonCommit()
        try store.endCommit()
        try store.flush()
        #expect(store.with { $0.isUnborn } && !FileSystem.system.hasAny(directory.path))
        try store.put(record)
        #expect(!FileSystem.system.hasAny(directory.path))
        try store.endCommit()
        try store.put(OperationTests.record(2))
        try store.endCommit()
        try store.flush()
        store.with { $0.unlock() }
        #expect(store.revision == 2 && store.count == 2)
        store.close()
        #expect(try reopened().count == 2)
    }

    /// A rehearsed commit makes nothing, however long it is; the next one makes the store.
    @Test(arguments: [200, Int.max]) func aRehearsalMakesNoFiles(commitBytes: Int) throws {
        let store = try unborn(commitBytes)
        for isEnded in [true, false] {
            store.with { $0.rehearse() }
            for number in 1...20 { try store.put(OperationTests.record(number)) }
            #expect(store.count == 20)
            try #require(try store.with { try $0.record(OperationTests.record(20).head.id) } != nil)
            if isEnded { try store.endCommit() } else { store.abandonCommit() }
            try store.flush()
            #expect(store.count == 0 && store.with { $0.isUnborn } && !FileSystem.system.hasAny(directory.path))
        }
        for number in 1...20 { try store.put(OperationTests.record(number)) }
        try store.endCommit()
        try store.flush()
        store.with { $0.unlock() }
        store.close()
        #expect(try reopened().count == 20)
    }

    /// The files are those of a store that was made first.
    @Test func itsFilesAreThoseOfAnyStore() throws {
        let (first, other) = (try unborn(), TestDirectory())
        let second = try TestRecords(settings(other))
        for store in [first, second] {
            try store.with { try $0.lock() }
            for number in 1...3 {
                try store.put(OperationTests.record(number))
                try store.endCommit()
            }
            try store.flush()
            store.with { $0.unlock() }
        }
        func lines(_ directory: TestDirectory) -> [Substring] {
            Array(directory.text("journal-1.jsonl").split(separator: "\n").dropFirst())
        }
        #expect(lines(directory).count == 3 && lines(directory) == lines(other))
    }

    @Test func aStoreThatIsThereByThenIsNotTouched() throws {
        let store = try unborn()
        try store.put(OperationTests.record(1, "late"))
        let other = try TestRecords(settings(directory))
        try other.with { try $0.lock() }
        try other.put(OperationTests.record(1, "first"))
        try other.endCommit()
        try other.flush()
        other.with { $0.unlock() }
        #expect(throws: StorageError.bornElsewhere) { try store.endCommit() }
        #expect(store.revision == 0 && store.count == 0 && store.with { $0.isUnborn })
        // The lock is free.
        try other.with { try $0.lock() }
        other.with { $0.unlock() }
        #expect(try reopened().values.map(\.text) == ["first"])
    }

    /// A later request of the group finds the operation of the commit that made the store.
    @Test func itsFirstOperationIsKnown() throws {
        let store = try unborn()
        #expect(try store.with { try $0.outcome(of: OperationTests.key(1)) } == .unknown)
        try OperationTests.commit(store, 1)
        #expect(
            try store.with { try $0.outcome(of: OperationTests.key(1)) } == .answer(OperationTests.answer(1)))
        try store.flush()
        #expect(
            try store.with { try $0.outcome(of: OperationTests.key(1)) } == .answer(OperationTests.answer(1)))
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(try OperationTests.find(again, OperationTests.key(1)) == .answer(OperationTests.answer(1)))
    }

    /// A commit that is too long for memory makes the store before its end.
    @Test(arguments: [true, false]) func aLongFirstCommitMakesIt(isKept: Bool) throws {
        let store = try unborn(1000)
        for number in 1...100 { try store.put(OperationTests.record(number, String(repeating: "x", count: 100))) }
        #expect(!store.with { $0.isUnborn })
        if isKept { try store.endCommit() } else { store.abandonCommit() }
        try store.flush()
        store.with { $0.unlock() }
        store.close()
        #expect(try reopened().count == (isKept ? 100 : 0))
        #expect(!directory.names.contains { $0.hasPrefix("temporary-") })
    }

    @Test func whereItCannotBeMadeTheCommitIsRefused() throws {
        let files = FaultyFiles()
        let store = try TestRecords(nil)
        let chosen = settings(directory, files.fileSystem)
        store.with { $0 = .unborn(chosen, .test) }
        files.set(.named("mkdir", EACCES))
        for _ in 1...2 {
            try store.put(OperationTests.record(1))
            #expect(throws: StorageError.self) { try store.endCommit() }
            #expect(store.count == 0 && store.revision == 0)
        }
        files.set(.none)
        try store.put(OperationTests.record(1))
        try store.endCommit()
        try store.flush()
        store.with { $0.unlock() }
        #expect(try reopened().count == 1)
    }
}

extension FileSystem {
    fileprivate func hasAny(_ path: String) -> Bool { (try? isThere(path)) != false }
}
