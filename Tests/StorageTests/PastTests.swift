import Platform
import Testing

@testable import Storage

/// The journals of `history/` and the backup: damage in them is named, and no history has a gap.
@Suite struct PastTests {
    private let directory = TestDirectory()
    private static let past = ["history/journal-1.jsonl", "history/journal-2.jsonl", "backup-2.json"]

    /// Makes two records in three generations, each with a version in each.
    private func make() throws -> TestRecords {
        let store = try TestRecords(settings(directory))
        for generation in 1...3 {
            for number in [1, 2, 1] {
                try store.put(OperationTests.record(number, "t\(generation)"))
                try store.endCommit()
                try store.flush()
            }
            if generation < 3 { _ = try store.with { try $0.compact() } }
        }
        return store
    }

    private static func history(_ store: TestRecords, _ number: Int, before end: Int = .max) throws -> [Int] {
        try store.with {
            try $0.history(of: OperationTests.record(number).id, before: end, limit: 100, bytesMax: 1 << 20).items
                .map(\.revision)
        }
    }

    private func plan(_ store: TestRecords, _ revision: Int?, steps: Int = 1) throws -> UndoPlanText {
        var request = UndoRequest(isRedo: false)
        (request.revision, request.steps) = (revision, steps)
        let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
        store.abandonCommit()
        return UndoPlanText(
            texts: plan.targets.map { $0.bytes.withUnsafeBytes { TestRecord($0)?.text } }
                + plan.removed.map { _ in nil },
            kinds: plan.commits.map(\.kind))
    }

    private struct UndoPlanText: Equatable {
        /// The new texts of the records, and a nil for each that is deleted.
        var texts: [String?]
        var kinds: [UndoneCommit.Kind]
    }

    /// A commit may change several records in several ways, and one record twice: the last change counts.
    @Test func undoesACommitOfSeveralKinds() throws {
        let store = try TestRecords(settings(directory))
        store.with { $0.origin = "somebody" }
        try store.put(OperationTests.record(1, "before"))
        try store.endCommit()
        store.with { $0.origin = nil }
        try store.put(OperationTests.record(1, "after"))
        try store.put(OperationTests.record(2, "new"))
        try store.endCommit()
        try store.put(OperationTests.record(1, "for a moment"))
        _ = try store.remove(OperationTests.record(1).id)
        try store.endCommit()
        try store.flush()
        #expect(try plan(store, 3) == UndoPlanText(texts: ["after"], kinds: [.deleted]))
        #expect(try plan(store, nil, steps: 2) == UndoPlanText(texts: ["before", nil], kinds: [.deleted, .updated]))
        let origins = try store.with {
            try $0.history(of: OperationTests.record(1).id, before: .max, limit: 9, bytesMax: 1 << 20).items.map(
                \.origin)
        }
        #expect(origins.last == "somebody" && origins.dropLast().allSatisfy { $0 == nil })
    }

    private func records(of part: RecordStore.UndoPart, _ store: TestRecords) throws -> [TestRecord] {
        try store.with { (store: inout RecordStore) in
            var found: [TestRecord] = []
            try store.records(of: part).forEach { if let record = TestRecord($0) { found.append(record) } }
            return found
        }
    }

    /// An undo reads a long commit in pieces; the commit that makes it again is a long one too.
    @Test func undoesAndRedoesALongCommit() throws {
        let store = try TestRecords(settings(directory))
        let long = String(repeating: "x", count: 600 << 10)
        try store.put(OperationTests.record(1, "first"))
        try store.endCommit()
        for number in 1...10 { try store.put(OperationTests.record(number, long)) }
        try store.endCommit()
        try store.flush()
        let (before, after) = (["first"], [String](repeating: long, count: 10))
        #expect(store.contents.values.map(\.text) == after && !directory.read("history/commit-2.jsonl").isEmpty)
        for isRedo in [false, true, false, true] {
            var request = UndoRequest(isRedo: isRedo)
            request.revision = 2
            let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
            #expect(plan.commits.map(\.revision) == [2] && plan.count == 10)
            // The records of a long commit come from its file, while they are put.
            #expect(plan.parts.map(\.source) == (isRedo ? [.commit(2)] : []))
            for part in plan.parts {
                for record in try records(of: part, store) { try store.put(record) }
            }
            for (_, bytes) in plan.targets { try store.put(try #require(bytes.withUnsafeBytes { TestRecord($0) })) }
            for id in plan.removed { #expect(try store.remove(id)) }
            try store.endCommit()
            try store.flush()
            #expect(store.contents.values.map(\.text) == (isRedo ? after : before))
        }
        #expect(!directory.read("history/commit-4.jsonl").isEmpty)
    }

    /// A redo of several commits takes of a long one what no later one has changed.
    @Test func aRedoTakesFromALongCommitWhatItLeft() throws {
        let store = try TestRecords(settings(directory))
        let long = String(repeating: "x", count: 600 << 10)
        for number in 1...10 { try store.put(OperationTests.record(number, long)) }
        try store.endCommit()
        try store.put(OperationTests.record(3, "later"))
        #expect(try store.remove(OperationTests.record(4).id))
        try store.endCommit()
        try store.flush()
        let after = store.contents
        for isRedo in [false, true] {
            var request = UndoRequest(isRedo: isRedo)
            request.steps = 2
            let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
            #expect(plan.commits.count == 2 && plan.parts.map(\.count) == (isRedo ? [8] : []))
            for (id, bytes) in plan.targets {
                try store.put(try #require(bytes.withUnsafeBytes { TestRecord($0) }, "\(id)"))
            }
            for part in plan.parts {
                let found = try records(of: part, store)
                #expect(found.count == 8)
                for record in found { try store.put(record) }
            }
            for id in plan.removed { _ = try store.remove(id) }
            try store.endCommit()
            try store.flush()
            #expect(store.contents == (isRedo ? after : [:]))
        }
    }

    /// Many records are not looked up one by one: they come from the snapshot below, except for those that changed
    /// after it.
    @Test(arguments: [false, true]) func undoesAndRedoesAChangeOfMany(isClear: Bool) throws {
        let store = try TestRecords(settings(directory))
        for number in 1...4_200 { try store.put(OperationTests.record(number, "first")) }
        try store.endCommit()
        try store.flush()
        _ = try store.with { try $0.compact() }
        for number in 1...3 { try store.put(OperationTests.record(number, "second")) }
        for number in 10...12 { #expect(try store.remove(OperationTests.record(number).id)) }
        try store.endCommit()
        try store.flush()
        let before = store.contents
        if isClear { try store.removeAll() }
        for number in 5...4_300 { try store.put(OperationTests.record(number, "third")) }
        try store.endCommit()
        try store.flush()
        let after = store.contents
        for (isRedo, isCompacted) in [(false, false), (true, true), (false, false)] {
            if isCompacted { _ = try store.with { try $0.compact() } }
            var request = UndoRequest(isRedo: isRedo)
            request.revision = 3
            let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
            #expect(plan.commits.map(\.count) == [isClear ? 4_300 : 4_296])
            #expect(isRedo || plan.parts.reduce(0) { $0 + $1.count } > 4_000)
            var ids = plan.targets.map(\.id) + plan.removed
            for (_, bytes) in plan.targets { try store.put(try #require(bytes.withUnsafeBytes { TestRecord($0) })) }
            for part in plan.parts {
                let found = try records(of: part, store)
                #expect(found.count == part.count)
                ids += found.map(\.id)
                for record in found { try store.put(record) }
            }
            for id in plan.removed { _ = try store.remove(id) }
            #expect(ids.count == plan.count && Set(ids).count == ids.count)
            try store.endCommit()
            try store.flush()
            #expect(store.contents == (isRedo ? after : before))
        }
    }

    /// The records that a long commit cleared are not in its file.
    @Test func anUndoBehindALongClearRemoves() throws {
        let store = try TestRecords(settings(directory))
        try store.put(OperationTests.record(1))
        try store.endCommit()
        try store.removeAll()
        let long = String(repeating: "x", count: 600 << 10)
        for number in 2...11 { try store.put(OperationTests.record(number, long)) }
        try store.endCommit()
        try store.put(OperationTests.record(1, "again"))
        try store.endCommit()
        try store.flush()
        var request = UndoRequest(isRedo: false)
        request.revision = 3
        let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
        #expect(plan.parts.isEmpty && plan.targets.isEmpty && plan.removed == [OperationTests.record(1).id])
    }

    /// An undo knows the version that it restored, even if the undone commit is no longer stored.
    @Test func undoesWhatCameAfterAnUndoOfWhatIsForgotten() throws {
        let store = try TestRecords(settings(directory))
        func commit(_ number: Int, _ text: String) throws {
            try store.put(OperationTests.record(number, text))
            try store.endCommit()
            try store.flush()
        }
        try commit(2, "first")
        try commit(2, "second")
        _ = try store.with { try $0.compact() }
        try commit(1, "new")
        var request = UndoRequest(isRedo: false)
        request.revision = 2
        _ = try store.with { (store: inout RecordStore) in try store.planUndo(request) }
        try commit(2, "first")
        try commit(2, "third")
        _ = try store.with { try $0.compact() }
        #expect(try store.with { try $0.shortenHistory(to: 3) } == 3)
        #expect(try plan(store, nil, steps: 2) == UndoPlanText(texts: ["first", nil], kinds: [.updated, .created]))
    }

    private func problems() throws -> [String] {
        let inspection: (UnsafeRawBufferPointer) -> RecordFinding = { bytes in
            guard let record = TestRecord(bytes) else { return .problem("is no record") }
            return .record(id: record.id, time: record.time, revision: 0)
        }
        let examination = RecordExamination(inspect: inspection, progress: { _, _ in })
        return try StoreFiles.verify(settings(directory), examination).problems.map(\.file)
    }

    /// Earlier journals end in line feeds, and only a reader that needs their last lines looks for them.
    @Test func looksForNoEndOfAJournalThatNobodyAsksFor() throws {
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        for number in 1...4 {
            try ChangedFilesTests.commit(store, number)
            _ = try store.with { try $0.compact() }
        }
        try ChangedFilesTests.commit(store, 5)
        func reads(_ body: (inout RecordStore) throws -> Bool) throws -> Int {
            files.set(.none)
            let isKept = try store.with { try body(&$0) }
            #expect(isKept)
            return files.trace.count { $0 == "pread journal-1.jsonl" }
        }
        let known = try reads { try $0.keepsCommits(after: 4) }
        let all = try reads { try $0.keepsCommits(after: 0) }
        let read = try reads { try $0.commits(after: 3) { _ in true } }
        #expect(known < all && read == known, "\(known), \(all), \(read)")
    }

    @Test func rotIsNamedAndNoHistoryHasAGap() throws {
        let store = try make()
        #expect(try problems().isEmpty)
        let whole = try (1...2).map { try Self.history(store, $0) }
        #expect(whole == [[9, 7, 6, 4, 3, 1], [8, 5, 2]])
        for name in Self.past {
            let content = directory.read(name)
            let end = try #require(content.lastIndex { $0 != 10 })
            for offset in stride(from: 0, through: end, by: 5) {
                // After a whole line there may have been a commit that became a snapshot.
                if offset > 0, content[offset - 1] == 10 || content[offset] == 10 { continue }
                var rotten = content
                rotten[offset] ^= 1 << UInt8(offset % 8)
                directory.overwrite(name, offset % 10 == 0 ? rotten : Array(content[..<offset]))
                #expect(try Set(problems()) == [name], "\(name), \(offset)")
                var found: [Int] = []
                let isKept = try store.with { store in
                    try store.commits(after: 0) {
                        found.append($0.seq); return true
                    }
                }
                #expect(found == found.indices.map { $0 + 1 } && isKept == (found.count == 9), "\(name), \(offset)")
                for number in 1...2 {
                    do {
                        #expect(try Self.history(store, number) == whole[number - 1], "\(name), \(offset)")
                    } catch StorageError.corrupt(let file, _, _) {
                        #expect(file == name)
                    }
                }
            }
            directory.overwrite(name, content)
        }
        #expect(try problems().isEmpty)
    }

    /// A commit that became a snapshot is undone from the snapshot that it replaced, after any number of later commits.
    @Test func aLongCommitKeepsTheSnapshotThatItReplaced() throws {
        let store = try TestRecords(settings(directory))
        func commit(_ number: Int, _ text: String) throws {
            try store.put(OperationTests.record(number, text))
            try store.endCommit()
            try store.flush()
        }
        try commit(1, "before")
        try commit(2, "other")
        _ = try store.with { try $0.compact() }
        // From here on the earlier commits are in no journal.
        #expect(try store.with { try $0.shortenHistory(to: 100) } == 3)
        try commit(2, "later")
        try commit(1, String(repeating: "x", count: 5 << 20))
        let replaced = try FileSystem.system.list(directory.path).filter { $0.hasPrefix("backup-") }.sorted()
        for round in 1...3 {
            try commit(3, "\(round)")
            _ = try store.with { try $0.compact() }
            store.close()
            try store.open()
        }
        let request = { (revision: Int) in
            var request = UndoRequest(isRedo: false)
            request.revision = revision
            return request
        }
        let plan = try store.with { (store: inout RecordStore) in try store.planUndo(request(4)) }
        #expect(plan.targets.map(\.bytes) == [Array(OperationTests.record(1, "before").json.utf8)])
        store.with { $0.abandonCommit() }
        let names = try FileSystem.system.list(directory.path).filter { $0.hasPrefix("backup-") }
        #expect(Set(names).isSuperset(of: replaced.suffix(1)) && names.count == 2)
        #expect(try problems().isEmpty)
        // It is removed with the history.
        #expect(try store.with { try $0.shortenHistory(to: 6) } == 6)
        try commit(3, "4")
        _ = try store.with { try $0.compact() }
        #expect(try FileSystem.system.list(directory.path).filter { $0.hasPrefix("backup-") }.count == 1)
    }

    /// There was no room for a long commit, and its file is left over. The commit made in its place is in a journal: the
    /// next generation removes the file, and no snapshot is kept for it.
    @Test func whatIsLeftOfALongCommitKeepsNoSnapshot() throws {
        let files = FaultyFiles()
        let store = try TestRecords(settings(directory, files.fileSystem))
        func commit(_ number: Int, _ text: String) throws {
            try store.put(OperationTests.record(number, text))
            try store.endCommit()
            try store.flush()
        }
        try commit(1, "before")
        files.setFreeBytes(6 << 20)
        // Nor can the file be removed.
        files.set(.named("unlink", EACCES))
        let long = String(repeating: "x", count: 5 << 20)
        guard case .full? = #expect(throws: StorageError.self, performing: { try commit(1, long) }) else {
            throw TestFailure("there is room")
        }
        files.set(.none)
        files.setFreeBytes(nil)
        store.abandonCommit()
        #expect(try FileSystem.system.list(directory.path("history")).contains("commit-2.jsonl"))
        try commit(1, "short")
        for round in 1...3 {
            try commit(2, "\(round)")
            _ = try store.with { try $0.compact() }
        }
        #expect(try !FileSystem.system.list(directory.path("history")).contains("commit-2.jsonl"))
        #expect(directory.names.filter { $0.hasPrefix("backup-") } == ["backup-3.json"])
        #expect(try Self.history(store, 1) == [2, 1])
        #expect(try problems().isEmpty)
    }

    /// A damaged history can be given up.
    @Test func aDamagedHistoryCanBeginLater() throws {
        let store = try make()
        directory.overwrite("history/journal-1.jsonl", [])
        #expect(throws: StorageError.self) { try Self.history(store, 1) }
        #expect(try store.with { try $0.shortenHistory(to: 4) } == 4)
        #expect(try problems().isEmpty)
        #expect(try Self.history(store, 1).prefix(4) == [9, 7, 6, 4])
    }

    /// Line feeds that were written in advance and never synced: a power cut leaves anything in their place. The file
    /// of a long commit proves that no line is missing there.
    @Test(arguments: ["\n\n\n\u{0}\u{0}", "\u{0}\u{0}\n\n", "\n{\"seq\":2,\n"])
    func whatAPowerCutLeavesBeforeALongCommitIsNoDamage(end: String) throws {
        let store = try TestRecords(settings(directory))
        for text in ["short", String(repeating: "x", count: 5 << 20), "short again"] {
            try store.put(OperationTests.record(1, text))
            try store.endCommit()
            try store.flush()
        }
        let name = "history/journal-1.jsonl"
        let lines = directory.text(name).split(separator: "\n").joined(separator: "\n") + "\n"
        directory.overwrite(name, Array((lines + end).utf8))
        #expect(try problems() == [])
        #expect(try Self.history(store, 1, before: 2) == [1])
        // The line before is still checked.
        directory.overwrite(name, Array((lines.replacing("short", with: "shirt") + end).utf8))
        #expect(try problems() == [name])
    }
}
