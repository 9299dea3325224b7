/// The terminal's content, and the bytes that update it from the frame before: one write of the changed lines.
struct BrowseFrame: Equatable {
    /// Lines cut to the terminal's width, with colors.
    var lines: [String]
    /// The cursor's place; nil hides the cursor.
    var cursor: (line: Int, column: Int)?

    static func == (a: BrowseFrame, b: BrowseFrame) -> Bool {
        a.lines == b.lines && a.cursor?.line == b.cursor?.line && a.cursor?.column == b.cursor?.column
    }

    /// - Parameter before: the frame on the terminal; nil if unknown.
    /// - Returns: nothing if nothing changes.
    func bytes(after before: BrowseFrame?) -> [UInt8] {
        guard self != before else { return [] }
        // Terminals that know these marks show only the finished frame.
        var text = "\u{1b}[?2026h" + (before == nil ? "\u{1b}[0m\u{1b}[2J" : "")
        for (index, line) in lines.enumerated() {
            if let before, index < before.lines.count, before.lines[index] == line { continue }
            text += "\u{1b}[\(index + 1);1H\u{1b}[0m\(line)\u{1b}[0m\u{1b}[K"
        }
        if let cursor {
            text += "\u{1b}[\(cursor.line + 1);\(cursor.column + 1)H\u{1b}[?25h"
        } else if before?.cursor != nil {
            text += "\u{1b}[?25l"
        }
        return Array((text + "\u{1b}[?2026l").utf8)
    }
}
