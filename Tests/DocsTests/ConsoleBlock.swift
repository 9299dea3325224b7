/// A fenced block of a document with commands and their output.
///
///     $ mood add 😊 Happy            a command, run by /bin/sh
///     Added 😊 Happy (0190b5a0)      a line that it prints, on stdout or stderr
///     $ printf '%s\n' one \          a command that ends with a backslash goes on
///     > two                          in the next line, behind "> "
///
/// The commands of a block of the language `console terminal` run on one pseudo-terminal of 100 columns.
struct ConsoleBlock {
    struct Step {
        var command: String
        /// The line of the command in the document, from 1.
        let line: Int
        var output: [String] = []
        /// The index of the line after the command.
        var outputStart = 0
        /// Whether it runs on a terminal.
        var isOnTerminal = false
    }

    var steps: [Step] = []

    /// The info string of blocks to run.
    static let language = "console"

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
            steps.append(
                Step(
                    command: String(line.dropFirst(2)), line: number, outputStart: number, isOnTerminal: isOnTerminal))
        } else if let last = steps.indices.last {
            if line.hasPrefix("> "), steps[last].output.isEmpty, steps[last].command.hasSuffix("\\") {
                steps[last].command += "\n" + line.dropFirst(2)
                steps[last].outputStart = number
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

    /// The steps whose output in the document differs from the printed lines, compared as bytes.
    static func differences(from printed: [[String]], in document: String) -> [String] {
        zip(all(in: document).flatMap(\.steps), printed).flatMap { step, lines in
            var told: [String] = []
            if step.command.isEmpty { told.append("\(step.line): a block begins with a command") }
            if !lines.elementsEqual(step.output, by: { $0.utf8.elementsEqual($1.utf8) }) {
                told.append("\(step.line): \(step.command)\nprints\n\(lines.joined(separator: "\n"))")
            }
            return told
        }
    }

    /// The document with printed lines in place of its own.
    /// - Parameter printed: the lines of each step, in the order of the steps.
    static func document(_ document: String, showing printed: [[String]]) -> String {
        var lines = lines(document)
        for (step, output) in zip(all(in: document).flatMap(\.steps), printed).reversed() {
            lines.replaceSubrange(step.outputStart..<step.outputStart + step.output.count, with: output)
        }
        return lines.joined(separator: "\n")
    }
}
