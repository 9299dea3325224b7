import Platform
import Seeds
import Testing

@testable import Storage

/// Commits read again from the journals.
@Suite struct CommitLogTests {
    let directory = TestDirectory()

    private static func id(_ number: Int) -> RecordID { RecordID(high: 5, low: UInt64(number)) }

    private func read(_ store: TestRecords, after revision: Int) throws -> [String]? {
        var read: [String] = []
        let isKept = try store.with { store in
            try store.commits(after: revision) { commit in
                let changes = commit.changes.map { "\($0.kind) \($0.id.low)\($0.record == nil ? "" : "=")" }.sorted()
                read.append("\(commit.seq) \(commit.count): \(changes.joined(separator: ", "))")
                return true
            }
        }
        return isKept ? read : nil
    }

    /// Random commits, with compactions and restarts between them: read from every revision, they equal the changes
    /// made.
    @Test(arguments: SeededRandom.seeds) func agreesWithWhatWasDone(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let store = try TestRecords(settings(directory))
        let other = try TestRecords(settings(directory))
        var done: [String] = []
        var present: Set<Int> = []
        for _ in 0..<120 {
            var changes: [String] = []
            var count = 0
            if Int.random(in: 0..<12, using: &random) == 0, !present.isEmpty {
                try store.removeAll()
                changes = present.map { "deleted \($0)" }
                present = []
            }
            var touched: Set<Int> = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let number = Int.random(in: 1...9, using: &random)
                guard touched.insert(number).inserted else { continue }
                try store.put(TestRecord.random(Self.id(number), &random))
                changes.append("\(present.insert(number).inserted ? "created" : "updated") \(number)=")
            }
            let number = Int.random(in: 1...9, using: &random)
            if !touched.contains(number), try store.remove(Self.id(number)) {
                changes.append("deleted \(number)")
                present.remove(number)
            }
            count = changes.count
            try store.endCommit()
            done.append("\(done.count + 1) \(count): \(changes.sorted().joined(separator: ", "))")
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                try store.flush()
                _ = try store.with { try $0.compact() }
            case 1:
                try store.flush()
                store.close()
                try store.open()
            case 2...6: try store.flush()
            default: break
            }
            store.with { $0.unlock() }
        }
        try store.flush()
        store.with { $0.unlock() }
        try other.with { try $0.catchUp() }
        for revision in 0...done.count {
            #expect(try read(store, after: revision) == Array(done[revision...]), "seed \(seed)")
        }
        #expect(try read(other, after: 0) == done, "seed \(seed)")
    }

    @Test func saysWhatIsTooOld() throws {
        let store = try TestRecords(settings(directory))
        func commit(_ text: String = "a") throws {
            try store.put(TestRecord(id: Self.id(store.revision), time: 0, updated: 0, text: text, isMarked: false))
            try store.endCommit()
            try store.flush()
        }
        for round in 1...3 {
            for _ in 0..<3 { try commit() }
            _ = try store.with { try $0.compact() }
            #expect(try store.with { try $0.shortenHistory(to: nil) } == 1, "round \(round)")
        }
        #expect(try read(store, after: 0)?.count == 9)
        #expect(try store.with { try $0.shortenHistory(to: 6) } == 4)
        #expect(try read(store, after: 2) == nil)
        #expect(try read(store, after: 3)?.count == 6)
        #expect(try store.with { try $0.shortenHistory(to: 7) } == 7)
        #expect(try FileSystem.system.list(directory.path("history")) == ["journal-3.jsonl"])
        #expect(try store.with { try $0.shortenHistory(to: 100) } == 10)
        #expect(try read(store, after: 8) == nil)
        #expect(try read(store, after: 9) == [])
        // A commit that is a snapshot is in no journal, but in its own file; without that it is missing.
        try commit()
        try commit(String(repeating: "x", count: 5 << 20))
        try commit()
        #expect(try read(store, after: 9)?.count == 3)
        #expect(try store.with { try $0.shortenHistory(to: nil) } == 10)
        try FileSystem.system.unlink(directory.path("history/commit-11.jsonl"))
        #expect(try read(store, after: 10) == nil)
        #expect(try read(store, after: 11)?.count == 1)
        #expect(try store.with { try $0.shortenHistory(to: nil) } == 12)
        let memory = try TestRecords(nil)
        try memory.put(TestRecord(id: Self.id(1), time: 0, updated: 0, text: "", isMarked: false))
        try memory.endCommit()
        #expect(try read(memory, after: 0) == nil && read(memory, after: 1) == [])
    }

    /// If very many are removed at once, the newest are named and all are counted.
    @Test func namesSomeOfManyThatAreCleared() throws {
        let store = try TestRecords(settings(directory))
        for number in 1...250 {
            try store.put(TestRecord(id: Self.id(number), time: Int64(number), updated: 0, text: "", isMarked: false))
        }
        try store.endCommit()
        try store.removeAll()
        try store.endCommit()
        try store.flush()
        var found: (Int, [UInt64]) = (0, [])
        _ = try store.with {
            try $0.commits(after: 1) {
                found = ($0.count, $0.changes.map(\.id.low)); return true
            }
        }
        #expect(found.0 == 250 && found.1 == (151...250).reversed().map { UInt64($0) })
    }
}
