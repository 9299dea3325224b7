import Foundation
import JSONCodec
import MoodProtocol
import Testing
import Versions

@testable import MoodHost

@Suite struct DocumentTests {
    /// The architecture page has a line for every target, in backticks.
    @Test func theArchitecturePageNamesEveryTarget() throws {
        let page = try #require(Project.text("Docs/Architecture.md"), "Docs/Architecture.md is missing")
        for target in Project.targets {
            #expect(page.contains("`\(target)`"), "Docs/Architecture.md does not name \(target)")
        }
    }

    @Test func everyMethodOccursInATranscript() throws {
        let files = Project.files("Tests/Conformance", ".transcript")
        let texts = try files.map { try #require(Project.text($0)) }
        for method in MethodTable().all {
            #expect(
                texts.contains { $0.contains("\"method\":\"\(method.name)\"") }, "no transcript calls \(method.name)")
        }
    }

    /// Some transcript answers with every kind of cell, tool and effect, and answers with or sends every kind of
    /// action. `error` is a mood that is deleted during the request for its screen, which cannot be made to happen over
    /// one pipe.
    @Test func everyKindOfWhatAScreenShowsOccursInATranscript() throws {
        let document = OpenRPC.document(of: MethodTable().all, version: Version.program)
        let lines = try Project.files("Tests/Conformance", ".transcript").flatMap {
            try #require(Project.text($0)).split(separator: "\n")
        }
        for name in ["Cell", "Tool", "Action", "Effect"] {
            let schema = try #require(document["components"]?["schemas"]?[name])
            let kinds = Set(Self.kinds(schema)).subtracting(["error"])
            #expect(!kinds.isEmpty, "\(name) has no kinds")
            // Transcripts send the actions that no screen offers.
            let said = lines.filter { $0.hasPrefix("<--") || name == "Action" && $0.hasPrefix("-->") }
            for kind in kinds where !said.contains(where: { $0.contains("\"type\":\"\(kind)\"") }) {
                Issue.record("no transcript has \(name) \(kind)")
            }
        }
    }

    /// The values of `type` in a schema.
    private static func kinds(_ schema: JSONValue) -> [String] {
        var kinds: [String] = []
        for member in schema.object ?? [] {
            if member.name == "type", let kind = member.value["const"]?.string { kinds.append(kind) }
            if member.name == "type", let choice = member.value["enum"]?.array { kinds += choice.compactMap(\.string) }
            if member.name != "action" { kinds += Self.kinds(member.value) }
        }
        for element in schema.array ?? [] { kinds += Self.kinds(element) }
        return kinds
    }

    /// Codes of the present host. On a pipe, chance decides whether a cancellation comes in time, and a sync fails on
    /// no healthy disk: `MoodHostTests` have -32800 and 1013.
    @Test(arguments: [
        -32700, -32600, -32601, -32602, -32802, 1001, 1002, 1003, 1010, 1011, 1012, 1014, 1015,
        1020, 1030, 1031, 1032, 1040,
    ])
    func everyErrorCodeOccursInATranscript(code: Int) throws {
        let files = Project.files("Tests/Conformance", ".transcript")
        let texts = try files.map { try #require(Project.text($0)) }
        let isThere = texts.contains { text in
            text.contains("$error:\(code)") || text.contains("|\(code)") || text.contains("\"code\":\(code)")
        }
        #expect(isThere, "no transcript expects \(code)")
    }

    @Test func everyDocumentThatTheReadmeNamesIsThere() throws {
        let readme = try #require(Project.text("README.md"), "README.md is missing")
        let missing = try Self.paths(in: readme).filter { !Project.exists($0) }
        #expect(missing.isEmpty, "README.md names what is not there: \(missing.sorted())")
    }

    @Test func linksBetweenDocumentsLeadSomewhere() throws {
        for file in Project.files("Docs", ".md") + Project.files("Tests", ".md") {
            let folder = (file as NSString).deletingLastPathComponent
            for link in try Self.links(in: try #require(Project.text(file))) {
                let path = (folder as NSString).appendingPathComponent(link)
                #expect(Project.exists(path), "\(file) links to \(link)")
            }
        }
    }

    /// `.prompts/*/output/metadata.json` names files, documents and tests of this project.
    @Test func archivesNameFilesThatExist() throws {
        for file in Project.files(".prompts", "metadata.json") {
            let metadata = try JSONValue(parsing: try #require(Project.text(file)))
            for name in ["feature", "title", "date", "status"] {
                #expect(metadata[name]?.string?.isEmpty == false, "\(file) has no \(name)")
            }
            for name in ["files", "docs", "tests"] {
                let paths = try #require(metadata[name]?.array, "\(file) has no \(name)")
                for path in paths.compactMap(\.string) { #expect(Project.exists(path), "\(file) names \(path)") }
            }
            #expect(metadata["commands"]?.array?.isEmpty == false, "\(file) has no commands")
            let folder = ((file as NSString).deletingLastPathComponent as NSString).deletingLastPathComponent
            for name in ["PROMPT.md", "feature-notes.md"] { #expect(Project.exists(folder + "/" + name), "\(folder)") }
        }
    }

    /// Names of documents in links and in backticks.
    private static func paths(in text: String) throws -> Set<String> {
        let expression = try NSRegularExpression(
            pattern: "(?:\\]\\(|`)((?:Docs|Schemas|Tests|Sources|\\.ci|\\.prompts)[^)`#\\s]*)")
        let matches = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
        let found = matches.compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } }
        return Set(found.filter { !$0.contains("*") && !$0.contains("…") && !$0.contains("<") })
    }

    /// Relative targets of Markdown links, without their fragments.
    private static func links(in text: String) throws -> Set<String> {
        let expression = try NSRegularExpression(pattern: "\\]\\(([^)#\\s:]+)(?:#[^)]*)?\\)")
        let matches = expression.matches(in: text, range: NSRange(text.startIndex..., in: text))
        return Set(matches.compactMap { Range($0.range(at: 1), in: text).map { String(text[$0]) } })
    }
}
