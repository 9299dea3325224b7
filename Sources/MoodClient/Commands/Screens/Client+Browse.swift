import JSONCodec
import Platform

extension Command {
    static let browse = Command(
        name: "browse", summary: "Look around and change things on the whole terminal.",
        options: [
            .init(DeclaredParams.NavScreen.locale, "LOCALE"), .init(DeclaredParams.NavScreen.timeZone, "ZONE"),
        ],
        notes: [
            "Arrows move, Enter opens, Esc goes back, / searches, u undoes, q quits; what else can be done stands below the screen"
                + " with its key. The mouse works too. What other programs change is shown at once."
        ],
        examples: [
            .init("mood browse", "Begin at the list; Esc leads to the menu."),
            .init("mood browse --locale fi_FI", "In Finnish."),
        ],
        run: { (client) throws(ClientError) in try client.browse() })
}

extension Client {
    func browse() throws(ClientError) {
        try checkTerminal()
        // Report a host that cannot be started before taking the terminal.
        _ = try call("host.ping")
        try onScreen { (terminal) throws(ClientError) in try Browser(self, terminal).run() }
    }

    /// `--locale` and `--time-zone` for `nav.screen`.
    func screenParams() -> [JSONValue.Member] {
        [DeclaredParams.NavScreen.locale, DeclaredParams.NavScreen.timeZone].compactMap { param in
            invocation.value(param.option).map { .init(param.name, .string($0)) }
        }
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
