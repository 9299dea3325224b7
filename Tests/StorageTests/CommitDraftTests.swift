import JSONCodec
import Platform
import Seeds
import Testing

@testable import Storage

/// A commit that is too long for memory goes to its file while it is made, and is the same commit.
@Suite struct CommitDraftTests {
    let directory = TestDirectory()

    private func store(_ bytes: Int, _ files: FaultyFiles? = nil) throws -> TestRecords {
        var chosen = settings(directory, files?.fileSystem ?? .system)
        chosen.commitBytesInMemory = bytes
        return try TestRecords(chosen)
    }

    private func record(_ number: Int, _ text: String = "") -> TestRecord {
        TestRecord(
            id: RecordID(high: 1, low: UInt64(number)), time: Int64(number * 7 % 50), updated: Int64(number % 10),
            text: text, isMarked: number % 3 == 0)
    }

    private var history: [String] {
        ((try? FileSystem.system.list(directory.path("history"))) ?? []).sorted()
    }
    private var temporaries: [String] { directory.names.filter { $0.hasPrefix("temporary-") } }

    /// The text of the commits of a store.
    private func told(_ store: TestRecords) throws -> [String] {
        var told: [String] = []
        _ = try store.with {
            try $0.commits(after: 0) { commit in
                told.append("\(commit.seq) \(commit.isClear) \(commit.reversed) \(commit.count)")
                for change in commit.changes {
                    let bytes = change.record.map { String(decoding: $0, as: UTF8.self) } ?? ""
                    told.append("\(change.kind) \(TestRecord.text(of: change.id)) \(bytes)")
                }
                return true
            }
        }
        return told
    }

    /// Random commits tell and leave the same with any limit, also when they are taken back, and after a new opening.
    @Test(arguments: SeededRandom.seeds) func anyLimitMakesTheSameCommits(seed: UInt64) throws {
        var expected: [String] = []
        for bytes in [Int.max, 0, 300, 2_000, 1 << 20] {
            TestDirectory.remove(directory.path)
            var random = SeededRandom(seed: seed)
            let store = try store(bytes)
            var model: [RecordID: TestRecord] = [:]
            for number in 1...12 {
                let before = model
                if Int.random(in: 0..<5, using: &random) == 0, !model.isEmpty {
                    try store.removeAll()
                    model = [:]
                }
                for _ in 0..<Int.random(in: 1...60, using: &random) {
                    let length = Int.random(in: 0..<20, using: &random) == 0 ? 4_000 : 20
                    let text = String(repeating: "t", count: .random(in: 0...length, using: &random))
                    let fresh = record(.random(in: 1...80, using: &random), text)
                    try store.put(fresh)
                    model[fresh.id] = fresh
                    if Int.random(in: 0..<4, using: &random) == 0 {
                        let id = record(.random(in: 1...80, using: &random)).id
                        let found = try store.with { try $0.record(id).flatMap { TestRecord($0.bytes) } }
                        #expect(found == model[id], "seed \(seed), limit \(bytes)")
                        #expect(try store.with { try $0.bytes(id) != nil } == (model[id] != nil))
                    }
                }
                #expect(store.contents == model, "seed \(seed), limit \(bytes)")
                for _ in 0..<Int.random(in: 0...5, using: &random) {
                    let id = record(.random(in: 1...80, using: &random)).id
                    #expect(try store.remove(id) == (model.removeValue(forKey: id) != nil))
                }
                if Int.random(in: 0..<4, using: &random) == 0 {
                    store.abandonCommit()
                    model = before
                } else {
                    try store.endCommit()
                    if Bool.random(using: &random) { try store.flush() }
                }
                #expect(store.contents == model, "seed \(seed), limit \(bytes), commit \(number)")
                #expect(store.with { $0.markedCount } == model.values.count { $0.isMarked })
                #expect(temporaries.isEmpty)
            }
            try store.flush()
            let told = try told(store)
            if bytes == Int.max { expected = told }
            #expect(told == expected, "seed \(seed), limit \(bytes)")
            #expect(history.contains { $0.hasPrefix("commit-") } == (bytes < 1 << 20))
            store.close()
            try store.open()
            #expect(store.contents == model)
            #expect(try self.told(store) == expected)
            #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
        }
    }

    /// Records in a draft are written there once, and memory does not hold them.
    @Test func theFileHasTheFormOfEveryLongCommit() throws {
        let texts = (1...40).map { String(repeating: "w", count: $0 * 3_000) }
        var files: [[UInt8]] = []
        for bytes in [Int.max, 1 << 20] {
            TestDirectory.remove(directory.path)
            let store = try store(bytes)
            for _ in 0..<2 { for (number, text) in texts.enumerated() { try store.put(record(number, text)) } }
            #expect(temporaries.count == (bytes == .max ? 0 : 1))
            try store.endCommit()
            try store.flush()
            files.append(directory.read(CommitFile.name(1)))
        }
        #expect(files[0] == files[1] && files[0].count > RecordStore.lineBytesMax)
    }

    /// The answer of an operation outlives its commit.
    @Test func keepsTheOperation() throws {
        let store = try store(100)
        try store.with { try $0.lock() }
        for number in 1...9 { try store.put(record(number)) }
        store.with { store in
            OperationTests.answer(1).withUnsafeBytes { store.keepOutcome(OperationTests.key(1), answer: $0) }
        }
        try store.endCommit()
        try store.flush()
        store.with { $0.unlock() }
        #expect(history.contains("commit-1.jsonl"))
        for _ in 0..<2 {
            #expect(try OperationTests.find(store, OperationTests.key(1)) == .answer(OperationTests.answer(1)))
            store.close()
            try store.open()
        }
    }

    /// Every call fails in turn: all of the commit is there, or nothing of it, and no file is left over.
    @Test(arguments: [ENOSPC, EIO]) func afterAFaultAllOrNothingIsThere(code: Int32) throws {
        var number = 0
        var (failed, isOver) = (0, false)
        while !isOver {
            number += 1
            TestDirectory.remove(directory.path)
            let files = FaultyFiles()
            let store = try store(3_000, files)
            try store.put(record(1, "before"))
            try store.put(record(2, "before"))
            try store.endCommit()
            try store.flush()
            let before = store.contents
            files.set(.once(number, code))
            var error: (any Error)?
            do {
                for each in 2...30 { try store.put(record(each, String(repeating: "n", count: 200))) }
                try store.endCommit()
                try store.flush()
            } catch let fault {
                error = fault
                store.abandonCommit()
                try? store.flush()
            }
            isOver = files.calls < number
            files.set(.none)
            if error != nil { failed += 1 }
            store.close()
            try store.open()
            let after = store.contents
            if error == nil { #expect(after.count == 30, "call \(number)") }
            #expect(after == before || after.count == 30, "call \(number): \(files.trace)")
            try store.put(record(99))
            try store.endCommit()
            try store.flush()
            if code == ENOSPC { #expect(temporaries.isEmpty, "call \(number)") }
            #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole, "call \(number)")
        }
        #expect(failed > 20)
    }

    /// A record that changes in the draft is noticed before it reaches a snapshot.
    @Test func aChangedDraftMakesNoSnapshot() throws {
        let store = try store(1_000)
        try store.put(record(0, "before"))
        try store.endCommit()
        try store.flush()
        let before = store.contents
        let text = String(repeating: "n", count: 60_000)
        for number in 1...40 { try store.put(record(number, text)) }
        let name = try #require(temporaries.first)
        var bytes = directory.read(name)
        #expect(bytes.count > 1 << 20)
        bytes[bytes.count / 2] ^= 1
        directory.overwrite(name, bytes)
        #expect(throws: StorageError.self) { try store.endCommit() }
        store.abandonCommit()
        try store.flush()
        #expect(store.contents == before && temporaries.isEmpty && !history.contains("commit-2.jsonl"))
        try store.put(record(1))
        try store.endCommit()
        try store.flush()
        #expect(store.count == 2)
    }
}
