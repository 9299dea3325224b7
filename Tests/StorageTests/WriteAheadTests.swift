import Platform
import Testing

@testable import Storage

/// Lines of a large group, written before the group ends: the same lines, the same guarantees.
@Suite struct WriteAheadTests {
    let directory = TestDirectory()
    let faulty = FaultyFiles()

    /// Every line is written as soon as its commit has ended.
    private func store(aheadBytes: Int = 1, durability: StoreSettings.Durability = .sync) throws -> TestRecords {
        var settings = settings(directory, faulty.fileSystem, durability: durability)
        settings.aheadBytes = aheadBytes
        let store = try TestRecords(settings)
        try OperationTests.commit(store, 1)
        try store.flush()
        return store
    }

    private func group(_ store: TestRecords, _ numbers: ClosedRange<Int>) throws {
        try store.with { try $0.lock() }
        for number in numbers { try OperationTests.commit(store, number) }
    }

    private var journal: [Substring] { directory.text("journal-1.jsonl").split(separator: "\n") }

    @Test func writesLinesBeforeTheGroupEndsAndSyncsOnce() throws {
        let store = try store()
        faulty.set(.none)
        try group(store, 2...5)
        #expect(journal.count == 6, "a header and five lines")
        #expect(directory.text("lock").contains(#""durable":1"#), "nobody is told of them")
        let reader = try TestRecords(settings(directory, isReadOnly: true))
        #expect(reader.revision == 1 && reader.count == 1)
        try store.flush()
        let calls = faulty.trace.filter { $0.contains("journal-1") && !$0.hasPrefix("lstat") && !$0.hasPrefix("flock") }
        #expect(
            calls == ["pread journal-1.jsonl"] + Array(repeating: "pwrite journal-1.jsonl", count: 4)
                + ["fdatasync journal-1.jsonl"])
        #expect(directory.text("lock").contains(#""durable":5"#))
        try reader.with { try $0.catchUp() }
        #expect(reader.revision == 5 && reader.count == 5)
    }

    @Test func leavesTheBytesThatOneWriteWouldLeave() throws {
        func lines(aheadBytes: Int) throws -> [Substring] {
            let other = TestDirectory()
            var settings = settings(other)
            settings.aheadBytes = aheadBytes
            let store = try TestRecords(settings)
            for start in [1, 8, 15] {
                try group(store, start...start + 6)
                try store.flush()
                store.with { $0.unlock() }
            }
            return Array(other.text("journal-1.jsonl").split(separator: "\n").dropFirst())
        }
        let whole = try lines(aheadBytes: .max)
        #expect(whole.count == 21)
        for bytes in [1, 300, 1000] { #expect(try lines(aheadBytes: bytes) == whole) }
    }

    @Test func findsTheOperationsOfWhatIsWrittenAhead() throws {
        // The first line goes ahead with the second; the third waits.
        let store = try store(aheadBytes: 500)
        #expect(try OperationTests.find(store, OperationTests.key(2)) == .unknown)
        try group(store, 2...4)
        let written = store.with { $0.files?.journal.aheadCount ?? 0 }
        let waiting = store.with { $0.lines.value.count }
        #expect(written > 500 && waiting > 0)
        for number in 1...4 {
            let outcome = try store.with { try $0.outcome(of: OperationTests.key(number)) }
            #expect(outcome == .answer(OperationTests.answer(number)), "operation \(number)")
        }
        try store.flush()
        store.with { $0.unlock() }
        for number in 1...4 {
            let outcome = try OperationTests.find(store, OperationTests.key(number))
            #expect(outcome == .answer(OperationTests.answer(number)), "operation \(number)")
        }
    }

    @Test func aFullDiskCutsTheGroupOffAndTheNextOneIsTaken() throws {
        let store = try store()
        let size = directory.read("journal-1.jsonl").count
        try group(store, 2...3)
        // The growth in advance is used up first, and the write of the line that does not fit is short.
        faulty.setFreeBytes(100)
        try OperationTests.commit(store, 4)
        for number in 5...3000 { try OperationTests.commit(store, number) }
        #expect { try store.flush() } throws: { error in
            if case .full? = error as? StorageError { true } else { false }
        }
        #expect(store.revision == 1 && store.count == 1)
        #expect(journal.count == 2 && directory.read("journal-1.jsonl").count <= size)
        faulty.setFreeBytes(nil)
        try OperationTests.commit(store, 7)
        try store.flush()
        #expect(store.with { $0.generation } == 1 && store.revision == 2)
        store.close()
        #expect(try TestRecords(settings(directory)).revision == 2)
    }

    @Test(arguments: [1, 2, 3])
    func aFailedWriteGivesTheJournalUp(call: Int) throws {
        let store = try store()
        faulty.set(.namedOnce("pwrite", call, EIO))
        try group(store, 2...5)
        #expect { try store.flush() } throws: { error in
            if case .outcomeUnknown? = error as? StorageError { true } else { false }
        }
        #expect(store.revision == 1 && store.count == 1 && store.with { $0.generation } == 2)
        try OperationTests.commit(store, 7)
        try store.flush()
        store.close()
        let again = try TestRecords(settings(directory))
        #expect(again.revision == 2 && again.count == 2)
    }

    @Test func cutsOffWhatIsGivenUp() throws {
        var settings = settings(directory)
        settings.aheadBytes = 1
        var store = try TestStore(settings)
        try store.commit(.put(1, "a"))
        let before = journal
        #expect(try store.files.lockAndCatchUp { _ in nil } == .seen)
        for number in 2...4 {
            store.stage([.put(number, "b")])
            store.files.writeAhead(&store.lines)
        }
        #expect(journal.count == before.count + 3 && store.lines.isEmpty && store.waitingBytes > 0)
        store.files.dropStaged(&store.lines)
        #expect(journal == before && store.waitingBytes == 0 && !store.files.journal.isUnusable)
        store.begin()
        withBytes(record(9, "c")) { store.lines.put($0) }
        store.lines.end()
        #expect(try store.files.sync(&store.lines))
        store.files.unlock()
        #expect(journal.count == before.count + 1)
        #expect(try TestStore(settings).files.revision == 2)
    }

    /// A process was killed in the middle of a group: whole lines without answers, perhaps a torn one.
    @Test(arguments: [0, 1, 40])
    func whatAKilledGroupLeftIsUnproven(cut: Int) throws {
        let store = try store()
        try group(store, 2...5)
        let left = directory.read("journal-1.jsonl")
        store.close()
        let end = left.lastIndex { $0 != UInt8(ascii: "\n") } ?? 0
        try left[...(end - cut)].withUnsafeBytes { bytes in
            let file = try File(directory.path("journal-1.jsonl"), .readWrite, in: .system)
            try file.truncate(to: 0)
            try file.write(bytes, at: 0)
        }
        let again = try TestRecords(settings(directory))
        #expect(again.revision == (cut == 0 ? 5 : 4))
        try OperationTests.commit(again, 8)
        try again.flush()
        again.close()
        #expect(try TestRecords(settings(directory)).revision == (cut == 0 ? 6 : 5))
    }

    @Test func withoutDurabilityItIsWrittenAllTheSame() throws {
        let store = try store(durability: .none)
        faulty.set(.none)
        try group(store, 2...5)
        #expect(journal.count == 6)
        try store.flush()
        #expect(!faulty.trace.contains { $0.hasPrefix("fdatasync") } && store.revision == 5)
    }

    /// A store that is not locked writes nothing ahead: another process might commit in between.
    @Test func withoutTheLockNothingIsWrittenAhead() throws {
        let store = try store()
        for number in 2...5 { try OperationTests.commit(store, number) }
        #expect(journal.count == 2)
        try store.flush()
        #expect(journal.count == 6)
    }
}
