import JSONCodec
import Testing

@testable import MoodHost

@Suite struct CancellationTests {
    private static func create(_ id: String, _ label: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"mood.create","params":{"emoji":"😊","label":"\#(label)"}}"#
    }

    @Test func aCancelledRequestIsAnsweredAndNotDone() throws {
        let session = TestSession()
        let answers = try session.answers(
            Self.create("1", "A"), Self.create("2", "B"), notification("$/cancelRequest", #"{"id":2}"#),
            request(3, "mood.list"))
        #expect(answers.map(\.outcome) == ["ok", "cancelled", "ok"])
        #expect(answers[1].code == -32800 && answers[1].id == 2)
        #expect(answers[2]["result"]?["total"]?.integer == 1)
    }

    @Test func theOtherKindOfCancellationIsSilent() throws {
        let session = TestSession()
        let answers = try session.answers(
            Self.create("1", "A"), Self.create("\"x\"", "B"),
            notification("notifications/cancelled", #"{"requestId":"x","reason":"r"}"#), request(3, "mood.list"))
        #expect(answers.map(\.id) == [1, 3])
        #expect(answers[1]["result"]?["total"]?.integer == 1)
    }

    /// An id is a value; peers may write it anew.
    @Test(arguments: [
        ("1", "1.0"), ("1e2", "100"), (#""a""#, #""\u0061""#), (#""\/""#, #""/""#), ("0", "-0"),
    ])
    func anIDIsAValue(id: String, other: String) throws {
        for (asked, cancelled) in [(id, other), (other, id)] {
            let answers = try TestSession().answers(
                Self.create(asked, "A"), notification("$/cancelRequest", #"{"id":\#(cancelled)}"#))
            #expect(answers.map(\.outcome) == ["cancelled"], "\(asked), \(cancelled)")
        }
    }

    @Test(arguments: [
        ("9007199254740993", "9007199254740992"), ("0", "null"), ("0", "{}"), (#""1""#, "1"), ("1.5", "1"),
        ("123456789012345678901", "123456789012345678902"), (#""é""#, #""e\u0301""#),
    ])
    func anotherIDIsAnother(id: String, other: String) throws {
        let answers = try TestSession().answers(
            Self.create(id, "A"), notification("$/cancelRequest", #"{"id":\#(other)}"#))
        #expect(answers.map(\.outcome) == ["ok"])
    }

    @Test func cancelsNothingButThatRequest() throws {
        let session = TestSession()
        let answers = try session.answers(
            notification("$/cancelRequest", #"{"id":1}"#), Self.create("1", "A"), Self.create("\"2\"", "B"),
            Self.create("3", "C"), notification("$/cancelRequest", #"{"id":2}"#),
            notification("$/cancelRequest", #"{"id":99}"#), notification("$/cancelRequest", "[3]"),
            notification("$/cancelRequest", "{}"), notification("notifications/cancelled", #"{"id":3}"#))
        #expect(answers.map(\.outcome) == ["ok", "ok", "ok"])
    }

    @Test func cancelsAMemberOfABatch() throws {
        let session = TestSession()
        let answers = try session.answers(
            "[\(Self.create("1", "A")),\(Self.create("2", "B"))]", notification("$/cancelRequest", #"{"id":2}"#),
            request(3, "mood.list"))
        #expect(answers[0].array?.map(\.outcome) == ["ok", "cancelled"])
        #expect(answers[1]["result"]?["total"]?.integer == 1)
    }

    @Test func aLaterInputIsNotCancelled() throws {
        let session = TestSession()
        _ = try session.answers(Self.create("1", "A"), notification("$/cancelRequest", #"{"id":1}"#))
        #expect(try session.answers(Self.create("1", "A")).map(\.outcome) == ["ok"])
    }

    @Test func textThatOnlyLooksLikeACancellationIsText() throws {
        let session = TestSession()
        let label = #"\"method\":\"$/cancelRequest\",\"params\":{\"id\":1}"#
        let answers = try session.answers(Self.create("1", "A"), Self.create("2", label), request(3, "a/cancel"))
        #expect(answers.map(\.outcome) == ["ok", "ok", "methodNotFound"])
    }

    /// Answers that leave in pieces begin new groups in the middle of an input, which restart the numbers of messages.
    @Test func aCancellationStaysWithItsRequestWhenAnswersLeaveInPieces() throws {
        let session = TestSession()
        let notes = String(repeating: "x", count: 60_000)
        _ = try session.result(
            "mood.create", #"{"id":"\#(testID(1))","emoji":"😊","label":"A","notes":"\#(notes)"}"#)
        var lines = (0..<20).map { request(100 + $0, "mood.get", #"{"id":"\#(testID(1))"}"#) }
        lines.append(Self.create("7", "cancelled"))
        lines.append(notification("$/cancelRequest", #"{"id":7}"#))
        // A second request with this id, after the cancellation.
        lines.append(Self.create("7", "done"))
        lines += (0..<20).map { request(200 + $0, "mood.get", #"{"id":"\#(testID(1))"}"#) }
        let answers = try session.output(for: lines.joined(separator: "\n") + "\n").split(separator: "\n").map {
            try JSONValue(parsing: String($0))
        }
        #expect(answers.count == 42)
        #expect(answers.filter { $0.id == 7 }.map(\.outcome) == ["cancelled", "ok"])
    }

    @Test func aCancelledRequestOfALostGroupStaysCancelled() throws {
        let directory = TestDirectory()
        let fault = Fault()
        let session = TestSession(directory, fault.fileSystem)
        fault.set("fdatasync", 5)
        let answers = try session.answers(
            Self.create("1", "A"), request(2, "mood.list"), request(3, "mood.list"), request(4, "host.ping"),
            notification("$/cancelRequest", #"{"id":2}"#), notification("notifications/cancelled", #"{"requestId":3}"#))
        #expect(answers.map(\.id) == [1, 2, 4])
        #expect(answers.map(\.outcome) == ["outcomeUnknown", "cancelled", "ok"])
    }

    @Test func reportsProgressBeforeTheAnswer() throws {
        for token in ["\"t\"", "7", "1.0"] {
            let session = TestSession(TestDirectory())
            let answers = try session.answers(request(1, "store.compact", #"{"progressToken":\#(token)}"#))
            #expect(answers.count >= 2)
            for notice in answers.dropLast() {
                #expect(notice.object?.map(\.name) == ["jsonrpc", "method", "params"])
                #expect(notice["method"]?.string == "$/progress")
                #expect(notice["params"]?["token"]?.text == token)
                #expect(notice["params"]?["value"]?.object?.map(\.name) == ["done", "total", "message"])
            }
            #expect(answers.last?.id == 1)
        }
    }

    @Test func reportsNoProgressToWhoDoesNotAsk() throws {
        let session = TestSession(TestDirectory())
        #expect(try session.answers(request(1, "store.compact"), request(2, "store.verify")).map(\.id) == [1, 2])
    }

    @Test func progressUsesTheFramingOfItsRequest() {
        let body = request(1, "store.verify", #"{"progressToken":1}"#)
        let output = TestSession(TestDirectory()).output(for: "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        #expect(output.split(separator: "Content-Length: ").count >= 2)
        #expect(!output.contains("}\n"))
        #expect(output.contains("\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"$/progress\""))
    }
}
