/// The help texts, made from the table of commands.
enum Help {
    /// Where the right column begins.
    private static let column = 26
    private static let width = 80

    static func program(_ commands: [Command]) -> String {
        var text = """
            mood: keep a mood journal from the command line.

            USAGE: mood COMMAND [arguments] [options]

            EXAMPLES:
              mood add 😊 Happy              Remember a mood.
              mood list --limit 5           The five newest.
              mood fav @last                The newest one is a favourite.
              mood share @last              A text to send to somebody.

            COMMANDS:

            """
        for command in commands { text += row("  " + command.name, command.summary) }
        text += "\nOPTIONS FOR EVERY COMMAND:\n" + rows(CommandOption.everywhere)
        text += """

            EXIT STATUS: 0 done · 1 failed · 64 bad usage · 65 bad data · 66 no such mood ·
            69 no host · 75 busy, try again

            See 'mood help COMMAND' for a command's arguments and more examples.

            """
        return text
    }

    static func command(_ command: Command) -> String {
        var text = wrapped(command.summary, indent: 0) + "\nUSAGE: \(command.usage)\n\nEXAMPLES:\n"
        for example in command.examples { text += "  \(example.line)\n      \(example.meaning)\n" }
        if !command.parameters.isEmpty {
            text += "\nARGUMENTS:\n"
            for parameter in command.parameters { text += row("  " + parameter.name, parameter.summary) }
        }
        if !command.options.isEmpty { text += "\nOPTIONS:\n" + rows(command.options) }
        text += "\nOPTIONS FOR EVERY COMMAND:\n" + rows(CommandOption.everywhere)
        for note in command.notes { text += "\n" + wrapped(note, indent: 0) }
        return text
    }

    private static func rows(_ options: [CommandOption]) -> String {
        options.reduce(into: "") { $0 += row("  " + $1.usage, $1.summary) }
    }

    /// A term and its meaning; a long term has its meaning on the next line.
    static func row(_ term: String, _ meaning: String) -> String {
        let indented = wrapped(meaning, indent: column)
        guard term.count < column - 1 else { return term + "\n" + indented }
        return term + indented.dropFirst(term.count)
    }

    /// Text in lines of at most `width` columns, each ended by a line feed.
    private static func wrapped(_ text: String, indent: Int) -> String {
        let margin = String(repeating: " ", count: indent)
        var lines = ""
        var line = ""
        for word in text.split(separator: " ") {
            if !line.isEmpty, indent + line.count + 1 + word.count > width {
                lines += margin + line + "\n"
                line = ""
            }
            line += (line.isEmpty ? "" : " ") + word
        }
        return lines + margin + line + "\n"
    }
}
