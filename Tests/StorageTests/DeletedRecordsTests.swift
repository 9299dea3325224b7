import Seeds
import Testing

@testable import Storage

/// Pages of deleted records, compared with a simple table of the same changes.
@Suite struct DeletedRecordsTests {
    let directory = TestDirectory()

    @Test(arguments: SeededRandom.seeds)
    func pagesAreThoseOfATable(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestRecords(settings(directory, durability: .none))
        var present: Set<RecordID> = []
        var gone: [RecordID: Int] = [:]
        var revision = 0
        for _ in 0..<60 {
            revision += 1
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where !present.isEmpty:
                try store.with { try $0.removeAll() }
                for id in present { gone[id] = revision }
                present = []
            case 1...3 where !present.isEmpty:
                let id = try #require(present.sorted().randomElement(using: &random))
                #expect(try store.with { try $0.remove(id) })
                present.remove(id)
                gone[id] = revision
            default:
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let record = OperationTests.record(.random(in: 1...30, using: &random))
                    try store.put(record)
                    present.insert(record.id)
                    gone[record.id] = nil
                }
            }
            try store.endCommit()
            try store.flush()
            if Int.random(in: 0..<8, using: &random) == 0 { _ = try store.with { try $0.compact() } }
        }
        // A compaction removes snapshots that it no longer needs; records cleared before them are then unknown.
        let wanted = gone.map { (revision: $0.value, id: $0.key) }
            .sorted { $0.revision != $1.revision ? $0.revision > $1.revision : $0.id < $1.id }
        for limit in [2, 100] {
            var found: [(revision: Int, id: RecordID)] = []
            var place: (revision: Int, id: RecordID)?
            while true {
                let page = try store.with { try $0.deletedRecords(after: place, limit: limit) }
                found += page.items.map { ($0.revision, $0.id) }
                guard page.hasMore, let last = page.items.last else { break }
                #expect(page.items.count == limit)
                place = (last.revision, last.id)
            }
            #expect(found.map(\.id) == wanted.map(\.id), "limit \(limit)")
            #expect(found.map(\.revision) == wanted.map(\.revision))
        }
    }

    @Test func endsWhenItIsCancelled() throws {
        let store = try TestRecords(settings(directory, durability: .none))
        for number in 1...3 {
            try store.put(OperationTests.record(number))
            try store.endCommit()
        }
        try store.with { try $0.removeAll() }
        try store.endCommit()
        try store.flush()
        #expect(throws: StorageError.cancelled) {
            try store.with { try $0.deletedRecords(after: nil, limit: 2, isCancelled: { true }) }
        }
        #expect(try store.with { try $0.deletedRecords(after: nil, limit: 2) }.items.count == 2)
    }
}
