import Foundation
import JSONCodec
import Testing
import Versions

/// The pages for readers: README.md and those of `Docs`.
@Suite struct PageTests {
    private static let pages = ["README.md"] + Project.files("Docs", ".md")

    /// A block fenced as `console` is compared as bytes with the commands' output. Elsewhere three dots would hide
    /// output from the reader.
    @Test(arguments: pages) func showsNoDotsForOutput(page: String) throws {
        var fence: Substring?
        for (index, line) in try #require(Project.text(page)).split(separator: "\n", omittingEmptySubsequences: false)
            .enumerated()
        {
            if line.hasPrefix("```") { fence = fence == nil ? line.dropFirst(3) : nil }
            let isCompared = fence?.hasPrefix("console") == true
            #expect(isCompared || !line.contains("…"), "\(page):\(index + 1): \(line)")
        }
    }

    /// A newcomer reads all of it.
    @Test func theFirstPageIsShort() throws {
        let lines = try #require(Project.text("README.md")).split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count <= 131, "README.md has \(lines.count - 1) lines; 130 are allowed")
    }

    private static let groups = [
        "To use it", "To build on it", "To work on it", "To judge it", "To learn from it",
    ]

    @Test func everyPageHasALineInTheList() throws {
        let list = try #require(Project.text("Docs/README.md"))
        for page in Self.pages where page != "README.md" && page != "Docs/README.md" {
            let link = "](\(page.dropFirst("Docs/".count)))"
            #expect(list.components(separatedBy: link).count == 2, "Docs/README.md names \(page) once")
        }
        let headings = list.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
        #expect(headings == Self.groups)
        let first = try #require(Project.text("README.md"))
        let places = Self.groups.compactMap { first.range(of: "**\($0):**")?.lowerBound }
        #expect(places.count == Self.groups.count && places == places.sorted(), "README.md has them in this order")
    }

    /// Each step of a check list names an existing file.
    @Test(arguments: checkLists) func aCheckListNamesFilesThatExist(list: String) {
        let items = list.split(separator: "\n").filter { $0.first?.isNumber == true }
        #expect(items.count >= 3, "\(list.prefix(40))")
        for item in items { #expect(item.contains("`"), "a step names no file: \(item)") }
        var files = 0
        let pieces = list.split(separator: "`", omittingEmptySubsequences: false)
        for (index, code) in pieces.enumerated() where index % 2 == 1 {
            guard let path = code.split(separator: " ").first.map(String.init),
                ["Sources/", "Tests/", "Docs/", "Schemas/"].contains(where: path.hasPrefix)
            else { continue }
            files += 1
            #expect(Project.exists(path), "Docs/Contributing.md names \(path)")
        }
        #expect(files >= items.count, "\(list.prefix(40))")
    }

    @Test func thereIsACheckListForEachSeam() {
        let subjects = Self.checkLists.map { $0.prefix { $0 != "\n" } }
        #expect(
            subjects == [
                "method", "member of a mood", "format of imports", "command", "tool for AI clients",
                "transport for sync",
            ])
    }

    /// The sections `### A new …` of the page.
    private static let checkLists = (Project.text("Docs/Contributing.md") ?? "").components(separatedBy: "\n#")
        .filter { $0.hasPrefix("## A new ") }.map { String($0.dropFirst("## A new ".count)) }

    /// The examples of the published document hold names and paths of an invented machine alone.
    @Test func anExampleNamesNoRealMachine() throws {
        let document = try JSONValue(parsing: #require(Project.text("Schemas/openrpc.json")))
        var strings: [(member: String, text: String)] = []
        func collect(_ value: JSONValue, _ member: String) {
            if let text = value.string { strings.append((member, text)) }
            for element in value.array ?? [] { collect(element, member) }
            for one in value.object ?? [] where one.name != "x-varying" { collect(one.value, one.name) }
        }
        for method in document["methods"]?.array ?? [] { collect(method["examples"] ?? .null, "examples") }
        #expect(strings.count > 1_000)
        for (member, text) in strings {
            let path = text.hasPrefix("folder:") ? text.dropFirst("folder:".count) : text[...]
            let isInvented = ["/home/me/", "/usr/bin/", "/label"].contains(where: path.hasPrefix)
            #expect(!path.hasPrefix("/") || isInvented, "\(member): \(text)")
            #expect(member != "host" || text == "laptop", "\(member): \(text)")
        }
        let replicas = strings.filter { $0.member == "name" && $0.text == "laptop" }
        #expect(replicas.count == 3, "sync.status names its replicas")
    }

    /// A release changes one line. Texts that only look alike, such as a plugin's first version, are not ours.
    @Test func theVersionStandsInOnePlace() throws {
        let mark = "\"\(Version.program)\""
        let places = Project.files("Sources", ".swift").filter { Project.text($0)?.contains(mark) == true }
        let template = "Sources/MoodClient/Plugins/PluginTemplate.swift"
        #expect(places.sorted() == [template, "Sources/Versions/Version.swift"])
    }
}
