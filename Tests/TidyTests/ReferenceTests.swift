import Foundation
import JSONCodec
import JSONRPC
import Testing
import Versions

@testable import MoodClient
@testable import MoodHost
@testable import MoodProtocol

/// The files that come from the declarations: the tables of the protocol's page, and the client's knowledge of params
/// and cells. `MOODBOARD_GOLDEN=write` in the environment writes the files again.
@Suite(.serialized) struct ReferenceTests {
    private static let document = OpenRPC.document(of: MethodTable().all, version: Version.program)

    private static func expect(_ made: String, in file: String) throws {
        let present = Project.text(file) ?? ""
        if ProcessInfo.processInfo.environment["MOODBOARD_GOLDEN"] == "write" {
            if made != present { try made.write(toFile: Project.path(file), atomically: true, encoding: .utf8) }
            return
        }
        let isSame = made == present
        #expect(isSame, "write \(file) again: MOODBOARD_GOLDEN=write swift test --filter ReferenceTests")
    }

    @Test func thePublishedOpenRPCIsTheGeneratedOne() throws {
        try Self.expect(Self.document.prettyText + "\n", in: "Schemas/openrpc.json")
    }

    // MARK: Schemas

    @Test func theSchemaOfMessagesIsTheDocuments() throws {
        let messages = PublishedSchemas.messages(Self.document)
        try Self.expect(messages.definitionsByLine, in: PublishedSchemas.path("messages"))
        try Self.expect(
            PublishedSchemas.older(messages, "messages").definitionsByLine, in: PublishedSchemas.olderPath("messages"))
    }

    @Test(arguments: PublishedSchemas.files)
    func theSchemaOfAFileIsThereInDraft07(name: String) throws {
        let text = try #require(Project.text(PublishedSchemas.path(name)))
        let schema = try JSONValue(parsing: text)
        #expect(schema["$id"]?.string == PublishedSchemas.id(name))
        try Self.expect(
            PublishedSchemas.older(schema, name).prettyText + "\n", in: PublishedSchemas.olderPath(name))
    }

    /// A new schema must be published in both versions.
    @Test func everySchemaIsPublishedTwice() {
        let names = Project.files("Schemas", ".schema.json").filter { !$0.hasPrefix("Schemas/draft-07/") }
        #expect(names == (PublishedSchemas.files + ["messages"]).map(PublishedSchemas.path).sorted())
        #expect(
            Project.files("Schemas/draft-07", ".schema.json")
                == (PublishedSchemas.files + ["messages"]).map(PublishedSchemas.olderPath).sorted())
    }

    // MARK: Tables of pages

    @Test(arguments: [
        ("Docs/Protocol.md", "methods"), ("Docs/Protocol.md", "types"), ("Docs/Protocol.md", "events"),
        ("Docs/Protocol.md", "errors"), ("Docs/Protocol.md", "limits"),
        ("Docs/Plugins.md", "pluginLimits"), ("Docs/Plugins.md", "schemaKeywords"),
    ])
    func theTableOfAPageIsTheDeclarations(file: String, part: String) throws {
        let page = try #require(Project.text(file))
        let begin = "<!-- made from the declarations: \(part) -->\n"
        let end = "<!-- \(part) end -->"
        let start = try #require(page.range(of: begin), "\(file) has no place for \(part)")
        let stop = try #require(page.range(of: end, range: start.upperBound..<page.endIndex))
        let table =
            switch part {
            case "methods": PageTables.methods(Self.document)
            case "types": PageTables.types()
            case "events": PageTables.events()
            case "errors": PageTables.errors()
            case "limits": PageTables.limits()
            case "pluginLimits": PageTables.pluginLimits()
            default: PageTables.schemaKeywords()
            }
        try Self.expect(
            page.replacingCharacters(in: start.upperBound..<stop.lowerBound, with: "\n" + table + "\n"), in: file)
    }

    private static func string(_ value: JSONValue?) -> String { value?.string ?? "" }

    // MARK: The client

    /// The methods whose params are options of a command.
    private static let methodsOfCommands = ["mood.list", "mood.share", "nav.screen"]

    @Test func theClientKnowsTheParamsAsTheyAreDeclared() throws {
        var text = """
            // Made from the declarations; write it again with MOODBOARD_GOLDEN=write swift test --filter ReferenceTests.

            /// The params that commands have options for, as the host declares them.
            enum DeclaredParams {

            """
        for method in Self.document["methods"]?.array ?? []
        where Self.methodsOfCommands.contains(Self.string(method["name"])) {
            let params = method["params"]?.array ?? []
            text += "    enum \(Self.typeName(Self.string(method["name"]))) {\n"
            for param in params {
                let name = Self.string(param["name"])
                let schema = param["schema"] ?? .null
                let member = ["as"].contains(name) ? "`\(name)`" : name
                let absent = schema["default"].map { $0.string ?? $0.text }
                let start = "        static let \(member) = DeclaredParam("
                let facts = [
                    JSONValue.string(name).text, Self.kind(schema), absent.map { JSONValue.string($0).text } ?? "nil",
                ].joined(separator: ", ")
                let summary = JSONValue.string(Self.string(param["summary"])).text
                let indent = "\n            "
                let forms = ["\(facts), \(summary))", "\(indent)\(facts), \(summary))"]
                let fitting = forms.first { (start + $0).split(separator: "\n").allSatisfy { $0.count <= 120 } }
                text += start + (fitting ?? "\(indent)\(facts),\(indent)\(summary))") + "\n"
            }
            text += "    }\n"
        }
        try Self.expect(text + "}\n", in: "Sources/MoodClient/Arguments/DeclaredParams.swift")
    }

    /// `MoodShare` for `mood.share`.
    private static func typeName(_ method: String) -> String {
        method.split(separator: ".").map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }

    private static func kind(_ schema: JSONValue) -> String {
        if let words = schema["enum"]?.array?.compactMap(\.string) {
            return ".choice([" + words.map { JSONValue.string($0).text }.joined(separator: ", ") + "])"
        }
        return switch schema["type"]?.string {
        case "string": ".text"
        case "integer": ".integer"
        case "number": ".number"
        case "boolean": ".boolean"
        default: ".other"
        }
    }

    @Test func theClientTellsCellsAsTheyAreDeclared() throws {
        func literal(_ name: Name?) -> String { name.map { "\"\($0)\"" } ?? "nil" }
        var text = """
            // Made from the declarations; write it again with MOODBOARD_GOLDEN=write swift test --filter ReferenceTests.

            extension CellFact {
                static let all: [String: CellFact] = [

            """
        for cell in CellType.all {
            guard case .fact(let term, let members, let note) = cell.telling else { continue }
            let names = members.map { literal($0) }.joined(separator: ", ")
            text += "        \(literal(cell.type)): CellFact("
            text += "term: \(literal(term)), members: [\(names)], note: \(literal(note))),\n"
        }
        try Self.expect(text + "    ]\n}\n", in: "Sources/MoodClient/Rendering/Moods/CellFact+All.swift")
    }

    /// Each form of a cell in words names members of its cell.
    @Test(arguments: CellType.all.map { "\($0.type)" })
    func aCellIsToldByMembersThatItHas(type: String) throws {
        let cell = try #require(CellType.all.first { "\($0.type)" == type })
        guard case .fact(let term, let members, let note) = cell.telling else { return }
        let names = Set(cell.members.map(\.name))
        for name in [term, note].compactMap(\.self) + members { #expect(names.contains(name), "\(name)") }
        #expect(!members.isEmpty)
    }
}
