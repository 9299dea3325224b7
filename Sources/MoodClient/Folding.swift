/// Folds text for comparison: without case and accents. It serves what people type at the shell; the host has all of
/// Unicode's rules.
enum Folding {
    static func folded(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.lowercased() }
        var result = String.UnicodeScalarView()
        for scalar in text.lowercased().unicodeScalars where !isMark(scalar) { result.append(base(scalar)) }
        return String(result)
    }

    /// Whether a scalar is an accent, or the selector that makes an emoji of a sign.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .nonspacingMark
    }

    /// The letter without its accent, taken from the character's name: LATIN SMALL LETTER E WITH ACUTE.
    private static func base(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        let start = "LATIN SMALL LETTER "
        guard scalar.value >= 0xc0, let name = scalar.properties.name, name.hasPrefix(start) else { return scalar }
        let rest = name.utf8.dropFirst(start.utf8.count)
        guard let letter = rest.first, rest.dropFirst().starts(with: " WITH ".utf8) else { return scalar }
        return Unicode.Scalar(letter | 0x20)
    }
}
