import JSONCodec
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost

/// Every answer has at most `messageBytes`; an error replaces a longer one, and then nothing was done.
@Suite struct AnswerBoundTests {
    private static let limit = 8 * 1024

    private static func session(_ directory: TestDirectory? = nil) throws -> TestSession {
        guard let directory else { return TestSession(limits: [(.messageBytes, limit)]) }
        var options = HostOptions(place: .directory(directory.path))
        #expect(options.limits.set(.messageBytes, to: limit) == nil)
        return TestSession(directory, options)
    }

    private static func create(_ session: TestSession, _ number: Int, _ members: String = "") throws {
        _ = try session.result("mood.create", #"{"id":"\#(testID(number))","emoji":"😊","label":"A"\#(members)}"#)
    }

    private static func notes(_ count: Int, _ text: String = "n") -> String {
        #","notes":"\#(String(repeating: text, count: count))""#
    }

    /// The one answer of a line, with its length.
    private func answer(_ session: TestSession, _ method: String, _ params: String) throws -> (JSONValue, Int) {
        let output = session.output(for: request(1, method, params) + "\n")
        #expect(output.utf8.count <= Self.limit + 1, "\(method)")
        return (try JSONValue(parsing: String(output.dropLast())), output.utf8.count - 1)
    }

    /// It would have half a gigabyte.
    @Test func aTemplateIsMeasuredBeforeItIsWritten() throws {
        let session = TestSession()
        try Self.create(session, 1, Self.notes(65_536))
        let template = String(repeating: "{notes}", count: 8_000)
        let answer = try session.call("mood.share", #"{"id":"\#(testID(1))","template":"\#(template)"}"#)
        #expect(answer.code == -32602 && answer.path == "/template")
        #expect(answer["error"]?["message"]?.string?.contains("524288002") == true)
        #expect(session.outputCapacity < 1 << 20)
        #expect(try session.call("host.ping").outcome == "ok")
    }

    /// One byte more each time: the longest answer that fits has exactly as many bytes as a message may have.
    @Test func aTemplateFillsAnAnswer() throws {
        let session = try Self.session()
        try Self.create(session, 1, Self.notes(4_000))
        var lengths: [Int] = []
        var outcomes: [String] = []
        for count in 4_020...4_100 {
            let template = "{notes}" + String(repeating: "x", count: count - 1_000) + "{{"
            let double = String(repeating: "\\n", count: 500)
            let (answer, length) = try answer(
                session, "mood.share", #"{"id":"\#(testID(1))","template":"\#(template)\#(double)"}"#)
            outcomes.append(answer.outcome)
            if answer.outcome == "ok" { lengths.append(length) }
        }
        #expect(lengths.last == Self.limit)
        #expect(outcomes == outcomes.sorted { $0 == "ok" && $1 != "ok" } && Set(outcomes) == ["ok", "invalidParams"])
    }

    /// A detail shows contents of a mood several times.
    @Test func whatDoesNotFitIsAnError() throws {
        let session = try Self.session()
        try Self.create(session, 1, Self.notes(3_000))
        for (method, params) in [
            ("mood.detail", #"{"id":"\#(testID(1))"}"#), ("rpc.discover", "{}"),
            ("nav.screen", #"{"route":{"name":"moodDetail","id":"\#(testID(1))"}}"#),
        ] {
            let (answer, _) = try answer(session, method, params)
            #expect(answer.code == 1020 && answer.kind == "limitExceeded", "\(method)")
            #expect(answer["error"]?["data"]?["limit"]?.string == "messageBytes")
            #expect(answer["error"]?["data"]?["value"]?.integer == Self.limit)
        }
        #expect(try session.call("mood.get", #"{"id":"\#(testID(1))"}"#).outcome == "ok")
    }

    @Test func aTextThatIsEscapedManyTimesIsAnError() throws {
        let session = try Self.session()
        let quotes = String(repeating: "\\\"", count: 2_000)
        try Self.create(session, 1, Self.notes(1, quotes))
        for format in ["html", "markdown", "ics"] {
            let (answer, _) = try answer(session, "mood.share", #"{"id":"\#(testID(1))","format":"\#(format)"}"#)
            #expect(answer.outcome == (format == "html" ? "limitExceeded" : "ok"), "\(format)")
        }
        let times = (10..<42).map { #"{"start":"20\#($0)-01-02T03:04:05Z","end":"20\#($0)-01-02T03:04:05Z"}"# }
        let event =
            #"{"kind":"event","title":"e","description":"\#(String(repeating: ";", count: 500))","occurrences":[\#(times.joined(separator: ","))]}"#
        try Self.create(session, 2, #","attachments":[\#(event)]"#)
        let (answer, _) = try answer(
            session, "action.perform", #"{"action":{"type":"exportEvent","id":"\#(testID(2))","attachment":0}}"#)
        #expect(answer.outcome == "limitExceeded")
    }

    @Test func aChangeWhoseAnswerDoesNotFitIsNotMade() throws {
        let directory = TestDirectory()
        for session in [try Self.session(), try Self.session(directory)] {
            try Self.create(session, 1, Self.notes(5_000))
            _ = try session.result("editor.begin", #"{"id":"\#(testID(1))"}"#)
            // The answer has the whole form, so a value that does not fit is not taken.
            let (answer, _) = try answer(
                session, "editor.set", #"{"label":"\#(String(repeating: "x", count: 5_000))"}"#)
            #expect(answer.outcome == "limitExceeded")
            #expect(try session.result("editor.state")["label"]?.string == "A")
            // A mood that no answer could show is not made, even if the answer is short.
            let tags = (0..<30).map { "\"\(String(repeating: "é", count: 60))\($0)\"" }.joined(separator: ",")
            for (method, params) in [
                ("mood.update", #"{"id":"\#(testID(1))","set":{"tags":[\#(tags)]}}"#),
                ("mood.updateMany", #"{"ids":["\#(testID(1))"],"set":{"tags":[\#(tags)]}}"#),
                ("mood.updateMany", #"{"ids":["\#(testID(1))"],"set":{"tags":[\#(tags)]},"opId":"x"}"#),
                ("mood.create", #"{"emoji":"😊","label":"B","tags":[\#(tags)]\#(Self.notes(3_900))}"#),
            ] {
                #expect(try self.answer(session, method, params).0.outcome == "invalidParams", "\(method)")
            }
            let info = try session.result("store.info")
            #expect(info["revision"]?.integer == 1 && info["moods"]?.integer == 1)
            // The `opId` is free for another request.
            #expect(
                try session.call(
                    "mood.updateMany", #"{"ids":["\#(testID(1))"],"set":{"label":"B"},"opId":"x"}"#
                ).outcome == "ok")
        }
        #expect(try TestSession(directory).result("mood.get", #"{"id":"\#(testID(1))"}"#)["label"]?.string == "B")
    }

    /// Pages end early; together they hold every mood once.
    @Test(arguments: [
        #""limit":1000"#, #""limit":1000,"rows":true"#, #""limit":1000,"sort":"label","order":"asc""#,
        #""limit":1000,"sort":"updatedAt","filter":{"text":"n"},"count":true"#,
    ])
    func aPageOfAListFits(params: String) throws {
        let session = try Self.session()
        for number in 1...60 {
            let label = String(repeating: "ﬃ", count: number * 3)
            _ = try session.result(
                "mood.create",
                #"{"id":"\#(testID(number))","emoji":"😊","label":"\#(label)"\#(Self.notes(number * 85))}"#)
        }
        var ids: [String] = []
        var cursor = ""
        var pages = 0
        repeat {
            let (answer, length) = try answer(session, "mood.list", "{\(params)\(cursor)}")
            let items = try #require(answer["result"]?["items"]?.array, "\(answer.text)")
            #expect(!items.isEmpty && length > 600)
            ids += items.compactMap { $0["id"]?.string }
            pages += 1
            cursor = answer["result"]?["nextCursor"]?.string.map { #","cursor":"\#($0)""# } ?? ""
        } while !cursor.isEmpty
        #expect(pages > 10 && ids.count == 60 && Set(ids).count == 60)
    }

    @Test func aPageOfAHistoryFits() throws {
        let session = try Self.session(TestDirectory())
        try Self.create(session, 1)
        for number in 1...40 {
            let notes = String(repeating: "n", count: number * 97)
            _ = try session.result("mood.setNotes", #"{"id":"\#(testID(1))","notes":"\#(notes)"}"#)
        }
        var revisions: [Int] = []
        var cursor = ""
        repeat {
            let (answer, _) = try answer(session, "mood.history", #"{"id":"\#(testID(1))","limit":1000\#(cursor)}"#)
            let items = try #require(answer["result"]?["items"]?.array, "\(answer.text)")
            revisions += items.compactMap { $0["revision"]?.integer }
            cursor = answer["result"]?["nextCursor"]?.string.map { #","cursor":"\#($0)""# } ?? ""
        } while !cursor.isEmpty
        #expect(revisions == (1...41).reversed())
    }

    /// Errors of members that do not fit take room too; a batch without room for all errors is not begun.
    @Test func aBatchFitsWhateverItsMembersAre() throws {
        let session = try Self.session()
        try Self.create(session, 1, Self.notes(3_000))
        let id = String(repeating: "\\u0001", count: 250)
        let members = [
            "3", #"{"jsonrpc":"2.0","id":"\#(id)","method":"mood.detail","params":{"id":"\#(testID(1))"}}"#,
            #"{"jsonrpc":"2.0","id":1,"method":"no","params":{}}"#, request(2, "store.verify"),
            request(3, "mood.get", #"{"id":"\#(testID(1))"}"#), request(4, "store.verify"),
            request(5, "mood.toggleFavorite", #"{"id":"\#(testID(1))","\#(String(repeating: "~", count: 900))":1}"#),
        ]
        var random = SeededRandom(seed: 7)
        var refused = 0
        for _ in 0..<200 {
            let batch = (0...random.below(12)).map { _ in members[random.below(members.count)] }
            let text = "[" + batch.joined(separator: ",") + "]"
            guard text.utf8.count <= Self.limit else { continue }
            let output = session.output(for: text + "\n")
            #expect(output.utf8.count <= Self.limit + 1)
            let answers = try JSONValue(parsing: String(output.dropLast()))
            if answers.array == nil {
                refused += 1
                #expect(
                    answers.kind == "batchTooLarge" && answers["error"]?["data"]?["limit"]?.string == "messageBytes")
            } else {
                #expect(answers.array?.count == batch.count)
            }
        }
        #expect((1..<150).contains(refused))
    }

    /// A commit can touch more moods than one event can name.
    @Test func anEventFits() throws {
        let session = TestSession(limits: [(.messageBytes, 4_096)])
        for number in 1...90 { try Self.create(session, number, Self.notes(number * 10)) }
        _ = try session.result("events.subscribe", #"{"topics":["mood"]}"#)
        let output = session.output(
            for: request(1, "mood.clear", #"{"confirm":true}"#) + "\n" + request(2, "store.undo") + "\n")
        let lines = output.split(separator: "\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 4_096 })
        for line in [lines[0], lines[2]] {
            let params = try JSONValue(parsing: String(line))["params"]
            #expect(params?["truncated"]?.boolean == true && params?["count"]?.integer == 90)
            // The number that fits depends on the order, and the changes of one commit have none.
            #expect((2..<90).contains(params?["changes"]?.array?.count ?? 0))
        }
    }

    /// In memory the host keeps only the latest answers for repeated requests.
    @Test func keptAnswersTakeBoundedMemory() throws {
        let session = TestSession()
        let notes = String(repeating: "n", count: 65_536)
        _ = try session.result("mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        func toggle(_ operation: String) throws -> String {
            try session.result("mood.toggleFavorite", #"{"id":"\#(testID(1))","opId":"\#(operation)"}"#).text
        }
        let first = try toggle("first")
        #expect(try toggle("first") == first)
        for number in 0..<1_100 { _ = try toggle("x\(number)") }
        #expect(try toggle("x1099") == toggle("x1099"))
        #expect(try toggle("x500") == toggle("x500"))
        #expect(try toggle("first") != first, "the oldest has made room")
    }

    /// Each tag is three bytes of a request, and would be forty in memory.
    @Test func aFormTakesNoMoreTagsThanItHolds() throws {
        let session = TestSession()
        _ = try session.result("editor.begin")
        let tags = Array(repeating: "\"\"", count: 1_300_000).joined(separator: ",")
        let answer = try session.call("editor.set", #"{"tags":[\#(tags)]}"#)
        #expect(answer.code == 1020 && answer["error"]?["data"]?["limit"]?.string == "editorBytes")
        #expect(try session.result("editor.state")["tags"]?.array?.isEmpty == true)
    }
}
