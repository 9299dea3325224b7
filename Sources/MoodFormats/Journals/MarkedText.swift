/// Text with the simple markup of phones' notes: line breaks stay, the rest is removed.
enum MarkedText {
    private static let blocks: Set<String> = ["p", "div", "ul", "ol", "li"]
    private static let spans: Set<String> = ["b", "i", "u", "s", "strong", "em", "span", "font", "a"]
    private static let entities = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "auml": "ä", "ouml": "ö", "uuml": "ü",
    ]

    static func plain(_ text: String) -> String {
        guard text.contains("<") || text.contains("&") else { return text }
        var result = ""
        var rest = Substring(text)
        while let first = rest.first {
            if first == "<", let end = rest.firstIndex(of: ">"), let name = name(rest[..<end].dropFirst()) {
                if name == "br" {
                    result += "\n"
                } else if blocks.contains(name), !result.isEmpty, result.last != "\n" {
                    result += "\n"
                }
                rest = rest[rest.index(after: end)...]
            } else if first == "&", let (text, count) = entity(rest) {
                result += text
                rest = rest.dropFirst(count)
            } else {
                result.append(first)
                rest.removeFirst()
            }
        }
        return result.trimmedSpaces
    }

    /// The name of a known tag.
    private static func name(_ inside: Substring) -> String? {
        let name = inside.drop { $0 == "/" }.prefix { $0.isLetter }.lowercased()
        return name == "br" || blocks.contains(name) || spans.contains(name) ? name : nil
    }

    private static func entity(_ text: Substring) -> (String, Int)? {
        let name = text.dropFirst().prefix(10).prefix { $0 != ";" }
        guard text.dropFirst(name.count + 1).first == ";" else { return nil }
        let count = name.count + 2
        if let known = entities[String(name)] { return (known, count) }
        guard name.first == "#" else { return nil }
        let digits = name.dropFirst()
        let code = digits.first == "x" || digits.first == "X" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return code.flatMap { $0 < 32 && $0 != 10 ? nil : Unicode.Scalar($0) }.map { (String(Character($0)), count) }
    }
}
