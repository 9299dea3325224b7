import Platform
import Testing

@testable import Storage

/// Another file takes the journal's name without a change of the directory's time, or after the lock was taken: no
/// commit is acknowledged into a file that no reader will find.
@Suite struct ReplacedJournalTests {
    let directory = TestDirectory()

    private func open(_ fileSystem: FileSystem = .keepingDirectoryTimes) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem, timeout: 200))
    }

    private func check(_ numbers: ClosedRange<Int>, isKept: Bool = true) throws {
        let again = try open(.system)
        #expect(try ChangedFilesTests.numbers(again) == Set(numbers))
        for number in numbers {
            let outcome = try OperationTests.find(again, OperationTests.key(number))
            #expect(outcome == .answer(OperationTests.answer(number)), "\(number)")
        }
        // The history has no gap.
        var seen: [Int] = []
        let isWhole = try again.with {
            try $0.commits(after: 0) {
                seen.append($0.seq); return true
            }
        }
        #expect(isWhole && seen == Array(1...numbers.upperBound))
        #expect(try StoreFiles.verify(settings(directory), TestRecord.examination).isWhole)
    }

    /// A sync folder restores the file from some commits ago.
    @Test(arguments: [1, 3])
    func goesOnWithAllCommitsInTheNextGeneration(more: Int) throws {
        let store = try open()
        for number in 1...5 { try ChangedFilesTests.commit(store, number) }
        let older = directory.read("journal-1.jsonl")
        for number in 6...8 { try ChangedFilesTests.commit(store, number) }
        directory.write("journal-1.jsonl", older)
        for number in 9...8 + more { try ChangedFilesTests.commit(store, number) }
        #expect(try ChangedFilesTests.numbers(store) == Set(1...8 + more))
        #expect(store.with { $0.generation } == 2)
        let aside = try #require(directory.names.first { $0.hasPrefix("set-aside-") })
        #expect(directory.read(aside + "/journal-1.jsonl") == older)
        try check(1...8 + more)
    }

    /// On any file system it may happen between the lock and the answer; with several commits in the group.
    @Test(arguments: ["older", "unlink", "cut"], [true, false])
    func seesItBeforeTheAnswer(deed: String, isBlind: Bool) throws {
        let store = try open(isBlind ? .keepingDirectoryTimes : .system)
        for number in 1...3 { try ChangedFilesTests.commit(store, number) }
        let older = directory.read("journal-1.jsonl")
        try ChangedFilesTests.commit(store, 4)
        try store.with { try $0.lock() }
        for number in 5...7 { try OperationTests.commit(store, number) }
        switch deed {
        case "older": directory.write("journal-1.jsonl", older)
        case "unlink": directory.remove("journal-1.jsonl")
        default: directory.overwrite("journal-1.jsonl", [])
        }
        try store.flush()
        store.with { $0.unlock() }
        #expect(try ChangedFilesTests.numbers(store) == Set(1...7))
        try ChangedFilesTests.commit(store, 8)
        if deed == "cut" {
            // The earlier operations of the file are stored nowhere else, only the moods.
            #expect(try ChangedFilesTests.numbers(try open(.system)) == Set(1...8))
        } else {
            try check(1...8)
        }
    }

    /// One commit becomes a snapshot, with and without others before it in its group.
    @Test(arguments: [true, false])
    func makesALongCommitAfterIt(hasOthers: Bool) throws {
        let store = try open()
        for number in 1...3 { try ChangedFilesTests.commit(store, number) }
        let older = directory.read("journal-1.jsonl")
        try ChangedFilesTests.commit(store, 4)
        directory.write("journal-1.jsonl", older)
        try store.with { try $0.lock() }
        if hasOthers { try OperationTests.commit(store, 5) }
        let last = hasOthers ? 6 : 5
        try store.put(OperationTests.record(last, String(repeating: "long ", count: 1 << 20)))
        store.with { store in
            OperationTests.answer(last).withUnsafeBytes { store.keepOutcome(OperationTests.key(last), answer: $0) }
        }
        try store.endCommit()
        try store.flush()
        store.with { $0.unlock() }
        try ChangedFilesTests.commit(store, last + 1)
        #expect(try ChangedFilesTests.numbers(store) == Set(1...last + 1))
        try check(1...last + 1)
    }

    /// If no generation may be begun, nothing of the group remains, and it works again after that.
    @Test func takesTheGroupBackWhereItCannotGoOn() throws {
        let store = try open()
        for number in 1...3 { try ChangedFilesTests.commit(store, number) }
        _ = try store.with { try $0.compact() }
        let older = directory.read("journal-2.jsonl")
        try ChangedFilesTests.commit(store, 4)
        let (whole, snapshot) = (directory.read("journal-2.jsonl"), directory.read("moods.json"))
        for round in 1...2 {
            try store.with { try $0.lock() }
            try OperationTests.commit(store, 5)
            directory.write("journal-2.jsonl", older)
            directory.write(
                "moods.json", directory.text("moods.json").replacing("\"isMarked\":false", with: "\"isMarked\":true"))
            let error = #expect(throws: StorageError.self) { try store.flush() }
            store.with { $0.unlock() }
            guard case .readOnly? = error else { throw TestFailure("round \(round): \(String(describing: error))") }
            #expect(store.with { $0.revision } == 4 && store.with { !$0.needsFlush })
            directory.write("journal-2.jsonl", whole)
            directory.write("moods.json", snapshot)
        }
        try ChangedFilesTests.commit(store, 5)
        #expect(try ChangedFilesTests.numbers(store) == Set(1...5))
        try check(1...5)
    }

    /// The lock file is replaced too: writers switch to the one that has its name.
    @Test func goesOverToAnotherLockFile() throws {
        let store = try open()
        for number in 1...2 { try ChangedFilesTests.commit(store, number) }
        directory.write("lock", directory.read("lock"))
        let reader = try TestRecords(settings(directory, .system, isReadOnly: true))
        for number in 3...5 {
            #expect(try ChangedFilesTests.numbers(store) == Set(1..<number))
            try ChangedFilesTests.commit(store, number)
            #expect(try ChangedFilesTests.numbers(reader) == Set(1...number))
        }
    }

    /// The operations file is replaced too: it is put back when it is missed.
    @Test func putsTheOperationsFileBack() throws {
        let store = try open()
        try ChangedFilesTests.commit(store, 1)
        _ = try store.with { try $0.compact() }
        for number in 2...3 { try ChangedFilesTests.commit(store, number) }
        directory.remove("operations-2.jsonl")
        _ = #expect(throws: StorageError.self) { try OperationTests.find(store, OperationTests.key(1)) }
        #expect(try OperationTests.find(store, OperationTests.key(1)) == .answer(OperationTests.answer(1)))
        try check(1...3)
    }
}
