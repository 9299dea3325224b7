/// The declaration of a subcommand, used for parsing, checks, help and suggestions.
struct Command: Sendable {
    /// A line of a declaration.
    enum Part: Sendable {
        /// Other names of the command.
        case aliases([String])
        /// The command destroys data that is nowhere else. Such a command is never suggested.
        case isDestructive
        case parameter(Parameter)
        case options([CommandOption])
        /// The tasks of the command, which is run by `Client.act`.
        case actions([CommandAction])
        /// A paragraph of the help after the options.
        case note(String)
        /// A command line and its meaning.
        case example(String, String)

        /// A required argument.
        static func word(_ name: String, _ summary: String) -> Part { word(name, .one, summary) }

        static func word(_ name: String, _ count: Parameter.Count, _ summary: String) -> Part {
            .parameter(Parameter(name: name, count: count, summary: summary))
        }

        /// A switch.
        static func option(_ name: String, short: Character? = nil, _ summary: String) -> Part {
            .options([CommandOption(name, short: short, summary)])
        }

        static func option(
            _ name: String, short: Character? = nil, _ value: CommandOption.Value, isRepeatable: Bool = false,
            _ summary: String
        ) -> Part {
            .options([CommandOption(name, short: short, value, isRepeatable: isRepeatable, summary)])
        }

        /// An option for a param of the host, which declares it.
        static func option(
            _ param: DeclaredParam, short: Character? = nil, _ placeholder: String, isOpen: Bool = false
        ) -> Part {
            .options([CommandOption(param, short: short, placeholder, isOpen: isOpen)])
        }

        static func options(_ options: CommandOption...) -> Part { .options(options) }
    }

    let name: String
    /// One line, for the list of commands.
    let summary: String
    let run: @Sendable (Client) -> () throws(ClientError) -> Void
    private(set) var aliases: [String] = []
    private(set) var isDestructive = false
    private(set) var parameters: [Parameter] = []
    private(set) var options: [CommandOption] = []
    private(set) var actions: [CommandAction] = []
    private(set) var notes: [String] = []
    private(set) var examples: [(line: String, meaning: String)] = []

    init(
        _ name: String, _ summary: String, _ run: @escaping @Sendable (Client) -> () throws(ClientError) -> Void,
        _ parts: Part...
    ) {
        (self.name, self.summary, self.run) = (name, summary, run)
        for part in parts {
            switch part {
            case .aliases(let names): aliases = names
            case .isDestructive: isDestructive = true
            case .parameter(let parameter): parameters.append(parameter)
            case .options(let more): options += more
            case .actions(let actions): self.actions = actions
            case .note(let note): notes.append(note)
            case .example(let line, let meaning): examples.append((line, meaning))
            }
        }
    }

    /// An argument without a dash.
    struct Parameter: Sendable {
        enum Count: Sendable { case one, optional, oneOrMore, any }

        let name: String
        let count: Count
        let summary: String

        var isRequired: Bool { count == .one || count == .oneOrMore }
        var isRepeatable: Bool { count == .oneOrMore || count == .any }

        /// The parameter in usage lines.
        var usage: String {
            switch count {
            case .one: name
            case .optional: "[\(name)]"
            case .oneOrMore: "\(name)…"
            case .any: "[\(name)…]"
            }
        }
    }

    var usage: String {
        (["mood", name] + parameters.map(\.usage) + (options.isEmpty ? [] : ["[options]"])).joined(separator: " ")
    }
}

/// The declaration of an option.
struct CommandOption: Sendable {
    enum Value: Sendable {
        /// The option is a switch.
        case none
        /// Any text; the string names it in help.
        case text(String)
        /// A whole number.
        case integer(String)
        /// A number.
        case number(String)
        case choice(String, [String])

        var placeholder: String? {
            switch self {
            case .none: nil
            case .text(let name), .integer(let name), .number(let name), .choice(let name, _): name
            }
        }
    }

    /// The name without its dashes.
    let name: String
    let short: Character?
    let value: Value
    let isRepeatable: Bool
    let summary: String

    /// A switch.
    init(_ name: String, short: Character? = nil, _ summary: String) {
        self.init(name, short: short, .none, summary)
    }

    init(_ name: String, short: Character? = nil, _ value: Value, isRepeatable: Bool = false, _ summary: String) {
        (self.name, self.short, self.value, self.isRepeatable, self.summary) = (
            name, short, value, isRepeatable, summary
        )
    }

    /// The option in help: `-n, --note TEXT`.
    var usage: String {
        let dashed = short.map { "-\($0), --\(name)" } ?? "    --\(name)"
        return value.placeholder.map { "\(dashed) \($0)" } ?? dashed
    }
}

extension CommandOption {
    /// Options of every command, before or after its name.
    static let everywhere: [CommandOption] = [
        CommandOption("json", "Print the method's result exactly as the host sent it, for programs."),
        CommandOption("host", .text("PATH"), "The host to start (default: moodboard beside mood, else on PATH)."),
        CommandOption("store", .text("DIR"), "The store's directory (default: the host's own choice)."),
        CommandOption("color", .choice("WHEN", ["auto", "never", "always"]), "Colors: auto, never or always."),
        CommandOption("help", short: "h", "Show help."),
        CommandOption("version", "Show the version."),
    ]

    static let timeZone = CommandOption(
        "time-zone", .text("ZONE"), "The zone of the times beside it, such as Asia/Tokyo (default: yours).")
    static let yes = CommandOption("yes", short: "y", "Do not ask.")
    static let operationID = CommandOption(
        "op-id", .text("ID"),
        "A name for this change: given again, it is not made twice but answered as the first time.")
    static let dryRun = CommandOption("dry-run", "Check it and answer as if it were done, but keep nothing.")
    static let ifRevision = CommandOption(
        "if-revision", .integer("N"), "Only if the mood's revision is still N.")
}
