/// What the terminal shows, and the bytes that turn what it showed before into that: one write, of changed lines alone.
struct BrowseFrame: Equatable {
    /// Ready for the terminal: cut to its width, with colours.
    var lines: [String]
    /// Where the cursor is to be seen; nil hides it.
    var cursor: (line: Int, column: Int)?

    static func == (a: BrowseFrame, b: BrowseFrame) -> Bool {
        a.lines == b.lines && a.cursor?.line == b.cursor?.line && a.cursor?.column == b.cursor?.column
    }

    /// - Parameter before: what is there; nil if that is not known.
    /// - Returns: nothing if nothing changes.
    func bytes(after before: BrowseFrame?) -> [UInt8] {
        guard self != before else { return [] }
        // Between these marks a terminal that knows them shows nothing half done.
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
