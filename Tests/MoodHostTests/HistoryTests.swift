import JSONCodec
import MoodCore
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost
@testable import MoodStore

/// `mood.history`.
@Suite struct HistoryTests {
    /// All of a mood's history, read in pages.
    private static func history(_ session: TestSession, _ id: String, limit: Int) throws -> [String]? {
        var found: [String] = []
        var cursor = ""
        repeat {
            let answer = try session.call("mood.history", #"{"id":"\#(id)","limit":\#(limit)\#(cursor)}"#)
            if answer.kind == "notFound" { return nil }
            let page = try #require(answer["result"], "\(answer.text)")
            let items = page["items"]?.array ?? []
            #expect(items.count <= limit)
            for item in items {
                let kind = item["kind"]?.string ?? ""
                #expect((item["mood"] == nil) == (kind == "deleted"))
                #expect(item["mood"].map { $0["revision"]?.integer == item["revision"]?.integer } ?? true)
                let notes = item["mood"].map { " " + ($0["notes"]?.string ?? "") } ?? ""
                found.append("\(item["revision"]?.integer ?? 0) \(kind)\(notes)")
            }
            guard let next = page["nextCursor"]?.string else { return found }
            cursor = #","cursor":"\#(next)""#
        } while true
    }

    /// Random changes of a few moods, with compactions and restarts, compared with plain lists.
    @Test(arguments: SeededRandom.seeds + [13_856_401_379_741_031_022])
    func agreesWithAModel(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        var session = TestSession(directory)
        var model = [[String]](repeating: [], count: 5)
        var notes = [String?](repeating: nil, count: 5)
        var revision = 0
        func note(_ number: Int, _ kind: String) {
            model[number].insert("\(revision) \(kind)" + (notes[number].map { " " + $0 } ?? ""), at: 0)
        }
        for step in 0..<150 {
            let number = Int(random.next() % 5)
            let id = testID(number + 1)
            switch random.next() % 12 {
            case 0...5:
                revision += 1
                let isNew = notes[number] == nil
                notes[number] = "n\(step)"
                _ = try session.result(
                    isNew ? "mood.create" : "mood.setNotes",
                    #"{"id":"\#(id)","notes":"n\#(step)"\#(isNew ? #","emoji":"😊","label":"A""# : "")}"#)
                note(number, isNew ? "created" : "updated")
            case 6 where notes[number] != nil:
                revision += 1
                notes[number] = nil
                _ = try session.result("mood.delete", #"{"id":"\#(id)"}"#)
                note(number, "deleted")
            case 7 where step % 3 == 0 && notes.contains { $0 != nil }:
                revision += 1
                _ = try session.result("mood.clear", #"{"confirm":true}"#)
                for number in notes.indices where notes[number] != nil {
                    notes[number] = nil
                    note(number, "deleted")
                }
            case 8: _ = try session.result("store.compact")
            case 9: session = TestSession(directory)
            default:
                #expect(
                    try Self.history(session, id, limit: Int(random.next() % 4) + 1) ?? [] == model[number],
                    "seed \(seed), step \(step)")
            }
        }
        for number in 0..<5 {
            #expect(try Self.history(session, testID(number + 1), limit: 1000) ?? [] == model[number], "seed \(seed)")
        }
    }

    @Test func readsOnAtACursorWhateverComes() throws {
        let session = TestSession(TestDirectory())
        let id = testID(1)
        _ = try session.result("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"A"}"#)
        for note in 1...4 { _ = try session.result("mood.setNotes", #"{"id":"\#(id)","notes":"\#(note)"}"#) }
        let page = try session.result("mood.history", #"{"id":"\#(id)","limit":2}"#)
        let cursor = try #require(page["nextCursor"]?.string)
        _ = try session.result("mood.delete", #"{"id":"\#(id)"}"#)
        _ = try session.result("store.compact")
        let next = try session.result("mood.history", #"{"id":"\#(id)","cursor":"\#(cursor)"}"#)
        #expect(next["items"]?.array?.compactMap { $0["revision"]?.integer } == [3, 2, 1])
        #expect(next["nextCursor"] == nil)
        #expect(try session.call("mood.history", #"{"id":"\#(testID(2))"}"#).kind == "notFound")
        #expect(try session.call("mood.history", #"{"id":"\#(testID(2))","cursor":"\#(cursor)"}"#).path == "/cursor")
        #expect(try session.call("mood.history", #"{"id":"\#(id)","cursor":"x"}"#).path == "/cursor")
    }

    /// The checksum of a cursor catches mistakes, not forgery: a cursor may contain any number.
    @Test func takesNoForgedRevision() throws {
        let session = TestSession(TestDirectory())
        let id = testID(1)
        _ = try session.result("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"A"}"#)
        let mood = try #require(MoodID(id))
        for revision in [Int.min, Int.min + 1, -1, 0] {
            let cursor = HistoryCursor.text(revision, of: mood)
            #expect(try session.call("mood.history", #"{"id":"\#(id)","cursor":"\#(cursor)"}"#).path == "/cursor")
        }
        for revision in [1, 2, 1 << 62, Int.max - 1, Int.max] {
            let cursor = HistoryCursor.text(revision, of: mood)
            let page = try session.result("mood.history", #"{"id":"\#(id)","cursor":"\#(cursor)"}"#)
            #expect(page["items"]?.array?.count == (revision > 1 ? 1 : 0))
        }
    }

    /// A changed line of a backup is not shown.
    @Test func showsNothingOfABackupThatIsNotWhatWasWritten() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        session.now += 1
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"first"}"#)
        _ = try session.result("store.compact", #"{"keepHistoryFrom":3}"#)
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"b"}"#)
        _ = try session.result("store.compact", #"{"keepHistoryFrom":3}"#)
        #expect(try Self.history(session, testID(1), limit: 9) == ["3 updated b", "2 updated first"])
        let backup = try #require(directory.names.first { $0.hasPrefix("backup-") })
        for damaged in ["fists", "fir\"t"] {
            directory.write(backup, directory.text(backup).replacing("first", with: damaged))
            #expect(try Self.history(session, testID(1), limit: 9) == ["3 updated b"])
        }
    }

    /// Clears after a mood's deletion are no changes of it, however many come.
    @Test func laterClearsHideNothing() throws {
        let session = TestSession(TestDirectory())
        for number in [1, 2, 2, 2, 2] {
            _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
            _ = try session.result("mood.clear", #"{"confirm":true}"#)
        }
        for limit in 1...3 {
            #expect(try Self.history(session, testID(1), limit: limit) == ["2 deleted", "1 created "])
            #expect(try Self.history(session, testID(2), limit: limit)?.count == 8)
        }
    }

    /// A clear of many names none of them; its undo proves which it removed, however short the history.
    @Test func aClearThatWasUndoneIsShown() throws {
        let session = TestSession(TestDirectory())
        for number in 1...101 {
            _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
        }
        _ = try session.result("store.compact")
        _ = try session.result("mood.clear", #"{"confirm":true}"#)
        _ = try session.result("store.undo")
        for _ in 1...2 { _ = try session.result("store.compact", #"{"keepHistoryFrom":102}"#) }
        #expect(try Self.history(session, testID(1), limit: 9) == ["103 created ", "102 deleted"])
    }

    /// For changes older than the journals, the mood itself is shown.
    @Test func showsWhatASnapshotHolds() throws {
        let memory = TestSession()
        _ = try memory.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A"}"#)
        #expect(try Self.history(memory, testID(1), limit: 9) == ["1 created "])
        let session = TestSession(TestDirectory())
        for number in 1...2 {
            _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"}"#)
        }
        session.now += 1
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"a"}"#)
        let report = try session.result("store.compact", #"{"keepHistoryFrom":4}"#)
        #expect(report["historyFrom"]?.integer == 4)
        #expect(try Self.history(session, testID(1), limit: 9) == ["3 updated a"])
        #expect(try Self.history(session, testID(2), limit: 9) == ["2 created "])
        session.now += 1
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"b"}"#)
        _ = try session.result("store.compact", #"{"keepHistoryFrom":4}"#)
        #expect(try Self.history(session, testID(1), limit: 9) == ["4 updated b", "3 updated a"])
        #expect(try Self.history(session, testID(1), limit: 1) == ["4 updated b", "3 updated a"])
    }
}
