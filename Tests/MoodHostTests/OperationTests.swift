import JSONCodec
import MoodProtocol
import Platform
import Testing

@testable import MoodHost

/// Repeated requests with an `opId`.
@Suite struct OperationTests {
    private static let id = testID(1)
    private static let create = #""emoji":"😊","label":"A","timestamp":"2026-01-02T03:04:05Z","valence":0.5"#

    private static func created(_ session: TestSession) throws -> String {
        try session.result("mood.create", #"{"id":"\#(id)",\#(create),"opId":"c"}"#).text
    }

    /// Every method that changes moods, with params that work on mood 1.
    private static let changes: [(method: String, params: String)] = [
        ("mood.create", #"{"emoji":"😌","label":"B"}"#), ("mood.update", #"{"id":"\#(id)","set":{"label":"C"}}"#),
        ("mood.updateMany", #"{"ids":["\#(id)"],"set":{"label":"D"}}"#),
        ("mood.setFavorite", #"{"id":"\#(id)","isFavorite":true}"#), ("mood.toggleFavorite", #"{"id":"\#(id)"}"#),
        ("mood.setNotes", #"{"id":"\#(id)","notes":"n"}"#), ("store.insertSamples", "{}"),
        ("mood.delete", #"{"id":"\#(id)"}"#), ("mood.deleteMany", #"{"ids":["\#(id)"]}"#),
        ("mood.clear", #"{"confirm":true}"#),
    ]

    @Test(arguments: changes) func isDoneOnce(method: String, params: String) throws {
        let directory = TestDirectory()
        for session in [TestSession(directory), TestSession()] {
            _ = try Self.created(session)
            let separator = params.count > 2 ? "," : ""
            let once = params.dropLast() + separator + #""opId":"x"}"#
            let first = try session.result(method, String(once)).text
            let revision = try session.result("store.info")["revision"]?.integer
            #expect(try session.result(method, String(once)).text == first)
            // Also in one group, and after later changes of its moods.
            let again = try session.answers(
                request(2, "store.insertSamples"), request(3, method, String(once)),
                request(4, "mood.create", #"{\#(Self.create),"opId":"y"}"#),
                request(5, "mood.create", #"{\#(Self.create),"opId":"y"}"#))
            #expect(again[1]["result"]?.text == first)
            #expect(again[2]["result"]?.text == again[3]["result"]?.text)
            #expect(try session.result("store.info")["revision"]?.integer == revision.map { $0 + 2 })
            let other = method == "mood.clear" ? "store.insertSamples" : "mood.clear"
            let conflict = try session.call(
                other, other == "mood.clear" ? #"{"confirm":true,"opId":"x"}"# : #"{"opId":"x"}"#)
            #expect(conflict.kind == "conflict" && conflict["error"]?["data"]?["reason"]?.string == "opId")
        }
        // A new process on the same files.
        let first = try TestSession(directory).result(
            "mood.create",
            #"{"opId":"c","valence":5e-1,"label":"\u0041","emoji":"😊","id":"\#(Self.id)","timestamp":"2026-01-02T03:04:05Z"}"#
        )
        #expect(first["revision"]?.integer == 1 && first["label"]?.string == "A")
    }

    @Test(arguments: [
        #"{"label":"B","emoji":"😊"}"#, #"{"emoji":"😊","label":"A","notes":""}"#, #"{"emoji":"😊"}"#,
        #"{"emoji":"😊","label":"A","valence":0.25}"#, #"{"emoji":"😊","label":"A","tags":["a","b"]}"#,
    ])
    func isAnotherWithOtherParams(params: String) throws {
        let session = TestSession()
        let first = #"{"emoji":"😊","label":"A","valence":0.5,"tags":["b","a"],"opId":"x"}"#
        _ = try session.result("mood.create", first)
        let answer = try session.call("mood.create", params.dropLast() + #","opId":"x"}"#)
        #expect(answer.kind == (params.contains("label") ? "conflict" : "invalidParams"))
        #expect(try session.result("store.info")["revision"]?.integer == 1)
    }

    /// A client takes another token for each attempt.
    @Test(arguments: [
        (
            "store.import",
            #""format":"jsonl","text":"{\"emoji\":\"😊\",\"label\":\"A\",\"timestamp\":\"2026-01-02T03:04:05Z\"}""#
        ),
        ("store.undo", #""scope":"store""#),
    ])
    func isTheSameWithAnotherProgressToken(method: String, params: String) throws {
        for session in [TestSession(TestDirectory()), TestSession()] {
            _ = try Self.created(session)
            func ask(_ token: String) throws -> JSONValue {
                let answers = try session.answers(request(7, method, #"{\#(params),"opId":"x"\#(token)}"#))
                return try #require(answers.first { $0.id == 7 })
            }
            let first = try ask(#","progressToken":"t1""#)
            let revision = try session.result("store.info")["revision"]?.integer
            #expect(first.outcome == "ok")
            for token in [#","progressToken":2"#, "", #","progressToken":"t1""#] {
                #expect(try ask(token).text == first.text)
            }
            #expect(try session.result("store.info")["revision"]?.integer == revision)
        }
    }

    /// Ids and times are values, not bytes; so are an empty object, and a null for an optional member.
    @Test(arguments: [
        (
            "mood.update", #"{"id":"ID","set":{"timestamp":"2026-01-02T03:04:05Z","scales":{}}}"#,
            #"{"set":{"label":null,"scales":[],"timestamp":"2026-01-02T05:04:05.000+02:00"},"id":"UPPER"}"#
        ),
        ("mood.updateMany", #"{"ids":["ID"],"set":{"label":"C"}}"#, #"{"ids":["UPPER"],"set":{"label":"C"}}"#),
        ("mood.setNotes", #"{"id":"ID","notes":"n"}"#, #"{"id":"UPPER","notes":"\u006e"}"#),
        ("mood.deleteMany", #"{"ids":["ID"]}"#, #"{"ids":["UPPER"]}"#),
        (
            "mood.update",
            #"{"id":"ID","set":{"attachments":[{"kind":"relation","moodId":"ID","type":"t"},{"kind":"event","title":"e","occurrences":[{"start":"2026-01-02T03:04:05Z","end":"2026-01-02T03:04:05Z"}]}]}}"#,
            #"{"id":"ID","set":{"attachments":[{"type":"t","moodId":"UPPER","kind":"relation"},{"location":null,"kind":"event","title":"e","occurrences":[{"start":"2026-01-02T03:04:05.000Z","end":"2026-01-01T22:04:05.0-05:00"}]}]}}"#
        ),
        (
            "action.perform", #"{"action":{"type":"setFavorite","id":"ID","isFavorite":true}}"#,
            #"{"action":{"isFavorite":true,"id":"UPPER","type":"setFavorite"}}"#
        ),
    ])
    func isTheSameInAnotherSpelling(method: String, params: String, other: String) throws {
        let session = TestSession()
        let id = "01980000-0000-7000-8000-00000000abcd"
        _ = try session.result("mood.create", #"{"id":"\#(id)","emoji":"😊","label":"A"}"#)
        func once(_ params: String) -> String {
            let named = params.replacing("ID", with: id).replacing("UPPER", with: id.uppercased())
            return String(named.dropLast() + #","opId":"x"}"#)
        }
        let first = try session.result(method, once(params)).text
        #expect(try session.result(method, once(other)).text == first)
        #expect(try session.result("store.info")["revision"]?.integer == 2)
        // Another id is another request.
        let another = params.replacing("ID", with: testID(2)).dropLast() + #","opId":"x"}"#
        #expect(try session.call(method, String(another)).kind == "conflict")
    }

    @Test func isTheSameHoweverItIsWritten() throws {
        let session = TestSession()
        let first = try session.result(
            "mood.create",
            #"{"emoji":"😊","label":"A","valence":1,"attachments":[{"kind":"place","latitude":10,"longitude":2.5}],"opId":"a\/b"}"#
        )
        for params in [
            #"{"opId":"a/b","attachments":[{"longitude":25e-1,"kind":"place","latitude":1.0e1}],"valence":1.00,"label":"\u0041","emoji":"😊"}"#,
            #"{ "opId" : "a/b", "notes":null, "attachments":[{"longitude":2.50,"kind":"place","latitude":10}],"valence":1,"label":"A","emoji":"\ud83d\ude0a","dryRun":false}"#,
            #"{"opId":"a/b","attachments":[{"longitude":2.5,"kind":"place","latitude":10}],"valence":1,"label":"A","emoji":"😊","dryRun":true}"#,
        ] {
            #expect(try session.result("mood.create", params).text == first.text)
        }
        #expect(try session.result("store.info")["revision"]?.integer == 1)
    }

    @Test func keepsNothingOfWhatChangesNothing() throws {
        let session = TestSession()
        _ = try Self.created(session)
        let same = #"{"id":"\#(Self.id)","isFavorite":false,"opId":"x"}"#
        _ = try session.result("mood.setFavorite", same)
        _ = try session.result("mood.setFavorite", #"{"id":"\#(Self.id)","isFavorite":true,"opId":"x","dryRun":true}"#)
        #expect(try session.call("mood.get", #"{"id":"\#(testID(2))","opId":"x"}"#).kind == "invalidParams")
        #expect(try session.call("mood.delete", #"{"id":"\#(testID(2))","opId":"x"}"#).kind == "notFound")
        let changed = try session.result("mood.setFavorite", #"{"id":"\#(Self.id)","isFavorite":true,"opId":"x"}"#)
        #expect(changed["revision"]?.integer == 2)
        #expect(try session.call("mood.setFavorite", same).kind == "conflict")
    }

    @Test func isRefusedWhenTooLong() throws {
        let session = TestSession()
        for (id, outcome) in [("", "invalidParams"), (String(repeating: "é", count: 65), "invalidParams")] {
            let answer = try session.call("store.insertSamples", #"{"opId":"\#(id)"}"#)
            #expect(answer.kind == outcome && answer.path == "/opId")
        }
        let longest = String(repeating: "\\u0001", count: 128)
        for _ in 0..<2 { _ = try session.result("store.insertSamples", #"{"opId":"\#(longest)"}"#) }
        #expect(try session.result("store.info")["moods"]?.integer == 5)
    }

    /// A group whose sync fails has not happened, so its operations are done when they come again.
    @Test func isDoneAfterAFailedSync() throws {
        let fault = Fault()
        let session = TestSession(TestDirectory(), fault.fileSystem)
        _ = try session.result("store.insertSamples", #"{"opId":"a"}"#)
        fault.set("fdatasync", EIO)
        let lost = try session.answers(
            request(1, "store.insertSamples", #"{"opId":"b"}"#), request(2, "store.insertSamples", #"{"opId":"b"}"#),
            request(3, "store.insertSamples", #"{"opId":"a"}"#))
        #expect(lost.map(\.outcome) == ["outcomeUnknown", "outcomeUnknown", "ok"])
        _ = try session.result("store.insertSamples", #"{"opId":"b"}"#)
        #expect(try session.result("store.info")["moods"]?.integer == 10)
    }

    @Test func countsInABatch() throws {
        let session = TestSession()
        let member = request(1, "store.insertSamples", #"{"opId":"a"}"#)
        let answers = try session.answers("[\(member),\(member)]")[0].array ?? []
        #expect(answers.map(\.outcome) == ["ok", "ok"] && answers[0].text == answers[1].text)
        #expect(try session.result("store.info")["moods"]?.integer == 5)
    }
}
