/// Layout of a line of text on a terminal: tabs as spaces, and line breaks between words.
enum Paragraph {
    private static let tabStop = 8

    /// Replaces each tab by spaces to the next stop.
    static func withoutTabs(_ line: String) -> String {
        guard line.utf8.contains(0x09) else { return line }
        var (result, column) = ("", 0)
        for character in line {
            if character == "\t" {
                let count = tabStop - column % tabStop
                result += String(repeating: " ", count: count)
                column += count
            } else {
                result.append(character)
                column += DisplayWidth.of(character)
            }
        }
        return result
    }

    /// Breaks a text into lines of at most so many columns. A longer word stays whole, as an address must, unless its
    /// script has no spaces. Spaces at a line end are dropped; those at the beginning stay.
    static func wrapped(_ text: String, to columns: Int) -> [String] {
        guard columns > 0, DisplayWidth.of(text) > columns else { return [text] }
        var (lines, line, width) = ([String](), "", 0)
        for piece in pieces(text, columns) {
            let count = DisplayWidth.of(piece)
            if width + count > columns, !line.allSatisfy({ $0 == " " }) {
                lines.append(withoutEndingSpaces(line))
                (line, width) = ("", 0)
                if piece.first == " " { continue }
            }
            line += piece
            width += count
        }
        return lines + [withoutEndingSpaces(line)]
    }

    /// Words and the spaces between them, in turn.
    private static func pieces(_ text: String, _ columns: Int) -> [String] {
        var pieces: [String] = []
        for character in text {
            let isSpace = character == " "
            let last = pieces.last
            let isBroken = DisplayWidth.of(character) == 2 && last.map { DisplayWidth.of($0) + 2 > columns } ?? true
            if let last, (last.first == " ") == isSpace, !isBroken {
                pieces[pieces.count - 1].append(character)
            } else {
                pieces.append(String(character))
            }
        }
        return pieces
    }

    private static func withoutEndingSpaces(_ line: String) -> String {
        var line = line
        while line.last == " " { line.removeLast() }
        return line
    }
}
