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
        guard error.code == .invalidParams, let path = detail("path")?.string, let reason = detail("reason")?.string
        else {
            let argument: String? =
                switch error.code {
                case .conflict: argument(ofConflict: detail("reason")?.string)
                case .notFound: input.first { Self.namesOfThings.contains("\($0.name)") }.map { "/\($0.name)" }
                case .refused where detail("by")?.string == "store":
                    input.contains { $0.name == "revision" } ? "/revision" : nil
                default: nil
                }
            return "\(name): \(argument.map { $0 + ": " } ?? "")\(Self.inToolWords(error.message, isNative: isNative))"
        }
        // The host's list of actions has some that are for people alone.
        let isNoOffer = path == "/action/type" && !isNative
        return text(
            isNoOffer ? "is none that a screen offers; \(Self.advice)" : Self.inToolWords(reason, isNative: isNative),
            at: params.lazy.compactMap { $0.argument(at: path[...]) }.first ?? path)
    }

    /// The arguments that name what may not be there.
    private static let namesOfThings: Set = ["id", "ids", "revision", "route", "action", "name"]

    /// The argument that does not fit what there is.
    private func argument(ofConflict reason: String?) -> String? {
        let param = reason == "revision" ? "ifRevision" : reason ?? ""
        return params.lazy.compactMap { $0.argument(at: "/\(param)") }.first
    }

    private static let renamedParams =
        [
            ("timestamp", "when"), ("isFavorite", "is_favorite"), ("timeZone", "time_zone"),
            ("opId", "idempotency_key"), ("ifRevision", "if_revision"), ("dryRun", "dry_run"),
        ] + MoodField.ready.map { ("\($0.name)", snake("\($0.name)")) }

    /// A text of the host for a client that knows only tools: methods and params get the names of tools and arguments.
    /// Sentences that name a method without a tool are left out.
    public static func inToolWords(_ text: String, isNative: Bool = false) -> String {
        if text.hasPrefix("is no cursor") {
            return "is no cursor of this list; hand back its nextCursor with all else as it was, or leave it out"
        }
        var told: [String] = []
        var sentence: [String] = []
        var isForModels = true
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            if let said = inToolWords(word: word, isNative) { sentence.append(said) } else { isForModels = false }
            guard let last = word.last, ".?!".contains(last) else { continue }
            if isForModels { told += sentence }
            (sentence, isForModels) = ([], true)
        }
        if isForModels { told += sentence }
        return told.isEmpty ? text : told.joined(separator: " ")
    }

    /// - Returns: nil if it names a method without a tool.
    private static func inToolWords(word: Substring, _ isNative: Bool) -> String? {
        let marks = "()[]{}\"'`.,;:?!"
        let start = word.prefix { marks.contains($0) }
        let end = word.reversed().prefix { marks.contains($0) }
        guard start.count < word.count else { return String(word) }
        let name = String(word.dropFirst(start.count).dropLast(end.count))
        var said = renamedParams.first { $0.0 == name && $0.0 != "timestamp" }?.1 ?? name
        if let namespace = name.split(separator: ".").first, namespace.utf8.count < name.utf8.count,
            namespaces.contains(String(namespace)),
            name.utf8.allSatisfy({ $0 == 0x2e || ($0 | 0x20) &- 0x61 < 26 })
        {
            if let tool = tools[name] {
                said = tool
            } else if isNative, isForModels(name) {
                said = toolName(name)
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
