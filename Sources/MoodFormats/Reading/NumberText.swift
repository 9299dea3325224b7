import JSONCodec

/// Converts numbers in tables and phones' files to JSON.
enum NumberText {
    /// Reads `0.35`, `-0,35`, `+5`, `1.234,5`, `−2`; nil if there is more than a number.
    static func number(_ text: String) -> String? {
        if JSONNumberText.isPlain(text) { return text }
        var plain = ""
        for character in text {
            switch character {
            case "\u{2212}": plain.append("-")
            case "'", "\u{2019}": continue
            case _ where character.isWhitespace: continue
            default: plain.append(character)
            }
        }
        if plain.first == "+" { plain.removeFirst() }
        // The last of two marks is the decimal mark.
        if let comma = plain.lastIndex(of: ",") {
            if let point = plain.lastIndex(of: ".") {
                plain =
                    comma > point
                    ? plain.replacing(".", with: "").replacing(",", with: ".") : plain.replacing(",", with: "")
            } else {
                plain = plain.replacing(",", with: ".")
            }
        }
        if plain.hasPrefix(".") { plain = "0" + plain }
        if plain.hasPrefix("-.") { plain = "-0" + plain.dropFirst() }
        if plain.hasSuffix(".") { plain.removeLast() }
        while plain.hasPrefix("0"), plain.dropFirst().first?.isNumber == true { plain.removeFirst() }
        return JSONNumberText.isNumber(plain) ? plain : nil
    }

    /// The number of a scale: `7/10 points` is 7, `7:45` and `7h 45m` are 7.75, `70,5 kg` is 70.5; nil without one.
    static func measure(_ text: String) -> String? {
        if let number = number(text) { return number }
        let head = text.prefix { $0.isNumber || ".,+-\u{2212}'\u{2019}\u{a0}\u{202f}".contains($0) }
        var rest = text.dropFirst(head.count).drop { $0.isWhitespace }
        guard let first = number(String(head).trimmedSpaces) else { return nil }
        guard let hours = Int(first), hours >= 0, let mark = rest.first, mark == ":" || mark == "h" || mark == "H"
        else {
            return first
        }
        if mark == ":" {
            rest.removeFirst()
        } else {
            rest = rest.drop { $0.isLetter || $0 == "." }.drop { $0.isWhitespace }
        }
        let digits = rest.prefix { $0.isASCII && $0.isNumber }
        guard let minutes = Int(digits), minutes < 60, mark != ":" || digits.count == 2 else {
            return mark == ":" ? nil : first
        }
        return JSONValue.double(Double(hours) + Double(minutes) / 60).text
    }
}

/// Scales in one cell.
enum ScaleText {
    /// Reads `{"sleep": 7}`, or `sleep=7; energy=3`.
    /// - Parameter separators: characters between two scales.
    /// - Returns: the scales, and the parts that cannot be read.
    static func scales(
        _ text: String, separators: [Character] = [";", "|"]
    ) -> (scales: [(name: String, value: String)], unread: [String]) {
        var scales: [(name: String, value: String)] = []
        var unread: [String] = []
        if text.hasPrefix("{") {
            guard let members = JSONValue.members(of: Array(text.utf8)) else { return ([], [text]) }
            return (members.map { ($0.name, $0.value.text) }, [])
        }
        for part in text.split(whereSeparator: separators.contains) {
            let plain = String(part).trimmedSpaces
            // Hours and minutes have a colon too, and so may a name.
            let signs = [
                plain.lastIndex(of: "="), plain.firstIndex(of: ":"), plain.lastIndex(of: ":"),
            ]
            let scale = signs.lazy.compactMap(\.self).compactMap { sign in
                NumberText.measure(String(plain[plain.index(after: sign)...]).trimmedSpaces).map {
                    (String(plain[..<sign]).trimmedSpaces, $0)
                }
            }.first { !$0.0.isEmpty }
            if let scale {
                scales.append(scale)
            } else if !plain.isEmpty {
                unread.append(plain)
            }
        }
        return (scales, unread)
    }
}
