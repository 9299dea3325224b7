/// Translates the host's messages about params and methods into options and commands.
enum CommandLineMessages {
    /// The host's message for a person who gave a command.
    /// - Parameter path: the JSON Pointer that the message is about.
    static func text(_ message: String, path: String?, command: Command) -> String {
        var text = message
        if let path, !path.isEmpty, let range = text.firstRange(of: path) {
            let isFirst = range.lowerBound == text.startIndex
            let name = name(of: path, command)
            text.replaceSubrange(range, with: isFirst ? capitalized(name) : name)
        }
        if command.options.contains(where: { $0.name == "damaged" }) {
            text = text.replacing("say damaged:true", with: "give --damaged")
        }
        for (method, command) in commands {
            while let range = text.firstRange(of: method), !isInWord(text, range) {
                let isQuoted = text[..<range.lowerBound].last == "'"
                text.replaceSubrange(range, with: isQuoted ? "mood \(command)" : "'mood \(command)'")
            }
        }
        return text
    }

    private static let commands = [
        ("mood.create", "add"), ("mood.list", "list"), ("mood.get", "show"), ("mood.update", "edit"),
        ("mood.history", "history"), ("store.info", "info"), ("host.info", "info"), ("store.verify", "store verify"),
        ("store.compact", "store compact"), ("store.salvage", "store salvage"), ("store.accept", "store accept"),
        ("store.reset", "store reset"), ("store.undo", "undo"), ("store.redo", "redo"),
        ("rpc.discover", "rpc --help"),
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

    /// The option for a path: `--time-zone` for `/set/timeZone`, or `the time zone` if the command has no such option.
    static func name(of path: String, _ command: Command) -> String {
        let parts = path.split(separator: "/").map(String.init).filter {
            Int($0) == nil && $0 != "set" && $0 != "filter"
        }
        // The last part of a path into scales is the name of a scale.
        let member = parts.first == "scales" ? "scales" : parts.last ?? ""
        let kebab = member.reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) }
        let option = options[member] ?? kebab
        let known = command.options.map(\.name)
        for name in ["where-" + option, option] where known.contains(name) {
            if name == option || path.contains("/filter/") { return "--\(name)" }
        }
        if member == "url" { return "the URL" }
        if let parameter = command.parameters.first, member == "path" { return parameter.name }
        if parts.first == "route" { return "the route" }
        return "the " + (options[member] ?? kebab).replacing("-", with: " ")
    }

    private static func capitalized(_ text: String) -> String {
        text.hasPrefix("-") ? text : text.prefix(1).uppercased() + text.dropFirst()
    }
}
