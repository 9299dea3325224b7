/// The help texts, made from the table of commands.
enum Help {
    /// The column at which meanings begin.
    private static let column = 26
    private static let usualWidth = 80
    /// The longest line: longer ones are hard to read.
    private static let widthMax = 100
    private static let widthMin = 40

    /// - Parameter width: the terminal's width; lines have at most 100 columns.
    static func program(_ groups: [Command.Group], width: Int = usualWidth) -> String {
        var text = """
            mood: keep a mood journal from the command line.

            USAGE: mood COMMAND [arguments] [options]

            EXAMPLES:
              mood add 😊 Happy             Remember a mood.
              mood add calm slept well      A word of your palette, and a note.
              mood list --limit 5           The five newest.
              mood fav @last                The latest one is a favorite.
              mood share @last              A text to send to somebody.

            """
        for group in groups where !group.commands.isEmpty {
            text += "\n\(group.title):\n"
            for command in group.commands { text += row("  " + command.name, command.summary, width: width) }
        }
        text += "\nOPTIONS FOR EVERY COMMAND:\n" + rows(CommandOption.everywhere, width)
        let statuses =
            "EXIT STATUS: 0 done · 1 failed · 64 bad usage · 65 bad data · 66 no such mood · 69 no host · 75 busy, try again"
        text += "\n" + wrapped(statuses, indent: 0, width)
        text += "\n" + wrapped("See 'mood help COMMAND' for a command's arguments and more examples.", indent: 0, width)
        return text
    }

    static func command(_ command: Command, width: Int = usualWidth) -> String {
        var text = wrapped(command.summary, indent: 0, width) + "\nUSAGE: \(command.usage)\n"
        if !command.aliases.isEmpty { text += "ALSO: mood " + command.aliases.joined(separator: ", mood ") + "\n" }
        text += "\nEXAMPLES:\n"
        for example in command.examples { text += "  \(example.line)\n      \(example.meaning)\n" }
        if !command.parameters.isEmpty {
            text += "\nARGUMENTS:\n"
            for parameter in command.parameters { text += row("  " + parameter.name, parameter.summary, width: width) }
        }
        if !command.options.isEmpty { text += "\nOPTIONS:\n" + rows(command.options, width) }
        text += "\nOPTIONS FOR EVERY COMMAND:\n" + rows(CommandOption.everywhere, width)
        for note in command.notes { text += "\n" + wrapped(note, indent: 0, width) }
        return text
    }

    private static func rows(_ options: [CommandOption], _ width: Int) -> String {
        options.reduce(into: "") { $0 += row("  " + $1.usage, $1.summary, width: width) }
    }

    /// A term and its meaning. The meaning of a long term begins on the next line.
    static func row(_ term: String, _ meaning: String, width: Int = usualWidth) -> String {
        let indented = wrapped(meaning, indent: width < 60 ? 8 : column, width)
        guard width >= 60, term.count < column - 1 else { return term + "\n" + indented }
        return term + indented.dropFirst(term.count)
    }

    /// Wraps a text into lines of at most `width` columns, each ended by a line feed.
    private static func wrapped(_ text: String, indent: Int, _ width: Int) -> String {
        let width = min(max(width, widthMin), widthMax)
        let margin = String(repeating: " ", count: indent)
        return Paragraph.wrapped(text, to: width - indent).map { margin + $0 + "\n" }.joined()
    }
}
