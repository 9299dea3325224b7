import JSONCodec
import JSONRPC

/// An error answer: its bytes for programs, its members for people.
struct RemoteError: Error, Sendable {
    let code: Int
    let message: String
    let kind: String?
    /// Whether the same request may succeed later.
    let isRetryable: Bool
    let data: JSONValue?
    /// The exact bytes of the error object.
    let json: [UInt8]

    /// Reads an error object. Members of the wrong type count as missing: there is still an error to report.
    init(json: [UInt8]) {
        let value = try? JSONValue.parse(json)
        self.json = json
        code = value?["code"]?.integer ?? -32603
        message = value?["message"]?.string ?? "The host answered with an unknown error."
        data = value?["data"]
        kind = data?["kind"]?.string
        isRetryable = data?["retryable"]?.boolean ?? false
    }

    /// An error of the client itself, in the host's words and shape.
    init(_ error: RPCError) {
        var writer = JSONWriter()
        error.write(to: &writer)
        self.init(json: writer.buffer.withBytes { Array($0) })
    }

    /// There is no mood of this id.
    static func notFound(_ id: String, _ message: String) -> RemoteError {
        RemoteError(RPCError(ErrorCode(1001, "notFound"), message, [.init("id", .string(id))]))
    }

    /// One or two lines for people: the message, and what `data` adds to it.
    var lines: [String] { lines(for: nil) }

    /// The lines in the words of a command. `mood rpc` sends raw requests, so it has the protocol's words.
    func lines(for command: Command?, in form: CommandLineMessages.Form = .options) -> [String] {
        var facts: [String] = []
        let command = command?.name == Command.call.name ? nil : command
        if let path = data?["path"]?.string, !path.isEmpty, !CommandLineMessages.mentions(path, in: message) {
            facts.append("It is about \(command.map { CommandLineMessages.name(of: path, $0, in: form) } ?? path).")
        }
        if let reason = data?["reason"]?.string, !mentions(reason) { facts.append("Reason: \(reason).") }
        let suggestions = (data?["suggestions"]?.array ?? []).compactMap(\.string)
        if let first = suggestions.first, !suggestions.contains(where: mentions) {
            facts.append("Did you mean '\(first)'?")
        }
        facts += advice.map { [$0] } ?? []
        let path = data?["path"]?.string
        let told = command.map { CommandLineMessages.text(message, path: path, command: $0, in: form) } ?? message
        return (facts.isEmpty ? [told] : [told, facts.joined(separator: " ")])
            + (command == nil ? problems : problems.map(CommandLineMessages.ofFile))
    }

    /// The most problems in a file to print.
    private static let problemsShown = 20

    /// Problems in a file, a line each: `moods.json:75: holds …`. The message has named the first.
    private var problems: [String] {
        let all = data?["problems"]?.array ?? []
        guard all.count > 1 else { return [] }
        let lines = all.prefix(Self.problemsShown).compactMap { problem -> String? in
            guard let reason = problem["reason"]?.string else { return nil }
            let line = problem["line"]?.integer
            guard let file = problem["file"]?.string else { return "line \(line ?? 0): \(reason)" }
            return "\(file):\(line.map { "\($0):" } ?? "") \(reason)"
        }
        let rest = all.count - Self.problemsShown
        return lines + (rest > 0 ? ["… and \(rest) more"] : [])
    }

    /// Advice for a person at a shell, which the host cannot give.
    private var advice: String? {
        switch code {
        // A plugin's id has dots, a mood's has none.
        case 1001 where data?["id"]?.string?.utf8.contains(UInt8(ascii: ".")) == true:
            "'mood plugin list' shows all plugins."
        case 1001 where data?["id"] != nil && !["mood.list", "mood.deleted", "mood list"].contains(where: mentions):
            "'mood list' shows all moods."
        case 1010: "Nothing was changed; try again in a moment."
        case 1013: "Check with 'mood list' whether it was kept, then try again."
        case -32601: "'mood rpc --help' lists the methods."
        default: nil
        }
    }

    /// The message without the JSON Pointer at its beginning.
    var bareMessage: String {
        guard let path = data?["path"]?.string, message.hasPrefix(path + " ") else { return message }
        return String(message.dropFirst(path.count + 1))
    }

    private func mentions(_ text: String) -> Bool {
        let needle = Array(text.utf8)
        let hay = Array(message.utf8)
        guard hay.count >= needle.count else { return false }
        return (0...hay.count - needle.count).contains { hay[$0..<$0 + needle.count].elementsEqual(needle) }
    }
}
