import JSONCodec
import Testing

@testable import MoodClient

@Suite struct RecordingTests {
    @Test func whatIsWrittenIsReadAgain() throws {
        var recording = RecordedConversation(arguments: ["--in-memory", "--test-seed", "1"])
        let sent: [[UInt8]] = [
            Array("{}\n".utf8), Array("{}\r\n".utf8), [0xff, 0x0a], Array("\n".utf8), Array("end".utf8),
        ]
        for bytes in sent {
            // In pieces, as from a pipe.
            for byte in bytes { recording.add([byte], .sent) }
            recording.add(Array("[1]\n".utf8), .received)
        }
        let text = recording.take(isAtEnd: true)
        let read = try RecordedConversation(reading: text)
        #expect(read.arguments == ["--in-memory", "--test-seed", "1"])
        #expect(read.pieces.filter { $0.side == .sent }.flatMap(\.bytes) == sent.flatMap { $0 })
        #expect(read.pieces.filter { $0.side == .received }.count == sent.count)
        #expect(String(decoding: text, as: UTF8.self).contains("--> {}\n<-- [1]\n-->hex 7b7d0d0a\n"))
    }

    @Test(arguments: ["hello", "--> {}\n-->hex 0", "-->hex xy", "@kill -9"])
    func whatIsNoStepIsRefused(_ text: String) {
        #expect(throws: RecordedConversation.BadLine.self) { try RecordedConversation(reading: Array(text.utf8)) }
    }

    @Test(arguments: [
        (#"{"type":"object"}"#, "{}"),
        (#"{"type":"object","required":["a"],"properties":{"a":{"type":"integer","minimum":3}}}"#, #"{"a":3}"#),
        (#"{"type":"string","minLength":3}"#, #""aaa""#), (#"{"enum":["x","y"]}"#, #""x""#),
        (#"{"type":"array","minItems":2,"items":{"const":1}}"#, "[1,1]"),
        (##"{"$ref":"#/$defs/a","$defs":{"a":{"type":"boolean"}}}"##, "false"),
        (#"{"anyOf":[{"type":"null"},{"type":"string"}]}"#, "null"), (##"{"$ref":"#"}"##, "null"),
        (#"{"type":["integer","null"],"exclusiveMinimum":0}"#, "1"), (#"{"default":7,"type":"string"}"#, "7"),
    ])
    func aSampleFitsItsSchema(_ schema: String, _ sample: String) throws {
        #expect(try SchemaSample(JSONValue(parsing: schema)).value.text == sample)
    }
}
