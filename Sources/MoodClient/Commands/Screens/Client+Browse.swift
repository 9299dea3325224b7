import JSONCodec
import Platform

extension Command {
    static let browse = Command(
        "browse", "Look around and change things on the whole terminal.", Client.browse,
        .option(DeclaredParams.NavScreen.locale, "LOCALE"),
        .option(DeclaredParams.NavScreen.timeZone, "ZONE"),
        .note(
            "Arrows move, Enter opens, Esc goes back, / searches, u undoes, q quits; what else can be done stands below the screen"
                + " with its key. The mouse works too. What other programs change is shown at once."),
        .example("mood browse", "Begin at the list; Esc leads to the menu."),
        .example("mood browse --locale fi_FI", "In Finnish."))
}

extension Client {
    func browse() throws(ClientError) {
        try checkTerminal()
        // Report a host that cannot be started before taking the terminal.
        _ = try call("host.ping")
        try onScreen { (terminal) throws(ClientError) in try Browser(self, terminal).run() }
    }

    /// `--locale`, `--time-zone` and `--now` for `nav.screen`.
    func screenParams() throws(ClientError) -> Params {
        let now = try moment(of: "now")
        return ["locale": invocation.value("locale"), "timeZone": invocation.value("time-zone"), "now": now]
    }
}

extension BrowseTerminal {
    static func of(_ screen: TerminalScreen, _ console: Console) -> BrowseTerminal {
        BrowseTerminal(
            size: {
                // Not COLUMNS: the window may change while the program runs.
                (Terminal.columns(StandardStream.output) ?? 80, Terminal.lines(StandardStream.output) ?? 24)
            },
            wait: { screen.wait(other: $0, milliseconds: $1) },
            read: { () throws(SystemError) in
                let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 12, alignment: 16)
                defer { buffer.deallocate() }
                let count = try StandardStream.read(from: StandardStream.input, into: buffer)
                return Array(buffer[..<count])
            },
            write: { (bytes) throws(SystemError) in try console.write(bytes) },
            stop: { () throws(SystemError) in try screen.stop() })
    }
}
