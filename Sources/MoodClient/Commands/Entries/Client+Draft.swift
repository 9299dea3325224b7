import JSONCodec
import Platform

extension CommandOption {
    static let editor = CommandOption("editor", short: "e", "Write it in your editor ($VISUAL, $EDITOR, else vi).")
}

/// `-e`: a mood in the person's own editor.
extension Client {
    /// The most times that the editor opens again after an error; then the draft is only kept.
    private static let roundsMax = 20
    private static let draftBytesMax = 1 << 22
    /// The age at which a draft that was kept is deleted.
    private static let draftMillisecondsMax = 30 * 86_400 * 1_000

    /// Lets a person write the mood and sends it.
    /// - Parameters:
    ///   - start: the editor's first text.
    ///   - isNew: whether there is no mood yet; then a text that was not changed makes none.
    ///   - send: throws the host's error, which the editor shows as a remark.
    func write(
        _ start: Draft, isNew: Bool, _ send: (Draft) throws(ClientError) -> Void
    ) throws(ClientError) {
        let path = try draftPath()
        var text = start.text()
        var lastRemark = ""
        for _ in 0..<Self.roundsMax {
            let written = try edited(text, path)
            let isUntouched = written == text && text == start.text()
            if isUntouched || Draft.isEmpty(written) {
                console.removeFile(path)
                guard isUntouched, !isNew else {
                    let reason = isUntouched ? "the text was left as it was" : "the text is empty"
                    throw .declined("Nothing was \(isNew ? "kept" : "changed"): \(reason).")
                }
                return tell("Nothing was changed.")
            }
            guard let remark = try attempt(written, path, send) else { return console.removeFile(path) }
            // The person changed nothing and gives up.
            lastRemark = remark.joined(separator: " ")
            if written == text { break }
            text = Self.remarked(written, remark)
        }
        throw .badInput(lastRemark, advice: "What you wrote is kept in \(path).")
    }

    /// - Returns: the lines of the error, for another try; nil if the draft was sent.
    private func attempt(
        _ written: String, _ path: String, _ send: (Draft) throws(ClientError) -> Void
    ) throws(ClientError) -> [String]? {
        let draft: Draft
        do throws(Draft.Fault) {
            draft = try Draft(parsing: written)
        } catch {
            return [error.message]
        }
        do throws(ClientError) {
            try send(draft)
            return nil
        } catch {
            guard Self.canBeMended(error) else {
                console.writeError("What you wrote is kept in \(path).\n")
                throw error
            }
            return error.lines(for: invocation.command, in: .fields)
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

    /// The text with the error above it, in place of older remarks.
    private static func remarked(_ text: String, _ remark: [String]) -> String {
        let body = text.split(separator: "\n", omittingEmptySubsequences: false).drop { $0.hasPrefix("#") }
        return remark.flatMap { $0.split(separator: "\n") }.map { "# \($0)\n" }.joined() + body.joined(separator: "\n")
    }

    private func draftPath() throws(ClientError) -> String {
        let state = console.environment("XDG_STATE_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let home = console.environment("HOME").flatMap { $0.hasPrefix("/") ? $0 + "/.local/state" : nil }
        guard let folder = state ?? home else {
            throw .badInput("There is no place for a draft.", advice: "Set HOME or XDG_STATE_HOME.")
        }
        let drafts = folder + "/moodboard/drafts"
        for name in console.filesInFolder(drafts) {
            guard let made = Self.timeOfDraft(name), console.nowMilliseconds() - made > Self.draftMillisecondsMax else {
                continue
            }
            console.removeFile("\(drafts)/\(name)")
        }
        return "\(drafts)/mood-\(console.nowMilliseconds()).md"
    }

    /// The time at which a draft was begun, in milliseconds since 1970; nil for a file of another name.
    private static func timeOfDraft(_ name: String) -> Int? {
        guard name.hasPrefix("mood-"), name.hasSuffix(".md") else { return nil }
        return Int(name.dropFirst(5).dropLast(3))
    }

    /// Writes the text, runs the editor, and reads the result.
    private func edited(_ text: String, _ path: String) throws(ClientError) -> String {
        let editor =
            [console.environment("VISUAL"), console.environment("EDITOR")].compactMap { $0 }
            .first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
        let (status, bytes) = try orBadInput("The draft \(path) cannot be edited") { () throws(SystemError) in
            try console.writeFile(path, Array(text.utf8))
            return (try console.runShell(editor, [path], nil), try console.readFile(path, Self.draftBytesMax))
        }
        guard status == .exited(0) else {
            guard let bytes, !bytes.elementsEqual(text.utf8) else {
                console.removeFile(path)
                throw .declined("The editor '\(editor)' failed; nothing was kept.")
            }
            throw .declined("The editor '\(editor)' failed; only the draft is kept: \(path)")
        }
        guard let written = Draft.text(of: bytes ?? []) else {
            throw .badInput(
                "What the editor wrote is not UTF-8 text, so nothing was kept of it.",
                advice: "Let it write UTF-8. What you wrote is in \(path).")
        }
        return written
    }
}
