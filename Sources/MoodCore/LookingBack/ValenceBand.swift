/// The five bands of valences as they are drawn: a colour, and a sign that says the same without it.
///
/// Orange to blue is told apart with every kind of colour blindness (ColorBrewer, a diverging scheme); the ink on each has a
/// contrast of 4.5:1 or more (WCAG 2.2, 1.4.3).
enum ValenceBand: Int, CaseIterable {
    case veryLow, low, between, high, veryHigh

    init(_ valence: Double) {
        self = Self(rawValue: Summary.edges[1..<5].filter { valence >= $0 }.count) ?? .between
    }

    var color: String { ["#b35806", "#f1a340", "#e8e8e8", "#8fc1e3", "#1f63a8"][rawValue] }
    var ink: String { ["#ffffff", "#000000", "#000000", "#000000", "#ffffff"][rawValue] }
    /// In a terminal of 256 colours.
    var terminalColor: Int { [130, 215, 254, 110, 25][rawValue] }
    var terminalInk: Int { [231, 16, 16, 16, 231][rawValue] }
    var sign: String { ["▼", "▽", "–", "△", "▲"][rawValue] }
}

/// What stands where there is no band.
enum NoBand {
    /// Moods, but none whose valence is known.
    static let unknownSign = "?"
    static let gapSign = "·"
}

enum LookBackText {
    /// For text and attributes of HTML and SVG.
    static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default:
                // What XML cannot hold. (XML 1.0, section 2.2.)
                let isControl =
                    scalar.value < 0x20 && scalar != "\n" && scalar != "\t" || scalar.value & 0xFFFE == 0xFFFE
                result.unicodeScalars.append(isControl ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }
}
