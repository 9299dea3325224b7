import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

@Suite struct RecordStoreTests {
    private static func record(_ number: UInt64, _ text: String = "") -> TestRecord {
        TestRecord(id: RecordID(high: 7, low: number), time: Int64(number), updated: 0, text: text, isMarked: false)
    }

    /// A model of the store, as plain as possible.
    private struct Model {
        var records: [RecordID: TestRecord] = [:]
        var revision = 0
        /// The state of the last successful flush.
        var durable: (records: [RecordID: TestRecord], revision: Int) = ([:], 0)
        /// The state of the last commit.
        var committed: (records: [RecordID: TestRecord], revision: Int) = ([:], 0)

        mutating func endCommit() { committed = (records, revision) }
        mutating func abandonCommit() { (records, revision) = committed }
        mutating func flush() { durable = committed }
        mutating func failFlush() {
            committed = durable
            abandonCommit()
        }
    }

    /// Random commits of random changes in groups, with abandoned ones, failed syncs and restarts.
    @Test(arguments: SeededRandom.seeds, [true, false])
    func isItsModelThroughCommitsFailuresAndReopening(seed: UInt64, isInMemory: Bool) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(isInMemory ? nil : settings(directory, faulty.fileSystem))
        var model = Model()
        for step in 0..<120 {
            for _ in 0..<Int.random(in: 1...4, using: &random) { try commit(store, &model, &random) }
            if isInMemory { model.flush() }
            switch Int.random(in: 0..<12, using: &random) {
            case 0 where !isInMemory && store.needsFlush:
                faulty.set(.named(Bool.random(using: &random) ? "fdatasync" : "pwrite", 5))
                #expect(throws: StorageError.self) { try store.flush() }
                faulty.set(.none)
                let attempted = model
                model.failFlush()
                #expect(store.contents == model.records, "seed \(seed), step \(step)")
                // No new generation could be begun on such a disk; opening it again finds the durable state, or the
                // lines that were written and could not be synced.
                store.close()
                try store.open()
                if store.revision == attempted.revision {
                    model = attempted
                    model.flush()
                }
            case 1 where !isInMemory:
                try store.flush()
                model.flush()
                store.close()
                try store.open()
            case 2 where !isInMemory:
                try store.flush()
                model.flush()
                _ = try store.with { try $0.compact() }
            default:
                try store.flush()
                model.flush()
            }
            try #require(store.contents == model.records, "seed \(seed), step \(step)")
            try #require(store.revision == model.revision, "seed \(seed), step \(step)")
        }
    }

    private func commit(_ store: TestRecords, _ model: inout Model, _ random: inout SeededRandom) throws {
        var isChanged = false
        // In the order of a written commit: clear, put, remove.
        if Int.random(in: 0..<25, using: &random) == 0 {
            try store.removeAll()
            model.records = [:]
            isChanged = true
        }
        for _ in 0..<Int.random(in: 0...2, using: &random) {
            let record = TestRecord.random(RecordID(high: 7, low: .random(in: 0..<60, using: &random)), &random)
            try store.put(record)
            model.records[record.id] = record
            isChanged = true
        }
        for _ in 0..<Int.random(in: 0...1, using: &random) {
            let id = RecordID(high: 7, low: .random(in: 0..<60, using: &random))
            let isRemoved = try store.remove(id)
            #expect(isRemoved == (model.records[id] != nil))
            if isRemoved { isChanged = true }
            model.records[id] = nil
        }
        if isChanged { model.revision += 1 }
        #expect(store.revision == model.revision)
        if Int.random(in: 0..<5, using: &random) == 0 {
            store.abandonCommit()
            model.abandonCommit()
        } else {
            try store.endCommit()
            model.endCommit()
        }
        #expect(store.contents == model.records)
    }

    @Test func anAbandonedCommitLeavesNothing() throws {
        let directory = TestDirectory()
        let store = try TestRecords(settings(directory))
        try store.put(Self.record(1, "a"))
        try store.endCommit()
        try store.removeAll()
        try store.put(Self.record(1, "b"))
        try store.put(Self.record(2))
        _ = try store.remove(Self.record(1).id)
        #expect(store.with { $0.nextRevision } == 2)
        store.abandonCommit()
        store.abandonCommit()
        #expect(store.revision == 1 && store.with { $0.nextRevision } == 2)
        #expect(store.contents == [Self.record(1).id: Self.record(1, "a")])
        try store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.contents == [Self.record(1).id: Self.record(1, "a")])
    }

    @Test func aFailedSyncTakesTheWholeGroupBackAndGoesOn() throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        try store.put(Self.record(1))
        try store.endCommit()
        try store.flush()
        for number in 2..<5 as Range<UInt64> {
            try store.put(Self.record(number))
            try store.endCommit()
        }
        #expect(store.needsFlush && store.revision == 4)
        faulty.set(.namedOnce("fdatasync", 1, 5))
        #expect(throws: StorageError.self) { try store.flush() }
        #expect(store.revision == 1 && !store.needsFlush)
        #expect(store.contents.count == 1)
        // A new generation has begun: the store is writable again, and nothing of the lost group comes back.
        #expect(store.with { $0.readOnlyReason } == nil)
        try store.put(Self.record(9))
        try store.endCommit()
        try store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(Set(again.contents.keys.map(\.low)) == [1, 9])
        #expect(again.revision == 2)
    }

    /// Puts 4 MiB or more into a commit, whose line would be too long.
    private func putMuch(_ store: TestRecords) throws {
        let text = String(repeating: "x", count: 64 * 1024)
        for number in 0..<70 as Range<UInt64> { try store.put(Self.record(100 + number, text)) }
    }

    @Test func aCommitOver4MiBBecomesASnapshot() throws {
        let directory = TestDirectory()
        let store = try TestRecords(settings(directory))
        try store.put(Self.record(1))
        try store.endCommit()
        let before = directory.names.filter { $0.hasPrefix("journal") }
        try putMuch(store)
        try store.endCommit()
        #expect(!store.needsFlush, "the snapshot is the commit")
        #expect(store.revision == 2)
        #expect(directory.names.filter { $0.hasPrefix("journal") } != before)
        #expect(directory.text("moods.json").hasPrefix("{\"format\":\"moodboard\""))
        #expect(directory.text("moods.json").contains("\"revision\":2,\"count\":71"))
        try store.put(Self.record(2))
        try store.endCommit()
        try store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.count == 72 && again.revision == 3)
        #expect(again.contents[Self.record(1).id] == Self.record(1))
    }

    @Test func aLargeCommitThatFailsLeavesTheGroupBeforeIt() throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        try store.put(Self.record(1))
        try store.endCommit()
        try putMuch(store)
        // The journal can still be written, the snapshot not.
        faulty.set(.named("fsync", 28))
        #expect(throws: StorageError.self) { try store.endCommit() }
        faulty.set(.none)
        #expect(store.revision == 1)
        #expect(store.contents == [Self.record(1).id: Self.record(1)])
        try? store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.contents == [Self.record(1).id: Self.record(1)])
    }

    /// The group before a large commit is synced for it. If that sync fails, the flush of the group must fail too: its
    /// answers are already written.
    @Test(arguments: ["fdatasync", "pwrite"])
    func aGroupLostBeforeALargeCommitIsNotForgotten(call: String) throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        try store.put(Self.record(1))
        try store.endCommit()
        try putMuch(store)
        faulty.set(.namedOnce(call, 1, call == "pwrite" ? 28 : 5))
        #expect(throws: StorageError.self) { try store.endCommit() }
        // Another request of the group.
        try store.put(Self.record(2))
        try store.endCommit()
        #expect(store.needsFlush)
        #expect(throws: StorageError.self) { try store.flush() }
        faulty.set(.none)
        #expect(!store.needsFlush)
        #expect(store.revision == 0 && store.count == 0)
        try store.put(Self.record(3))
        try store.endCommit()
        try store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.contents.keys.map(\.low) == [3])
        #expect(again.revision == 1)
    }

    /// A large commit makes the group before it durable; a later failed flush must not take that back.
    @Test func whatALargeCommitMadeDurableStays() throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        try store.put(Self.record(1))
        try store.endCommit()
        try putMuch(store)
        faulty.set(.named("fsync", 28))
        #expect(throws: StorageError.self) { try store.endCommit() }
        faulty.set(.none)
        try store.put(Self.record(2))
        try store.endCommit()
        faulty.set(.namedOnce("fdatasync", 1, 5))
        #expect(throws: StorageError.self) { try store.flush() }
        faulty.set(.none)
        let inMemory = store.contents
        let revision = store.revision
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.contents == inMemory, "memory and disk agree after every failure")
        #expect(again.revision == revision)
    }

    /// An early flush, as in `store.compact` and `store.verify`.
    @Test(arguments: ["fdatasync", "pwrite"])
    func aGroupLostByAnEarlyFlushIsNotForgotten(call: String) throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        try store.put(Self.record(1))
        try store.endCommit()
        faulty.set(.namedOnce(call, 1, call == "pwrite" ? 28 : 5))
        #expect(throws: StorageError.self) { try store.with { try $0.flushEarly() } }
        try store.put(Self.record(2))
        try store.endCommit()
        #expect(throws: StorageError.self) { try store.flush() }
        #expect(!store.needsFlush && store.revision == 0 && store.count == 0)
        try store.flush()
        try store.put(Self.record(3))
        try store.endCommit()
        try store.flush()
        store.close()
        #expect(Array(try TestRecords(settings(directory)).contents.keys.map(\.low)) == [3])
    }

    /// A full disk fails the rest of a group, not the part that is durable.
    @Test func aGroupThatIsPartlyDurableHasAnUnknownOutcome() throws {
        let directory = TestDirectory()
        let faulty = FaultyFiles()
        let store = try TestRecords(settings(directory, faulty.fileSystem))
        for number in 1...3 as ClosedRange<UInt64> {
            try store.put(Self.record(number))
            try store.endCommit()
            if number == 1 { try store.with { try $0.flushEarly() } }
            if number < 3 { continue }
            faulty.set(.namedOnce("pwrite", 1, 28))
            #expect {
                try store.flush()
            } throws: { error in
                if case .outcomeUnknown = error as? StorageError { true } else { false }
            }
        }
        #expect(store.revision == 1)
        // The next group is not affected.
        try store.put(Self.record(4))
        try store.endCommit()
        faulty.set(.namedOnce("pwrite", 1, 28))
        #expect {
            try store.flush()
        } throws: { error in
            if case .full = error as? StorageError { true } else { false }
        }
    }

    @Test func aReadOnlyStoreShowsAllAndRefusesChanges() throws {
        let directory = TestDirectory()
        do {
            let store = try TestRecords(settings(directory))
            try store.put(Self.record(1))
            try store.endCommit()
            try store.flush()
        }
        let before = directory.contents()
        let store = try TestRecords(settings(directory, isReadOnly: true))
        #expect(store.with { $0.readOnlyReason } != nil)
        #expect(store.count == 1)
        try store.put(Self.record(2))
        var isRefused = false
        do {
            try store.endCommit()
            try store.flush()
        } catch {
            isRefused = true
        }
        #expect(isRefused)
        #expect(store.count == 1 && store.revision == 1)
        store.close()
        #expect(directory.contents() == before)
    }

    @Test func keepsTheTimeOfACommitInTheJournal() throws {
        let directory = TestDirectory()
        let store = try TestRecords(settings(directory))
        store.with { records in Array("2027-07-07T07:07:07.007Z".utf8).withUnsafeBytes { records.time.set($0) } }
        try store.put(Self.record(1))
        try store.endCommit()
        try store.flush()
        let journal = try #require(directory.names.first { $0.hasPrefix("journal") })
        #expect(directory.text(journal).contains("\"seq\":1,\"at\":\"2027-07-07T07:07:07.007Z\""))
    }

    @Test func inMemoryThereAreNoFiles() throws {
        let store = try TestRecords(nil)
        try store.put(Self.record(1))
        try store.endCommit()
        #expect(!store.needsFlush)
        try store.with { store in
            let isPlain = store.isInMemory && store.storeID == nil && store.readOnlyReason == nil
            #expect(isPlain && !store.wantsCompaction)
            let bytes = store.byteCount
            #expect(bytes == Self.record(1).json.utf8.count)
            let compaction = try store.compact()
            #expect(compaction == nil)
        }
    }
}
