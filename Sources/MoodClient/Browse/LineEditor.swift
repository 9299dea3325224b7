/// A text that a person types at a terminal. A line end is shown as ↵ and typed as Alt-Enter or by pasting.
struct LineEditor {
    private(set) var text: [Character]
    /// The index of the character after the cursor.
    private(set) var cursor: Int

    /// Whether what is typed first takes the place of the text.
    private var isSuggestion: Bool

    /// - Parameter isSuggestion: whether the text is one that the person has not typed.
    init(_ text: String, isSuggestion: Bool = false) {
        self.text = Array(text)
        self.isSuggestion = isSuggestion
        cursor = self.text.count
    }

    var string: String { String(text) }

    /// - Returns: false for a key that edits nothing.
    mutating func take(_ key: Key) -> Bool {
        let isTyped =
            switch key {
            case .character, .paste: true
            default: false
            }
        if isSuggestion, isTyped { (text, cursor) = ([], 0) }
        isSuggestion = false
        switch key {
        case .character(let character): insert([character])
        case .paste(let pasted): insert(Array(pasted.replacing("\r\n", with: "\n").replacing("\r", with: "\n")))
        case .backspace:
            guard cursor > 0 else { return true }
            cursor -= 1
            text.remove(at: cursor)
        case .delete, .control("d"): if cursor < text.count { text.remove(at: cursor) }
        case .left, .control("b"): cursor = max(cursor - 1, 0)
        case .right, .control("f"): cursor = min(cursor + 1, text.count)
        case .home, .control("a"): cursor = 0
        case .end, .control("e"): cursor = text.count
        case .control("u"):
            text.removeFirst(cursor)
            cursor = 0
        case .control("k"): text.removeLast(text.count - cursor)
        case .control("j"): insert(["\n"])
        default: return false
        }
        return true
    }

    private mutating func insert(_ characters: [Character]) {
        // Typed marks may join the character before them: the text is split into characters anew.
        let before = String(text[..<cursor]) + String(characters)
        let after = String(text[cursor...])
        cursor = before.count
        text = Array(before + after)
    }

    /// The text as one line of at most so many columns, cut so that the cursor is visible, and the cursor's column.
    func shown(columns: Int) -> (text: String, column: Int) {
        let shown = text.map { $0.isNewline ? "↵" : Escaping.visible(String($0)) }
        var start = cursor
        var width = 0
        while start > 0, width + DisplayWidth.of(shown[start - 1]) < columns {
            start -= 1
            width += DisplayWidth.of(shown[start])
        }
        var line = ""
        for piece in shown[start...] {
            guard DisplayWidth.of(line) + DisplayWidth.of(piece) <= columns else { break }
            line += piece
        }
        return (line, width)
    }
}
