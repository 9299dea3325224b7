import Platform
import Testing

@testable import Storage

/// Operations and their outcomes: found again by any process, wherever their commits have moved.
@Suite struct OperationTests {
    let directory = TestDirectory()

    static func key(_ number: Int, method: String = "put", params: UInt64 = 7) -> OperationKey {
        OperationKey(id: Array("operation \(number)".utf8), method: Array(method.utf8), params: params)
    }

    static func answer(_ number: Int) -> [UInt8] { Array(#"{"answer":\#(number)}"#.utf8) }

    static func record(_ number: Int, _ text: String = "") -> TestRecord {
        TestRecord(
            id: RecordID(high: 9, low: UInt64(number)), time: Int64(number), updated: 0, text: text, isMarked: false)
    }

    /// Makes one commit with an operation; `isPut`: its answer is the record that it puts.
    static func commit(_ store: TestRecords, _ number: Int, isPut: Bool = false) throws {
        let record = record(number % 50)
        try store.put(record)
        let answer = isPut ? Array(record.json.utf8) : answer(number)
        store.with { store in answer.withUnsafeBytes { store.keepOutcome(key(number), answer: $0) } }
        try store.endCommit()
    }

    static func find(_ store: TestRecords, _ key: OperationKey) throws -> OperationOutcome {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        return try store.with { try $0.outcome(of: key) }
    }

    private func store(_ fileSystem: FileSystem = .system) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem))
    }

    @Test func findsAnOutcomeWhereverItIs() throws {
        let stores = [try store(), try TestRecords(nil)]
        for store in stores {
            try store.with { try $0.lock() }
            #expect(try store.with { try $0.outcome(of: Self.key(1)) } == .unknown)
            try Self.commit(store, 1)
            try Self.commit(store, 2, isPut: true)
            // Staged, and not yet on the disk.
            #expect(try store.with { try $0.outcome(of: Self.key(1)) } == .answer(Self.answer(1)))
            try store.flush()
            store.with { $0.unlock() }
            let put = Array(Self.record(2).json.utf8)
            for round in 0..<5 {
                #expect(try Self.find(store, Self.key(1)) == .answer(Self.answer(1)), "round \(round)")
                #expect(try Self.find(store, Self.key(2)) == .answer(put), "round \(round)")
                #expect(try Self.find(store, Self.key(1, method: "other")) == .taken)
                #expect(try Self.find(store, Self.key(1, params: 8)) == .taken)
                #expect(try Self.find(store, Self.key(3)) == .unknown)
                switch round {
                case 1, 2: _ = try store.with { try $0.compact() }
                case 3 where store !== stores[1]:
                    store.close()
                    try store.open()
                default: break
                }
                store.with { $0.unlock() }
            }
        }
        #expect(directory.names.filter { $0.hasPrefix("operations-") } == ["operations-2.jsonl", "operations-3.jsonl"])
    }

    @Test func writesWhatItKeepsIntoTheLineOfItsCommit() throws {
        let store = try store()
        try Self.commit(store, 1)
        try Self.commit(store, 2, isPut: true)
        try store.put(Self.record(3))
        try store.endCommit()
        try store.flush()
        let lines = directory.text("journal-1.jsonl").split(separator: "\n").dropFirst()
        let operation = #","opId":"operation 1","method":"put","params":"0000000000000007""#
        #expect(lines.first?.contains(operation + #","answer":{"answer":1},"crc":"#) == true)
        #expect(lines.dropFirst().first?.contains(#""params":"0000000000000007","crc":"#) == true)
        #expect(lines.last?.contains("opId") == false)
        _ = try store.with { try $0.compact() }
        let kept = directory.text("operations-2.jsonl").split(separator: "\n")
        #expect(kept.count == 3)
        #expect(kept.first?.contains(#""generation":2,"baseRevision":3,"count":2,"crc":"#) == true)
        #expect(kept.dropFirst().first?.hasPrefix(#"{"seq":1"# + operation) == true)
        #expect(kept.last?.contains(#""answer":\#(Self.record(2).json),"crc":"#) == true)
    }

    @Test func forgetsWhatWasTakenBack() throws {
        let faulty = FaultyFiles()
        let store = try store(faulty.fileSystem)
        #expect(try Self.find(store, Self.key(1)) == .unknown)
        try store.put(Self.record(1))
        store.with { store in Self.answer(1).withUnsafeBytes { store.keepOutcome(Self.key(1), answer: $0) } }
        store.abandonCommit()
        #expect(try Self.find(store, Self.key(1)) == .unknown)
        // After a failed sync another generation follows; without space, the same journal continues.
        for fault in [FaultyFiles.Fault.named("fdatasync", EIO), .named("pwrite", ENOSPC)] {
            try Self.commit(store, 1)
            try Self.commit(store, 2)
            faulty.set(fault)
            #expect(throws: StorageError.self) { try store.flush() }
            faulty.set(.none)
            #expect(try Self.find(store, Self.key(1)) == .unknown)
            #expect(try Self.find(store, Self.key(2)) == .unknown)
        }
        // A commit without changes keeps no operation.
        store.with { store in Self.answer(1).withUnsafeBytes { store.keepOutcome(Self.key(1), answer: $0) } }
        try store.endCommit()
        #expect(try Self.find(store, Self.key(1)) == .unknown)
        try Self.commit(store, 2)
        try store.flush()
        #expect(try Self.find(store, Self.key(2)) == .answer(Self.answer(2)))
    }

    @Test func seesTheOperationsOfOthers() throws {
        let first = try store()
        let second = try store()
        #expect(try Self.find(second, Self.key(1)) == .unknown)
        for number in 1...5 {
            let (one, other) = number % 2 == 0 ? (second, first) : (first, second)
            try one.with { try $0.lock() }
            try Self.commit(one, number)
            try one.flush()
            if number == 3 { _ = try one.with { try $0.compact() } }
            one.with { $0.unlock() }
            for earlier in 1...number {
                #expect(try Self.find(other, Self.key(earlier)) == .answer(Self.answer(earlier)))
            }
            #expect(try Self.find(other, Self.key(number + 1)) == .unknown)
        }
    }

    @Test func keepsTheOperationOfACommitThatIsASnapshot() throws {
        let store = try store()
        let text = String(repeating: "x", count: 1 << 20)
        for number in 1...5 { try store.put(Self.record(number, text)) }
        store.with { store in Self.answer(1).withUnsafeBytes { store.keepOutcome(Self.key(1), answer: $0) } }
        try store.endCommit()
        try store.flush()
        #expect(directory.names.contains("operations-2.jsonl") && directory.names.contains("journal-2.jsonl"))
        #expect(try Self.find(store, Self.key(1)) == .answer(Self.answer(1)))
        #expect(try Self.find(try self.store(), Self.key(1)) == .answer(Self.answer(1)))
    }

    /// The last ten thousand are kept, neither more nor fewer, in memory and over compaction and a restart.
    @Test func keepsTenThousand() throws {
        let store = try store()
        let memory = try TestRecords(nil)
        func check(_ oldest: Int, _ newest: Int, _ place: String) throws {
            for store in place == "reopened" ? [store] : [store, memory] {
                #expect(try Self.find(store, Self.key(oldest - 1)) == .unknown, "\(place)")
                #expect(try Self.find(store, Self.key(oldest)) == .answer(Self.answer(oldest)), "\(place)")
                #expect(try Self.find(store, Self.key(newest)) == .answer(Self.answer(newest)), "\(place)")
            }
        }
        func add(_ numbers: ClosedRange<Int>) throws {
            for number in numbers {
                try Self.commit(store, number)
                try Self.commit(memory, number)
            }
            try store.flush()
        }
        try add(1...9_000)
        _ = try store.with { try $0.compact() }
        try add(9_001...10_000)
        try check(1, 10_000, "full")
        try add(10_001...10_001)
        try check(2, 10_001, "one too many")
        _ = try store.with { try $0.compact() }
        store.close()
        try store.open()
        try check(2, 10_001, "reopened")
        #expect(directory.text("operations-3.jsonl").split(separator: "\n").count == 10_001)
        try add(10_002...11_500)
        try check(1_501, 11_500, "on")
    }

    @Test func readsNothingOfItBeforeSomebodyAsks() throws {
        do {
            let store = try store()
            for number in 1...100 { try Self.commit(store, number) }
            try store.flush()
            _ = try store.with { try $0.compact() }
        }
        let faulty = FaultyFiles()
        let store = try store(faulty.fileSystem)
        try store.put(Self.record(1))
        try store.endCommit()
        try store.flush()
        #expect(!faulty.trace.contains("pread operations-2.jsonl"))
        #expect(try Self.find(store, Self.key(100)) == .answer(Self.answer(100)))
        #expect(faulty.trace.contains("pread operations-2.jsonl"))
    }

    /// The problems of the whole check, except for the records.
    private func problems() throws -> [VerifyReport.Problem] {
        try StoreFiles.verify(
            settings(directory),
            RecordExamination(
                inspect: { bytes in
                    guard let record = TestRecord(bytes) else { return .problem("is none") }
                    return .record(id: record.id, time: record.time, revision: 0)
                }, progress: { _, _ in })
        ).problems
    }

    @Test func saysWhichOutcomesCannotBeRead() throws {
        do {
            let store = try store()
            for number in 1...3 { try Self.commit(store, number) }
            try store.flush()
            _ = try store.with { try $0.compact() }
        }
        let whole = directory.read("operations-2.jsonl")
        #expect(try problems().isEmpty)
        for place in stride(from: 0, to: whole.count, by: 3) {
            var damaged = whole
            damaged[place] ^= 0x10
            directory.write("operations-2.jsonl", damaged)
            let problems = try problems()
            #expect(problems.map(\.file) == ["operations-2.jsonl"] && problems.allSatisfy { $0.kind == .damaged })
            let store = try store()
            #expect(throws: StorageError.self, "byte \(place)") { try Self.find(store, Self.key(4)) }
            #expect(throws: StorageError.self, "byte \(place)") { try Self.find(store, Self.key(2)) }
            try store.put(Self.record(9))
            try store.endCommit()
            try store.flush()
            #expect(store.count == 4)
            if place > 0 { continue }
            #expect(throws: StorageError.self) { _ = try store.with { try $0.compact() } }
            #expect(store.count == 4)
        }
        for count in stride(from: 0, to: whole.count, by: 7) {
            directory.write("operations-2.jsonl", Array(whole.prefix(count)))
            #expect(throws: StorageError.self, "\(count) bytes") { try Self.find(try store(), Self.key(4)) }
        }
    }
}

/// Every call of a life with operations and compactions fails once, or all do from there on, as if the process were
/// killed: every acknowledged operation is known afterwards, and every known one was done.
@Suite struct OperationFaultTests {
    /// Runs a life; returns the acknowledged operations.
    private static func live(_ settings: StoreSettings) -> [Int] {
        var acknowledged: [Int] = []
        do {
            let store = try TestRecords(settings)
            for number in 1...5 {
                try store.with { try $0.lock() }
                defer { store.with { $0.unlock() } }
                if case .answer = try store.with({ try $0.outcome(of: OperationTests.key(number)) }) { continue }
                do {
                    try OperationTests.commit(store, number, isPut: number % 3 == 0)
                    try store.flush()
                    acknowledged.append(number)
                } catch {}
                guard number % 3 == 1 else { continue }
                do {
                    _ = try store.with { try $0.compact() }
                } catch  where store.with({ $0.isInMemory }) {
                    // The new files could not be opened; the host would open them again.
                    store.close()
                    try store.open()
                } catch {}
            }
        } catch {
            // A store that can no longer be opened or locked is an answer too.
        }
        return acknowledged
    }

    @Test(arguments: [EIO, ENOSPC, EINTR])
    func keepsEveryAcknowledgedOutcome(code: Int32) throws {
        let counter = FaultyFiles()
        do {
            let directory = TestDirectory()
            #expect(Self.live(settings(directory, counter.fileSystem)) == Array(1...5))
        }
        for number in 1...counter.calls {
            for fault in [FaultyFiles.Fault.once(number, code), .forever(number, code)] {
                let directory = TestDirectory()
                let faulty = FaultyFiles()
                faulty.set(fault)
                let acknowledged = Self.live(settings(directory, faulty.fileSystem))
                let place = "\(fault), \(faulty.trace.dropFirst(number - 1).first ?? "")"
                let store = try TestRecords(settings(directory))
                for operation in 1...5 {
                    let outcome = try OperationTests.find(store, OperationTests.key(operation))
                    let isThere = store.contents[OperationTests.record(operation).id] != nil
                    #expect((outcome != .unknown) == isThere, "\(operation), \(place)")
                    #expect(outcome != .unknown || !acknowledged.contains(operation), "\(operation), \(place)")
                }
            }
        }
    }
}
