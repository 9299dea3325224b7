import JSONCodec
import MoodProtocol
import Platform
import Seeds
import Testing

@testable import MoodHost

/// Undo of the whole store: commits of any origin and process, also before a restart.
@Suite struct StoreUndoTests {
    private static let store = #"{"scope":"store"}"#

    private static func create(_ number: Int, _ label: String = "A") -> String {
        #"{"id":"\#(testID(number))","emoji":"😊","label":"\#(label)"}"#
    }

    private static func named(_ number: Int) -> String { #"{"id":"\#(testID(number))"}"# }

    /// The moods by id, without the members that every undo changes.
    private static func moods(_ session: TestSession) throws -> [String: String] {
        var moods: [String: String] = [:]
        for mood in try session.result("mood.list", #"{"limit":1000}"#)["items"]?.array ?? [] {
            let members = (mood.object ?? []).filter { !["updatedAt", "revision"].contains($0.name) }
            moods[mood["id"]?.string ?? ""] = JSONValue.object(members).text
        }
        return moods
    }

    private static func revisions(_ answer: JSONValue) -> [Int] {
        (answer["undone"]?.array ?? []).compactMap { $0["revision"]?.integer }
    }

    @Test func takesBackWhatEarlierProcessesDid() throws {
        let directory = TestDirectory()
        var states: [[String: String]] = [[:]]
        func step(_ method: String, _ params: String) throws {
            let session = TestSession(directory)
            _ = try session.result(method, params)
            states.append(try Self.moods(session))
        }
        try step("mood.create", Self.create(1))
        try step("mood.create", Self.create(2))
        try step("mood.setNotes", #"{"id":"\#(testID(1))","notes":"n"}"#)
        try step("mood.delete", Self.named(2))
        try step("mood.clear", #"{"confirm":true}"#)
        for count in (0..<5).reversed() {
            let session = TestSession(directory)
            #expect(Self.revisions(try session.result("store.undo", Self.store)) == [count + 1])
            #expect(try Self.moods(session) == states[count])
        }
        #expect(Self.revisions(try TestSession(directory).result("store.undo", Self.store)) == [])
        for count in 1...5 {
            let session = TestSession(directory)
            #expect(Self.revisions(try session.result("store.redo", Self.store)) == [count])
            #expect(try Self.moods(session) == states[count])
        }
        #expect(Self.revisions(try TestSession(directory).result("store.redo", Self.store)) == [])
        // Several at once, after a compaction has moved the journals away.
        let session = TestSession(directory)
        _ = try session.result("store.compact")
        let undone = try session.result("store.undo", #"{"scope":"store","steps":4,"opId":"u"}"#)
        #expect(Self.revisions(undone) == [5, 4, 3, 2])
        #expect(try session.result("store.undo", #"{"scope":"store","steps":4,"opId":"u"}"#).text == undone.text)
        #expect(try Self.moods(session) == states[1])
    }

    @Test func takesBackOneCommitAlone() throws {
        let directory = TestDirectory()
        let session = TestSession(directory)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("mood.create", Self.create(2))
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(2))","notes":"n"}"#)
        #expect(Self.revisions(try session.result("store.undo", #"{"revision":1}"#)) == [1])
        let other = TestSession(directory)
        #expect(try other.call("store.undo", #"{"revision":3}"#).kind == "refused")
        let refused = try other.call("store.undo", #"{"scope":"store","revision":2}"#)
        #expect(refused.kind == "refused")
        #expect(refused["error"]?["data"]?["id"]?.string == testID(2))
        #expect(try other.call("store.undo", #"{"scope":"store","revision":1}"#).kind == "refused")
        #expect(try other.call("store.undo", #"{"scope":"store","revision":4}"#).kind == "refused")
        #expect(try other.call("store.undo", #"{"scope":"store","revision":9}"#).kind == "notFound")
        #expect(try other.call("store.undo", #"{"revision":1,"steps":2}"#).kind == "invalidParams")
        #expect(Self.revisions(try other.result("store.redo", #"{"scope":"store","revision":1}"#)) == [1])
        #expect(Self.revisions(try other.result("store.undo", #"{"scope":"store","revision":3}"#)) == [3])
        #expect(Self.revisions(try other.result("store.undo", #"{"scope":"store","revision":2}"#)) == [2])
        #expect(try other.result("mood.list")["items"]?.array?.compactMap { $0["id"]?.string } == [testID(1)])
    }

    @Test func isRefusedWhereALaterCommitHasTouchedTheMood() throws {
        let directory = TestDirectory()
        _ = try TestSession(directory).result("mood.create", Self.create(1))
        let session = TestSession(directory)
        _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"n"}"#)
        let refused = try session.call("store.undo", #"{"scope":"store","revision":1}"#)
        #expect(refused.code == 1003 && refused["error"]?["data"]?["id"]?.string == testID(1))
        #expect(try session.result("store.info")["revision"]?.integer == 2)
    }

    @Test func tellsWhatWasCommitted() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            _ = try session.result("mood.create", Self.create(1, "Happy"))
            _ = try session.result("mood.toggleFavorite", Self.named(1))
            _ = try session.result("mood.delete", Self.named(1))
            let log = try session.result("store.log", #"{"limit":2}"#)
            let items = log["items"]?.array ?? []
            #expect(items.map { $0["summary"]?.string } == ["Deleted 😊 Happy", "Changed 😊 Happy"])
            #expect(items.map { $0["kind"]?.string } == ["deleted", "updated"])
            #expect(items.allSatisfy { $0["ids"]?.array?.first?.string == testID(1) && $0["at"]?.string != nil })
            let cursor = try #require(log["nextCursor"]?.string)
            let rest = try session.result("store.log", #"{"cursor":"\#(cursor)"}"#)
            #expect(rest["items"]?.array?.map { $0["summary"]?.string } == ["Recorded 😊 Happy"])
            #expect(rest["nextCursor"] == nil)
            _ = try session.result("store.undo", Self.store)
            let after = try session.result("store.log")["items"]?.array ?? []
            #expect(after.first { $0["revision"]?.integer == 3 }?["isUndone"]?.boolean == true)
            #expect(try session.call("store.log", #"{"cursor":"x"}"#).kind == "invalidParams")
        }
    }

    @Test func listsAndBringsBackWhatWasDeleted() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            for number in 1...3 { _ = try session.result("mood.create", Self.create(number)) }
            let before = try Self.moods(session)
            _ = try session.result("mood.delete", Self.named(2))
            _ = try session.result("mood.clear", #"{"confirm":true}"#)
            let page = try session.result("mood.deleted", #"{"limit":2}"#)
            var ids = (page["items"]?.array ?? []).compactMap { $0["id"]?.string }
            let cursor = try #require(page["nextCursor"]?.string)
            let rest = try session.result("mood.deleted", #"{"cursor":"\#(cursor)"}"#)
            ids += (rest["items"]?.array ?? []).compactMap { $0["id"]?.string }
            #expect(ids == [testID(1), testID(3), testID(2)])
            #expect(rest["items"]?.array?.first?["mood"]?["label"]?.string == "A")
            for number in 1...3 {
                let mood = try session.result("mood.undelete", Self.named(number))
                #expect(mood["revision"]?.integer == 5 + number)
            }
            #expect(try Self.moods(session) == before)
            #expect(try session.result("mood.deleted")["items"]?.array?.isEmpty == true)
            // An existing mood stays unchanged.
            #expect(try session.result("mood.undelete", Self.named(1))["revision"]?.integer == 6)
            #expect(try session.call("mood.undelete", Self.named(9)).kind == "notFound")
        }
    }

    @Test func findsMoodsByTheEndOfTheirIDs() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            for id in ["01890000-0000-7000-8000-0000aabbccdd", "01890000-0000-7000-8000-1111aabbccdd"] {
                _ = try session.result("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"A"}"#)
            }
            let found = try session.result(
                "mood.resolve", #"{"texts":["AABBCCDD","0000aabbccdd","8000-1111aabbccdd","abcdef"]}"#)
            let ids = (found["items"]?.array ?? []).map { $0["ids"]?.array?.count }
            #expect(ids == [2, 1, 1, 0])
            #expect(found["items"]?.array?.first?["text"]?.string == "AABBCCDD")
            for text in ["12345", "xyzxyz", ""] {
                let refused = try session.call("mood.resolve", #"{"texts":["abcdef","\#(text)"]}"#)
                #expect(refused["error"]?["data"]?["path"]?.string == "/texts/1")
            }
        }
    }

    /// Random changes of two processes; undone one by one they give every earlier state.
    @Test(arguments: SeededRandom.seeds) func comesBackThroughEveryState(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let directory = TestDirectory()
        var sessions = [TestSession(directory), TestSession(directory)]
        var states: [[String: String]] = [[:]]
        for number in 1...30 {
            let place = Int(random.next() % 2)
            let session = sessions[place]
            let present = try Self.moods(session)
            let any = present.keys.sorted().dropFirst(Int(random.next() % 4)).first
            switch (random.next() % 8, any) {
            case (0...2, _), (_, nil): _ = try session.result("mood.create", Self.create(number))
            case (3, let id?): _ = try session.result("mood.delete", #"{"id":"\#(id)"}"#)
            case (4, _) where number % 3 == 0: _ = try session.result("mood.clear", #"{"confirm":true}"#)
            case (_, let id?): _ = try session.result("mood.setNotes", #"{"id":"\#(id)","notes":"\#(number)"}"#)
            }
            states.append(try Self.moods(session))
            if random.next() % 6 == 0 { _ = try session.result("store.compact") }
            if random.next() % 4 == 0 { sessions[place] = TestSession(directory) }
        }
        // A compaction keeps one earlier snapshot, so moods that a clear removed before that may be unknown.
        var undone = 0
        for count in (0..<30).reversed() {
            let session = sessions[Int(random.next() % 2)]
            guard try session.call("store.undo", Self.store).outcome == "ok" else { break }
            #expect(try Self.moods(session) == states[count], "seed \(seed), \(count)")
            undone += 1
        }
        guard undone > 0 else { return }
        for count in (30 - undone + 1)...30 {
            _ = try sessions[0].result("store.redo", Self.store)
            #expect(try Self.moods(sessions[0]) == states[count], "seed \(seed), redo \(count)")
        }
    }
}
