import JSONCodec
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost

/// A plain request is answered in one pass, any other in several: the answers are the same.
@Suite struct PlainRequestTests {
    private static let ids = (0..<4).map { "0190b5a0-7c5e-7000-8000-3f2a9c1d4e0\($0)" }

    private static let requests =
        [
            #"{"id":"ID","emoji":"😊","label":"Happy","timestamp":"2026-01-02T03:04:05Z","notes":"a\nb","tags":["x","y"]}"#,
            #"{"emoji":"🎉","label":" Fest ","id":"ID","isFavorite":true,"valence":0.5,"timeZone":"Europe/Helsinki"}"#,
            #"{"id":"ID","emoji":"❤️","label":"Ä\u0041","attachments":[{"kind":"link","url":"https://example.org"}]}"#,
        ].map { #""mood.create","params":"# + $0 } + [
            #""mood.get","params":{"id":"ID"}"#, #""mood.toggleFavorite","params":{"id":"ID"}"#,
            #""mood.setFavorite","params":{"id":"ID","isFavorite":true,"dryRun":true}"#,
            #""mood.setNotes","params":{"id":"ID","notes":"n","ifRevision":2}"#,
            #""mood.update","params":{"id":"ID","set":{"label":"L","valence":null}}"#,
            #""mood.share","params":{"id":"ID","now":"2026-01-02T05:04:05+01:00"}"#,
            #""mood.share","params":{"id":"ID","format":"markdown","locale":"fi-FI"}"#,
            #""mood.list","params":{"limit":2,"filter":{"isFavorite":true},"count":true}"#,
            #""mood.list","params":{}"#, #""mood.list""#, #""host.ping","params":null"#, #""host.ping","params":[]"#,
            #""nav.navigate","params":{"route":{"name":"moodDetail","id":"ID"},"router":null}"#, #""nav.state""#,
            #""mood.delete","params":{"id":"ID"}"#, #""mood.deleteMany","params":{"ids":["ID"]}"#,
        ]

    private static func message(_ random: inout SeededRandom) -> String {
        let id = ids[random.below(ids.count)]
        let body = requests[random.below(requests.count)].replacing("ID", with: id)
        let number = ["\"id\":\(random.below(1000)),", "\"id\":\"a\",", ""][random.below(3)]
        return #"{"jsonrpc":"2.0",\#(number)"method":\#(body)}"#
    }

    /// One byte is changed, left out, doubled or put in; a line feed would only make two messages of one.
    private static func mutated(_ message: String, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(message.utf8)
        let alphabet = Array(#"{}[]",:\ 0a-.eunté"#.utf8)
        let at = random.below(bytes.count)
        let byte = alphabet[random.below(alphabet.count)]
        switch random.below(4) {
        case 0: bytes[at] = byte
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(bytes[at], at: at)
        default: bytes.insert(byte, at: at)
        }
        return bytes
    }

    /// An error's words may name a byte, and where the text ends is one of the two ways' own.
    private static func comparable(_ answer: String) throws -> String {
        guard !answer.isEmpty else { return "" }
        let value = try JSONValue(parsing: answer)
        guard let data = value["error"]?["data"], data["kind"]?.string == "parseError" else { return answer }
        return "parseError"
    }

    @Test(arguments: 1...40)
    func plainAndOtherwiseAreAnsweredAlike(seed: Int) throws {
        let plain = TestSession()
        let other = TestSession()
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<150 {
            let message = Self.message(&random)
            let bytes = random.below(3) == 0 ? Self.mutated(message, &random) : Array(message.utf8)
            let text = String(decoding: bytes, as: UTF8.self)
            // White space behind a message means nothing, but the message is not plain any more.
            let first = try Self.comparable(Self.answer(of: plain, to: bytes))
            let second = try Self.comparable(Self.answer(of: other, to: bytes + [UInt8(ascii: " ")]))
            #expect(first == second, "\(text)")
        }
    }

    private static func answer(of session: TestSession, to bytes: [UInt8]) -> String {
        session.receive(bytes + [UInt8(ascii: "\n")])
        var output = ""
        while !session.process() { output += session.takeOutput() }
        output += session.takeOutput()
        return output.hasSuffix("\n") ? String(output.dropLast()) : output
    }
}
