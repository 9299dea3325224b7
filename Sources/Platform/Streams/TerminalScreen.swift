import CPlatform

/// A terminal that a program draws on: single keys, a screen of its own, and the former state restored at the program's
/// end, however it ends.
///
/// One at a time in a process, because a terminal has one state. A watching shell restores it even if no signal handler
/// can (SIGKILL).
public final class TerminalScreen {
    /// The alternate screen, no cursor, no line wrapping, the mouse (SGR), bracketed paste.
    private static let enterText = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?1000h\u{1b}[?1006h\u{1b}[?2004h"
    private static let leaveText =
        "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[0m\u{1b}[?1049l"

    /// The events of one wait.
    public struct Ready: Sendable {
        public var hasInput = false
        /// The other descriptor is readable.
        public var hasOther = false
        /// The size may have changed, or the program went on after a stop.
        public var isChanged = false

        public init() {}
    }

    private var notice: Int32 = -1
    private var watcher: ChildProcess?

    public init() throws(SystemError) {
        try enter()
        watcher = Self.watch()
    }

    deinit { leave() }

    private func enter() throws(SystemError) {
        notice =
            Self.leaveText.utf8.withContiguousStorageIfAvailable { bytes in
                bytes.withMemoryRebound(to: CChar.self) {
                    cplatform_screen_enter(StandardStream.input, $0.baseAddress, $0.count)
                }
            } ?? -1
        guard notice >= 0 else { throw SystemError(call: "tcsetattr", code: cplatform_errno()) }
        Self.write(Self.enterText)
    }

    /// Restores the terminal. May be called twice.
    public func leave() {
        guard notice >= 0 else { return }
        notice = -1
        Self.write(Self.leaveText)
        cplatform_screen_leave()
        // The shell reads that all is well and ends.
        Array("ok\n".utf8).withUnsafeBytes { try? watcher?.write($0) }
        _ = watcher?.finish(within: 500)
    }

    /// Ctrl-Z: gives the terminal to the shell and takes it again when the program goes on.
    public func stop() throws(SystemError) {
        Self.write(Self.leaveText)
        cplatform_screen_leave()
        cplatform_screen_stop()
        try enter()
    }

    /// Waits for events.
    public func wait(other: Int32?, milliseconds: Int) -> Ready {
        var waits = [
            pollfd(fd: StandardStream.input, events: Int16(POLLIN), revents: 0),
            pollfd(fd: notice, events: Int16(POLLIN), revents: 0),
            pollfd(fd: other ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        guard poll(&waits, 3, Int32(clamping: milliseconds)) > 0 else { return Ready() }
        var ready = Ready()
        ready.hasInput = waits[0].revents != 0
        ready.hasOther = waits[2].revents != 0
        if waits[1].revents != 0 {
            ready.isChanged = true
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
            defer { buffer.deallocate() }
            _ = try? StandardStream.read(from: notice, into: buffer)
        }
        return ready
    }

    private static func write(_ text: String) {
        var text = text
        // Ignores errors: the terminal may have vanished.
        text.withUTF8 { try? StandardStream.writeAll(UnsafeRawBufferPointer($0), to: StandardStream.output) }
    }

    /// Starts a shell that waits for our end, and restores the terminal unless it reads that this is done.
    private static func watch() -> ChildProcess? {
        let script =
            "trap '' TTOU INT HUP TERM QUIT; read word; test \"$word\" = ok"
            + " || { stty sane </dev/tty; printf %s \"$1\" >/dev/tty; }"
        return try? ChildProcess.start(
            path: "/bin/sh", arguments: ["-c", script, "sh", leaveText], output: .inherited)
    }
}
