import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol

/// The problems of a call in the terms of tools, so that a model can correct its call.
extension Tool {
    /// A problem of the arguments.
    public func text(of problem: Problem) -> String { text(problem.reason, at: problem.path) }

    /// - Parameter path: a JSON Pointer into the arguments.
    public func text(_ reason: String, at path: String) -> String {
        let place = path.isEmpty ? "arguments" : String(path.unicodeScalars.prefix(100))
        return "\(name): \(place) \(reason)" + (reason.hasSuffix("?") || reason.hasSuffix(".") ? "" : ".")
    }

    /// An error of the host's own method.
    public func text(of error: RPCError) -> String {
        func detail(_ name: String) -> JSONValue? {
            error.details.first { $0.name.utf8.elementsEqual(name.utf8) }?.value
        }
        let message = inToolWords(error.message)
        guard error.code == .invalidParams, let path = detail("path")?.string, let reason = detail("reason")?.string
        else {
            return error.code == .notFound ? "\(name): \(missing)\(message)" : "\(name): \(message)"
        }
        return text(inToolWords(reason), at: params.lazy.compactMap { $0.argument(at: path[...]) }.first ?? path)
    }

    /// The argument that names what is not there, where the host's message has another word for it.
    private var missing: String {
        let argument = input.first { $0.name == "ids" || $0.name == "revision" }
        return argument.map { "/\($0.name): " } ?? ""
    }

    private static let renamedParams =
        [
            ("timestamp", "when"), ("isFavorite", "is_favorite"), ("timeZone", "time_zone"),
            ("opId", "idempotency_key"), ("ifRevision", "if_revision"), ("dryRun", "dry_run"),
        ] + MoodField.ready.map { ("\($0.name)", snake("\($0.name)")) }

    /// A text of the host for a client that knows only tools: methods and params get the names of tools and arguments.
    /// Sentences that name a method without a tool are left out.
    private func inToolWords(_ text: String) -> String {
        var told: [String] = []
        var sentence: [String] = []
        var isForModels = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if let said = inToolWords(word: word) { sentence.append(said) } else { isForModels = false }
            guard let last = word.last, ".?!".contains(last) else { continue }
            if isForModels { told += sentence }
            (sentence, isForModels) = ([], true)
        }
        if isForModels { told += sentence }
        return told.isEmpty ? text : told.joined(separator: " ")
    }

    /// - Returns: nil if it names a method without a tool.
    private func inToolWords(word: Substring) -> String? {
        let marks = "()[]{}\"'`.,;:?!"
        let start = word.prefix { marks.contains($0) }
        let end = word.reversed().prefix { marks.contains($0) }
        guard start.count < word.count else { return String(word) }
        let name = String(word.dropFirst(start.count).dropLast(end.count))
        var said = Self.renamedParams.first { $0.0 == name && $0.0 != "timestamp" }?.1 ?? name
        if let namespace = name.split(separator: ".").first, namespace.utf8.count < name.utf8.count,
            Self.namespaces.contains(String(namespace)),
            name.utf8.allSatisfy({ $0 == 0x2e || ($0 | 0x20) &- 0x61 < 26 })
        {
            if let tool = Self.tools[name] {
                said = tool
            } else if isNative, Self.isForModels(name) {
                said = Self.toolName(name)
            } else {
                return nil
            }
        }
        return start + said + String(end.reversed())
    }

    private static let namespaces: Set = [
        "action", "editor", "events", "host", "mood", "nav", "plugin", "settings", "stats", "store", "sync", "time",
    ]

    private static let tools = Dictionary(
        all(isReadOnly: false).map { ("\($0.method)", $0.name) }, uniquingKeysWith: { first, _ in first })
}
