import Versions

/// Manual pages from the same declarations as the help: man(7) macros.
enum ManualPage {
    static func program(_ groups: [Command.Group]) -> String {
        var text = head("MOOD", "mood", "keep a mood journal from the command line")
        text += ".SH SYNOPSIS\n.B mood\n.I COMMAND\n[arguments] [options]\n"
        for group in groups where !group.commands.isEmpty {
            text += ".SH \(group.title)\n"
            for command in group.commands { text += term(command.usage, command.summary) }
        }
        text += ".SH OPTIONS FOR EVERY COMMAND\n" + options(CommandOption.everywhere)
        text += ".SH EXIT STATUS\n"
        for (code, meaning) in [
            ("0", "Done."), ("1", "It could not be done."), ("64", "The command line is wrong."),
            ("65", "What was given is not acceptable."), ("66", "There is no such mood."),
            ("69", "The host cannot be started or died."), ("75", "Busy: try again."),
        ] { text += term(code, meaning) }
        text += ".SH ENVIRONMENT\n"
        for (name, meaning) in [
            ("MOODBOARD_STORE", "The store's directory, if no --store is given."),
            ("MOOD_PAGER, PAGER", "The pager for long output on a terminal; empty for none."),
            ("VISUAL, EDITOR", "The editor of --editor."), ("NO_COLOR", "If not empty: no colors."),
            ("COLUMNS", "The width of output, in place of the terminal's."),
            ("XDG_CONFIG_HOME", "Where moodboard/config.json is looked for; 'mood settings' shows what it says."),
            ("LC_ALL, LC_MESSAGES, LC_TIME, LANG", "The language of words and dates, where no locale was chosen."),
            ("TZ", "The zone of the place, which 'mood add' keeps."),
            ("XDG_STATE_HOME", "Where the rows of the latest lists are kept."),
        ] { text += term(name, meaning) }
        return text + ".SH SEE ALSO\n.BR moodboard (1)\n"
    }

    static func command(_ command: Command) -> String {
        var text = head("MOOD-" + command.name.uppercased(), "mood-" + command.name, command.summary)
        text += ".SH SYNOPSIS\n\(bold(command.usage))\n"
        if !command.parameters.isEmpty {
            text += ".SH ARGUMENTS\n"
            for parameter in command.parameters { text += term(parameter.name, parameter.summary) }
        }
        if !command.options.isEmpty { text += ".SH OPTIONS\n" + options(command.options) }
        for (index, note) in command.notes.enumerated() {
            text += (index == 0 ? ".SH NOTES\n" : ".PP\n") + line(note)
        }
        text += ".SH EXAMPLES\n"
        for example in command.examples { text += term(example.line, example.meaning) }
        return text + ".SH SEE ALSO\n.BR mood (1)\n"
    }

    private static func head(_ title: String, _ name: String, _ summary: String) -> String {
        var summary = summary
        if summary.hasSuffix(".") { summary.removeLast() }
        return ".TH \(title) 1 \(Version.date) \"mood \(Version.program)\"\n.SH NAME\n"
            + "\(escaped(name)) \\- \(escaped(summary))\n"
    }

    private static func options(_ options: [CommandOption]) -> String {
        options.reduce(into: "") { $0 += term($1.usage.trimmingPrefix { $0 == " " }.description, $1.summary) }
    }

    private static func term(_ term: String, _ meaning: String) -> String { ".TP\n\(bold(term))\n\(line(meaning))" }

    private static func bold(_ text: String) -> String { "\\fB\(escaped(text))\\fR" }

    /// Escapes a line. A dot or an apostrophe at its beginning would be a request.
    private static func line(_ text: String) -> String {
        let text = escaped(text)
        return (text.hasPrefix(".") || text.hasPrefix("'") ? "\\&" : "") + text + "\n"
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "\\": result += "\\e"
            case "-": result += "\\-"
            case "\n": result += " "
            default: result.append(character)
            }
        }
    }
}
