/// A fenced block of a document that shows commands and what they print.
///
///     $ mood add 😊 Happy            a command, run by /bin/sh
///     Added 😊 Happy (0190b5a0)      a line that it prints, on stdout or stderr
///     $ printf '%s\n' one \          a command that ends with a backslash goes on
///     > two                          in the next line, behind "> "
///     …                              any number of lines, also none
///     pid …, revision 3              in a line: any text, also none
///
/// In a block of the language `console terminal` each command runs on a pseudo-terminal of its own, of 100 columns.
struct ConsoleBlock {
    struct Step {
        var command: String
        /// The line of the document in which the command stands, from 1.
        let line: Int
        var output: [String] = []
        /// Whether it runs on a terminal.
        var isOnTerminal = false
    }

    var steps: [Step] = []

    /// The info string of the blocks that are run.
    static let language = "console"
    static let ellipsis: Character = "…"

    /// All blocks of a document, in order.
    static func all(in document: String) -> [ConsoleBlock] {
        var blocks: [ConsoleBlock] = []
        var isInside = false
        var isOnTerminal = false
        for (index, line) in lines(document).enumerated() {
            if isInside {
                if line == "```" {
                    isInside = false
                } else {
                    blocks[blocks.count - 1].add(line, index + 1, isOnTerminal)
                }
            } else if line == "```" + language || line == "```" + language + " terminal" {
                blocks.append(ConsoleBlock())
                isInside = true
                isOnTerminal = line.hasSuffix(" terminal")
            }
        }
        return blocks
    }

    private mutating func add(_ line: String, _ number: Int, _ isOnTerminal: Bool) {
        if line.hasPrefix("$ ") {
            steps.append(Step(command: String(line.dropFirst(2)), line: number, isOnTerminal: isOnTerminal))
        } else if let last = steps.indices.last {
            if line.hasPrefix("> "), steps[last].output.isEmpty, steps[last].command.hasSuffix("\\") {
                steps[last].command += "\n" + line.dropFirst(2)
            } else {
                steps[last].output.append(line)
            }
        } else {
            steps.append(Step(command: "", line: number, output: [line]))
        }
    }

    static func lines(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    /// Whether printed lines are what a document shows.
    static func matches(_ printed: ArraySlice<String>, _ shown: ArraySlice<String>) -> Bool {
        guard let first = shown.first else { return printed.isEmpty }
        if first == String(ellipsis) {
            return (printed.startIndex...printed.endIndex).contains { start in
                matches(printed[start...], shown.dropFirst())
            }
        }
        guard let line = printed.first, matches(line: line, first) else { return false }
        return matches(printed.dropFirst(), shown.dropFirst())
    }

    /// Whether a printed line is what a document shows, where an ellipsis stands for any text.
    static func matches(line: String, _ shown: String) -> Bool {
        var pieces = shown.split(separator: ellipsis, omittingEmptySubsequences: false).map(String.init)
        guard pieces.count > 1 else { return line == shown }
        let (first, last) = (pieces.removeFirst(), pieces.removeLast())
        guard line.hasPrefix(first) else { return false }
        var rest = line.dropFirst(first.count)
        for piece in pieces where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return rest.hasSuffix(last)
    }
}
