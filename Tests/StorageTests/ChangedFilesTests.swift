import Platform
import Testing

@testable import Storage

/// Another program changes files of an open store: no acknowledged commit is lost silently.
@Suite struct ChangedFilesTests {
    let directory = TestDirectory()

    enum Deed: CaseIterable { case unlink, copy, older, cut, emptied, grown, edited, editedInPlace, linked }
    enum Doing: CaseIterable { case read, write, compact, idle }

    struct Case: CustomTestStringConvertible {
        var file: String
        var deed: Deed
        var doing: Doing
        var hosts: Int
        /// Whether the directory's time does not change with its names.
        var isBlind = false
        var testDescription: String {
            "\(file), \(deed), \(doing), \(hosts) hosts\(isBlind ? ", a directory whose time stays" : "")"
        }
    }

    static let cases = ["moods.json", "journal-2.jsonl", "operations-2.jsonl", "lock"].flatMap { file in
        Deed.allCases.flatMap { deed in
            Doing.allCases.flatMap { doing in
                [1, 2].flatMap { hosts in
                    [false, true].map { Case(file: file, deed: deed, doing: doing, hosts: hosts, isBlind: $0) }
                }
            }
        }
    }

    private func open(_ fileSystem: FileSystem = .system) throws -> TestRecords {
        try TestRecords(settings(directory, fileSystem, timeout: 200))
    }

    /// Makes one group of one commit with an operation, as a host does.
    static func commit(_ store: TestRecords, _ number: Int) throws {
        try store.with { try $0.lock() }
        defer { store.with { $0.unlock() } }
        if let refusal = store.with({ $0.refusal }) { throw refusal }
        guard case .unknown = try store.with({ try $0.outcome(of: OperationTests.key(number)) }) else { return }
        try OperationTests.commit(store, number)
        try store.flush()
    }

    static func numbers(_ store: TestRecords) throws -> Set<Int> {
        try store.with { store in
            try store.catchUp()
            var numbers: Set<Int> = []
            try store.walk(.time, isDescending: false, after: nil) { record in
                if let found = TestRecord(record.bytes) { numbers.insert(Int(found.time)) }
                return true
            }
            return numbers
        }
    }

    private func change(_ name: String, _ deed: Deed, older: [String: [UInt8]]) {
        let content = directory.read(name)
        switch deed {
        case .unlink: directory.remove(name)
        case .copy: directory.write(name, content)
        case .older: directory.write(name, older[name] ?? content)
        case .cut: directory.overwrite(name, Array(content.prefix(content.count(whereLast: 10) / 2)))
        case .emptied: directory.overwrite(name, [])
        case .grown: directory.overwrite(name, content + Array("\n\nwhat?\n".utf8))
        case .edited: directory.write(name, directory.text(name).replacing("\"", with: " \"", maxReplacements: 9))
        case .editedInPlace:
            directory.overwrite(name, Array(directory.text(name).replacing("time", with: "tide").utf8))
        case .linked:
            #expect(link(directory.path(name), directory.path("other")) == 0)
        }
    }

    @Test(arguments: cases)
    func losesNothingWithoutAWord(_ example: Case) throws {
        var acknowledged: Set<Int> = []
        let fileSystem = example.isBlind ? FileSystem.keepingDirectoryTimes : .system
        let first = try open(fileSystem)
        func make(_ store: TestRecords, _ number: Int) throws {
            try Self.commit(store, number)
            acknowledged.insert(number)
        }
        try make(first, 1)
        _ = try first.with { try $0.compact() }
        try make(first, 2)
        let older = directory.contents()
        let second = example.hosts == 2 ? try open(fileSystem) : nil
        try make(second ?? first, 3)
        #expect(try Self.numbers(first) == acknowledged)
        change(example.file, example.deed, older: older)

        var said: [StorageError] = []
        func attempt(_ body: () throws -> Void) throws {
            do { try body() } catch let error as StorageError {
                switch error {
                case .readOnly, .outcomeUnknown, .unavailable, .corrupt: said.append(error)
                default: throw error
                }
            }
        }
        var late: Set<Int> = []
        let stores = [first, second].compactMap { $0 }
        for (place, store) in stores.enumerated() {
            try attempt {
                let shown = try Self.numbers(store)
                #expect(shown.isSuperset(of: acknowledged))
            }
            switch example.doing {
            case .read, .idle: break
            case .compact: try attempt { _ = try store.with { try $0.compact() } }
            case .write:
                for number in [4, 5] {
                    try attempt {
                        try make(store, number + place * 2)
                        late.insert(number + place * 2)
                    }
                }
            }
        }
        for store in stores {
            try attempt { try store.with { try $0.leave() } }
            store.close()
        }
        var found: Set<Int> = []
        var isRefused = false
        do {
            let again = try open()
            isRefused = again.with { $0.refusal } != nil
            found = try Self.numbers(again)
            // A cut journal was the only place of its answers.
            let isCut = example.file == "journal-2.jsonl" && [.cut, .emptied, .editedInPlace].contains(example.deed)
            if !isRefused, found.isSuperset(of: acknowledged), said.isEmpty, !isCut {
                for number in acknowledged.sorted() {
                    let outcome = try OperationTests.find(again, OperationTests.key(number))
                    #expect(outcome == .answer(OperationTests.answer(number)))
                }
            }
        } catch let error as StorageError {
            isRefused = true
            said.append(error)
        }
        let isExcused = example.deed == .editedInPlace && isRefused
        #expect(found.isSuperset(of: late) || isExcused, "\(late) came late, \(found) are there, \(said)")
        #expect(found.isSuperset(of: acknowledged) || !said.isEmpty || isExcused, "\(acknowledged), there are \(found)")
    }

    @Test func beginsAGenerationFromWhatItKnows() throws {
        let store = try open()
        for number in 1...3 { try Self.commit(store, number) }
        let before = directory.read("journal-1.jsonl")
        directory.write("journal-1.jsonl", "another\n")
        try Self.commit(store, 4)
        #expect(try Self.numbers(store) == [1, 2, 3, 4])
        let aside = try #require(directory.names.first { $0.hasPrefix("set-aside-") })
        #expect(directory.text(aside + "/journal-1.jsonl") == "another\n")
        let kept = directory.read("history/journal-1.jsonl")
        #expect(!kept.isEmpty && before.starts(with: kept))
        let again = try open()
        #expect(try Self.numbers(again) == [1, 2, 3, 4])
        for number in 1...4 {
            let outcome = try OperationTests.find(again, OperationTests.key(number))
            #expect(outcome == .answer(OperationTests.answer(number)))
        }
    }

    /// Two processes have it open and would mend it: the second continues after the first.
    @Test func doesNotMendWhatAnotherHasMended() throws {
        let (first, second) = (try open(), try open())
        try Self.commit(first, 1)
        #expect(try Self.numbers(second) == [1])
        directory.remove("journal-1.jsonl")
        try Self.commit(first, 2)
        try Self.commit(second, 3)
        try Self.commit(first, 4)
        #expect(try Self.numbers(second) == [1, 2, 3, 4])
        #expect(first.with { $0.generation } == 2 && second.with { $0.generation } == 2)
    }

    /// The journal is cut back to less than either process knows, and one of them knows more than the other.
    @Test func leavesItToWhoKnowsMore() throws {
        let (first, second) = (try open(), try open())
        try Self.commit(first, 1)
        let older = directory.read("journal-1.jsonl")
        try Self.commit(first, 2)
        try Self.commit(second, 3)
        directory.overwrite("journal-1.jsonl", older)
        guard case .corrupt? = #expect(throws: StorageError.self, performing: { try Self.commit(first, 4) }) else {
            throw TestFailure("it does not say that something is missing")
        }
        try Self.commit(second, 5)
        try Self.commit(first, 4)
        #expect(try Self.numbers(second) == [1, 2, 3, 4, 5])
    }

    /// The journal loses the lines of answered operations: they are not carried out twice.
    @Test(arguments: [false, true])
    func carriesOutNoOperationTwice(isEmptied: Bool) throws {
        let store = try open()
        for number in 1...2 { try Self.commit(store, number) }
        let older = directory.read("journal-1.jsonl")
        for number in 3...4 { try Self.commit(store, number) }
        directory.overwrite("journal-1.jsonl", isEmptied ? [] : older)
        try Self.commit(store, 5)
        #expect(try Self.numbers(store) == [1, 2, 3, 4, 5])
        for store in [store, try open()] {
            for number in 1...5 {
                let isLost = number < 5 && (isEmptied || number > 2)
                let outcome = try OperationTests.find(store, OperationTests.key(number))
                #expect(outcome == (isLost ? .lost : .answer(OperationTests.answer(number))), "\(number)")
            }
        }
        _ = try store.with { try $0.compact() }
        #expect(try OperationTests.find(store, OperationTests.key(4)) == .lost)
        // The lines that the journal lost are not missed; the operations are in order.
        let problems = try StoreFiles.verify(settings(directory), examination).problems
        #expect(!problems.contains { "\($0)".contains("operations") }, "\(problems)")
    }

    /// The operations file is removed: answered operations still get their answers.
    @Test func keepsTheOperationsOfEarlierGenerations() throws {
        let store = try open()
        try Self.commit(store, 1)
        _ = try store.with { try $0.compact() }
        directory.remove("operations-2.jsonl")
        try Self.commit(store, 2)
        let again = try open()
        #expect(try OperationTests.find(again, OperationTests.key(1)) == .answer(OperationTests.answer(1)))
    }

    @Test func writesNothingOverAnEditedSnapshot() throws {
        let store = try open()
        try Self.commit(store, 1)
        _ = try store.with { try $0.compact() }
        let edited = directory.text("moods.json").replacing("\"isMarked\":false", with: "\"isMarked\":true")
        directory.write("moods.json", edited)
        directory.remove("journal-2.jsonl")
        for _ in 1...2 {
            guard case .readOnly? = #expect(throws: StorageError.self, performing: { try Self.commit(store, 2) }) else {
                throw TestFailure("it is not refused as edited")
            }
        }
        #expect(directory.text("moods.json") == edited)
    }

    /// Another file gets the lock's name while the old one is held: commits under that hold are published in the old
    /// file, and processes with the new one see them there, both writers and readers.
    @Test(arguments: [false, true])
    func seesWhatIsCommittedUnderALockThatWasReplaced(isReadOnly: Bool) throws {
        let writer = try open()
        try Self.commit(writer, 1)
        var readers = settings(directory, .system, timeout: 200)
        readers.isReadOnly = isReadOnly
        let reader = try TestRecords(readers)
        try writer.with { try $0.lock() }
        directory.write("lock", directory.read("lock"))
        for number in 2...3 {
            #expect(try Self.numbers(reader) == Set(1..<number))
            try OperationTests.commit(writer, number)
            try writer.flush()
            #expect(try Self.numbers(reader) == Set(1...number))
        }
        writer.with { $0.unlock() }
        // From here on all agree again.
        try Self.commit(writer, 4)
        #expect(try Self.numbers(reader) == [1, 2, 3, 4])
        if isReadOnly { return }
        try Self.commit(reader, 5)
        #expect(try Self.numbers(writer) == [1, 2, 3, 4, 5])
    }

    /// Nothing is made in another directory, and the right one is used again when it is back.
    @Test(arguments: [false, true])
    func refusesADirectoryThatIsNotItsOwn(isAnother: Bool) throws {
        let store = try open()
        try Self.commit(store, 1)
        let away = directory.path + "-away"
        try FileSystem.system.rename(directory.path, away)
        if isAnother { try FileSystem.system.makeDirectory(directory.path) }
        for _ in 1...2 {
            guard case .unavailable? = #expect(throws: StorageError.self, performing: { try Self.commit(store, 2) }),
                case .unavailable? = #expect(throws: StorageError.self, performing: { try Self.numbers(store) })
            else { throw TestFailure("it is not refused as gone") }
        }
        #expect(directory.names.isEmpty)
        TestDirectory.remove(directory.path)
        try FileSystem.system.rename(away, directory.path)
        try Self.commit(store, 2)
        #expect(try Self.numbers(try open()) == [1, 2])
    }

    /// A reset by another process moves everything away: that is no accident.
    @Test func doesNotBringBackWhatWasReset() throws {
        let store = try open()
        try Self.commit(store, 1)
        _ = try StoreFiles.reset(settings(directory))
        guard case .unavailable? = #expect(throws: StorageError.self, performing: { try Self.commit(store, 2) }) else {
            throw TestFailure("it is not refused as gone")
        }
        #expect(!directory.names.contains("moods.json"))
    }

    /// The system calls of a durable commit, once it is certain that no name has changed.
    @Test func asksLittleOfTheSystem() throws {
        let files = FaultyFiles()
        let store = try open(files.fileSystem)
        try Self.commit(store, 1)
        usleep(120_000)
        for number in 2...3 {
            try store.with { try $0.lock() }
            try store.put(OperationTests.record(number))
            try store.endCommit()
            if number == 3 { files.set(.none) }
            try store.flush()
            store.with { $0.unlock() }
        }
        #expect(
            files.trace == [
                "pwrite journal-1.jsonl", "fdatasync journal-1.jsonl", "lstat journal-1.jsonl", "pwrite lock",
                "flock journal-1.jsonl", "flock lock",
            ])
        files.set(.none)
        try store.with { try $0.lock() }
        #expect(
            files.trace == [
                "flock lock", "flock journal-1.jsonl", "lstat directory", "pread lock", "lstat moods.json",
                "pread journal-1.jsonl",
            ])
        store.with { $0.unlock() }
    }
}

extension [UInt8] {
    /// The count without the trailing bytes of this value.
    fileprivate func count(whereLast byte: UInt8) -> Int { (lastIndex { $0 != byte } ?? -1) + 1 }
}
