/// Reads a command line by the table of commands.
///
/// The habits of getopt: `--name value`, `--name=value`, `-n value`, `-nvalue`, `-fa` for two switches, `--` ends the
/// options, options may stand anywhere. One is stricter: a value that looks like an option of the command must be
/// written with `=`, so that a forgotten value does not swallow the next option.
struct ArgumentParser {
    let commands: [Command]

    private var command: Command?
    private var words: [String] = []
    private var wordsBeforeDashes: Int?
    private var given: [String: [String]] = [:]
    private var wantsHelp = false
    private var wantsVersion = false

    init(commands: [Command]) { self.commands = commands }

    /// - Parameter arguments: without the program's name.
    static func parse(_ arguments: [String], commands: [Command]) throws(ClientError) -> ParsedCommandLine {
        var parser = ArgumentParser(commands: commands)
        do throws(ClientError) {
            try parser.read(arguments)
        } catch {
            // Help is shown even if something else is wrong.
            guard parser.wantsHelp else { throw error }
        }
        return try parser.request()
    }

    private mutating func read(_ arguments: [String]) throws(ClientError) {
        var rest = arguments[...]
        var optionsEnded = false
        while let argument = rest.popFirst() {
            if optionsEnded || !argument.hasPrefix("-") || argument == "-" {
                try take(word: argument, &rest)
            } else if argument == "--" {
                optionsEnded = true
                wordsBeforeDashes = words.count
            } else if argument.hasPrefix("--") {
                try take(long: argument.dropFirst(2), &rest)
            } else {
                try take(short: argument.dropFirst(), &rest)
            }
        }
    }

    private func request() throws(ClientError) -> ParsedCommandLine {
        if wantsVersion { return .version }
        guard let command else { return .help(nil, nil) }
        // One before the command may have been taken for one of another command.
        if let name = given.keys.first(where: { name in !options.contains { $0.name == name } }) {
            throw usage("There is no option '--\(name)'\(forCommand).")
        }
        let invocation = Invocation(
            command: command, words: words, wordsBeforeDashes: wordsBeforeDashes ?? words.count, given: given)
        if wantsHelp { return .help(command, invocation) }
        let required = command.parameters.filter(\.isRequired)
        if words.count < required.count {
            let missing = required[words.count...].map(\.name)
            let verb = missing.count == 1 ? "is" : "are"
            throw usage("\(missing.joined(separator: " and ")) \(verb) missing. Usage: \(command.usage)")
        }
        return .run(invocation)
    }

    private mutating func take(word: String, _ rest: inout ArraySlice<String>) throws(ClientError) {
        guard let command else {
            if word == "help" {
                try takeHelp(&rest)
            } else {
                command = try find(word)
            }
            return
        }
        if words.count >= command.parameters.count, !command.parameters.contains(where: \.isRepeatable) {
            let advice = words.isEmpty ? "" : " Quote a text that has spaces: '\(words.last ?? "") \(word)'."
            throw usage("'\(word)' is one too many. Usage: \(command.usage).\(advice)")
        }
        words.append(word)
    }

    /// `help`, `help COMMAND`.
    private mutating func takeHelp(_ rest: inout ArraySlice<String>) throws(ClientError) {
        if let name = rest.popFirst(where: { !$0.hasPrefix("-") }) { command = try find(name) }
        wantsHelp = true
    }

    private func find(_ name: String) throws(ClientError) -> Command {
        if let command = commands.first(where: { $0.name == name || $0.aliases.contains(name) }) { return command }
        // Never suggest a destructive command: people follow a hint without a thought.
        let harmless = commands.filter { !$0.isDestructive }.flatMap { [$0.name] + $0.aliases }
        let nearest = Suggestion.nearest(to: name, among: harmless + ["help"])
        throw usage("There is no command '\(name)'.\(Suggestion.question(nearest))")
    }

    private var options: [CommandOption] { (command?.options ?? []) + CommandOption.everywhere }

    /// The option that is meant; before the command, one of the command that comes.
    private func option(_ rest: ArraySlice<String>, _ isMeant: (CommandOption) -> Bool) -> CommandOption? {
        if let option = options.first(where: isMeant) { return option }
        guard command == nil else { return nil }
        for word in rest.prefix(while: { $0 != "--" }) {
            let coming = commands.first { $0.name == word || $0.aliases.contains(word) }
            if let option = coming?.options.first(where: isMeant) { return option }
        }
        return nil
    }

    private mutating func take(long: Substring, _ rest: inout ArraySlice<String>) throws(ClientError) {
        let parts = long.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // The British spelling is accepted too.
        let name = (parts.first.map(String.init) ?? "").replacing("favourite", with: "favorite")
        guard let option = option(rest, { $0.name == name }) else {
            let nearest = Suggestion.nearest(to: name, among: options.map(\.name)).map { "--\($0)" }
            throw usage("There is no option '--\(name)'\(forCommand).\(Suggestion.question(nearest))")
        }
        try take(option, called: "--\(name)", attached: parts.count == 2 ? String(parts[1]) : nil, &rest)
    }

    private mutating func take(short letters: Substring, _ rest: inout ArraySlice<String>) throws(ClientError) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let option = option(rest, { $0.short == letter }) else {
                // `-note` is probably a long option without its second dash, not four short ones.
                let nearest = Suggestion.nearest(to: "\(letter)\(letters)", among: options.map(\.name))
                throw usage(
                    "There is no option '-\(letter)'\(forCommand).\(Suggestion.question(nearest.map { "--\($0)" }))"
                        + " Write -- before a text that begins with a dash.")
            }
            if case .none = option.value {
                try take(option, called: "-\(letter)", attached: nil, &rest)
                continue
            }
            if letters.first == "=" { letters.removeFirst() }
            let attached = letters.isEmpty ? nil : String(letters)
            try take(option, called: "-\(letter)", attached: attached, &rest)
            return
        }
    }

    private mutating func take(
        _ option: CommandOption, called name: String, attached: String?, _ rest: inout ArraySlice<String>
    ) throws(ClientError) {
        guard let placeholder = option.value.placeholder else {
            if attached != nil { throw usage("\(name) takes no value.") }
            switch option.name {
            case "help": wantsHelp = true
            case "version": wantsVersion = true
            default: given[option.name] = []
            }
            return
        }
        guard let value = attached ?? rest.popFirst(where: { !isOption($0) }) else {
            throw usage(
                "\(name) needs a value: \(name) \(placeholder). Write --\(option.name)=… if it begins with dashes.")
        }
        try check(value, of: option, called: name)
        let isForAll = CommandOption.everywhere.contains { $0.name == option.name }
        if given[option.name] != nil, !option.isRepeatable, !isForAll {
            throw usage("\(name) was given twice; give it once.")
        }
        given[option.name, default: []].append(value)
    }

    /// Whether an argument is certainly an option.
    private func isOption(_ argument: String) -> Bool {
        if argument.hasPrefix("--") { return true }
        guard argument.count == 2, argument.first == "-", let letter = argument.last else { return false }
        return options.contains { $0.short == letter }
    }

    private func check(_ value: String, of option: CommandOption, called name: String) throws(ClientError) {
        switch option.value {
        case .none, .text: break
        case .integer:
            guard Int(value) != nil else { throw usage("\(name) wants a whole number, not '\(value)'.") }
        case .number:
            guard let number = Double(value), number.isFinite else {
                throw usage("\(name) wants a number such as 0.5, not '\(value)'.")
            }
        case .choice(_, let choices):
            guard !choices.contains(value) else { return }
            let nearest = Suggestion.nearest(to: value, among: choices)
            let list = choices.dropLast().joined(separator: ", ") + " or " + (choices.last ?? "")
            throw usage("\(name) is \(list), not '\(value)'.\(Suggestion.question(nearest))")
        }
    }

    private var forCommand: String { command.map { " for 'mood \($0.name)'" } ?? "" }

    private func usage(_ message: String) -> ClientError { .usage(message, command: command?.name) }
}

extension ArraySlice<String> {
    /// Takes the first element if it passes.
    fileprivate mutating func popFirst(where passes: (String) -> Bool) -> String? {
        guard let first, passes(first) else { return nil }
        removeFirst()
        return first
    }
}
