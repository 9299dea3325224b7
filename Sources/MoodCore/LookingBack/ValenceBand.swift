/// The five bands of valence in drawings: a color, and a sign with the same meaning.
///
/// Orange and blue differ with every kind of color blindness (ColorBrewer, a diverging scheme). The ink on each has a
/// contrast of 4.5:1 or more (WCAG 2.2, 1.4.3).
enum ValenceBand: Int, CaseIterable {
    case veryLow, low, between, high, veryHigh

    init(_ valence: Double) {
        self = Self(rawValue: Summary.edges[1..<5].filter { valence >= $0 }.count) ?? .between
    }

    var color: String { ["#b35806", "#f1a340", "#e8e8e8", "#8fc1e3", "#1f63a8"][rawValue] }
    var ink: String { ["#ffffff", "#000000", "#000000", "#000000", "#ffffff"][rawValue] }
    /// The color in a terminal of 256 colors.
    var terminalColor: Int { [130, 215, 254, 110, 25][rawValue] }
    var terminalInk: Int { [231, 16, 16, 16, 231][rawValue] }
    var sign: String { ["▼", "▽", "–", "△", "▲"][rawValue] }
}

/// The signs without a band.
enum NoBand {
    /// Moods without a known valence.
    static let unknownSign = "?"
    static let gapSign = "·"
}

enum Markup {
    /// Escapes text and attributes of HTML and SVG. XML cannot contain control characters. (XML 1.0, section 2.2.)
    static func escaped(_ text: String) -> String {
        var allowed = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            let isControl = scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || scalar.value & 0xFFFE == 0xFFFE
            allowed.append(isControl ? "\u{FFFD}" : scalar)
        }
        return Share.htmlEscaped(String(allowed))
    }
}
