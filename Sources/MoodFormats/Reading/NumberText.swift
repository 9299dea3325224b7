import JSONCodec

/// Converts numbers in tables and phones' files to JSON.
enum NumberText {
    /// Reads `0.35`, `-0,35`, `+5`, `1.234,5`, `10 000`, `−2`; nil if there is more than a number.
    ///
    /// `1.500` is one and a half here and fifteen hundred there, so it is none, unless the decimal mark is known.
    static func number(_ text: String, _ decimal: Character? = nil) -> String? {
        if JSONNumberText.isPlain(text), !isAmbiguous(text) { return text }
        var digits = text[...]
        var sign = ""
        if let first = digits.first, "+-\u{2212}".contains(first) {
            if first != "+" { sign = "-" }
            digits = digits.dropFirst()
        }
        guard let mark = mark(of: digits, decimal) else {
            return digits.contains { $0 == "e" || $0 == "E" } && JSONNumberText.isNumber(text) ? text : nil
        }
        let sides = mark.map { mark in digits.split(separator: mark, omittingEmptySubsequences: false) } ?? [digits]
        let groups = sides[0].split(omittingEmptySubsequences: false) { !$0.isNumber }
        let isGrouped = groups.count == 1 || 1...3 ~= groups[0].count && groups.dropFirst().allSatisfy { $0.count == 3 }
        let fraction = sides.count > 1 ? String(sides[1]) : ""
        var whole = groups.joined()
        guard sides.count <= 2, isGrouped, (whole + fraction).allSatisfy({ $0.isASCII && $0.isNumber }),
            !whole.isEmpty || !fraction.isEmpty
        else { return nil }
        while whole.hasPrefix("0"), whole.count > 1 { whole.removeFirst() }
        return sign + (whole.isEmpty ? "0" : whole) + (fraction.isEmpty ? "" : "." + fraction)
    }

    /// The decimal mark of digits with marks; `.some(nil)` if there is none, nil if it is not known or these are no digits.
    private static func mark(of digits: Substring, _ decimal: Character?) -> Character?? {
        let marks = digits.filter { !$0.isNumber }
        let isGroup = { (mark: Character) in mark.isWhitespace || mark == "'" || mark == "\u{2019}" }
        guard marks.allSatisfy({ $0 == "," || $0 == "." || isGroup($0) }) else { return nil }
        let others = marks.filter { !isGroup($0) }
        guard let last = others.last else { return .some(nil) }
        if others.contains(where: { $0 != last }) { return .some(last) }
        if others.count > 1 { return .some(nil) }
        guard marks.count == 1, isAmbiguous(String(digits)) else { return .some(last) }
        return decimal.map { $0 == last ? last : nil }
    }

    /// Whether the only mark of a number may part thousands, or its whole from its fraction: `1.500`.
    static func isAmbiguous(_ text: some StringProtocol) -> Bool {
        let digits = text.utf8.drop { $0 == 43 || $0 == 45 }
        guard 5...7 ~= digits.count, let first = digits.first, 49...57 ~= first else { return false }
        let mark = digits.dropLast(3).last
        return (mark == 44 || mark == 46) && digits.dropLast(4).allSatisfy { 48...57 ~= $0 }
            && digits.suffix(3).allSatisfy { 48...57 ~= $0 }
    }

    /// The numbers in a text, without signs.
    private static func numbers(in text: String) -> [Substring] {
        text.split { !$0.isNumber && $0 != "," && $0 != "." }.map { number in
            var number = number
            while let last = number.last, !last.isNumber { number.removeLast() }
            return number
        }
    }

    static func hasAmbiguous(_ text: String) -> Bool { numbers(in: text).contains(where: isAmbiguous) }

    /// The decimal mark that numbers in some columns of a table show; nil if none shows one, or they contradict.
    static func decimal(in table: CSVRecords, at columns: [Int]) -> Character? {
        var table = table
        var found: Character?
        while let record = table.next() {
            for column in columns where column < record.cells.count {
                for number in numbers(in: String(decoding: record.cells[column], as: UTF8.self)) {
                    guard let shown = shown(by: number) else { continue }
                    if let found, found != shown { return nil }
                    found = shown
                }
            }
        }
        return found
    }

    private static func shown(by number: Substring) -> Character? {
        let marks = number.filter { !$0.isNumber }
        guard let last = marks.last, number.first?.isNumber == true, !isAmbiguous(number) else { return nil }
        if marks.count == 1 || marks.contains(where: { $0 != last }) { return last }
        return last == "," ? "." : ","
    }

    /// The reason why a number is left out.
    static func fault(_ name: String, _ text: String) -> String {
        hasAmbiguous(text)
            ? "\(name) could be of thousands or have decimals: write it without a mark for thousands."
            : "\(name) must be a number."
    }

    /// The number of a scale: `7/10 points` is 7, `7:45` and `7h 45m` are 7.75, `70,5 kg` is 70.5; nil without one.
    static func measure(_ text: String, _ decimal: Character? = nil) -> String? {
        if let number = number(text, decimal) { return number }
        var head = text.prefix { $0.isNumber || ".,+-\u{2212}'\u{2019}\u{a0}\u{202f}".contains($0) }
        // A space may part thousands.
        while text[head.endIndex...].first == " " {
            let group = text[head.endIndex...].dropFirst().prefix { $0.isNumber }
            guard group.count == 3, head.last?.isNumber == true else { break }
            head = text[..<group.endIndex]
        }
        var rest = text.dropFirst(head.count).drop { $0.isWhitespace }
        guard let first = number(String(head).trimmedSpaces, decimal) else { return nil }
        // 1/2 is a half rather than one of two.
        if rest.first == "/", let parts = Int(String(rest.dropFirst()).trimmedSpaces), parts < 5 { return nil }
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
        _ text: String, separators: [Character] = [";", "|"], _ decimal: Character? = nil
    ) -> (scales: [(name: String, value: String)], unread: [String]) {
        var scales: [(name: String, value: String)] = []
        var unread: [String] = []
        if text.hasPrefix("{") {
            guard let members = JSONValue.members(of: Array(text.utf8)) else { return ([], [text]) }
            return (members.map { ($0.name, $0.value.text) }, [])
        }
        let parts = text.split(whereSeparator: separators.contains)
        for part in separators.contains(";") ? parts.flatMap(Self.parts) : parts.map(String.init) {
            let plain = part.trimmedSpaces
            // Hours and minutes have a colon too, and so may a name.
            let signs = [
                plain.lastIndex(of: "="), plain.firstIndex(of: ":"), plain.lastIndex(of: ":"),
            ]
            let scale = signs.lazy.compactMap(\.self).compactMap { sign in
                NumberText.measure(String(plain[plain.index(after: sign)...]).trimmedSpaces, decimal).map {
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

    /// The scales of `sleep=7,5, x=2`: a comma parts them if a name follows.
    private static func parts(_ text: Substring) -> [String] {
        var parts: [String] = []
        for piece in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let last = parts.last,
                !piece.contains("=") && !piece.contains(":") || !last.contains(where: "=:".contains)
            {
                parts[parts.count - 1] = last + "," + piece
            } else {
                parts.append(String(piece))
            }
        }
        return parts
    }

    /// The reason why a part is left out.
    static func fault(_ part: String, _ example: String) -> String {
        let name = "\"\(part.prefix(64))\""
        return NumberText.hasAmbiguous(part) ? NumberText.fault(name, part) : "\(name) is no scale such as \(example)."
    }
}
