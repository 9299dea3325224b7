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
    var name: String { ["very unpleasant", "unpleasant", "between", "pleasant", "very pleasant"][rawValue] }
}

/// What stands where there is no band.
enum NoBand {
    /// Moods, but none whose valence is known.
    static let unknownSign = "?"
    static let unknownName = "not known"
    static let gapSign = "·"
    static let gapName = "no mood"
}

/// Numbers and names in the words of a look back, which is in English.
enum LookBackText {
    static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    static let weekdays = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
    static let parts = ["Night, 0 to 6", "Morning, 6 to 12", "Afternoon, 12 to 18", "Evening, 18 to 24"]
    static let warning = "Moods with a tag, compared with those without it. What goes together need not be the cause."

    /// `+0.35`, `−0.20`, `0.00`.
    static func signed(_ value: Double) -> String {
        let hundredths = Int((value * 100).rounded())
        return (hundredths > 0 ? "+" : hundredths < 0 ? "\u{2212}" : "") + plain(Double(abs(hundredths)) / 100)
    }

    /// `0.35`, with two digits after the point.
    static func plain(_ value: Double) -> String {
        let hundredths = Int((abs(value) * 100).rounded())
        let rest = hundredths % 100
        return (value < 0 && hundredths > 0 ? "\u{2212}" : "") + "\(hundredths / 100)." + (rest < 10 ? "0" : "")
            + "\(rest)"
    }

    static func count(_ number: Int, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }

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
