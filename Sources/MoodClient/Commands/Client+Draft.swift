import JSONCodec
import Platform

extension CommandOption {
    static let editor = CommandOption("editor", short: "e", "Write it in your editor ($VISUAL, $EDITOR, else vi).")
}

/// `-e`: a mood in the person's own editor.
extension Client {
    /// A draft comes back with what is wrong this often; then it is only kept.
    private static let roundsMax = 20
    private static let draftBytesMax = 1 << 20

    /// Lets a person write the mood and sends it.
    /// - Parameters:
    ///   - start: what the editor shows first.
    ///   - mustChange: whether a text that was left as it was does nothing.
    ///   - send: throws what the host refuses; that comes back as a remark.
    func write(
        _ start: Draft, mustChange: Bool, _ send: (Draft) throws(ClientError) -> Void
    ) throws(ClientError) {
        let path = try draftPath()
        var text = start.text()
        for _ in 0..<Self.roundsMax {
            let written = try edited(text, path)
            if written == text, mustChange, text == start.text() {
                console.removeFile(path)
                return tell("Nothing was changed.")
            }
            guard let remark = try attempt(written, path, send) else { return console.removeFile(path) }
            // Left as it came back: the person gives up.
            if written == text {
                throw .badInput(remark, advice: "What you wrote is kept in \(path).")
            }
            text = Self.remarked(written, remark)
        }
        throw .badInput("That was wrong too often.", advice: "What you wrote is kept in \(path).")
    }

    /// - Returns: what is wrong, for another try; nil if it was sent.
    private func attempt(
        _ written: String, _ path: String, _ send: (Draft) throws(ClientError) -> Void
    ) throws(ClientError) -> String? {
        let draft: Draft
        do throws(Draft.Fault) {
            draft = try Draft(parsing: written)
        } catch {
            return error.message
        }
        do throws(ClientError) {
            try send(draft)
            return nil
        } catch {
            guard Self.canBeMended(error) else {
                console.writeError("What you wrote is kept in \(path).\n")
                throw error
            }
            return error.lines(for: invocation.command).joined(separator: "\n")
        }
    }

    /// Whether another text may help.
    private static func canBeMended(_ error: ClientError) -> Bool {
        switch error {
        case .badInput, .usage: true
        case .remote(let failure): failure.code == -32602
        default: false
        }
    }

    /// The text with what is wrong above it, in place of older remarks.
    private static func remarked(_ text: String, _ remark: String) -> String {
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("#") }
        return remark.split(separator: "\n").map { "# \($0)\n" }.joined() + body.joined(separator: "\n")
    }

    private func draftPath() throws(ClientError) -> String {
        let state = console.environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = console.environment("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
        guard let folder = state ?? home else {
            throw .badInput("There is no place for a draft.", advice: "Set HOME or XDG_STATE_HOME.")
        }
        return "\(folder)/moodboard/drafts/mood-\(console.nowMilliseconds()).md"
    }

    /// Writes the text, runs the editor, and reads what it left.
    private func edited(_ text: String, _ path: String) throws(ClientError) -> String {
        let editor =
            [console.environment("VISUAL"), console.environment("EDITOR")].compactMap { $0 }
            .first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
        let status: ChildProcess.Status?
        let bytes: [UInt8]?
        do throws(SystemError) {
            try console.writeFile(path, Array(text.utf8))
            status = try console.runShell(editor, [path], nil)
            bytes = try console.readFile(path, Self.draftBytesMax)
        } catch {
            throw .badInput("The draft \(path) cannot be edited: \(error).", advice: nil)
        }
        guard status == .exited(0) else {
            throw .declined("The editor '\(editor)' failed; only the draft is kept: \(path)")
        }
        return String(decoding: bytes ?? [], as: UTF8.self)
    }
}
