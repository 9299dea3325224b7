import Platform
import Storage
import Testing

/// A valid edit is accepted; an invalid one changes nothing.
@Suite struct AcceptTests {
    let directory = TestDirectory()

    private func replace(_ old: String, _ new: String) {
        directory.write("moods.json", directory.text("moods.json").replacing(old, with: new))
    }

    private func opened() throws -> (labels: [Int: String], revision: Int) {
        let found = try reopened(settings(directory)).get()
        #expect(found.refusal == nil)
        #expect(try StoreFiles.verify(settings(directory), examination).isWhole)
        return (labels(found.table), found.revision)
    }

    private func refusal() throws -> [RepairError.Problem] {
        let before = directory.contents()
        defer { #expect(directory.contents() == before) }
        do throws(RepairError) {
            _ = try accept(settings(directory))
        } catch {
            guard case .refused(let reason, let problems) = error else { throw error }
            #expect(reason.contains("Nothing was changed"))
            return problems
        }
        throw TestFailure("it was accepted")
    }

    @Test func whatNobodyEditedStaysAsItIs() throws {
        let (contents, _) = try DamageTests.whole()
        directory.restore(contents)
        let report = try accept(settings(directory))
        #expect(!report.isAccepted && report.records == 2 && report.revision == 1 && report.backup == nil)
        #expect(directory.contents() == contents)
    }

    @Test(arguments: ["\n", " ", "\r\n\n"]) func emptyLinesAtTheEndAreAnEdit(end: String) throws {
        let (contents, states) = try DamageTests.whole()
        directory.restore(contents)
        directory.write("moods.json", directory.text("moods.json") + end)
        let found = try reopened(settings(directory)).get()
        guard case .readOnly = found.refusal else { throw TestFailure("\(String(describing: found.refusal))") }
        #expect(found.table == states.last)
        #expect(try accept(settings(directory)).isAccepted)
    }

    @Test func anEditIsSealedAsACommitOfItsOwn() throws {
        let (contents, _) = try DamageTests.whole()
        directory.restore(contents)
        replace("first", "mended")
        let edited = directory.read("moods.json")
        let report = try accept(settings(directory))
        // The journal is later: it deleted 1 and changed 2.
        #expect(report.isAccepted && report.revision == 5 && report.records == 3 && report.overtaken == 2)
        #expect(report.backup == "backup-2.json" && directory.read("backup-2.json") == edited)
        #expect(report.bytes == directory.read("moods.json").count)
        #expect(try opened().labels == [2: "changed", 3: "third", 4: "fourth"])
        #expect(try opened().revision == 5)
        #expect(directory.names.contains("journal-3.jsonl"))
        #expect(try !accept(settings(directory)).isAccepted)
    }

    @Test(arguments: [
        (#"{"id":"\#(identifier(9))","label":"new"},"#, [1: "first", 2: "second", 9: "new"]),
        ("", [1: "first", 2: "second"]),
    ])
    func recordsMayBeAddedAndAreSorted(added: String, expected: [Int: String]) throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "second"))
            try store.rewrite()
        }
        replace("\"moods\":[\n", "\"moods\":[\n\n\(added)\n")
        #expect(try accept(settings(directory)).isAccepted)
        #expect(try opened().labels == expected)
    }

    /// Accepts records that break a rule of requests, which a migration or a higher limit may have let in.
    private func acceptDisputing() throws(RepairError) -> AcceptReport {
        try StoreFiles.accept(
            settings(directory),
            seal: { bytes, revision, buffer in
                guard case .record(let id, let time, _) = seal(bytes, revision, &buffer) else {
                    return seal(bytes, revision, &buffer)
                }
                guard String(decoding: bytes, as: UTF8.self).contains("long") else {
                    return .record(id: id, time: time, isCompleted: false)
                }
                return .disputed(id: id, time: time, offset: 0, "is too long")
            }, inspect: inspect)
    }

    enum Source: CaseIterable { case backup, journal, past, nothing }

    @Test(arguments: Source.allCases) func whatAStoreHeldIsAcceptedAgain(source: Source) throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "long"))
            try store.rewrite()
            if source == .backup { try store.rewrite() }
            // The record is also in the journal after the snapshot.
            if source == .journal { try store.commit(.put(2, "long")) }
        }
        if source != .past { directory.remove("history/journal-1.jsonl") }
        if source != .backup { directory.remove("backup-1.json") }
        replace("first", "mended")
        guard source != .nothing else {
            #expect(throws: RepairError.self) { try acceptDisputing() }
            return
        }
        #expect(try acceptDisputing().isAccepted)
        #expect(try opened().labels == [1: "mended", 2: "long"])
    }

    /// Unknown members of the document stay, in any layout.
    @Test func membersOfTheDocumentStay() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("\"count\":2,", "\"count\":2,\"theme\":{\n\"hue\":7},")
        #expect(try accept(settings(directory)).isAccepted)
        #expect(directory.text("moods.json").contains("\"count\":3,\"theme\":{ \"hue\":7},\"moods\":["))
        #expect(try opened().labels == [2: "changed", 3: "third", 4: "fourth"])
    }

    @Test func aRecordThatWasTakenOutIsGone() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "second"))
            try store.rewrite()
        }
        replace(record(1, "first") + ",\n", "")
        #expect(try accept(settings(directory)).records == 1)
        #expect(try opened().labels == [2: "second"])
    }

    enum Layout: CaseIterable {
        /// The layout of `jq .`, one line, Windows line ends, leading white space, and members in another order.
        case lines, oneLine, carriageReturns, spaceBefore, otherOrder

        func apply(to text: String) -> String {
            switch self {
            case .lines: return text.replacing(",", with: ",\n  ")
            case .oneLine: return text.replacing("\n", with: " ")
            case .carriageReturns: return text.replacing("\n", with: "\r\n")
            case .spaceBefore: return " \n" + text
            case .otherOrder:
                let records = text.split(separator: "\n").dropFirst().dropLast().joined(separator: "\n")
                let header = text.split(separator: "\n")[0].dropFirst().dropLast("\"moods\":[".utf8.count)
                return "{\"crc\":\"x\",\"moods\":[\(records)],\(header.dropLast())}"
            }
        }
    }

    @Test(arguments: Layout.allCases) func anyLayoutOfTheDocumentWillDo(layout: Layout) throws {
        directory.restore(try DamageTests.whole().contents)
        directory.write("moods.json", layout.apply(to: directory.text("moods.json")))
        let report = try accept(settings(directory))
        #expect(report.isAccepted && report.records == 3)
        #expect(try opened().labels == [2: "changed", 3: "third", 4: "fourth"])
    }

    @Test(arguments: [
        ("\"label\":\"second\"", "\"label\":\"\"", 3, "lacks \"label\""),
        ("\"label\":\"second\"", "\"label\":second", 3, "is not JSON"),
        (identifier(2), identifier(1), 3, "id of one before it"),
        ("\"generation\":2", "\"generation\":0", 1, "generation"), ("\"storeId\"", "\"storeID\"", 1, "storeId"),
        ("\"schemaVersion\":3", "\"schemaVersion\":2", 1, "schemaVersion"),
        ("\"format\":\"moodboard\"", "\"format\":\"other\"", 1, "format"),
        ("\"moods\":[", "\"revision\":1,\"moods\":[", 1, "gives a name twice"),
    ])
    func whatIsWrongIsToldWithItsLine(old: String, new: String, line: Int, reason: String) throws {
        directory.restore(try DamageTests.whole().contents)
        replace(old, new)
        let problems = try refusal()
        #expect(problems.contains { $0.line == line && $0.reason.contains(reason) }, "\(problems)")
        #expect(problems.allSatisfy { $0.file == "moods.json" && $0.offset <= directory.read("moods.json").count })
    }

    @Test func everyWrongRecordIsTold() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("\"label\":\"first\"", "\"label\":1")
        replace("\"label\":\"second\"", "\"lebal\":1")
        #expect(try refusal().map(\.line) == [2, 3])
    }

    @Test func damageOfTheJournalIsNoEdit() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("first", "mended")
        directory.write("journal-2.jsonl", directory.text("journal-2.jsonl").replacing("third", with: "THIRD"))
        let before = directory.contents()
        do throws(RepairError) {
            _ = try accept(settings(directory))
            Issue.record("accepted")
        } catch {
            guard case .storage(.corrupt("journal-2.jsonl", _, _)) = error else { throw error }
        }
        #expect(directory.contents() == before)
    }

    @Test func aTornEndOfTheJournalIsKept() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("first", "mended")
        let torn = directory.text("journal-2.jsonl") + "{\"seq\":5"
        directory.write("journal-2.jsonl", torn)
        #expect(try accept(settings(directory)).revision == 5)
        _ = try opened()
        #expect(directory.text("history/journal-2.jsonl") == torn)
    }

    @Test func aLockedOrReadOnlyStoreIsLeftAlone() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("first", "mended")
        let before = directory.contents()
        #expect(throws: RepairError.self) { try accept(settings(directory, isReadOnly: true)) }
        do {
            let lock = try FileLock.acquire(directory.path("lock"), timeoutMilliseconds: 0, in: .system)
            defer { _ = lock.file.path }
            do throws(RepairError) {
                _ = try accept(settings(directory, timeout: 10))
                Issue.record("accepted")
            } catch {
                guard case .storage(.busy) = error else { throw error }
            }
        }
        #expect(directory.contents() == before)
        directory.remove("journal-2.jsonl")
        #expect(throws: RepairError.self) { try accept(settings(directory)) }
        directory.remove("moods.json")
        #expect(throws: RepairError.self) { try accept(settings(directory)) }
    }

    @Test func aJournalThatClearsOvertakesTheEdit() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"), .put(2, "second"))
            try store.rewrite()
            try store.commit(.clear, .put(3, "third"))
        }
        replace("second", "edited")
        let report = try accept(settings(directory))
        #expect(report.isAccepted && report.overtaken == 2 && report.records == 1)
        #expect(try opened().labels == [3: "third"])
    }

    /// The journal contains a change that is no record of this version.
    @Test func anEditBesideADamagedJournalIsRefused() throws {
        do {
            var store = try TestStore(settings(directory))
            try store.commit(.put(1, "first"))
            try store.rewrite()
            try store.commit(.put(2, ""))
        }
        replace("first", "edited")
        #expect(throws: RepairError.self) { try accept(settings(directory)) }
        #expect(directory.text("moods.json").contains("edited"))
    }

    @Test func anEditOfANewerVersionIsRefusedForThat() throws {
        directory.restore(try DamageTests.whole().contents)
        replace("\"schemaVersion\":3", "\"schemaVersion\": 4")
        do throws(RepairError) {
            _ = try accept(settings(directory))
            Issue.record("it was accepted")
        } catch {
            guard case .storage(.newerSchema) = error else { throw error }
        }
    }
}
