import JSONCodec
import Testing

@testable import MoodHost

@Suite struct OrderTests {
    @Test func answersComeInOrderAndReadsSeeEarlierWrites() throws {
        let session = TestSession()
        let answers = try session.answers(
            request(1, "mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"One"}"#),
            request(2, "mood.get", #"{"id":"\#(testID(1))"}"#),
            request(3, "mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#),
            request(4, "store.info"),
            request(5, "mood.delete", #"{"id":"\#(testID(1))"}"#),
            request(6, "mood.get", #"{"id":"\#(testID(1))"}"#),
            request(7, "mood.list"))
        #expect(answers.map(\.id) == [1, 2, 3, 4, 5, 6, 7])
        #expect(answers.map(\.outcome) == ["ok", "ok", "ok", "ok", "ok", "notFound", "ok"])
        #expect(answers[0]["result"]?.text == answers[1]["result"]?.text)
        #expect(answers[2]["result"]?["revision"]?.integer == 2)
        #expect(answers[3]["result"]?["favorites"]?.integer == 1)
        #expect(answers[6]["result"]?["total"]?.integer == 0)
    }

    /// Requests, notifications, batches, rubbish and both framings.
    private static let stream = [
        request(1, "mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"Ünï 😊"}"#) + "\n",
        notification("mood.toggleFavorite", #"{"id":"\#(testID(1))"}"#) + "\r\n",
        "\n  \n",
        "[" + request(2, "host.ping") + "," + notification("host.ping") + ",1]\n",
        "rubbish\n",
        "Content-Length: \(request(3, "host.ping").utf8.count)\r\nX: y\r\n\r\n" + request(3, "host.ping"),
        "Content-Type: text\r\n\r\n",
        request(4, "mood.get", #"["\#(testID(1))"]"#) + "\n",
        "[]\n", "{}\n",
    ].joined()

    @Test func aStreamSplitAnywhereIsAnsweredTheSame() {
        let whole = TestSession().output(for: Self.stream, isAtEnd: true)
        #expect(whole.contains("\"isFavorite\":true"))
        let bytes = Array(Self.stream.utf8)
        for split in 0...bytes.count {
            let session = TestSession()
            session.receive(Array(bytes[..<split]))
            var output = ""
            while !session.process() { output += session.takeOutput() }
            session.receive(Array(bytes[split...]))
            while !session.process(isAtEnd: true) { output += session.takeOutput() }
            output += session.takeOutput()
            #expect(output == whole, "split at \(split)")
        }
        let session = TestSession()
        var output = ""
        for byte in bytes {
            session.receive([byte])
            while !session.process() {}
            output += session.takeOutput()
        }
        while !session.process(isAtEnd: true) {}
        #expect(output + session.takeOutput() == whole)
    }

    @Test func theLastLineNeedsNoLineFeedAtTheEnd() {
        let session = TestSession()
        #expect(session.output(for: request(1, "host.ping")) == "")
        #expect(session.output(for: "", isAtEnd: true) == #"{"jsonrpc":"2.0","id":1,"result":{}}"# + "\n")
    }

    @Test func eachAnswerUsesTheFramingOfItsRequest() {
        let ping = request(1, "host.ping")
        let answer = #"{"jsonrpc":"2.0","id":1,"result":{}}"#
        let framed = "Content-Length: \(answer.utf8.count)\r\n\r\n\(answer)"
        let output = TestSession().output(
            for:
                "content-length:\(ping.utf8.count)\r\n\r\n\(ping)\(ping)\nContent-Length: \(ping.utf8.count)\r\n\r\n\(ping)"
        )
        #expect(output == framed + answer + "\n" + framed)
    }

    @Test(arguments: [
        ("[]", [-32600]), ("[1,2]", [-32600, -32600]), ("[[]]", [-32600]), ("\"a\"", [-32600]), ("1", [-32600]),
        ("null", [-32600]), ("{", [-32700]), ("[1,]", [-32700]), (#"[{"jsonrpc":"2.0","method":"host.ping"}]"#, []),
        (#"{"jsonrpc":"2.0","id":1,"method":"host.ping","params":1}"#, [-32600]),
        (#"{"jsonrpc":"1.0","id":1,"method":"host.ping"}"#, [-32600]), (#"{"id":1,"method":"host.ping"}"#, [-32600]),
        (#"{"jsonrpc":"2.0","id":1,"method":null}"#, [-32600]), (#"{"jsonrpc":"2.0","id":1}"#, [-32600]),
        (#"{"jsonrpc":"2.0","id":{},"method":"host.ping"}"#, [-32600]),
        (#"{"jsonrpc":"2.0","id":1,"id":2,"method":"host.ping"}"#, [-32600]),
        (#"{"jsonrpc":"2.0","id":1,"method":"host.pong"}"#, [-32601]),
        (#"{"jsonrpc":"2.0","id":1,"method":"host.ping","params":{"a":1}}"#, [-32602]),
        (#"{"jsonrpc":"2.0","method":"host.pong"}"#, []),
    ])
    func brokenMessagesGetTheErrorOfTheContract(line: String, codes: [Int]) throws {
        let answers = try TestSession().answers(line).flatMap { $0.array ?? [$0] }
        #expect(answers.map(\.code) == codes)
        for answer in answers { #expect(answer.object?.map(\.name) == ["jsonrpc", "id", "error"]) }
    }

    @Test(arguments: [
        "1", "\"1\"", "1.0", "1e2", "-0", "null", "\"\\u0041\"", "\"0190b5a0-7c5e\"", "12345678901234567890123",
    ])
    func anIDIsEchoedByteForByte(id: String) {
        let session = TestSession()
        for method in ["host.ping", "host.pong"] {
            let output = session.output(for: #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)"}"# + "\n")
            #expect(output.hasPrefix(#"{"jsonrpc":"2.0","id":\#(id),"#))
        }
    }

    @Test func aCancellationWithAnIDIsARequestThatNobodyKnows() throws {
        let answers = try TestSession().answers(request(1, "$/cancelRequest", #"{"id":2}"#), request(2, "host.ping"))
        #expect(answers.map(\.outcome).first == "methodNotFound")
        #expect(answers.map(\.id) == [1, 2])
    }

    @Test func everythingBehindAShutdownIsRefused() throws {
        let session = TestSession()
        let answers = try session.answers(
            request(1, "host.shutdown"), request(2, "host.ping"),
            request(3, "mood.create", #"{"emoji":"😊","label":"A"}"#))
        #expect(answers.map(\.outcome) == ["ok", "shuttingDown", "shuttingDown"])
        #expect(session.isShuttingDown)
    }
}
