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
            #"{"$id":"https://example.org/a b","$schema":"no such","type":"object"}"#, #"{"type":"object"}"#
        ),
        (
            #"{"type":"object","properties":{"a":true,"const":false,"$ref":{"type":"string"}}}"#,
            #"{"type":"object","properties":{"a":{},"const":{"not":{}},"$ref":{"type":"string"}}}"#
        ),
        (
            ##"{"type":"object","properties":{"default":{"$ref":"#/$defs/a b"}},"$defs":{"a b":{}}}"##,
            ##"{"type":"object","properties":{"default":{"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{}}}"##
        ),
        (
            #"{"type":"object","properties":{"a":{"pattern":"^[\\w\\-]\\-\\@\\.\\\\$"}}}"#,
            #"{"type":"object","properties":{"a":{"pattern":"^[\\w\\-]-@\\.\\\\$"}}}"#
        ), ("true", #"{"type":"object"}"#), (#"{"enum":[1,{}]}"#, #"{"type":"object","enum":[1,{}]}"#),
    ])
    func whatCanBeSaidInAnotherWayIs(schema: String, mended: String) throws {
        let value = try JSONValue(parsing: schema)
        #expect(try ToolShape.ofArguments(value).text == mended)
        #expect(try ToolShape.ofResult(value).text == mended)
    }

    @Test(arguments: [
        (#"{"type":"string"}"#, #"{"type":"string"}"#), (#"{"enum":["a"]}"#, #"{"enum":["a"]}"#),
        (
            ##"{"$id":"a b","type":"array","items":{"$ref":"#"},"$defs":{"a":{"$ref":"#/$defs/a b"},"a b":{}}}"##,
            ##"{"type":"array","items":{"$ref":"#/properties/result"},"$defs":{"a":{"$ref":"#/properties/result/$defs/a%20b"},"a b":{}}}"##
        ),
    ])
    func aResultThatIsNoObjectIsAMemberOfOne(schema: String, member: String) throws {
        let result = try ToolShape.ofResult(try JSONValue(parsing: schema))
        #expect(result.text == #"{"type":"object","properties":{"result":\#(member)},"required":["result"]}"#)
    }

    /// Python, in which many clients are written, ends in an error at these.
    @Test(arguments: [#"\p{L}"#, #"\u{1F600}"#, #"[\cA]"#, "(?<name>a)"])
    func patternsThatClientsCannotReadAreNotSaidOfResults(pattern: String) throws {
        let text: JSONValue = ["type": "object", "properties": ["a": ["pattern": .string(pattern), "minLength": 1]]]
        #expect(try ToolShape.ofResult(text)["properties"]?["a"]?.text == #"{"minLength":1}"#)
        #expect(try ToolShape.ofArguments(text)["properties"]?["a"]?["pattern"]?.string == pattern)
        let names: JSONValue = ["type": "object", "patternProperties": .object([.init(pattern, [:])])]
        #expect(throws: ToolShape.Problem.self) { try ToolShape.ofResult(names) }
        #expect(throws: Never.self) { try ToolShape.ofArguments(names) }
    }

    @Test(arguments: [
        "false", #"{"enum":["a"]}"#, #"{"const":1}"#, #"{"anyOf":[{"type":"string"},false]}"#,
        #"{"allOf":[{},{"type":"null"}]}"#, #"{"type":"array"}"#, #"{"type":["string","null"]}"#,
        #"{"type":7}"#,
    ])
    func argumentsThatAreNoObjectAreNoTool(schema: String) throws {
        let value = try JSONValue(parsing: schema)
        #expect(throws: ToolShape.Problem.self) { try ToolShape.ofArguments(value) }
    }
}
