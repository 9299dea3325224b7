/// Makes characters visible that would control a terminal or reorder its line.
///
/// It escapes the C0 and C1 controls and DEL (ISO/IEC 6429), line and paragraph separators, the byte order mark, and
/// the controls of the Unicode bidirectional algorithm (UAX #9, section 2), which can make a line read as another one.
/// Joiners and variation selectors stay: emoji and some scripts need them.
enum Escaping {
    /// Escapes text for one line.
    static func visible(_ text: String) -> String { escaped(text, keepingLines: false) }

    /// Escapes text that may have several lines. Tabs stay too.
    static func visibleLines(_ text: String) -> String { escaped(text, keepingLines: true) }

    /// Escapes JSON for a terminal. A control that JSON allows raw becomes `\u` and four digits, which is the same JSON
    /// value. Outside strings only spaces can occur; they stay.
    static func visible(json: [UInt8]) -> [UInt8] {
        let text = String(decoding: json, as: UTF8.self)
        guard needsEscape(text, keepingLines: true) else { return json }
        return Array(escaped(text, keepingLines: true).utf8)
    }

    private static func escaped(_ text: String, keepingLines: Bool) -> String {
        guard needsEscape(text, keepingLines: keepingLines) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            guard isControl(scalar), !(keepingLines && isLayout(scalar)) else {
                result.append(scalar)
                continue
            }
            switch scalar {
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\r": result.append(contentsOf: "\\r".unicodeScalars)
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            default:
                let digits = String(scalar.value, radix: 16)
                let zeros = String(repeating: "0", count: max(4 - digits.count, 0))
                result.append(contentsOf: "\\u\(zeros)\(digits)".unicodeScalars)
            }
        }
        return String(result)
    }

    private static func needsEscape(_ text: String, keepingLines: Bool) -> Bool {
        text.unicodeScalars.contains { isControl($0) && !(keepingLines && isLayout($0)) }
    }

    private static func isLayout(_ scalar: Unicode.Scalar) -> Bool { scalar == "\n" || scalar == "\t" }

    static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1f, 0x7f...0x9f: true
        case 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069, 0xfeff, 0xfff9...0xfffb: true
        default: false
        }
    }
}
