import JSONCodec
import JSONRPC
import MoodProtocol

/// What is wrong with a call, in the words of tools: so that a model can mend its call from it.
extension Tool {
    /// Something in its arguments.
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
        let message = Self.inToolWords(error.message)
        guard error.code == .invalidParams, let path = detail("path")?.string, let reason = detail("reason")?.string
        else {
            return "\(name): \(message)"
        }
        return text(Self.inToolWords(reason), at: Self.argument(path))
    }

    /// Where the host's param stands among the arguments.
    private static func argument(_ path: String) -> String {
        var path = path
        for outer in ["/set", "/filter"] where path.hasPrefix(outer + "/") { path.removeFirst(outer.count) }
        let names = [
            "/timestamp": "/when", "/isFavorite": "/is_favorite", "/timeZone": "/time_zone",
            "/opId": "/idempotency_key", "/ifRevision": "/if_revision", "/dryRun": "/dry_run",
        ]
        for (param, argument) in names where path == param || path.hasPrefix(param + "/") {
            return argument + path.dropFirst(param.count)
        }
        return path
    }

    private static func inToolWords(_ text: String) -> String {
        let words = [
            ("mood.list", "mood_find"), ("mood.get", "mood_get"), ("mood.create", "mood_add"),
            ("mood.update", "mood_update"), ("store.undo", "mood_undo"), ("ifRevision", "if_revision"),
            ("opId", "idempotency_key"), ("isFavorite", "is_favorite"), ("timeZone", "time_zone"),
        ]
        var result = text
        for (param, word) in words {
            var parts: [Substring] = []
            var rest = Substring(result)
            while let range = rest.firstRange(of: param) {
                parts.append(rest[..<range.lowerBound])
                rest = rest[range.upperBound...]
            }
            parts.append(rest)
            if parts.count > 1 { result = parts.joined(separator: word) }
        }
        return result
    }
}
