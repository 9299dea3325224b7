import JSONCodec
import JSONRPC
import MoodProtocol
import Seeds
import Testing

@testable import MoodHost

/// Every spelling of a request (order of members, white space, escapes) gets an equal answer.
@Suite struct RequestSpellingTests {
    private static let ids = (0..<4).map { "0190b5a0-7c5e-7000-8000-3f2a9c1d4e0\($0)" }

    private static let right =
        [
            #"{"id":"ID","emoji":"😊","label":"Happy","timestamp":"2026-01-02T03:04:05Z","notes":"a\nb","tags":["x","y"]}"#,
            #"{"emoji":"🎉","label":" Fest ","id":"ID","isFavorite":true,"valence":0.5,"timeZone":"Europe/Helsinki"}"#,
            #"{"id":"ID","emoji":"❤️","label":"Ä\u0041","attachments":[{"kind":"link","url":"https://example.org"}]}"#,
            #"{"id":"ID","emoji":"😊","label":"Once","opId":"op","dryRun":null}"#,
        ].map { #""mood.create","params":"# + $0 } + [
            #""mood.get","params":{"id":"ID"}"#, #""mood.toggleFavorite","params":{"id":"ID"}"#,
            #""mood.get","params":["ID"]"#, #""mood.setNotes","params":["ID","by position"]"#,
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

    /// Requests with one mistake each.
    private static let wrong = [
        #""mood.get","params":{"id":"ID-"}"#, #""mood.get","params":{"id":null}"#, #""mood.get""#,
        #""mood.get","params":{"id":"ID","limit":1}"#, #""mood.get","params":["ID",1]"#, #""mood.get","params":7"#,
        #""mood.list","params":{"limit":0,"count":true}"#, #""mood.list","params":{"filter":{"text":1}}"#,
        #""mood.create","params":{"id":"ID","emoji":"x","label":"A"}"#, #""mood.creat","params":{"id":"ID"}"#,
        #""mood.create","params":{"id":"ID","emoji":"😊","label":" ","timestamp":"2026-01-02T03:04:05Z"}"#,
        #""mood.create","params":{"id":"ID","emoji":"😊","label":"A","timestamp":"2026-01-02"}"#,
        #""mood.update","params":{"id":"ID","set":{"tags":["a","a"]}}"#, #"7,"params":{"id":"ID"}"#,
    ]

    private static func message(_ random: inout SeededRandom) -> String {
        let body = random.pick(random.isOne(in: 4) ? wrong : right).replacing("ID", with: random.pick(ids))
        let id = random.pick(["\"id\":\(random.below(1000)),", "\"id\":\"a\",", "\"id\":null,", ""])
        return #"{"jsonrpc":"2.0",\#(id)"method":\#(body)}"#
    }

    @Test(arguments: 1...SeededRandom.some(8, of: 40))
    func everySpellingIsAnsweredAlike(seed: Int) throws {
        let plain = TestSession()
        let other = TestSession()
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<150 {
            let message = Self.message(&random)
            var speller = Speller(random: random)
            let spelled = speller.spell(try JSONValue(parsing: message))
            random = speller.random
            let first = plain.output(for: message + "\n")
            let second = other.output(for: spelled + "\n")
            #expect(first == second, "\(message), \(spelled)")
        }
    }

    /// A batch reads its members as they are read alone.
    @Test(arguments: 1...SeededRandom.some(3, of: 10))
    func aMemberOfABatchIsAnsweredAsAlone(seed: Int) throws {
        let plain = TestSession()
        let other = TestSession()
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<150 {
            let message = Self.message(&random)
            let first = plain.output(for: message + "\n")
            let second = other.output(for: " [ \(message) ] \n")
            #expect(first.isEmpty ? second.isEmpty : second == "[\(first.dropLast())]\n", "\(message)")
        }
    }

    /// One byte is changed, left out, doubled or inserted.
    private static func mutated(_ message: String, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = Array(message.utf8)
        let byte = random.pick(Array(#"{}[]",:\ 0a-.eunté"#.utf8))
        let at = random.below(bytes.count)
        switch random.below(4) {
        case 0: bytes[at] = byte
        case 1: bytes.remove(at: at)
        case 2: bytes.insert(bytes[at], at: at)
        default: bytes.insert(byte, at: at)
        }
        return bytes
    }

    /// A message that is not JSON gets the validator's error, whatever else is wrong with it.
    @Test(arguments: 1...SeededRandom.some(4, of: 20))
    func whatIsNoJSONIsRefusedAsTheValidatorSays(seed: Int) throws {
        let session = TestSession()
        var validator = JSONValidator(depthLimit: 64)
        var random = SeededRandom(seed: UInt64(seed))
        for _ in 0..<300 {
            let bytes = Self.mutated(Self.message(&random), &random)
            let error = bytes.withUnsafeBytes { text in
                do throws(JSONError) {
                    _ = try validator.validate(text)
                    return nil as RPCError?
                } catch {
                    return RPCError(parsing: error)
                }
            }
            session.receive(bytes + [UInt8(ascii: "\n")])
            var answer = ""
            while !session.process() { answer += session.takeOutput() }
            answer += session.takeOutput()
            let isRefused = answer.contains(#""kind":"parseError""#)
            #expect(isRefused == (error != nil), "\(String(decoding: bytes, as: UTF8.self)): \(answer)")
            if let error { #expect(try JSONValue(parsing: answer)["error"]?["message"]?.string == error.message) }
        }
    }

    /// The path if the error is in the params.
    private static let doubled: [(message: String, code: Int, path: String?)] = [
        (#"HEAD,"params":{"router":null,"router":null}}"#, -32602, "/router"),
        (#"HEAD,"params":{"router":"a","rout\u0065r":1}}"#, -32602, "/router"),
        (#"{"params":{"router":"a","router":"a"},"jsonrpc":"2.0","id":1,"method":"nav.state"}"#, -32602, "/router"),
        (#"HEAD,"params":{"x":0,"x":1}}"#, -32602, "/x"),
        (#"HEAD,"params":{"router":{"text":"","text":""}}}"#, -32602, "/router/text"),
        (#"HEAD,"id":1}"#, -32600, nil),
        (#"HEAD,"m\u0065thod":"nav.state"}"#, -32600, nil),
        (#"HEAD,"meta":{"a":1,"a":1}}"#, -32600, nil),
        (#"{"a":1,"jsonrpc":"2.0","id":1,"method":"nav.state","params":{"x":0,"x":1},"a":1}"#, -32602, "/x"),
        (#"{"a":1,"a":1,"jsonrpc":"2.0","id":1,"method":"nav.state","params":{"x":0,"x":1}}"#, -32600, nil),
    ]

    @Test func aNameThatIsGivenTwiceIsRefused() throws {
        for (message, code, path) in Self.doubled {
            let message = message.replacing("HEAD", with: #"{"jsonrpc":"2.0","id":1,"method":"nav.state""#)
            let answer = try #require(try TestSession().answers(message).first)
            #expect(answer.code == code && answer.path == path && answer.id == 1, "\(message): \(answer.text)")
            #expect(answer["error"]?["message"]?.string?.contains("given twice") == true)
        }
    }

    /// A custom limit holds for the envelope and the params too.
    @Test func theDepthIsCountedFromTheEnvelope() throws {
        let session = TestSession(limits: [(.depth, 4)])
        let right = #"{"jsonrpc":"2.0","id":1,"method":"mood.update","params":{"id":"x","set":{"tags":["a"]}}}"#
        let deep = #"{"jsonrpc":"2.0","id":1,"method":"mood.update","params":{"id":"x","set":{"tags":[[]]}}}"#
        #expect(try session.answers(right).first?.kind == "invalidParams")
        #expect(try session.answers(deep).first?.kind == "parseError")
    }
}

/// Writes a message in one of its many spellings.
private struct Speller {
    var random: SeededRandom

    mutating func spell(_ message: JSONValue) -> String {
        var members: [(String, String)] = []
        for member in message.object ?? [] {
            // The id keeps its spelling, because the host echoes it as written.
            let isID = member.name == "id"
            let value = isID ? member.value.text : spell(member.value, isParams: member.name == "params")
            members.append((member.name, value))
        }
        if random.isOne(in: 3) { members.append(("meta", #"{"id":1,"method":[],"a":{}}"#)) }
        return object(members, isShuffled: true)
    }

    private mutating func spell(_ value: JSONValue, isParams: Bool) -> String {
        if let members = value.object {
            var spelled: [(String, String)] = []
            for member in members { spelled.append((member.name, spell(member.value, isParams: false))) }
            return object(spelled, isShuffled: isParams)
        }
        if let elements = value.array {
            var spelled: [String] = []
            for element in elements { spelled.append(spell(element, isParams: false)) }
            return joined(spelled, "[", "]")
        }
        if let text = value.string { return string(text) }
        return value.text
    }

    private mutating func object(_ members: [(String, String)], isShuffled: Bool) -> String {
        var parts: [String] = []
        for (name, value) in members { parts.append(string(name) + space() + ":" + space() + value) }
        if isShuffled { parts.shuffle(using: &random) }
        return joined(parts, "{", "}")
    }

    private mutating func joined(_ parts: [String], _ open: String, _ close: String) -> String {
        var text = space() + open + space()
        for (number, part) in parts.enumerated() {
            if number > 0 { text += space() + "," + space() }
            text += part
        }
        return text + space() + close + space()
    }

    private mutating func space() -> String {
        random.isOne(in: 3) ? random.pick([" ", "\t", "  \r ", String(repeating: " ", count: 20)]) : ""
    }

    private mutating func string(_ text: String) -> String {
        let isPlain = !random.isOne(in: 3)
        var quoted = "\""
        for unit in text.utf16 {
            let scalar = Unicode.Scalar(unit)
            if let scalar, scalar.value >= 0x20, scalar != "\"", scalar != "\\", isPlain || !random.isOne(in: 4) {
                quoted.unicodeScalars.append(scalar)
            } else {
                let digits = String(unit, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
        }
        return quoted + "\""
    }
}
