import Platform

/// Long output on a terminal: through a pager, as other tools for the shell do.
extension Client {
    /// Prints a text; on a terminal that is too low for it, in the pager.
    func page(_ text: String) throws(ClientError) {
        let lines = text.utf8.count { $0 == 0x0a }
        guard console.isOutputTerminal, lines >= console.lines, let pager = pager() else { return try print(text) }
        // As git does it: colours pass, a short text is not held, the screen stays.
        let command = "LESS=\"${LESS-FRX}\" LESSCHARSET=\"${LESSCHARSET-utf-8}\" \(pager)"
        let status = try? console.runShell(command, [], Array(text.utf8))
        // 126 and 127: the shell could not start it.
        if status == nil || status == .exited(126) || status == .exited(127) { try print(text) }
    }

    /// The command; nil for none.
    private func pager() -> String? {
        guard !invocation.has("no-pager"), console.environment("TERM") != "dumb" else { return nil }
        let command =
            console.environment("MOOD_PAGER") ?? configuration.pager ?? console.environment("PAGER") ?? "less -FRX"
        return command.allSatisfy(\.isWhitespace) ? nil : command
    }
}
