import Platform
import Storage
import Synchronization
import Testing

/// Missing or changed bytes. Acknowledged data is never dropped silently: either all of it is there, or the store
/// reports the damage and refuses writes.
@Suite struct DamageTests {
    let directory = TestDirectory()

    /// A store with a snapshot of two records and a journal of three published commits, without the growth at its end.
    static func whole() throws -> (contents: [String: [UInt8]], states: [Table]) {
        let directory = TestDirectory()
        var states: [Table] = []
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "second"))
            try store.rewrite()
            states.append(store.table)
            try store.commit(.put(3, "third"))
            states.append(store.table)
            try store.commit(.delete(1), .put(2, "changed"))
            states.append(store.table)
            try store.commit(.put(4, "fourth"))
            states.append(store.table)
        }
        var contents = directory.contents()
        var journal = contents["journal-2.jsonl"] ?? []
        while journal.last == 0x0A { journal.removeLast() }
        contents["journal-2.jsonl"] = journal + [0x0A, 0x0A, 0x0A]
        return (contents, states)
    }

    /// Opens the store: either everything is there, and stays after further commits, or a refusal reports the loss.
    /// Returns whether it was refused.
    private func checkNothingIsDroppedSilently(_ states: [Table], _ place: String) -> Bool {
        switch reopened(settings(directory)) {
        case .success(let found) where found.refusal == nil:
            #expect(found.table == states.last, "\(place)")
            return false
        case .success(let found):
            if case .corrupt = found.refusal { #expect(states.contains(found.table), "\(place)") }
        case .failure(.corrupt), .failure(.unavailable), .failure(.newerSchema), .failure(.olderSchema):
            break
        case .failure(let error):
            Issue.record("\(place): \(error)")
        }
        return true
    }

    @Test(arguments: ["journal-2.jsonl", "moods.json", "lock"])
    func detectsEveryPrefix(name: String) throws {
        let (contents, states) = try Self.whole()
        let bytes = try #require(contents[name])
        for count in 0..<bytes.count {
            var cut = contents
            cut[name] = Array(bytes[..<count])
            directory.restore(cut)
            if checkNothingIsDroppedSilently(states, "\(name) cut to \(count)") {
                #expect(directory.read(name) == cut[name], "\(name) cut to \(count)")
            } else {
                // A journal may lack only the line feeds at its end, and the next line is not glued to it.
                #expect(name == "lock" || count >= bytes.count - 3, "\(name) cut to \(count)")
                do {
                    var store = try TestStore(settings(directory))
                    try store.commit(.put(9, "next"))
                }
                #expect(try TestStore(settings(directory)).table.records.count == 4)
            }
        }
    }

    @Test(arguments: ["journal-2.jsonl", "moods.json", "lock"])
    func detectsEveryFlippedBit(name: String) throws {
        let (contents, states) = try Self.whole()
        let bytes = try #require(contents[name])
        for index in bytes.indices {
            for bit in 0..<8 {
                var flipped = contents
                flipped[name]?[index] ^= 1 << UInt8(bit)
                directory.restore(flipped)
                let place = "\(name), byte \(index), bit \(bit)"
                let isRefused = checkNothingIsDroppedSilently(states, place)
                // Nothing depends on the lock file's bytes, nor on the line feeds after a journal's last line.
                let isIdle = name == "lock" || name != "moods.json" && index >= bytes.count - 2
                #expect(isRefused != isIdle, "\(place)")
            }
        }
    }

    /// Without the lock file the publication is unknown, but the lines themselves prove most commits.
    @Test func losesAtMostTheLastCommitOfACutJournalWithoutALock() throws {
        let (contents, states) = try Self.whole()
        let bytes = try #require(contents["journal-2.jsonl"])
        for count in 0..<bytes.count {
            var cut = contents
            cut["lock"] = nil
            cut["journal-2.jsonl"] = Array(bytes[..<count])
            directory.restore(cut)
            guard case .success(let found) = reopened(settings(directory)) else { continue }
            #expect(states.contains(found.table), "cut to \(count)")
        }
    }

    @Test func refusesADamagedLineThatALaterOneProves() throws {
        var (contents, states) = try Self.whole()
        contents["lock"] = nil
        let text = String(decoding: contents["journal-2.jsonl"] ?? [], as: UTF8.self)
        contents["journal-2.jsonl"] = Array(text.replacing("third", with: "thirD").utf8)
        directory.restore(contents)
        let found = try reopened(settings(directory)).get()
        #expect(found.table == states[0] && found.revision == 1)
        guard case .corrupt(let file, let offset, _) = found.refusal else {
            Issue.record("\(String(describing: found.refusal))")
            return
        }
        #expect(file == "journal-2.jsonl" && offset == text.split(separator: "\n")[0].utf8.count + 1)
        #expect(directory.contents()["journal-2.jsonl"] == contents["journal-2.jsonl"])
    }

    /// The opener of the store learns what is missing, also in a store that can only be read.
    @Test(arguments: [false, true]) func saysWhatIsMissing(isReadOnly: Bool) throws {
        func damage(_ name: String, _ old: String, _ new: String) throws -> StoreDamage? {
            directory.restore(try Self.whole().contents)
            directory.write(name, directory.text(name).replacing(old, with: new))
            return try TestStore(settings(directory, isReadOnly: isReadOnly)).files.damage
        }
        #expect(try damage("moods.json", "x", "x") == nil)
        let line = try #require(try damage("journal-2.jsonl", "third", "thirD"))
        #expect(line.file == "journal-2.jsonl" && line.shown == 1 && line.durable == 4 && line.offset ?? 0 > 0)
        let header = try #require(try damage("journal-2.jsonl", "\"baseRevision\":1", "\"baseRevision\":2"))
        #expect(header.file == "journal-2.jsonl" && header.shown == 1 && header.durable == 4 && header.offset == 0)
        let edit = try #require(try damage("moods.json", "first", "frist"))
        #expect(edit.file == "moods.json" && edit.shown == 4 && edit.durable == nil && edit.offset == nil)
    }

    @Test func dropsABatchThatWasNeverAcknowledged() throws {
        // The batch of commits 2 and 3 reached the disk out of order: 2 is garbage, 3 is whole.
        var early: [UInt8] = []
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            early = directory.read("lock")
            store.stage([.put(2, "lost")])
            store.stage([.put(3, "stray")])
            try store.sync()
        }
        directory.write("lock", early)
        directory.write("journal-1.jsonl", directory.text("journal-1.jsonl").replacing("lost", with: "l\0st"))
        do {
            var store = try TestStore(settings(directory))
            #expect(store.table.records.keys.sorted() == [identifier(1)])
            #expect(store.files.refusal == nil && store.files.revision == 1)
            try store.commit(.put(5, "next"))
        }
        #expect(directory.names.contains("journal-2.jsonl"))
        #expect(directory.names.contains { $0.hasPrefix("torn-journal-1-20261121T092658.123Z-") })
        #expect(try TestStore(settings(directory)).table.records.keys.sorted() == [identifier(1), identifier(5)])
    }

    @Test func keepsATornTailAsideAndNeverAppendsBehindIt() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        var journal = directory.read("journal-1.jsonl")
        while journal.last == 0x0A { journal.removeLast() }
        let torn = Array(#"{"seq":2,"at":"2026"#.utf8)
        directory.write("journal-1.jsonl", journal + [0x0A] + torn + Array(repeating: 0x0A, count: 100))
        let before = directory.read("journal-1.jsonl")
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(2, "b"))
        }
        #expect(directory.read("journal-1.jsonl") == before)
        let kept = try #require(directory.names.first { $0.hasPrefix("torn-") })
        #expect(directory.read(kept) == torn)
        #expect(try TestStore(settings(directory)).table.records.count == 2)
    }

    /// The lines are whole, but their writer may have died before their sync, which would then be reported all the
    /// same.
    @Test func goesOnInAnotherJournalBehindLinesThatWereNotPublished() throws {
        var published: [UInt8] = []
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            published = directory.read("lock")
            try store.commit(.put(2, "b"))
        }
        directory.write("lock", published)
        do {
            var store = try TestStore(settings(directory))
            #expect(store.table.records.count == 2)
            #expect(directory.names == ["journal-1.jsonl", "journal-2.jsonl", "lock", "moods.json"])
            try store.commit(.put(3, "c"))
        }
        #expect(try TestStore(settings(directory)).table.records.count == 3)
    }

    @Test(arguments: [[0, 1, 3], [0, 2, 3], [0, 1, 2, 2, 3], [0, 2, 1, 3]])
    func noticesWholeLinesOutOfOrder(order: [Int]) throws {
        let (contents, states) = try Self.whole()
        let lines = try #require(contents["journal-2.jsonl"]).split(separator: 0x0A)
        directory.restore(contents)
        directory.write("journal-2.jsonl", order.map { Array(lines[$0]) + [0x0A] }.flatMap { $0 })
        #expect(checkNothingIsDroppedSilently(states, "\(order)"))
    }

    @Test func takesABlankLineBeforeAnotherForABadOne() throws {
        let (contents, states) = try Self.whole()
        var bytes = try #require(contents["journal-2.jsonl"])
        let lines = bytes.split(separator: 0x0A)
        bytes = Array(lines[0]) + [0x0A, 0x0A] + lines[1...].joined(separator: [0x0A]) + [0x0A]
        directory.restore(contents)
        directory.write("journal-2.jsonl", bytes)
        let found = try reopened(settings(directory)).get()
        #expect(found.table == states[0])
        guard case .corrupt = found.refusal else { throw TestFailure("\(String(describing: found.refusal))") }
    }

    @Test func takesNothingFromAJournalBehindTheBaseOfTheNext() throws {
        // Commit 2 of the first journal was replaced by another commit 2 in the second.
        var left: [String: [UInt8]] = [:]
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            left = directory.contents()
            try store.commit(.put(2, "given up"))
            try store.commit(.put(3, "given up"))
        }
        let longer = directory.read("journal-1.jsonl")
        var torn = left["journal-1.jsonl"] ?? []
        while torn.last == 0x0A { torn.removeLast() }
        left["journal-1.jsonl"] = torn + Array("\ntorn".utf8)
        directory.restore(left)
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(4, "instead"))
        }
        directory.write("journal-1.jsonl", longer)
        let found = try reopened(settings(directory)).get()
        #expect(found.table.records.keys.sorted() == [identifier(1), identifier(4)] && found.revision == 2)
        #expect(found.refusal == nil)
    }

    @Test func removesABlankJournalThatAnUnfinishedRewriteLeft() throws {
        // The rewrite for commit 2 was killed before its snapshot was in place.
        var blank: [UInt8] = []
        do {
            let other = TestDirectory()
            try? FileSystem.system.makeDirectory(other.path)
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
            other.restore(directory.contents())
            try store.commitAsSnapshot(Table())
            blank = directory.read("journal-2.jsonl")
            directory.restore(other.contents())
        }
        directory.write("journal-2.jsonl", blank)
        #expect(try reopened(settings(directory, isReadOnly: true)).get().revision == 1)
        do {
            var store = try TestStore(settings(directory))
            #expect(!directory.names.contains("journal-2.jsonl"))
            try store.commit(.put(2, "b"))
            store.stage([.put(3, "c")])
            try store.sync()
        }
        #expect(try reopened(settings(directory)).get().table.records.count == 3)
    }

    @Test func saysThatUnsyncedCommitsAreGoneAndGoesOn() throws {
        var early: [String: [UInt8]] = [:]
        do {
            var store = try TestStore(settings(directory, durability: .none))
            try store.commit(.put(1, "a"))
            early = directory.contents()
            try store.commit(.put(2, "lost in a power cut"))
        }
        directory.write("journal-1.jsonl", early["journal-1.jsonl"] ?? [])
        let lines = Mutex<[String]>([])
        let found = try reopened(settings(directory, log: { line in lines.withLock { $0.append(line) } })).get()
        #expect(found.refusal == nil && found.table.records.count == 1)
        #expect(lines.withLock { $0.contains { $0.contains("1 commits after 1") } })
    }

    @Test func readsAnEditedSnapshotAndWritesNothing() throws {
        let (contents, _) = try Self.whole()
        directory.restore(contents)
        directory.write("moods.json", directory.text("moods.json").replacing("first", with: "mended"))
        let edited = directory.contents()
        do {
            var store = try TestStore(settings(directory))
            #expect(store.table.records[identifier(2)] == record(2, "changed"))
            #expect(store.files.readOnlyReason?.contains("checksum") == true)
            #expect(throws: StorageError.self) { try store.commit(.put(9, "x")) }
            #expect(throws: StorageError.self) { try store.rewrite() }
        }
        #expect(directory.contents() == edited)
    }

    @Test func shutsTheStoreWhereAnEditedRecordIsNotValid() throws {
        let (contents, _) = try Self.whole()
        directory.restore(contents)
        directory.write(
            "moods.json", directory.text("moods.json").replacing(#"{"id":"00000000"#, with: #"{"ID":"00000000"#))
        guard case .failure(.corrupt(let file, let offset, _)) = reopened(settings(directory)) else {
            throw TestFailure("not corrupt")
        }
        #expect(file == "moods.json" && offset > 100)
    }

    @Test(
        arguments: [
            ("", "corrupt"), ("{", "corrupt"), ("[]", "corrupt"), ("null", "corrupt"), (#"{"moods":[]}"#, "corrupt"),
            (#"{"schemaVersion":1,"moods":[]}"#, "older 1"),
            (#"{ "moods" : ["\"}"], "schemaVersion" : 2 }"#, "older 2"),
            (#"{"schemaVersion":2,"moods":["#, "corrupt"), (#"{"x":{"schemaVersion":1},"schemaVersion":4}"#, "newer 4"),
            (#"{"schemaVersion":3,"moods":[]}"#, "laid out"), (#"{"schemaVersion":12}"#, "newer 12"),
        ])
    func leavesAForeignDocumentAlone(text: String, answer: String) throws {
        directory.restore(["moods.json": Array(text.utf8)])
        switch reopened(settings(directory)) {
        case .failure(.corrupt(let file, _, _)): #expect(answer == "corrupt" && file == "moods.json")
        case .failure(.newerSchema(let version, _)): #expect(answer == "newer \(version)")
        case .failure(.olderSchema(let version, _)): #expect(answer == "older \(version)")
        case .failure(.unavailable(let reason, _)):
            #expect(reason.contains(answer))
        case let other: Issue.record("\(other)")
        }
        #expect(directory.text("moods.json") == text)
        #expect(directory.names == (answer.hasPrefix("newer") ? [] : ["lock"]) + ["moods.json"])
    }

    @Test func readsALaterSchemaOfTheSameForm() throws {
        let (contents, _) = try Self.whole()
        directory.restore(contents)
        for name in ["moods.json", "journal-2.jsonl"] {
            let text = directory.text(name).replacing(#""schemaVersion":3"#, with: #""schemaVersion":4"#)
            directory.write(name, text)
        }
        // The journal's header has a checksum, so it cannot be changed like this.
        guard case .success(let found) = reopened(settings(directory)) else { throw TestFailure("not opened") }
        #expect(found.refusal != nil)
    }

    @Test func remakesAnUnfinishedCreation() throws {
        _ = try TestStore(settings(directory))
        directory.remove("moods.json")
        var store = try TestStore(settings(directory))
        try store.commit(.put(1, "a"))
        #expect(store.files.refusal == nil)
    }

    @Test(arguments: [
        ["journal-1.jsonl"], ["backup-1.json"], ["journal-7.jsonl"], ["journal-1.jsonl", "backup-3.json"],
    ])
    func neverBeginsAfreshBesideWhatIsLeftOfAStore(left: [String]) throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "a"))
        }
        let journal = directory.read("journal-1.jsonl")
        let lock = directory.read("lock")
        directory.restore(["lock": lock])
        for name in left { directory.write(name, journal) }
        let before = directory.contents()
        guard case .failure(.unavailable(let reason, _)) = reopened(settings(directory)) else {
            throw TestFailure("opened")
        }
        #expect(left.allSatisfy { reason.contains($0) })
        #expect(directory.contents() == before)
    }

    @Test func saysWhichJournalIsMissing() throws {
        let (contents, _) = try Self.whole()
        directory.restore(contents)
        directory.remove("journal-2.jsonl")
        guard case .failure(.unavailable(let reason, _)) = reopened(settings(directory)) else {
            throw TestFailure("opened")
        }
        #expect(reason.contains("journal-2.jsonl"))
    }

    @Test func refusesAJournalOfAnotherStore() throws {
        let (contents, states) = try Self.whole()
        let (others, _) = try Self.whole()
        directory.restore(contents)
        directory.write("journal-2.jsonl", others["journal-2.jsonl"] ?? [])
        let found = try reopened(settings(directory)).get()
        guard case .corrupt("journal-2.jsonl", 0, _) = found.refusal else { throw TestFailure("not corrupt") }
        #expect(found.table == states[0])
    }
}

struct TestFailure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
