import JSONCodec

/// A bar on stderr that shows the host's progress and goes when it is done. Only on a terminal.
///
///     Reading [##############----------------]  47 %
final class ProgressBar {
    private static let barColumns = 30

    private let console: Console
    private let style: Style
    private var shown = ""

    /// Nil if stderr is no terminal.
    init?(_ console: Console, choice: String?) {
        guard console.isErrorTerminal, console.environment("TERM") != "dumb" else { return nil }
        self.console = console
        style = Style(choice: choice, isTerminal: true, environment: console.environment)
    }

    /// Takes a notification of the host; only a valid `$/progress` counts.
    func hear(_ method: String, _ params: [UInt8]) {
        guard method == "$/progress", let value = (try? JSONValue.parse(params))?["value"],
            let done = value["done"]?.integer, let total = value["total"]?.integer
        else { return }
        show(value.text(of: "message"), done, total)
    }

    private func show(_ message: String, _ done: Int, _ total: Int) {
        guard total > 0 else { return }
        let part = Double(min(max(done, 0), total)) / Double(total)
        let text = Escaping.visible(message)
        let percent = "\(Int(part * 100))"
        let padded = String(repeating: " ", count: max(3 - percent.count, 0)) + percent + " %"
        let room = min(Self.barColumns, console.columns - DisplayWidth.of(text) - padded.count - 5)
        var line = text
        if room > 0 {
            let filled = Int(part * Double(room))
            let bar = style.apply(.heading, to: String(repeating: "#", count: filled))
            line += " [\(bar)\(style.apply(.quiet, to: String(repeating: "-", count: room - filled)))]"
        }
        line += " " + padded
        guard line != shown else { return }
        shown = line
        console.writeError("\r\u{1b}[K" + line)
    }

    /// Clears the line.
    func clear() {
        guard !shown.isEmpty else { return }
        shown = ""
        console.writeError("\r\u{1b}[K")
    }
}
