/// The number of columns of a text on a terminal: Unicode Standard Annex #11 (East Asian Width) and UTS #51 (emoji), by
/// grapheme cluster, because terminals draw clusters.
///
/// An emoji takes two columns, even if it has several scalars (a family, a flag, a keycap, a skin tone). In other
/// clusters each scalar counts: two if it is wide, none if it combines with the one before, else one. Terminals differ
/// on a few clusters; most agree on these values.
enum DisplayWidth {
    static func of(_ text: String) -> Int {
        var text = text
        let isPlain = text.withUTF8 { bytes in bytes.allSatisfy { $0 >= 0x20 && $0 < 0x7f } }
        if isPlain { return text.utf8.count }
        return text.reduce(0) { $0 + of($1) }
    }

    static func of(_ character: Character) -> Int {
        let scalars = character.unicodeScalars
        guard let first = scalars.first else { return 0 }
        if first.isASCII, scalars.count == 1 { return first.value < 0x20 || first.value == 0x7f ? 0 : 1 }
        if isEmoji(scalars, first) { return 2 }
        return min(scalars.reduce(0) { $0 + of($1) }, 2)
    }

    /// Cuts a text that is too wide, with an ellipsis at its end.
    static func cut(_ text: String, to columns: Int) -> String {
        guard of(text) > columns else { return text }
        guard columns > 0 else { return "" }
        var result = ""
        var width = 0
        for character in text {
            let next = width + of(character)
            if next > columns - 1 { break }
            result.append(character)
            width = next
        }
        return result + "…"
    }

    /// Pads a text with spaces at its end.
    static func padded(_ text: String, to columns: Int) -> String {
        text + String(repeating: " ", count: max(columns - of(text), 0))
    }

    private static func isEmoji(_ scalars: Character.UnicodeScalarView, _ first: Unicode.Scalar) -> Bool {
        if first.properties.isEmojiPresentation { return true }
        guard scalars.count > 1 else { return false }
        // An ASCII digit is an emoji by property, but terminals draw it as one only with the selector.
        return scalars.contains { $0.value == 0xfe0f || $0.value == 0x20e3 } && first.properties.isEmoji
    }

    private static func of(_ scalar: Unicode.Scalar) -> Int {
        let value = scalar.value
        if value < 0x300 { return value < 0x20 || (0x7f..<0xa0).contains(value) ? 0 : 1 }
        // The vowels and final consonants of Hangul combine with the wide consonant before them.
        if (0x1160...0x11ff).contains(value) || (0xd7b0...0xd7ff).contains(value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .lineSeparator, .paragraphSeparator, .control, .surrogate:
            return 0
        case .spacingMark: return 0
        default: return isWide(value) ? 2 : 1
        }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        var low = 0
        var high = wide.count
        while low < high {
            let middle = (low + high) / 2
            if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
        }
        return low < wide.count && wide[low].contains(value)
    }

    /// East Asian Width W and F without the emoji, which have a property. Includes unassigned scalars between wide
    /// blocks.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2329...0x232a, 0x2630...0x2637, 0x268a...0x268f, 0x2e80...0x303e, 0x3041...0x3247,
        0x3250...0xa4cf, 0xa960...0xa97f, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe10...0xfe1f, 0xfe30...0xfe6f,
        0xff01...0xff60, 0xffe0...0xffe6, 0x16fe0...0x18dff, 0x1aff0...0x1b2ff, 0x1d300...0x1d37f, 0x1f200...0x1f2ff,
        0x1f3fb...0x1f3ff, 0x20000...0x3fffd,
    ]
}
