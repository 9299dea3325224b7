/// The checkable parts of a Markdown document: its links, and the anchors of its headings.
enum Markdown {
    struct Link {
        let target: String
        /// The line of the link, from 1.
        let line: Int
    }

    /// The targets of all inline links outside of code.
    static func links(in document: String) -> [Link] {
        var links: [Link] = []
        forEachTextLine(of: document) { line, number in
            var rest = withoutCode(line)[...]
            while let start = rest.firstRange(of: "](") {
                rest = rest[start.upperBound...]
                guard let end = rest.firstIndex(of: ")") else { break }
                links.append(Link(target: String(rest[..<end]), line: number))
                rest = rest[end...]
            }
        }
        return links
    }

    /// The anchors of the headings in GitHub's form: lower case, no punctuation, dashes for spaces.
    static func anchors(in document: String) -> [String] {
        var anchors: [String] = []
        forEachTextLine(of: document) { line, _ in
            guard line.hasPrefix("#") else { return }
            let title = line.drop { $0 == "#" }.drop { $0 == " " }
            anchors.append(
                title.lowercased().filter { $0.isLetter || $0.isNumber || " -_".contains($0) }
                    .map { $0 == " " ? "-" : String($0) }.joined())
        }
        return anchors
    }

    private static func forEachTextLine(of document: String, _ body: (String, Int) -> Void) {
        var isCode = false
        for (index, line) in ConsoleBlock.lines(document).enumerated() {
            if line.hasPrefix("```") { isCode.toggle() } else if !isCode { body(line, index + 1) }
        }
    }

    /// The line without text between backquotes.
    private static func withoutCode(_ line: String) -> String {
        let pieces = line.split(separator: "`", omittingEmptySubsequences: false)
        return pieces.enumerated().filter { $0.offset % 2 == 0 }.map { String($0.element) }.joined()
    }
}
