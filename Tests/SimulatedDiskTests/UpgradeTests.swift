import JSONCodec
import Platform
import Seeds
import SimulatedDisk
import StoreTorture
import Testing

@testable import Storage

/// A used store of schema 3 becomes one of schema 4 and stays usable. Only these tests have schema 4: each record ends
/// with `,"v4":1}`.
@Suite struct UpgradeTests {
    private static let mark = Array(",\"v4\":1}".utf8)

    private static func isFour(_ record: UnsafeRawBufferPointer) -> Bool {
        record.count > mark.count && record.suffix(mark.count).elementsEqual(mark)
    }

    private static func extractor(isFour: Bool) -> RecordExtractor {
        let torture = TortureRecord.extractor
        let head: @Sendable (UnsafeRawBufferPointer) -> RecordHead? = { record in
            Self.isFour(record) == isFour ? torture.head(record) : nil
        }
        return RecordExtractor(
            head: head, compareTexts: torture.compareTexts, compareText: torture.compareText, id: { head($0)?.id },
            headAndText: { Self.isFour($0) == isFour ? torture.headAndText($0, &$1) : nil })
    }

    private static func settings(_ process: SimulatedProcess, isFour: Bool, isReadOnly: Bool = false) -> StoreSettings {
        var settings = storeSettings(process)
        settings.isReadOnly = isReadOnly
        guard isFour else { return settings }
        settings.schemaVersion = 4
        settings.upgrade = SchemaUpgrade(from: 3, extractor: extractor(isFour: false)) { record, buffer in
            guard !Self.isFour(record) else { return false }
            buffer.append(UnsafeRawBufferPointer(rebasing: record.dropLast()))
            mark.withUnsafeBytes { buffer.append($0) }
            return true
        }
        return settings
    }

    private static func open(
        _ process: SimulatedProcess, isFour: Bool = true, isReadOnly: Bool = false
    ) throws(StorageError) -> RecordStore {
        try .open(settings(process, isFour: isFour, isReadOnly: isReadOnly), extractor(isFour: isFour))
    }

    private static let key = OperationKey(id: Array("once".utf8), method: Array("put".utf8), params: 1)
    private static let answer = Array("{\"done\":true}".utf8)
    private static let count = 6

    /// Puts records in the snapshot and in the journal, one of them in both, and an operation. Some lines are not
    /// proven.
    @discardableResult
    private static func makeStore(on disk: Disk) throws(StorageError) -> String? {
        var store = try open(disk.startProcess(), isFour: false)
        for slot in 0..<count - 1 { try store.commit(slot) }
        _ = try store.compact()
        try store.commit(count - 1)
        try store.put(0)
        answer.withUnsafeBytes { store.keepOutcome(key, answer: $0) }
        try store.endCommit()
        try store.flush()
        return store.storeID
    }

    private static let revision = count + 1

    /// Checks that every record is there and upgraded, whether or not the store is writable.
    private static func check(_ store: inout RecordStore, _ place: String, id: String? = nil) throws {
        var shown = 0
        func walk() throws(StorageError) {
            shown = 0
            try store.walk(.time, isDescending: false, after: nil) { record in
                shown += isFour(record.bytes) ? 1 : 0
                return true
            }
        }
        do throws(StorageError) {
            try walk()
        } catch {
            // The store has rebuilt an index that the power cut damaged.
            guard case .busy = error else { throw error }
            try walk()
        }
        let (all, last) = (store.count, store.revision)
        #expect(shown == count && all == count, "\(place): \(shown) of \(all)")
        #expect(last == revision, "\(place)")
        if let id { #expect(store.storeID == id, "\(place)") }
    }

    /// The number of system calls in an upgrade.
    private static func callsOfAnUpgrade() throws -> Int {
        let disk = makeDisk()
        try makeStore(on: disk)
        let process = disk.startProcess()
        _ = try open(process)
        return process.calls
    }

    private static func names(_ disk: Disk) throws -> [String] {
        try disk.startProcess().fileSystem.list("/home/board").sorted()
    }

    @Test func theStoreGoesOn() throws {
        let disk = makeDisk()
        let id = try Self.makeStore(on: disk)
        var older = try Self.open(disk.startProcess(), isFour: false)
        var store = try Self.open(disk.startProcess())
        #expect(store.refusal == nil)
        try Self.check(&store, "upgraded", id: id)
        try store.lock()
        #expect(try store.outcome(of: Self.key) == .answer(Self.answer))
        store.unlock()
        let names = try Self.names(disk)
        #expect(names.contains("moods.v3.json") && names.contains("operations-3.jsonl"))
        #expect(
            try #require(disk.startProcess().fileSystem.text(of: "/home/board/moods.json")).contains(
                "\"schemaVersion\":4"))

        // History and events deliver records of version 4 from journals of version 3.
        let history = try store.history(of: TortureRecord.id(0), before: .max, limit: 9, bytesMax: .max).items
        #expect(history.map(\.revision) == [Self.revision, 1])
        for item in history { #expect((item.record ?? []).withUnsafeBytes { Self.isFour($0) }) }
        var told = 0
        let isWhole = try store.commits(after: 0) { commit in
            for change in commit.changes where change.record.map(Self.isFour) == true { told += 1 }
            return true
        }
        #expect(isWhole && told == Self.revision)

        // A program of version 3 may read on, but writes nothing.
        do throws(StorageError) {
            try older.lock()
            Issue.record("a store of a later version is taken for changes")
        } catch {
            #expect(error.reason.contains("4"), "\(error)")
        }
        #expect(throws: StorageError.self) { try older.commit(9) }
        #expect(throws: StorageError.self) { _ = try Self.open(disk.startProcess(), isFour: false) }

        try store.put(7, isFour: true)
        try store.endCommit()
        try store.flush()
        var again = try Self.open(disk.startProcess())
        #expect(try again.holds(7) && again.revision == Self.revision + 1)
        let settings = Self.settings(disk.startProcess(), isFour: true)
        #expect(try StoreFiles.verify(settings, Self.examination).problems == [])
    }

    private static var examination: RecordExamination {
        RecordExamination(
            inspect: { record in
                guard let head = extractor(isFour: true).head(record) else { return .problem("is not of version 4") }
                return .record(id: head.id, time: head.time, revision: 0)
            }, progress: { _, _ in })
    }

    @Test func isShownUpgradedWhereItCannotBeWritten() throws {
        let disk = makeDisk()
        let id = try Self.makeStore(on: disk)
        let before = try Self.names(disk)
        var store = try Self.open(disk.startProcess(), isReadOnly: true)
        try Self.check(&store, "read", id: id)
        guard case .readOnly(let reason)? = store.refusal else { throw Missing() }
        #expect(reason.contains("schema version 3") && reason.contains("version 4"))
        #expect(try StoreFiles.verify(Self.settings(disk.startProcess(), isFour: true), Self.examination).isWhole)
        #expect(try Self.names(disk) == before)
        // Another process continues with the older version meanwhile.
        var older = try Self.open(disk.startProcess(), isFour: false)
        try older.commit(8)
        try store.catchUp()
        #expect(try store.holds(8))
    }

    /// A process dies at some call of the upgrade, perhaps with the power. The files left are a whole store of one
    /// version or the other, and the next opening upgrades it.
    @Test(arguments: [Fault.Moment.before, .after]) func aKillAnywhereLosesNothing(moment: Fault.Moment) throws {
        let total = try Self.callsOfAnUpgrade()
        #expect(total > 60)
        for number in stride(from: 1, through: total, by: SeededRandom.step(3)) {
            for fate in [nil, Disk.Fate.everythingLost, .anything] {
                let place = "killed at call \(number), \(String(describing: fate))"
                let disk = makeDisk(seed: UInt64(number))
                let id = try Self.makeStore(on: disk)
                let process = disk.startProcess()
                process.plan([Fault(.call(number), .killed(moment))])
                do throws(StorageError) {
                    _ = try Self.open(process)
                } catch {
                    // The process is dead.
                }
                if let fate { disk.restorePower(fate) }
                if number % 2 == 0, fate == nil {
                    // A program of version 3 may only continue, or name the needed version.
                    do throws(StorageError) {
                        var older = try Self.open(disk.startProcess(), isFour: false)
                        if older.refusal == nil {
                            #expect(older.revision == Self.revision, "\(place)")
                            try older.put(1)
                            older.abandonCommit()
                        }
                    } catch {
                        #expect(error.reason.contains("version 4"), "\(place): \(error)")
                    }
                }
                var store = try Self.open(disk.startProcess())
                #expect(store.refusal == nil, "\(place)")
                try Self.check(&store, place, id: id)
                #expect(try Self.names(disk).contains("moods.v3.json"), "\(place)")
            }
        }
    }

    /// A call fails: the store shows nothing wrong, and the next opening without the fault upgrades it.
    @Test(arguments: [EIO, ENOSPC, EROFS]) func aFaultAnywhereLosesNothing(code: Int32) throws {
        for number in stride(from: 1, through: try Self.callsOfAnUpgrade(), by: SeededRandom.step(3)) {
            let place = "call \(number) failed with \(code)"
            let disk = makeDisk(seed: UInt64(number))
            let id = try Self.makeStore(on: disk)
            let process = disk.startProcess()
            process.plan([Fault(.call(number), .fails(code))])
            do throws(StorageError) {
                var store = try Self.open(process)
                do { try Self.check(&store, place) } catch let error as StorageError { throw error } catch {}
            } catch {
                // The store may answer a fault with a failure.
            }
            var store = try Self.open(disk.startProcess())
            #expect(store.refusal == nil, "\(place)")
            try Self.check(&store, place, id: id)
        }
    }

    /// One record cannot be upgraded: the store keeps its version, and the error names the record.
    @Test func aRecordThatCannotBeUpgradedStopsIt() throws {
        let disk = makeDisk()
        try Self.makeStore(on: disk)
        var settings = Self.settings(disk.startProcess(), isFour: true)
        let transform = settings.upgrade?.transform
        settings.upgrade = SchemaUpgrade(from: 3, extractor: Self.extractor(isFour: false)) { record, buffer in
            TortureRecord.head(record)?.id != TortureRecord.id(2) && transform?(record, &buffer) == true
        }
        do throws(StorageError) {
            let store = try RecordStore.open(settings, Self.extractor(isFour: true))
            Issue.record("opened: \(String(describing: store.refusal))")
        } catch {
            #expect(error.reason.contains("upgraded from version 3"), "\(error)")
        }
        let older = try Self.open(disk.startProcess(), isFour: false)
        #expect(older.refusal == nil && older.revision == Self.revision)
    }

    private struct Missing: Error {}
}

extension RecordStore {
    fileprivate mutating func put(_ slot: Int, isFour: Bool = false) throws(StorageError) {
        var bytes = TortureRecord.bytes(slot: slot, time: slot, version: slot + 9, text: 2, fill: 10)
        if isFour { bytes = bytes.dropLast() + Array(",\"v4\":1}".utf8) }
        let copy = ByteBuffer(copying: bytes)
        if let head = TortureRecord.head(copy.bytes) { try put(head, copy.bytes) }
    }

}
