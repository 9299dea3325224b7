import JSONCodec
import Platform

/// `mood` alone on a terminal: a key for each of the most used feelings, then an optional note.
final class QuickAdd {
    private static let keys = Array("123456789abcdefghijklmnoprstuvwxyz")

    struct Choice: Equatable {
        let emoji: String
        let label: String
        let note: String
    }

    private let feelings: [PersonalPalette.Feeling]
    private let terminal: BrowseTerminal
    private let style: Style

    init(_ feelings: [PersonalPalette.Feeling], _ terminal: BrowseTerminal, style: Style) {
        self.feelings = Array(feelings.prefix(Self.keys.count))
        self.terminal = terminal
        self.style = style
    }

    /// - Returns: nil if the person leaves without one.
    func choose() throws(ClientError) -> Choice? {
        var typed: [UInt8] = []
        var chosen: PersonalPalette.Feeling?
        var editor = LineEditor("")
        var before: BrowseFrame?
        while true {
            let frame = frame(chosen, editor)
            do throws(SystemError) {
                let bytes = frame.bytes(after: before)
                if !bytes.isEmpty { try terminal.write(bytes) }
            } catch {
                throw .outputFailed(error)
            }
            before = frame
            let ready = terminal.wait(nil, typed.isEmpty ? -1 : 40)
            if ready.isChanged { before = nil }
            if ready.hasInput {
                let bytes = (try? terminal.read()) ?? []
                guard !bytes.isEmpty else { return nil }
                typed += bytes
            }
            for key in Key.take(&typed, isComplete: !ready.hasInput) {
                switch key {
                case .escape, .control("c"), .control("d"): return nil
                case .character("q") where chosen == nil: return nil
                case .enter:
                    if let chosen { return Choice(emoji: chosen.emoji, label: chosen.label, note: editor.string) }
                case .character(let letter) where chosen == nil:
                    if let index = Self.keys.firstIndex(of: letter), index < feelings.count { chosen = feelings[index] }
                default: if chosen != nil { _ = editor.take(key) }
                }
            }
        }
    }

    private func frame(_ chosen: PersonalPalette.Feeling?, _ editor: LineEditor) -> BrowseFrame {
        let size = terminal.size()
        var lines = [style.apply(.heading, to: " How are you?")]
        var cursor: (line: Int, column: Int)?
        if let chosen {
            lines += ["", "  \(chosen.emoji) \(chosen.label)", ""]
            let (text, column) = editor.shown(columns: max(size.columns - 10, 1))
            cursor = (lines.count, 8 + column)
            lines.append("  Note: " + text)
            lines += ["", style.apply(.quiet, to: " Enter keeps it, Esc keeps nothing.")]
        } else {
            // One below the other if there is room, else in columns.
            let rows = max(size.lines - 4, 1)
            let columns = (feelings.count + rows - 1) / rows
            let width = max((size.columns - 2) / max(columns, 1), 8)
            lines.append("")
            for row in 0..<min(rows, feelings.count) {
                var line = "  "
                for index in stride(from: row, to: feelings.count, by: rows) {
                    let text = "\(Self.keys[index])  \(feelings[index].emoji) \(feelings[index].label)"
                    line += DisplayWidth.padded(DisplayWidth.cut(text, to: width - 1), to: width)
                }
                lines.append(line)
            }
            lines += ["", style.apply(.quiet, to: " A key chooses, Esc keeps nothing.")]
        }
        while lines.count < size.lines { lines.append("") }
        return BrowseFrame(lines: Array(lines.prefix(size.lines)), cursor: cursor)
    }
}
