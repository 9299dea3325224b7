import Platform

/// Long output on a terminal: through a pager, as other tools for the shell do.
extension Client {
    /// Prints a text; on a terminal that is too low for it, in the pager.
    func page(_ text: String) throws(ClientError) {
        let lines = text.utf8.count { $0 == 0x0a }
        guard console.isOutputTerminal, lines >= console.lines, let pager = pager() else { return try print(text) }
        // git's options: colors pass, a short text is not held, the screen stays. `-R` passes colors whatever LESS says.
        let option = Self.isLess(pager) ? " -R" : ""
        let command = "LESS=\"${LESS-FRX}\" LESSCHARSET=\"${LESSCHARSET-utf-8}\" \(pager)\(option)"
        let status = try? console.runShell(command, [], Array(text.utf8))
        // 126 and 127: the shell could not start it.
        if status == nil || status == .exited(126) || status == .exited(127) { try print(text) }
    }

    /// Whether a command's program is less, after assignments such as `LESS=X`.
    static func isLess(_ command: String) -> Bool {
        let words = command.split(whereSeparator: \.isWhitespace)
        guard let program = words.first(where: { !$0.contains("=") }), !command.contains(where: { "|;&".contains($0) })
        else { return false }
        return program == "less" || program.hasSuffix("/less")
    }

    static let usualPager = "less -FRX"

    /// The pager's command; nil for none.
    private func pager() -> String? {
        guard !invocation.has("no-pager"), console.environment("TERM") != "dumb" else { return nil }
        let command =
            console.environment("MOOD_PAGER") ?? configuration.pager ?? console.environment("PAGER") ?? Self.usualPager
        return command.allSatisfy(\.isWhitespace) ? nil : command
    }
}
