import JSONCodec
import MoodProtocol
import Testing

@testable import MCP

/// The descriptions of tools suit any client.
@Suite struct ToolTests {
    private static let tools = Tool.all(isReadOnly: false)

    private func described(_ tool: Tool) throws -> JSONValue {
        var writer = JSONWriter()
        tool.write(to: &writer)
        return try JSONValue.parse(Array(writer.buffer.bytes))
    }

    @Test(arguments: tools.map(\.name))
    func itsSchemasAreOfOnePiece(name: String) throws {
        let tool = try #require(Self.tools.first { $0.name == name })
        let described = try described(tool)
        for schema in ["inputSchema", "outputSchema"] {
            let root = try #require(described[schema])
            #expect(root["type"]?.string == "object", "\(schema)")
            for keyword in ["oneOf", "anyOf", "allOf", "$ref"] {
                #expect(root[keyword] == nil, "\(schema): \(keyword)")
            }
            for reference in references(in: root) {
                let target = reference.hasPrefix("#/$defs/") ? root["$defs"]?[String(reference.dropFirst(8))] : nil
                #expect(target != nil, "\(schema): \(reference)")
            }
        }
    }

    private func references(in value: JSONValue) -> [String] {
        switch value {
        case .array(let elements): elements.flatMap(references)
        case .object(let members):
            members.flatMap { $0.name == "$ref" ? [$0.value.string ?? ""] : references(in: $0.value) }
        default: []
        }
    }

    @Test(arguments: tools.map(\.name))
    func itTellsAllHintsAndAnExample(name: String) throws {
        let tool = try #require(Self.tools.first { $0.name == name })
        let described = try described(tool)
        for hint in ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] {
            #expect(described["annotations"]?[hint]?.boolean != nil, "\(hint)")
        }
        let summary = try #require(described["description"]?.string)
        // The example is a valid call.
        let example = try #require(summary.firstRange(of: "Example: ").map { String(summary[$0.upperBound...]) })
        let problem = example.utf8CString.withUnsafeBytes { bytes in
            ToolArguments(ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: bytes.dropLast())))
                .problem(for: tool.input, Limits())
        }
        #expect(problem == nil, "\(problem?.path ?? "") \(problem?.reason ?? "")")
        #expect(throws: Never.self) { try JSONValue(parsing: example) }
    }

    @Test func whatChangesIsLeftOutOfAReadOnlyHost() {
        let names = Tool.all(isReadOnly: true).map(\.name)
        #expect(names == Self.tools.filter(\.effect.isReadOnly).map(\.name))
        #expect(names.contains("mood_find") && !names.contains("mood_add"))
    }

    @Test func everyToolThatChangesTakesADryRun() {
        for tool in Self.tools where !tool.effect.isReadOnly {
            #expect(tool.input.contains { "\($0.name)" == "dry_run" }, "\(tool.name)")
        }
    }

    @Test func aWrongArgumentIsToldWithTheNearestOne() {
        let text = "{\"idd\":1}"
        let tool = Tool.get
        let problem = text.utf8CString.withUnsafeBytes { bytes in
            ToolArguments(ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: bytes.dropLast())))
                .problem(for: tool.input, Limits())
        }
        #expect(problem.map(tool.text) == "mood_get: /idd is not a known member; did you mean \"id\"?")
    }
}
