/// The declaration of a subcommand, used for parsing, checks, help and suggestions.
struct Command: Sendable {
    let name: String
    /// Other names of the command.
    var aliases: [String] = []
    /// One line, for the list of commands.
    let summary: String
    /// Whether it destroys data that is nowhere else. Such a command is never suggested.
    var isDestructive = false
    var parameters: [Parameter] = []
    var options: [CommandOption] = []
    /// Paragraphs of the help after the options.
    var notes: [String] = []
    let examples: [Example]
    let run: @Sendable (Client) throws(ClientError) -> Void

    struct Example: Sendable {
        let line: String
        let meaning: String

        init(_ line: String, _ meaning: String) {
            self.line = line
            self.meaning = meaning
        }
    }

    /// An argument without a dash.
    struct Parameter: Sendable {
        enum Count: Sendable { case one, optional, oneOrMore, any }

        let name: String
        let count: Count
        let summary: String

        /// A required parameter.
        init(_ name: String, _ summary: String) { self.init(name, .one, summary) }

        init(_ name: String, _ count: Count, _ summary: String) {
            self.name = name
            self.count = count
            self.summary = summary
        }

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
        self.name = name
        self.short = short
        self.value = value
        self.isRepeatable = isRepeatable
        self.summary = summary
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
