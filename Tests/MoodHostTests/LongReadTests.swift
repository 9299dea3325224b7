import JSONCodec
import Platform
import Testing

@testable import MoodHost

/// The helper thread reads a whole store, with the store: pings do not wait, and the rest keeps its order.
@Suite struct LongReadTests {
    private static let moods = 300

    private let gate = HelperGate(.reading)
    private let directory = TestDirectory()
    private let session: TestSession

    /// A store too large for the loop; the gate is closed.
    init() throws {
        gate.open()
        session = TestSession(directory, gate.fileSystem)
        session.waitBeside()
        var text = "timestamp,emoji,label,notes\\n"
        let notes = String(repeating: "long ", count: 1_000)
        for number in 0..<Self.moods {
            text += "2026-01-01T00:00:\(number % 50 + 10)Z,😊,Happy,\(notes)\(number)\\n"
        }
        #expect(try session.result("store.import", #"{"text":"\#(text)"}"#)["created"]?.integer == Self.moods)
    }

    private func now(_ lines: String...) throws -> [JSONValue] { try session.answersNow(lines) }

    /// The answers after the gate is open.
    private func later() throws -> [JSONValue] {
        gate.open()
        return try session.answers()
    }

    private func clear() throws {
        #expect(try session.result("mood.clear", #"{"confirm":true}"#)["deleted"]?.integer == Self.moods)
        gate.close()
    }

    private func edit() throws {
        _ = try session.result("store.compact")
        directory.write("moods.json", directory.text("moods.json").replacing("Happy", with: "Merry"))
        gate.close()
    }

    @Test func deletedMoodsHoldUpNoPing() throws {
        try clear()
        let deleted = request(2, "mood.deleted", #"{"limit":2}"#)
        #expect(try now(deleted, request(3, "host.ping"), request(4, "mood.list")).map(\.id) == [3])
        #expect(try now(request(5, "host.ping")).map(\.id) == [5])
        let answers = try later()
        #expect(answers.map(\.id) == [2, 4] && answers.allSatisfy { $0.outcome == "ok" })
        let page = try #require(answers[0]["result"])
        #expect(page["items"]?.array?.count == 2 && page["nextCursor"] != nil)
        #expect(page["items"]?.array?.allSatisfy { $0["mood"]?["label"]?.string == "Happy" } == true)
    }

    /// It sees the effects of earlier requests, of its own group too.
    @Test func deletedMoodsAreThoseOfItsPlaceInTheOrder() throws {
        try clear()
        gate.open()
        let answers = try session.answers(
            request(2, "mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"One"}"#),
            request(3, "mood.delete", #"{"id":"\#(testID(1))"}"#), request(4, "mood.deleted", #"{"limit":1}"#),
            request(5, "mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"One"}"#),
            request(6, "mood.deleted", #"{"limit":1}"#))
        #expect(answers.map(\.id) == [2, 3, 4, 5, 6] && answers.allSatisfy { $0.outcome == "ok" })
        func first(_ place: Int) -> JSONValue? { answers[place]["result"]?["items"]?.array?.first }
        #expect(first(2)?["id"]?.string == testID(1))
        #expect(first(4)?["id"]?.string != testID(1) && first(4)?["mood"]?["label"]?.string == "Happy")
    }

    @Test func deletedMoodsCanBeCancelled() throws {
        try clear()
        #expect(try now(request(2, "mood.deleted"), request(3, "host.ping")).map(\.id) == [3])
        gate.awaitSomebody()
        #expect(try now(notification("$/cancelRequest", #"{"id":2}"#)).isEmpty)
        #expect(try later().map(\.outcome) == ["cancelled"])
        #expect(try session.result("mood.deleted", #"{"limit":1}"#)["items"]?.array?.count == 1)
    }

    /// Another thread reads the files of its place in the order, whatever follows: changes, also in a new generation.
    @Test(arguments: ["stats.summary", "store.export"])
    func aLookAtAllIsOfItsPlaceAndHoldsUpNoPing(method: String) throws {
        gate.close()
        let params = method == "store.export" ? #"{"format":"jsonl","filter":{"text":"After"}}"# : "{}"
        let after = #"{"emoji":"😊","label":"Happy","notes":"After"}"#
        let create = request(4, "mood.create", after)
        #expect(try now(request(2, method, params), request(3, "host.ping"), create).map(\.id) == [3, 4])
        gate.awaitSomebody()
        let other = TestSession(directory)
        _ = try other.result("mood.create", after)
        _ = try other.result("store.compact")
        #expect(try now(request(5, "host.ping")).map(\.id) == [5])
        let result = try #require(try later().first { $0.id == 2 }?["result"])
        if method == "stats.summary" {
            #expect(result["moods"]?.integer == Self.moods)
        } else {
            #expect(result["text"]?.string?.contains("After") == false)
        }
    }

    @Test func acceptingHoldsUpNoPing() throws {
        try edit()
        let accept = request(2, "store.accept", #"{"confirm":true}"#)
        #expect(try now(accept, request(3, "host.ping"), request(4, "mood.list", #"{"limit":1}"#)).map(\.id) == [3])
        #expect(try now(request(5, "host.ping")).map(\.id) == [5])
        let answers = try later()
        #expect(answers.map(\.id) == [2, 4] && answers.allSatisfy { $0.outcome == "ok" })
        #expect(answers[0]["result"]?["accepted"]?.boolean == true)
        #expect(answers[0]["result"]?["moods"]?.integer == Self.moods)
        #expect(answers[1]["result"]?["items"]?.array?.first?["label"]?.string == "Merry")
        #expect(try session.result("store.verify")["ok"]?.boolean == true)
    }

    @Test func acceptingCanBeCancelledBeforeItIsDone() throws {
        try edit()
        #expect(try now(request(2, "store.accept", #"{"confirm":true}"#), request(3, "host.ping")).map(\.id) == [3])
        gate.awaitSomebody()
        #expect(try now(notification("$/cancelRequest", #"{"id":2}"#)).isEmpty)
        #expect(try later().map(\.outcome) == ["cancelled"])
        #expect(try session.result("store.verify")["ok"]?.boolean == false)
        #expect(try session.result("store.accept", #"{"confirm":true}"#)["accepted"]?.boolean == true)
    }
}
