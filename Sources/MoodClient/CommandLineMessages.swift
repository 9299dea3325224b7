/// Translates the host's messages about params and methods into options and commands.
enum CommandLineMessages {
    /// The form in which a person gives values: options of a command, or fields of a draft.
    enum Form {
        case options, fields
    }

    /// The host's message for a person who gave a command.
    /// - Parameter path: the JSON Pointer that the message is about.
    static func text(_ message: String, path: String?, command: Command, in form: Form = .options) -> String {
        var text = message
        if let path, let range = range(of: path, in: text) {
            let isFirst = range.lowerBound == text.startIndex
            let name = name(of: path, command, in: form)
            text.replaceSubrange(range, with: isFirst ? capitalized(name) : name)
        }
        for option in command.options {
            let param = params[option.name] ?? option.name
            text = text.replacing(" \(param):true", with: " --\(option.name)")
                .replacing(" \(param):ID", with: " --\(option.name) ID")
            // `filter.push` is the member of a param.
            if let dash = option.name.firstIndex(of: "-"), option.name.hasPrefix("filter-") {
                text = text.replacing("filter.\(option.name[dash...].dropFirst())", with: "--\(option.name)")
            }
        }
        text = text.replacing("Say --", with: "Give --").replacing("say --", with: "give --")
        for (method, command) in commands {
            while let range = text.firstRange(of: method), !isInWord(text, range) {
                let isQuoted = text[..<range.lowerBound].last == "'"
                text.replaceSubrange(range, with: isQuoted ? "mood \(command)" : "'mood \(command)'")
            }
        }
        return ofFile(text)
    }

    /// Names options instead of the params that would help to read a file.
    static func ofFile(_ reason: String) -> String {
        reason.replacing("(timeZone,", with: "(--time-zone,").replacing("(dateFormat,", with: "(--date-format,")
            .replacing(" map (", with: " --map (")
    }

    /// The range of a path in a message: as it is, escaped, or as a member before a colon.
    private static func range(of path: String, in message: String) -> Range<String.Index>? {
        guard !path.isEmpty else { return nil }
        let member = path.dropFirst() + ":"
        if message.hasPrefix(member) {
            return message.startIndex..<message.index(message.startIndex, offsetBy: member.count - 1)
        }
        return message.firstRange(of: path) ?? message.firstRange(of: Escaping.visible(path))
    }

    static func mentions(_ path: String, in message: String) -> Bool { range(of: path, in: message) != nil }

    /// Params whose option has another name.
    private static let params = ["yes": "confirm"]

    private static let commands = [
        ("mood.create", "add"), ("mood.deleted", "list --deleted"), ("mood.undelete", "undelete"),
        ("store.log", "log"), ("sync.setup", "sync setup"), ("sync.now", "sync now"), ("sync.status", "sync status"),
        ("sync.conflicts", "sync conflicts"), ("sync.settle", "sync settle"), ("sync.leave", "sync leave"),
        ("sync.forget", "sync forget"), ("mood.list", "list"), ("mood.get", "show"), ("mood.update", "edit"),
        ("mood.history", "history"), ("store.info", "info"), ("host.info", "info"), ("store.verify", "store verify"),
        ("store.compact", "store compact"), ("store.salvage", "store salvage"), ("store.accept", "store accept"),
        ("store.reset", "store reset"), ("store.undo", "undo"), ("store.redo", "redo"),
        ("rpc.discover", "rpc --help"), ("store.import with copy and damaged", "restore --damaged"),
    ]

    /// Whether a range is part of a longer word: `mood.list` in `mood.listing` or `x.mood.list`.
    private static func isInWord(_ text: String, _ range: Range<String.Index>) -> Bool {
        let isWord: (Character) -> Bool = { $0.isLetter || $0.isNumber }
        let before = text[..<range.lowerBound].last
        return text[range.upperBound...].first.map(isWord) == true || before.map { isWord($0) || $0 == "." } == true
    }

    /// Members whose option has another name.
    private static let options = [
        "notes": "note", "tags": "tag", "anyTags": "tag", "noTags": "tag", "timestamp": "at", "component": "as",
        "span": "in", "isFavorite": "favorite",
        "scales": "scale", "dayFrom": "on", "dayTo": "on", "id": "id", "ids": "id",
    ]

    /// Members whose line in a draft has another name than their option.
    private static let fields = ["tags": "tags", "scales": "scales", "timestamp": "time"]

    /// The option for a path: `--time-zone` for `/set/timeZone`, or `the time zone` if the command has no such option.
    static func name(of path: String, _ command: Command, in form: Form = .options) -> String {
        let parts = path.split(separator: "/").map(String.init).filter {
            Int($0) == nil && $0 != "set" && $0 != "filter"
        }
        // The last part of a path into scales is the name of a scale.
        let member = parts.first == "scales" ? "scales" : parts.last ?? ""
        let kebab = member.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        let option = options[member] ?? kebab
        if form == .fields {
            let field = fields[member] ?? option
            return Draft.names.contains(field) ? "\(field):" : "the " + (member == "notes" ? member : option)
        }
        let known = command.options.map(\.name)
        let whole = String(path.dropFirst()).replacing("/", with: "-")
        if known.contains(whole) { return "--\(whole)" }
        for name in ["where-" + option, option] where known.contains(name) {
            if name == option || path.contains("/filter/") { return "--\(name)" }
        }
        if member == "url" { return "the URL" }
        if let parameter = command.parameters.first, member == "path" { return parameter.name }
        if parts.first == "route" { return "the route" }
        return "the " + (options[member] ?? kebab).replacing("-", with: " ")
    }

    private static func capitalized(_ text: String) -> String {
        text.hasPrefix("-") || text.hasSuffix(":") ? text : text.prefix(1).uppercased() + text.dropFirst()
    }
}
