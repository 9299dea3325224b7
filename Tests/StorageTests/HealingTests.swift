import Platform
import Synchronization
import Testing

@testable import Storage

/// Stores that could not be written or judged when they were opened, and faults that end.
@Suite struct HealingTests {
    let directory = TestDirectory()

    private static func record(_ number: UInt64) -> TestRecord {
        TestRecord(
            id: RecordID(high: 3, low: number), time: Int64(number), updated: 0, text: "t\(number)", isMarked: false)
    }

    private static func commit(_ store: TestRecords, _ number: UInt64) throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        try store.put(record(number))
        try store.endCommit()
        try store.flush()
    }

    /// Makes three commits, of which `lock` publishes only the first, as after a power cut.
    private func makeOldLock() throws {
        let store = try TestRecords(settings(directory))
        try Self.commit(store, 1)
        let old = directory.read("lock")
        try Self.commit(store, 2)
        try Self.commit(store, 3)
        store.close()
        directory.write("lock", old)
    }

    // MARK: Readers that cannot write judge too

    @Test func whoCannotWriteShowsAllThatIsThereWhenNobodyWrites() throws {
        try makeOldLock()
        let before = directory.contents()
        #expect(try TestRecords(settings(directory, isReadOnly: true)).count == 3)
        #expect(directory.contents() == before)
    }

    @Test func whatSomebodyIsWritingIsNotShown() throws {
        try makeOldLock()
        let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
        // The third line says that the second one was synced.
        #expect(try TestRecords(settings(directory, isReadOnly: true)).count == 2)
        _ = consume lock
    }

    @Test func severalJudgeAtOnce() throws {
        try makeOldLock()
        let shared = try StoreDirectory(settings(directory)).lockShared()
        let isShared = shared != nil
        #expect(isShared)
        #expect(try TestRecords(settings(directory, isReadOnly: true)).count == 3)
        extendLifetime(shared)
    }

    @Test func whatCannotBeJudgedIsSaid() throws {
        try makeOldLock()
        var files = FileSystem.system
        files.lock = { _, _ throws(SystemError) in throw SystemError(call: "flock", code: ENOLCK) }
        let store = try TestRecords(settings(directory, files, isReadOnly: true))
        #expect(store.count == 2)
        #expect(store.with { $0.readOnlyReason }?.contains("acknowledged cannot be told") == true)
        let report = try StoreFiles.verify(settings(directory, files), examination)
        #expect(report.problems.contains { $0.file == "lock" && $0.kind == .unreadable })
    }

    // MARK: Faults that go away

    private static func isFull(_ error: (any Error)?) -> Bool {
        if case .full? = error as? StorageError { true } else { false }
    }

    @Test func aFullDiskDuringRecoveryIsFullAndHeals() throws {
        try makeOldLock()
        let files = FaultyFiles()
        files.setFreeBytes(0)
        let store = try TestRecords(settings(directory, files.fileSystem))
        #expect(store.count == 3)
        #expect(Self.isFull(store.with { $0.refusal }) && store.with { $0.mayHeal })
        try store.with { try $0.heal() }
        #expect(Self.isFull(store.with { $0.refusal }))
        files.setFreeBytes(nil)
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } == nil)
        try Self.commit(store, 4)
        store.close()
        #expect(try TestRecords(settings(directory)).count == 4)
    }

    private static func commitLong(_ store: TestRecords) throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        var long = record(2)
        long.text = String(repeating: "long ", count: 1 << 20)
        try store.put(long)
        try store.endCommit()
        try store.flush()
    }

    /// The number, among all syncs of a long commit, of the last sync of the folder: the one after its rename.
    private static func lastSync(of files: FaultyFiles) throws -> Int {
        let calls = files.trace.filter { $0.hasPrefix("fsync ") || $0.hasPrefix("rename ") }
        let renamed = try #require(calls.lastIndex { $0 == "rename moods.json" })
        let last = try #require(calls[renamed...].firstIndex { $0 == "fsync directory" })
        return calls[...last].count { $0.hasPrefix("fsync ") }
    }

    /// A store of which the last sync of a generation has failed.
    private static func unsettled(
        in directory: TestDirectory, _ code: Int32
    ) throws -> (store: TestRecords, files: FaultyFiles, syncs: Int) {
        let counted = FaultyFiles()
        let example = TestDirectory()
        let whole = try TestRecords(settings(example, counted.fileSystem))
        try commit(whole, 1)
        counted.set(.none)
        try commitLong(whole)
        let number = try lastSync(of: counted)

        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        try commit(store, 1)
        files.set(.namedOnce("fsync", number, code))
        let error = #expect(throws: StorageError.self) { try commitLong(store) }
        guard case .outcomeUnknown? = error else { throw TestFailure("\(String(describing: error))") }
        #expect(store.with { $0.refusal != nil && $0.mayHeal })
        #expect(throws: StorageError.self) { try commit(store, 3) }
        return (store, files, number)
    }

    @Test(arguments: [ENOSPC, EIO]) func aFailedLastSyncOfAGenerationHeals(code: Int32) throws {
        let (store, files, _) = try Self.unsettled(in: directory, code)
        files.set(.none)
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } == nil)
        // A later name, which is durable, has overtaken the one that was not.
        let renamed = try #require(files.trace.firstIndex { $0 == "rename moods.json" })
        #expect(files.trace[renamed...].contains("fsync directory"))
        #expect(store.with { $0.generation } == 3)
        try Self.commit(store, 3)
        store.close()
        #expect(try TestRecords(settings(directory)).count == 3)
    }

    @Test func noSpaceAtAnySyncHealsHoweverOftenItIsTried() throws {
        let (store, files, syncs) = try Self.unsettled(in: directory, ENOSPC)
        // While nothing can be synced, nothing is written to the journal of a generation that may vanish.
        files.set(.named("fsync", ENOSPC))
        try store.with { try $0.heal() }
        #expect(Self.isFull(store.with { $0.refusal }))
        for number in 1...syncs {
            guard store.with({ $0.refusal }) != nil else { break }
            #expect(store.with { $0.mayHeal })
            files.set(.namedOnce("fsync", number, ENOSPC))
            try store.with { try $0.heal() }
        }
        #expect(store.with { $0.refusal == nil || $0.mayHeal })
        files.set(.none)
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } == nil)
        try Self.commit(store, 3)
        store.close()
        #expect(try TestRecords(settings(directory)).count == 3)
    }

    @Test func aSecondFailedSyncIsLeftToARestart() throws {
        let example = TestDirectory()
        let (healed, counted, _) = try Self.unsettled(in: example, EIO)
        counted.set(.none)
        try healed.with { try $0.heal() }

        let (store, files, _) = try Self.unsettled(in: directory, EIO)
        files.set(.namedOnce("fsync", try Self.lastSync(of: counted), EIO))
        try store.with { try $0.heal() }
        if store.with({ $0.refusal }) == nil { throw TestFailure("the fault has missed the syncs") }
        files.set(.none)
        #expect(!store.with { $0.mayHeal })
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } != nil)
        #expect(throws: StorageError.self) { try Self.commit(store, 3) }
        store.close()
        #expect(try TestRecords(settings(directory)).count == 2)
    }

    @Test func aFullDiskDuringCreationIsFullAndHeals() throws {
        var reasons = 0
        for room in stride(from: 0, to: 2_000, by: 50) {
            TestDirectory.remove(directory.path)
            let files = FaultyFiles()
            files.setFreeBytes(room)
            var store: TestRecords?
            do throws(StorageError) {
                store = try TestRecords(settings(directory, files.fileSystem))
            } catch {
                #expect(Self.isFull(error), "\(room): \(error)")
                reasons += 1
            }
            if let refusal = store?.with({ $0.refusal }) {
                #expect(Self.isFull(refusal), "\(room): \(refusal)")
                reasons += 1
            }
            files.setFreeBytes(nil)
            let open = try store ?? TestRecords(settings(directory, files.fileSystem))
            try open.with { try $0.heal() }
            try Self.commit(open, 1)
        }
        #expect(reasons > 5)
    }

    @Test(arguments: [EROFS, EACCES, EMFILE]) func whatMayBeWrittenAgainIs(code: Int32) throws {
        try makeOldLock()
        let fault = Flag()
        var files = FileSystem.system
        files.open = { path, access throws(SystemError) in
            if fault.isSet, [.readWrite, .readWriteOrCreate, .create].contains(access),
                code != EMFILE || !path.hasSuffix("lock")
            {
                throw SystemError(call: "open", subject: path, code: code)
            }
            return try FileSystem.system.open(path, access)
        }
        let store = try TestRecords(settings(directory, files))
        #expect(store.count == 3)
        #expect(store.with { $0.refusal?.isOnlyOfWriting } == true)
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } != nil)
        fault.clear()
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } == nil)
        try Self.commit(store, 4)
        store.close()
        #expect(try TestRecords(settings(directory)).count == 4)
    }

    @Test func aStoreThatWasOpenedReadOnlyStaysSo() throws {
        try makeOldLock()
        let store = try TestRecords(settings(directory, isReadOnly: true))
        #expect(!store.with { $0.mayHeal })
        try store.with { try $0.heal() }
        #expect(store.with { $0.refusal } != nil)
    }

    @Test func noNewStoreBeginsWhereOneCouldNotBeWritten() throws {
        try makeOldLock()
        let files = FaultyFiles()
        files.setFreeBytes(0)
        let store = try TestRecords(settings(directory, files.fileSystem))
        files.setFreeBytes(nil)
        directory.restore([:])
        #expect(throws: StorageError.self) { try store.with { try $0.heal() } }
        #expect(directory.names.isEmpty)
    }
}

/// A flag that tests share with closures.
private final class Flag: Sendable {
    private let flag = Mutex(true)

    var isSet: Bool { flag.withLock { $0 } }
    func clear() { flag.withLock { $0 = false } }
}
