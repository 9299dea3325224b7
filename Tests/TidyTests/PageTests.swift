import Testing

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
}
