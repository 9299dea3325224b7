import JSONCodec
import Testing

@testable import PluginHost

/// Schemas that the libraries of AI clients refuse, and their replacements.
@Suite struct ToolShapeTests {
    @Test(arguments: [
        (#"{"type":["object","null"],"required":["a"]}"#, #"{"type":"object","required":["a"]}"#),
        (#"{"properties":{"a":{}}}"#, #"{"type":"object","properties":{"a":{}}}"#),
        (#"{"type":"object"}"#, #"{"type":"object"}"#),
        (
            ##"{"type":"object","properties":{"next":{"$ref":"#"}}}"##,
            ##"{"type":"object","properties":{"next":{"$ref":"#/$defs/Root"}},"$defs":{"Root":{"type":"object","properties":{"next":{"$ref":"#/$defs/Root"}}}}}"##
        ),
        (
            ##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a b"}},"$defs":{"a b":{"const":{"$ref":"#"}}}}"##,
            ##"{"type":"object","properties":{"a":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"const":{"$ref":"#"}}}}"##
        ),
        (
            #"{"$id":"https://example.org/a b","type":"object"}"#,
            #"{"type":"object","$id":"https://example.org/a%20b"}"#
        ),
    ])
    func whatCanBeSaidInAnotherWayIs(schema: String, mended: String) throws {
        let result = try ToolShape.mended(try JSONValue(parsing: schema))
        #expect(result.text == mended)
    }

    @Test(arguments: ["true", #"{"type":"array"}"#, #"{"type":["string","null"]}"#, #"{"type":7}"#])
    func whatIsNoObjectIsNoTool(schema: String) throws {
        let value = try JSONValue(parsing: schema)
        #expect(throws: ToolShape.Problem.self) { try ToolShape.mended(value) }
    }
}
