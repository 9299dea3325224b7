import Testing
import Versions

/// The pages, as their readers meet them: README.md and those of `Docs`.
@Suite struct PageTests {
    private static let pages = ["README.md"] + Project.files("Docs", ".md")

    /// A block fenced as `console` is compared as bytes with what its commands print; elsewhere three dots would stand for
    /// something that the reader does not get to see.
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

    /// A release changes one line. Texts that only look alike, such as the first version of a plugin, name no version of ours.
    @Test func theVersionStandsInOnePlace() throws {
        let mark = "\"\(Version.program)\""
        let places = Project.files("Sources", ".swift").filter { Project.text($0)?.contains(mark) == true }
        let template = "Sources/MoodClient/Plugins/PluginTemplate.swift"
        #expect(places.sorted() == [template, "Sources/Versions/Version.swift"])
    }
}
