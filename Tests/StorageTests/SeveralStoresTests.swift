import JSONCodec
import Platform
import Seeds
import Synchronization
import Testing

@testable import Storage

/// Several processes on one directory; here each is a store of its own, because a lock belongs to one open of its file.
@Suite struct SeveralStoresTests {
    let directory = TestDirectory()

    private static func record(_ number: UInt64, _ text: String = "") -> TestRecord {
        TestRecord(id: RecordID(high: 7, low: number), time: Int64(number), updated: 0, text: text, isMarked: false)
    }

    private func store(_ fileSystem: FileSystem = .system, timeout: Int = 0) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem, timeout: timeout))
    }

    /// Makes one group of changes, as a host does.
    private func group(_ store: TestRecords, _ records: [TestRecord]) throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        for record in records {
            try store.put(record)
            try store.endCommit()
        }
        try store.flush()
    }

    private func texts(_ store: TestRecords) throws -> [String] {
        try store.with { try $0.catchUp() }
        return store.contents.values.map(\.text).sorted()
    }

    @Test func seesWhatOthersCommit() throws {
        let first = try store()
        let second = try store()
        try group(first, [Self.record(1, "a")])
        #expect(try texts(second) == ["a"])
        try group(second, [Self.record(2, "b"), Self.record(1, "c")])
        #expect(try texts(first) == ["b", "c"])
        #expect(first.revision == 3 && second.revision == 3)
        try group(first, [Self.record(3, "d")])
        #expect(try texts(second) == ["b", "c", "d"])
    }

    /// No store checks in between: taking the lock is a check.
    @Test func beginsAGroupBehindWhatOthersCommitted() throws {
        let (first, second) = (try store(), try store())
        for number in 1...6 as ClosedRange<UInt64> {
            try group(number % 2 == 0 ? second : first, [Self.record(number, "\(number)")])
        }
        let all = (1...6).map { "\($0)" }
        #expect(try texts(first) == all && texts(second) == all && texts(try store()) == all)
        #expect(first.revision == 6 && second.revision == 6)
    }

    /// The file system's clock is an hour behind this process's, and stands still: the directory's time then proves
    /// nothing.
    @Test func asksForNamesWhileTheFileSystemsClockStands() throws {
        let system = FileSystem.system
        let anHourAgo = (Clock.milliseconds - 3_600_000) * 1_000_000
        var files = system
        files.status = { descriptor throws(SystemError) in
            var status = try system.status(descriptor)
            status.modified = anHourAgo
            return status
        }
        files.statusOfPath = { path throws(SystemError) in
            var status = try system.statusOfPath(path)
            status.modified = anHourAgo
            return status
        }
        let store = try store(files)
        try group(store, [Self.record(1, "first")])
        _ = try store.with { try $0.compact() }
        for number in 2...3 as ClosedRange<UInt64> { try group(store, [Self.record(number)]) }
        // A person edits the snapshot: from then on this store may not write.
        directory.write("moods.json", directory.text("moods.json").replacing("first", with: "the first"))
        #expect(throws: StorageError.self) { try group(store, [Self.record(4)]) }
    }

    @Test func isBusyForTheOthersDuringAGroup() throws {
        let first = try store()
        let second = try store()
        try first.with { try $0.lock() }
        guard case .busy? = #expect(throws: StorageError.self, performing: { try second.with { try $0.lock() } }) else {
            throw TestFailure("not busy")
        }
        #expect(try texts(second) == [])
        first.with { $0.unlock() }
        try group(second, [Self.record(1, "a")])
    }

    /// A commit staged without the lock is not appended after those of others.
    @Test func refusesWhatWasStagedBeforeAnothersCommit() throws {
        let first = try store()
        let second = try store()
        try second.put(Self.record(2, "b"))
        try second.endCommit()
        try group(first, [Self.record(1, "a")])
        // Commits of others are not taken over while one of this store is pending.
        #expect(try texts(second) == ["b"])
        guard case .busy? = #expect(throws: StorageError.self, performing: { try second.flush() }) else {
            throw TestFailure("not busy")
        }
        #expect(try texts(second) == ["a"])
        #expect(try texts(try store()) == ["a"])
    }

    @Test func goesOnBehindAnothersCompaction() throws {
        let first = try store()
        let second = try store()
        let third = try store()
        try group(first, [Self.record(1, "a"), Self.record(2, "b")])
        _ = try first.with { store in
            defer { store.unlock() }
            return try store.compact()
        }
        try group(second, [Self.record(3, "c")])
        #expect(try texts(first) == ["a", "b", "c"])
        #expect(try texts(second) == ["a", "b", "c"])
        #expect(try texts(third) == ["a", "b", "c"])
        #expect(try texts(try store()) == ["a", "b", "c"])
    }

    /// The other process died between the commit point of its compaction and its publication.
    @Test func findsAGenerationThatNobodyPublished() throws {
        let faulty = FaultyFiles()
        let first = try store(faulty.fileSystem)
        let second = try store()
        try group(first, [Self.record(1, "a")])
        #expect(try texts(second) == ["a"])
        let before = directory.read("lock")
        _ = try first.with { try $0.compact() }
        first.close()
        directory.write("lock", before)
        try group(second, [Self.record(2, "b")])
        #expect(try texts(second) == ["a", "b"])
        #expect(try texts(try store()) == ["a", "b"])
    }

    @Test(arguments: ["{\"seq\":2,\"at\":\"20", "\u{0}\u{0}", "x\n"])
    func writesNothingBehindAnUncleanEnd(end: String) throws {
        let first = try store()
        let second = try store()
        try group(first, [Self.record(1, "a")])
        #expect(try texts(second) == ["a"])
        first.close()
        let journal = directory.read("journal-1.jsonl")
        let lines = journal.split(separator: 10, omittingEmptySubsequences: true)
        let whole = lines.flatMap { $0 + [10] }
        directory.overwrite("journal-1.jsonl", whole + Array(end.utf8))
        try group(second, [Self.record(2, "b")])
        #expect(directory.names.contains("journal-2.jsonl"))
        // Zeros are not worth keeping.
        let isKept = end.utf8.contains { $0 > 0 }
        #expect(directory.names.contains { $0.hasPrefix("torn-journal-1-") } == isKept)
        #expect(try texts(second) == ["a", "b"])
        #expect(try texts(try store()) == ["a", "b"])
    }

    /// A line that was written and not yet synced must not be shown, though it is readable.
    @Test func showsNothingThatIsNotPublished() throws {
        let first = try store()
        let second = try store()
        try group(first, [Self.record(1, "a")])
        let published = directory.read("lock")
        try group(first, [Self.record(2, "b")])
        let full = directory.read("lock")
        directory.overwrite("lock", published)
        #expect(try texts(second) == ["a"])
        directory.overwrite("lock", full)
        #expect(try texts(second) == ["a", "b"])
    }

    /// A store opened during another's commit counts the bytes of the commits it shows, then and later.
    @Test func countsTheBytesOfWhatItShows() throws {
        let first = try store()
        try group(first, [Self.record(1, "a")])
        let (published, bytes) = (directory.read("lock"), first.with { $0.byteCount })
        try group(first, [Self.record(2, "b")])
        let full = directory.read("lock")
        directory.overwrite("lock", published)
        let reader: TestRecords
        do {
            let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
            defer { _ = lock.file.path }
            reader = try store()
        }
        #expect(try texts(reader) == ["a"])
        #expect(reader.with { $0.byteCount } == bytes)
        directory.overwrite("lock", full)
        #expect(try texts(reader) == ["a", "b"])
        #expect(reader.with { $0.byteCount } == first.with { $0.byteCount })
    }

    /// A line that was not published, with a right seal and an unknown form, perhaps of a later version: the store is
    /// refused, and no opening leaves a file behind.
    @Test(arguments: [
        #","put":[{"id":"x"}],"#, #","delete":[],"put":[],"#, #","delete":["\(String(repeating: "x", count: 36))"],"#,
    ])
    func writesNothingForALineThatItRefuses(changes: String) throws {
        try group(try store(), [Self.record(1, "a")])
        var line = ByteBuffer(capacity: 256)
        line.append(utf8: "{\"seq\":2,\"at\":\"\(time)\",\"durable\":1\(changes)")
        line.appendSeal(from: 0)
        var journal = directory.read("journal-1.jsonl")
        while journal.last == 10 { journal.removeLast() }
        directory.write("journal-1.jsonl", journal + [10] + Array(line.bytes) + Array("\ntorn".utf8))
        let before = directory.contents()
        for _ in 1...2 {
            guard case .corrupt? = #expect(throws: StorageError.self, performing: { _ = try self.store() }) else {
                throw TestFailure("not damaged")
            }
            #expect(directory.contents() == before)
        }
    }

    /// The publication names more commits than can be read in sequence.
    @Test func followsOnlyLinesInOrder() throws {
        let first = try store()
        let second = try store()
        try group(first, [Self.record(1, "a"), Self.record(2, "b"), Self.record(3, "c")])
        var lines = directory.read("journal-1.jsonl").split(separator: 10, omittingEmptySubsequences: true)
        lines.remove(at: 2)
        directory.overwrite("journal-1.jsonl", lines.flatMap { $0 + [10] })
        guard case .corrupt? = #expect(throws: StorageError.self, performing: { try texts(second) }) else {
            throw TestFailure("nothing is said of it")
        }
        #expect(second.contents.values.map(\.text) == ["a"])
    }

    /// The lock was replaced: a process with the old file holds nothing.
    @Test func takesTheLockOfTheFileThatHasItsName() throws {
        let first = try store()
        try group(first, [Self.record(1, "a")])
        directory.write("lock", directory.read("lock"))
        let second = try store()
        try first.with { try $0.lock() }
        #expect(throws: StorageError.self) { try second.with { try $0.lock() } }
        first.with { $0.unlock() }
        try group(second, [Self.record(2, "b")])
        #expect(try texts(first) == ["a", "b"])
    }

    @Test func holdsTheLockUntilItsCommitIsPublished() throws {
        let tries = Mutex(0)
        var files = FileSystem.system
        let (sync, write) = (files.syncData, files.write)
        let directory = directory
        @Sendable func isFree() -> Bool {
            tries.withLock { $0 += 1 }
            return (try? FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)) != nil
        }
        files.syncData = { descriptor throws(SystemError) in
            #expect(!isFree())
            try sync(descriptor)
            #expect(!isFree())
        }
        files.write = { descriptor, bytes, offset throws(SystemError) in
            #expect(!isFree())
            return try write(descriptor, bytes, offset)
        }
        let first = try store(files)
        tries.withLock { $0 = 0 }
        try group(first, [Self.record(1, "a")])
        // The line, the growth in advance, the publication, and twice the sync.
        #expect(tries.withLock { $0 } >= 4 && isFree())
    }

    /// Random groups, compactions and restarts of several stores: each sees every commit of the others.
    @Test(arguments: SeededRandom.seeds)
    func areOneStoreTogether(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let stores = try (0..<4).map { _ in try store() }
        var model: [RecordID: TestRecord] = [:]
        var revision = 0
        for step in 0..<150 {
            let one = stores[Int.random(in: 0..<4, using: &random)]
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                one.close()
                try one.open()
            case 1:
                _ = try one.with { store in
                    defer { store.unlock() }
                    return try store.compact()
                }
            default:
                let records = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    TestRecord.random(RecordID(high: 7, low: .random(in: 0..<40, using: &random)), &random)
                }
                try group(one, records)
                for record in records { model[record.id] = record }
                revision += records.count
            }
            let reader = stores[Int.random(in: 0..<4, using: &random)]
            try reader.with { try $0.catchUp() }
            try #require(reader.contents == model, "seed \(seed), step \(step)")
            try #require(reader.revision == revision, "seed \(seed), step \(step)")
        }
    }

    /// The line's checksum is right, so another process has written it: the state seen until then cannot be continued.
    @Test func aChangeOfAnotherThatIsNoRecordClosesTheStore() throws {
        let store = try TestRecords(settings(directory))
        try ChangedFilesTests.commit(store, 1)
        store.with { $0.unlock() }
        do {
            var other = try TestStore(settings(directory))
            try other.commit(.put(2, "no record of the one who reads"))
        }
        for _ in 1...2 {
            #expect(throws: StorageError.self) { try store.with { try $0.catchUp() } }
            #expect(throws: StorageError.self) { try store.with { try $0.contains(OperationTests.record(1).id) } }
        }
    }
}

extension TestDirectory {
    /// Overwrites a file that others have open.
    func overwrite(_ name: String, _ bytes: [UInt8]) {
        guard let file = try? File(path(name), .readWrite, in: .system) else { return }
        try? file.truncate(to: 0)
        bytes.withUnsafeBytes { try? file.write($0, at: 0) }
    }
}
