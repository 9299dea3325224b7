import JSONCodec
import MoodProtocol
import Platform
import Seeds
import Testing

@testable import MoodHost

/// `store.undo` and `store.redo`.
@Suite struct UndoTests {
    private static func create(_ number: Int, _ label: String = "A") -> String {
        #"{"id":"\#(testID(number))","emoji":"😊","label":"\#(label)"}"#
    }

    /// The moods by id, without the members that every undo changes.
    private static func moods(_ session: TestSession) throws -> [String: String] {
        var moods: [String: String] = [:]
        for mood in try session.result("mood.list", #"{"limit":1000}"#)["items"]?.array ?? [] {
            let members = (mood.object ?? []).filter { !["updatedAt", "revision"].contains($0.name) }
            moods[mood["id"]?.string ?? ""] = JSONValue.object(members).text
        }
        return moods
    }

    private static func outcome(_ answer: JSONValue) -> String {
        (answer["undone"]?.array ?? []).map {
            "\($0["revision"]?.integer ?? 0) \($0["kind"]?.string ?? "") \($0["ids"]?.array?.count ?? 0)"
        }.joined(separator: ", ")
    }

    @Test func takesBackAndDoesAgain() throws {
        for session in [TestSession(), TestSession(TestDirectory())] {
            let created = try session.result("mood.create", Self.create(1))
            _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"n"}"#)
            _ = try session.result("mood.delete", #"{"id":"\#(testID(1))"}"#)
            session.now += 1000
            let undone = try session.result("store.undo")
            #expect(Self.outcome(undone) == "3 deleted 1" && undone["revision"]?.integer == 4)
            let mood = try session.result("mood.get", #"{"id":"\#(testID(1))"}"#)
            #expect(mood["notes"]?.string == "n" && mood["revision"]?.integer == 4)
            #expect(mood["createdAt"]?.string == created["createdAt"]?.string)
            #expect(mood["updatedAt"]?.string == "2026-01-02T03:04:06.678Z")
            #expect(Self.outcome(try session.result("store.undo", #"{"steps":5}"#)) == "2 updated 1, 1 created 1")
            #expect(try Self.moods(session) == [:])
            #expect(try session.result("store.undo").text == #"{"revision":5,"undone":[]}"#)
            #expect(Self.outcome(try session.result("store.redo", #"{"steps":2}"#)) == "1 created 1, 2 updated 1")
            #expect(try session.result("mood.get", #"{"id":"\#(testID(1))"}"#)["notes"]?.string == "n")
            #expect(Self.outcome(try session.result("store.redo")) == "3 deleted 1")
            #expect(try session.result("store.redo").text == #"{"revision":7,"undone":[]}"#)
            #expect(Self.outcome(try session.result("store.undo", #"{"steps":2}"#)) == "3 deleted 1, 2 updated 1")
            // After a new change nothing is left to redo.
            _ = try session.result("mood.create", Self.create(2))
            #expect(try session.result("store.redo")["undone"]?.array?.isEmpty == true)
            #expect(Self.outcome(try session.result("store.undo", #"{"steps":2}"#)) == "9 created 1, 1 created 1")
        }
    }

    @Test func worksInOneGroupAndDry() throws {
        let session = TestSession(TestDirectory())
        let answers = try session.answers(
            request(1, "mood.create", Self.create(1)), request(2, "mood.create", Self.create(2)),
            request(3, "store.undo", #"{"dryRun":true,"steps":2}"#), request(4, "store.undo"),
            request(5, "store.undo"), request(6, "store.redo"), request(7, "mood.list"))
        #expect(Self.outcome(answers[2]["result"] ?? .null) == "2 created 1, 1 created 1")
        #expect(answers[2]["result"]?["revision"]?.integer == 3)
        #expect(
            answers[3...5].map { Self.outcome($0["result"] ?? .null) } == ["2 created 1", "1 created 1", "1 created 1"])
        #expect(answers[6]["result"]?["items"]?.array?.map { $0["id"]?.string } == [testID(1)])
        #expect(answers[6]["result"]?["items"]?.array?.first?["revision"]?.integer == 5)
    }

    @Test func undoesManyMoodsAtOnce() throws {
        let session = TestSession(TestDirectory())
        for number in 1...5 { _ = try session.result("mood.create", Self.create(number)) }
        let before = try Self.moods(session)
        _ = try session.result("mood.clear", #"{"confirm":true}"#)
        #expect(Self.outcome(try session.result("store.undo")) == "6 deleted 5")
        #expect(try Self.moods(session) == before)
        let ids = (1...5).map { "\"\(testID($0))\"" }.joined(separator: ",")
        _ = try session.result("mood.updateMany", #"{"ids":[\#(ids)],"set":{"tags":["x"]}}"#)
        #expect(Self.outcome(try session.result("store.undo", #"{"opId":"u"}"#)) == "8 updated 5")
        #expect(Self.outcome(try session.result("store.undo", #"{"opId":"u"}"#)) == "8 updated 5")
        #expect(try Self.moods(session) == before)
        #expect(try session.call("store.redo", #"{"opId":"u"}"#).kind == "conflict")
    }

    @Test func isRefusedWhereAnotherHasTouchedTheMood() throws {
        let directory = TestDirectory()
        let (first, second) = (TestSession(directory), TestSession(directory))
        _ = try first.result("mood.create", Self.create(1))
        _ = try first.result("mood.create", Self.create(2))
        _ = try second.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"theirs"}"#)
        // This session cannot undo the other's changes.
        #expect(try TestSession(directory).result("store.undo")["undone"]?.array?.isEmpty == true)
        let before = try Self.moods(first)
        let refused = try first.call("store.undo", #"{"steps":2}"#)
        #expect(refused.code == 1003 && refused.kind == "refused")
        #expect(refused["error"]?["data"]?["by"]?.string == "store")
        #expect(try Self.moods(first) == before)
        #expect(try first.result("store.info")["revision"]?.integer == 3)
        #expect(Self.outcome(try first.result("store.undo")) == "2 created 1")
        #expect(try first.call("store.undo").kind == "refused")
        // The other undoes its own: the mood is at another revision, and still differs from the first's state.
        #expect(Self.outcome(try second.result("store.undo")) == "3 updated 1")
        #expect(try first.call("store.undo").kind == "refused")
        #expect(try first.call("store.redo").outcome == "ok")
        _ = try second.result("mood.delete", #"{"id":"\#(testID(2))"}"#)
        #expect(try first.call("store.undo").kind == "refused")
    }

    @Test func goesBackAtLeastAHundredSteps() throws {
        let session = TestSession()
        _ = try session.result("mood.create", Self.create(1))
        for _ in 0..<450 { _ = try session.result("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#) }
        #expect(try session.result("store.undo", #"{"steps":100}"#)["undone"]?.array?.count == 100)
        #expect(try session.result("store.redo", #"{"steps":100}"#)["undone"]?.array?.count == 100)
        var steps = 0
        while try session.call("store.undo").outcome == "ok" { steps += 1 }
        #expect(steps >= 100 && steps < 450)
        #expect(try session.call("store.undo").kind == "refused")
        #expect(try session.call("store.undo", #"{"steps":101}"#).kind == "invalidParams")
        #expect(try session.call("store.undo", #"{"steps":0}"#).kind == "invalidParams")
    }

    @Test func saysThatACommitIsTooLarge() throws {
        let session = TestSession()
        let notes = String(repeating: "n", count: 65_000)
        for number in 1...520 {
            _ = try session.result(
                "mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        }
        _ = try session.result("mood.clear", #"{"confirm":true}"#)
        _ = try session.result("store.insertSamples")
        #expect(Self.outcome(try session.result("store.undo")) == "522 created 5")
        let refused = try session.call("store.undo")
        #expect(refused.kind == "refused")
        #expect(refused["error"]?["data"]?["reason"]?.string?.contains("Commit 521") == true)
    }

    /// A group whose sync fails has not happened: only earlier changes can be undone.
    @Test func goesBackWithItsGroup() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("mood.create", Self.create(2))
        fault.set("fdatasync", EIO)
        #expect(try session.call("store.undo").kind == "outcomeUnknown")
        #expect(Self.outcome(try session.result("store.undo")) == "2 created 1")
        fault.set("fdatasync", EIO)
        #expect(try session.call("mood.create", Self.create(3)).kind == "outcomeUnknown")
        #expect(Self.outcome(try session.result("store.redo")) == "2 created 1")
        #expect(Self.outcome(try session.result("store.undo", #"{"steps":9}"#)) == "2 created 1, 1 created 1")
    }

    /// The next change gets the revision of the lost undo.
    @Test func aLostUndoIsNotTheNextChange() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        _ = try session.result("mood.create", Self.create(2))
        fault.set("fdatasync", EIO)
        #expect(try session.call("store.undo").kind == "outcomeUnknown")
        _ = try session.result("mood.create", Self.create(3))
        #expect(
            Self.outcome(try session.result("store.undo", #"{"steps":9}"#)) == "3 created 1, 2 created 1, 1 created 1")
        #expect(Self.outcome(try session.result("store.redo")) == "1 created 1")
    }

    /// Random changes, undos and redos, compared with plain states.
    @Test(arguments: SeededRandom.seeds) func agreesWithAModel(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let session = seed % 2 == 0 ? TestSession(TestDirectory()) : TestSession()
        var states: [[String: String]] = [[:]]
        var undone: [[String: String]] = []
        for step in 0..<300 {
            session.now += Int64(random.next() % 3)
            let id = testID(Int(random.next() % 6) + 1)
            let choice = random.next() % 10
            let steps = Int(random.next() % 4) + 1
            if choice < 6 {
                let (method, params) = Self.change(choice, id, step)
                let revision = try session.result("store.info")["revision"]?.integer
                _ = try session.call(method, params)
                guard try session.result("store.info")["revision"]?.integer != revision else { continue }
                states.append(try Self.moods(session))
                undone = []
            } else {
                let isRedo = choice > 7
                let count = min(steps, isRedo ? undone.count : states.count - 1)
                let answer = try session.result(isRedo ? "store.redo" : "store.undo", #"{"steps":\#(steps)}"#)
                #expect(answer["undone"]?.array?.count == count, "seed \(seed), step \(step)")
                for _ in 0..<count {
                    if isRedo { states.append(undone.removeLast()) } else { undone.append(states.removeLast()) }
                }
                #expect(try Self.moods(session) == states.last, "seed \(seed), step \(step)")
                if step % 7 == 0 { _ = try session.result("store.compact") }
            }
        }
    }

    private static func change(_ choice: UInt64, _ id: String, _ step: Int) -> (String, String) {
        switch choice {
        case 0, 1: ("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"L\#(step)"}"#)
        case 2: ("mood.toggleFavorite", #"{"id":"\#(id)"}"#)
        case 3: ("mood.setNotes", #"{"id":"\#(id)","notes":"\#(step)"}"#)
        case 4: ("mood.delete", #"{"id":"\#(id)"}"#)
        default: step % 5 == 0 ? ("mood.clear", #"{"confirm":true}"#) : ("store.insertSamples", "{}")
        }
    }

    /// The mood that came after a clear was not there before it.
    @Test func aClearAndWhatFollowedComeBackTogether() throws {
        for (session, scope) in [(TestSession(), "session"), (TestSession(TestDirectory()), "store")] {
            _ = try session.result("mood.create", Self.create(1))
            _ = try session.result("mood.clear", #"{"confirm":true}"#)
            _ = try session.result("mood.create", Self.create(2))
            let params = #"{"steps":2,"scope":"\#(scope)"}"#
            #expect(Self.outcome(try session.result("store.undo", params)) == "3 created 1, 2 deleted 1")
            #expect(Self.outcome(try session.result("store.redo", params)) == "2 deleted 1, 3 created 1")
            #expect(try Self.moods(session).keys.sorted() == [testID(2)])
        }
    }

    @Test func aLostCommitIsNotThatOfAnotherProcess() throws {
        let (directory, fault) = (TestDirectory(), Fault())
        let session = TestSession(directory, fault.fileSystem)
        _ = try session.result("mood.create", Self.create(1))
        fault.set("fdatasync", EIO)
        #expect(try session.call("mood.create", Self.create(2)).kind == "outcomeUnknown")
        #expect(try TestSession(directory).result("mood.create", Self.create(3))["revision"]?.integer == 2)
        #expect(Self.outcome(try session.result("store.undo", #"{"steps":9}"#)) == "1 created 1")
        #expect(try Self.moods(session).keys.sorted() == [testID(3)])
    }

    /// A commit that one scope has undone cannot be undone by the other until it is redone.
    @Test func theScopesKnowOfEachOther() throws {
        let session = TestSession(TestDirectory())
        for number in 1...3 { _ = try session.result("mood.create", Self.create(number)) }
        func outcome(_ method: String, _ params: String = "{}") throws -> String {
            Self.outcome(try session.result(method, params))
        }
        #expect(try outcome("store.undo", #"{"scope":"store"}"#) == "3 created 1")
        #expect(try outcome("store.undo") == "2 created 1")
        #expect(try outcome("store.undo", #"{"scope":"store"}"#) == "1 created 1")
        #expect(try Self.moods(session) == [:])
        #expect(try outcome("store.redo", #"{"scope":"store","steps":3}"#) == "1 created 1, 2 created 1, 3 created 1")
        #expect(try outcome("store.undo") == "3 created 1")
        #expect(try outcome("store.undo", #"{"scope":"store","revision":2}"#) == "2 created 1")
        #expect(try Self.moods(session).keys.sorted() == [testID(1)])
        #expect(try outcome("store.redo", #"{"steps":9}"#) == "2 created 1, 3 created 1")
    }

    @Test func saysWhyOneCommitCannotBeUndone() throws {
        let session = TestSession()
        for number in 1...2 { _ = try session.result("mood.create", Self.create(number)) }
        func refusal(_ method: String, _ revision: Int) throws -> String {
            try session.call("store.\(method)", #"{"revision":\#(revision)}"#)["error"]?["message"]?.string ?? ""
        }
        #expect(Self.outcome(try session.result("store.undo", #"{"revision":1}"#)) == "1 created 1")
        #expect(try refusal("undo", 1).contains("already"))
        #expect(try refusal("redo", 2).contains("has not been taken back"))
        #expect(try refusal("undo", 99) != "")
        #expect(Self.outcome(try session.result("store.redo", #"{"revision":1}"#)) == "1 created 1")
        for number in 3...320 { _ = try session.result("mood.create", Self.create(number)) }
        #expect(try refusal("undo", 1).contains("only the last commits are kept"))
        #expect(Self.outcome(try session.result("store.undo", #"{"revision":300}"#)) == "300 created 1")
    }
}
