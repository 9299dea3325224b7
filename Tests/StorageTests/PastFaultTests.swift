import JSONCodec
import Platform
import Testing

@testable import Storage

/// The past is in several files. Each call of a question about it fails once: the answer is the one without a fault, or
/// the error, and the next answer is whole.
@Suite struct PastFaultTests {
    private let directory = TestDirectory()

    #if DEBUG
        private static let step = 4
    #else
        private static let step = 1
    #endif

    enum Question: CaseIterable {
        case history, log, deleted, commits, keptCommits, undo, operations, saved, shortened

        func ask(_ store: inout RecordStore) throws -> String {
            switch self {
            case .history:
                let id = OperationTests.record(1).id
                return "\(try store.history(of: id, before: .max, limit: 99, bytesMax: 1 << 20))"
            case .log: return "\(try store.log(before: .max, limit: 99))"
            case .deleted: return "\(try store.deletedRecords(after: nil, limit: 99))"
            case .commits:
                var seen: [String] = []
                let isKept = try store.commits(after: 0) {
                    seen.append("\($0.seq) \($0.count)")
                    return true
                }
                return "\(isKept) \(seen)"
            case .keptCommits: return "\(try store.keepsCommits(after: 0))"
            case .undo:
                var request = UndoRequest(isRedo: false)
                request.steps = 9
                let plan = try store.planUndo(request)
                store.abandonCommit()
                return "\(plan)"
            case .operations:
                try store.lock()
                defer { store.unlock() }
                var found: [String] = []
                for number in [11, 13, 22, 44] { found.append("\(try store.outcome(of: OperationTests.key(number)))") }
                return "\(found)"
            case .saved: return "\(String(describing: try store.read(.navigation, bytesMax: 99)))"
            case .shortened: return "\(try store.shortenHistory(to: nil))"
            }
        }
    }

    /// Makes two generations before a blank one, with deletions, undone commits and stored operations.
    private func make() throws {
        let store = try TestRecords(settings(directory))
        for generation in 1...2 {
            for number in 1...3 {
                try store.put(OperationTests.record(number, "t\(generation)"))
                let key = OperationTests.key(generation * 10 + number)
                store.with { store in
                    OperationTests.answer(number).withUnsafeBytes { store.keepOutcome(key, answer: $0) }
                }
                try store.endCommit()
            }
            if generation == 2 { try store.removeAll() } else { _ = try store.remove(OperationTests.record(3).id) }
            try store.endCommit()
            try store.flush()
            if generation == 1 { try undo(store, store.revision) }
            _ = try store.with { try $0.compact() }
            store.with { $0.unlock() }
        }
        directory.write("navigation.json", #"{"version":1}"#)
    }

    private func undo(_ store: TestRecords, _ revision: Int) throws {
        var request = UndoRequest(isRedo: false)
        request.revision = revision
        let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
        for (_, bytes) in plan.targets { try store.put(#require(bytes.withUnsafeBytes { TestRecord($0) })) }
        try store.endCommit()
        try store.flush()
    }

    @Test(arguments: Question.allCases)
    func isAnsweredWholeOrSaysWhatFailed(question: Question) throws {
        try make()
        let contents = directory.contents()
        let expected = try TestRecords(settings(directory)).with { try question.ask(&$0) }
        var number = 1 - Self.step
        var calls = 0
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        repeat {
            number += Self.step
            if question == .operations {
                // Each file is read once.
                store.close()
                try store.open()
            }
            files.set(.once(number, EIO))
            var answer = expected
            do {
                answer = try store.with { try question.ask(&$0) }
            } catch UndoFailure.refused(let refusal) {
                answer = "\(refusal)"
            } catch {}
            calls = files.calls
            let call = files.trace.dropFirst(number - 1).first ?? "no call"
            // Backups are not needed for any answer, so an unreadable one is skipped.
            if call.contains("backup-") { continue }
            #expect(answer == expected, "\(call)")
            files.set(.none)
            #expect(try store.with { try question.ask(&$0) } == expected, "after \(call)")
        } while number <= calls
        #expect(calls > 4)
        #expect(directory.contents()["moods.json"] == contents["moods.json"])
    }

    /// An operation was found when the file was read, and its line has changed since.
    @Test func anOperationThatIsNotThereAnyMoreIsNotUnknown() throws {
        try make()
        let name = try #require(directory.names.last { $0.hasPrefix("operations-") })
        let store = try TestRecords(settings(directory))
        let found = try OperationTests.find(store, OperationTests.key(11))
        #expect(found == .answer(OperationTests.answer(1)))
        directory.overwrite(name, Array(directory.text(name).replacing("operation 11", with: "operation 17").utf8))
        #expect(throws: StorageError.self) { try OperationTests.find(store, OperationTests.key(11)) }
    }

    /// A caller that needs all of the history gets an error if a part of it is damaged.
    @Test func aHistoryWithDamageInItIsNotWhole() throws {
        let store = try TestRecords(settings(directory))
        for number in 1...6 {
            try ChangedFilesTests.commit(store, number)
            if number == 3 { _ = try store.with { try $0.compact() } }
        }
        try store.with { try $0.requireWholeHistory() }
        let name = "history/journal-1.jsonl"
        let bytes = directory.read(name)
        // In the first line, and in the line of the second commit.
        for offset in [3, bytes.count { $0 != 0x0A } * 5 / 8] {
            var damaged = bytes
            damaged[offset] ^= 4
            directory.overwrite(name, damaged)
            guard
                case .corrupt(name, _, _)? = #expect(
                    throws: StorageError.self,
                    performing: {
                        try store.with { try $0.requireWholeHistory() }
                    })
            else { throw TestFailure("another error") }
        }
        // After shortening it on request, it is whole again.
        directory.remove(name)
        try store.with { try $0.requireWholeHistory() }
    }

    /// A file that grew without end is reported at once, without reading to its end.
    @Test func aLongCommitThatWasGrownWithoutEndIsDamaged() throws {
        mkdir(directory.path, 0o700)
        let place = try StoreDirectory(settings(directory))
        var line = ByteBuffer()
        line.append(utf8: #"{"seq":1,"at":"\#(time)","durable":0,"put":[\#(record(1, "long"))],"#)
        line.appendSeal(from: 0)
        try CommitFile.write(line, 1, in: place, settings(directory))
        func isRead() throws -> Bool {
            var isRead = false
            try CommitFile.withLine(1, in: place) { (_, _) in isRead = true }
            return isRead
        }
        #expect(try isRead())
        let file = try File(directory.path(CommitFile.name(1)), .readWrite, in: .system)
        let size = try file.status().size
        for length in [size + 1, 1 << 40, 10, 0] {
            try file.truncate(to: length)
            #expect(throws: StorageError.self) { try isRead() }
        }
    }

    /// The record before the change is in the snapshot alone.
    @Test func whatCannotBeReadBackCannotBeUndoneUntilItCan() throws {
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        try ChangedFilesTests.commit(store, 1)
        _ = try store.with { try $0.compact() }
        try store.put(OperationTests.record(1, "changed"))
        try store.endCommit()
        try store.flush()
        var request = UndoRequest(isRedo: false)
        request.isOfSession = true
        files.set(.named("pread", EIO))
        do {
            _ = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
            Issue.record("it could be undone")
        } catch UndoFailure.storage(.corrupt) {}
        files.set(.none)
        let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
        #expect(plan.commits.map(\.revision) == [2] && plan.targets.map(\.id) == [OperationTests.record(1).id])
    }

    /// The commits of one origin cannot be undone by another, under any name.
    @Test func commitsOfOneOriginAreNotThoseOfAnother() throws {
        let store = try TestRecords(settings(directory))
        for (number, origin) in ["a", "b", UndoRequest.syncOrigin].enumerated() {
            store.with { $0.origin = origin }
            try ChangedFilesTests.commit(store, number + 1)
        }
        for (origin, undoable) in [("a", [1]), ("b", [2]), (nil, [1, 2])] {
            for revision in 1...3 {
                var request = UndoRequest(isRedo: false)
                (request.revision, request.origin) = (revision, origin)
                do {
                    let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
                    store.with { $0.abandonCommit() }
                    #expect(plan.commits.map(\.revision) == [revision] && undoable.contains(revision))
                } catch UndoFailure.refused(.foreign(revision: revision)) {
                    #expect(!undoable.contains(revision))
                }
            }
        }
    }
}
