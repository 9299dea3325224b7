import CPlatform

/// A terminal that a program draws on: keys as they are pressed, a screen of its own, and everything as it was when the
/// program ends, however it ends.
///
/// One at a time in a process, because a terminal has one state. A watching shell puts it back where even a signal handler
/// cannot (SIGKILL).
public final class TerminalScreen {
    /// The other screen, no cursor, no wrapping of long lines, the mouse (SGR), pasted text marked.
    private static let enterText = "\u{1b}[?1049h\u{1b}[?25l\u{1b}[?7l\u{1b}[?1000h\u{1b}[?1006h\u{1b}[?2004h"
    private static let leaveText =
        "\u{1b}[?2026l\u{1b}[?2004l\u{1b}[?1006l\u{1b}[?1000l\u{1b}[?7h\u{1b}[?25h\u{1b}[0m\u{1b}[?1049l"

    /// What there is to look at.
    public struct Ready: Sendable {
        public var hasInput = false
        /// The other descriptor can be read.
        public var hasOther = false
        /// The size may be another, or the program went on after a stop.
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

    /// Gives the terminal back. It may be called twice.
    public func leave() {
        guard notice >= 0 else { return }
        notice = -1
        Self.write(Self.leaveText)
        cplatform_screen_leave()
        // The shell hears that all is well and ends.
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

    /// Waits until there is something to do.
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
        // A terminal that has gone cannot be told.
        text.withUTF8 { try? StandardStream.writeAll(UnsafeRawBufferPointer($0), to: StandardStream.output) }
    }

    /// A shell that waits for our end, and puts the terminal back if it was not told that this has been done.
    private static func watch() -> ChildProcess? {
        let script =
            "trap '' TTOU INT HUP TERM QUIT; read word; test \"$word\" = ok"
            + " || { stty sane </dev/tty; printf %s \"$1\" >/dev/tty; }"
        return try? ChildProcess.start(
            path: "/bin/sh", arguments: ["-c", script, "sh", leaveText], output: .inherited)
    }
}
