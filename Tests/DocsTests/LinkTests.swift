import Testing

/// Every link inside the project resolves.
@Suite struct LinkTests {
    @Test(arguments: Repository.documents) func relativeLinksResolve(document: String) throws {
        let directory = document.contains("/") ? Repository.ancestor(of: document, levels: 1) : "."
        for link in try Markdown.links(in: Repository.text(document)) where !link.target.contains("://") {
            let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
            let path = parts[0].isEmpty ? document : directory + "/" + parts[0]
            #expect(Repository.exists(path), "\(document):\(link.line): \(link.target)")
            guard parts.count == 2, path.hasSuffix(".md"), Repository.exists(path) else { continue }
            let anchors = try Markdown.anchors(in: Repository.text(path))
            #expect(anchors.contains(String(parts[1])), "\(document):\(link.line): no heading \(link.target)")
        }
    }

    @Test func linksInCodeAreNoLinks() {
        let links = Markdown.links(in: "[a](one.md) `[b](two.md)` [c](three.md#x)\n```\n[d](four.md)\n```\n[e](five)")
        #expect(links.map(\.target) == ["one.md", "three.md#x", "five"])
        #expect(links.map(\.line) == [1, 1, 5])
    }

    @Test func anchorsAreThoseOfGitHub() {
        #expect(
            Markdown.anchors(in: "# A title\n## Do, and don't\n```\n# no\n```\n### `mood.list` (v2)")
                == ["a-title", "do-and-dont", "moodlist-v2"])
    }
}
