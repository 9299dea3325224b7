import MoodText

/// The rules for the texts of a mood, each limit in its unit. They serve requests, files and the editor.
public enum TextRule {
    public static let labelCharactersMax = 200
    public static let labelBytesMax = 2 * 1024
    public static let notesBytesMax = 64 * 1024
    public static let tagsMax = 32
    public static let tagCharactersMax = 64
    public static let tagBytesMax = 512
    public static let urlBytesMax = 8 * 1024

    /// The problem of a label, without the white space around it; nil if it is valid.
    public static func labelProblem(
        _ text: UnsafeRawBufferPointer, charactersMax: Int = labelCharactersMax
    ) -> String? {
        lineProblem(trimmed(text), charactersMax: charactersMax, bytesMax: labelBytesMax)
    }

    /// The problem of a tag, without the white space around it; nil if it is valid.
    public static func tagProblem(_ text: UnsafeRawBufferPointer) -> String? {
        lineProblem(trimmed(text), charactersMax: tagCharactersMax, bytesMax: tagBytesMax)
    }

    /// The problem of notes; nil if they are valid.
    public static func notesProblem(_ text: UnsafeRawBufferPointer, bytesMax: Int = notesBytesMax) -> String? {
        text.count <= bytesMax ? nil : "may have at most \(bytesMax) bytes of UTF-8; it has \(text.count)"
    }

    /// The problem of a web address; nil if it is valid. It checks only the parts that matter here: the scheme, a host,
    /// nothing that ends the address early. RFC 3986, section 3.
    public static func urlProblem(_ text: UnsafeRawBufferPointer) -> String? {
        if text.count > urlBytesMax { return "may have at most \(urlBytesMax) bytes; it has \(text.count)" }
        let rest: Int
        if hasPrefix(text, "https://") {
            rest = 8
        } else if hasPrefix(text, "http://") {
            rest = 7
        } else {
            return "must begin with https:// or http://"
        }
        guard rest < text.count, !"/?#:@".utf8.contains(text[rest]) else { return "must name a host after the scheme" }
        return addressProblem(text)
    }

    /// The problem of an address that a client is to open; nil if it is valid. Only schemes that show or write
    /// something are allowed: a `file:` or `javascript:` address in a mood's notes must do nothing.
    public static func linkProblem(_ text: UnsafeRawBufferPointer) -> String? {
        if hasPrefix(text, "https:") || hasPrefix(text, "http:") { return urlProblem(text) }
        if text.count > urlBytesMax { return "may have at most \(urlBytesMax) bytes; it has \(text.count)" }
        guard let scheme = ["mailto:", "geo:", "tel:"].first(where: { hasPrefix(text, $0) }) else {
            return "must begin with https:, http:, mailto:, geo: or tel:"
        }
        guard text.count > scheme.utf8CodeUnitCount else { return "must have something after the scheme" }
        return addressProblem(text)
    }

    /// Characters that every address must encode. RFC 3986, section 2.
    private static func addressProblem(_ text: UnsafeRawBufferPointer) -> String? {
        if text.contains(where: { "<>\"\\^`{|}".utf8.contains($0) }) {
            return "must not contain any of < > \" \\ ^ ` { | }; percent-encode them"
        }
        return hiddenProblem(text)
    }

    /// Characters that no address may have, because readers do not see them: white space, control characters (also
    /// percent-encoded, which would end a mail's header: RFC 6068, section 7), and those that turn the direction of
    /// writing (RFC 3987, section 4.1).
    private static func hiddenProblem(_ text: UnsafeRawBufferPointer) -> String? {
        for at in text.indices {
            if whiteSpaceLength(text, at: at, text.count) > 0 { return "must not contain white space" }
            if turnsDirection(text, at: at) { return "must not contain characters that turn the direction of writing" }
            if text[at] == UInt8(ascii: "%"), isEncodedControl(text, at: at) {
                return "must not contain control characters, percent-encoded ones included"
            }
        }
        return hasControlCharacter(text) ? "must not contain control characters" : nil
    }

    /// Whether an encoded control character begins here: `%00` to `%1F`, and `%7F`. RFC 3986, section 2.1.
    private static func isEncodedControl(_ text: UnsafeRawBufferPointer, at: Int) -> Bool {
        guard at + 2 < text.count else { return false }
        let (high, low) = (text[at + 1], text[at + 2] | 0x20)
        let isHexadecimal = low &- 0x30 < 10 || low &- 0x61 < 6
        return isHexadecimal && (high == 0x30 || high == 0x31) || high == 0x37 && low == 0x66
    }

    /// Whether a character of Bidi_Control (PropList.txt) is here: U+061C, U+200E, U+200F, U+202A-202E, U+2066-2069.
    private static func turnsDirection(_ text: UnsafeRawBufferPointer, at: Int) -> Bool {
        switch text[at] {
        case 0xd8: return at + 1 < text.count && text[at + 1] == 0x9c
        case 0xe2:
            guard at + 2 < text.count else { return false }
            switch (text[at + 1], text[at + 2]) {
            case (0x80, 0x8e...0x8f), (0x80, 0xaa...0xae), (0x81, 0xa6...0xa9): return true
            default: return false
            }
        default: return false
        }
    }

    /// The problem of an e-mail address; nil if it is valid. Deliberately loose (RFC 5321, section 4.5.3.1, for the
    /// length): one @ with text on both sides, no white space or control characters.
    public static func emailProblem(_ text: UnsafeRawBufferPointer) -> String? {
        if text.count > 254 { return "may have at most 254 bytes; it has \(text.count)" }
        let at = UInt8(ascii: "@")
        guard let last = text.lastIndex(of: at), last > 0, last < text.count - 1,
            text.firstIndex(of: at) == last || text[0] == UInt8(ascii: "\"")
        else { return "must look like name@example.org" }
        // A colon outside quotes is not allowed (RFC 5322, section 3.2.3). The program that opens the address writes
        // the scheme.
        if text[0] != UInt8(ascii: "\""), text[..<last].contains(UInt8(ascii: ":")) {
            return "must be the address alone, such as name@example.org, without mailto:"
        }
        return hiddenProblem(text)
    }

    /// The problem of a file's path; nil if it is valid. The program never opens it.
    public static func pathProblem(_ text: UnsafeRawBufferPointer) -> String? {
        guard text.first == UInt8(ascii: "/") else { return "must be an absolute path, which begins with /" }
        if text.count > 4096 { return "may have at most 4096 bytes; it has \(text.count)" }
        return text.contains(0) ? nullProblem : nil
    }

    static let nullProblem = "must not contain the character U+0000; leave it out"

    /// The problem of a time zone's name; nil if it is valid.
    public static func timeZoneProblem(_ text: UnsafeRawBufferPointer) -> String? {
        TimeZones.isKnown(String(decoding: text.prefix(TimeZones.nameBytesMax + 1), as: UTF8.self))
            ? nil : "must be a time zone name of the IANA database, such as Europe/Helsinki"
    }

    /// The problem of a date; nil if it is valid.
    public static func dateProblem(_ text: UnsafeRawBufferPointer) -> String? {
        text.count == 10 && CivilDate(String(decoding: text, as: UTF8.self)) != nil
            ? nil : "must be a date such as 2026-01-02"
    }

    /// The problem of a pattern of dates; nil if it is valid.
    public static func dateFormatProblem(_ text: UnsafeRawBufferPointer) -> String? {
        text.count > 100 ? "may have at most 100 bytes" : DatePattern.problem(String(decoding: text, as: UTF8.self))
    }

    /// The problem of a month; nil if it is valid.
    public static func monthProblem(_ text: UnsafeRawBufferPointer) -> String? {
        text.count == 7 && CivilDate(String(decoding: text, as: UTF8.self) + "-01") != nil
            ? nil : "must be a month such as 2026-11"
    }

    /// The problem of a locale's identifier; nil if it is valid.
    public static func localeProblem(_ text: UnsafeRawBufferPointer) -> String? {
        Locales.canonical(String(decoding: text.prefix(Locales.identifierBytesMax + 1), as: UTF8.self)) == nil
            ? "must be a known locale, such as en_US or fi-FI" : nil
    }

    /// The problem of a name that a person gives; nil if it is valid.
    public static func nameProblem(_ text: UnsafeRawBufferPointer) -> String? {
        lineProblem(text, charactersMax: tagCharactersMax, bytesMax: tagBytesMax)
    }

    /// The problem of an attachment's line, which is stored unchanged; nil if it is valid.
    public static func attachedLineProblem(_ text: UnsafeRawBufferPointer) -> String? {
        if hasControlCharacter(text) { return controlProblem }
        return lineProblem(trimmed(text), charactersMax: labelBytesMax, bytesMax: labelBytesMax)
    }

    private static let controlProblem = "must not contain control characters such as line breaks"

    /// The text without white space (Unicode White_Space) at either end.
    @inline(__always)
    public static func trimmed(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        if let first = text.first, let last = text.last, isInk(first), isInk(last) { return text }
        return trimmedSlowly(text)
    }

    /// Whether a byte is a visible character of ASCII.
    @inline(__always)
    private static func isInk(_ byte: UInt8) -> Bool { byte &- 0x21 < 0x5e }

    @inline(never)
    private static func trimmedSlowly(_ text: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer {
        var start = 0
        var end = text.count
        while start < end {
            let length = whiteSpaceLength(text, at: start, end)
            if length == 0 { break }
            start += length
        }
        while end > start {
            var first = end - 1
            while first > start, text[first] & 0xc0 == 0x80 { first -= 1 }
            if whiteSpaceLength(text, at: first, end) != end - first { break }
            end = first
        }
        return UnsafeRawBufferPointer(rebasing: text[start..<end])
    }

    /// The problem of an untrimmed text of one line; nil if it is valid.
    static func lineProblem(
        _ text: UnsafeRawBufferPointer, charactersMax: Int, bytesMax: Int
    ) -> String? {
        if text.isEmpty { return "must not be empty or only white space" }
        if text.count > bytesMax { return "may have at most \(bytesMax) bytes; it has \(text.count)" }
        if hasControlCharacter(text) { return controlProblem }
        // A character has at least one byte, so a short text needs no count.
        if text.count > charactersMax {
            let characters = String(decoding: text, as: UTF8.self).count
            if characters > charactersMax {
                return "may have at most \(charactersMax) characters; it has \(characters)"
            }
        }
        return nil
    }

    /// Unicode category Cc: U+0000-1F, U+7F-9F.
    public static func hasControlCharacter(_ text: UnsafeRawBufferPointer) -> Bool {
        var previous: UInt8 = 0
        for byte in text {
            if byte < 0x20 || byte == 0x7f || (previous == 0xc2 && byte < 0xa0) { return true }
            previous = byte
        }
        return false
    }

    /// The length of the white space that begins here; 0 if there is none. Unicode property White_Space (PropList.txt),
    /// written out because a lookup of properties takes as long as all the rest.
    private static func whiteSpaceLength(_ text: UnsafeRawBufferPointer, at: Int, _ end: Int) -> Int {
        let first = text[at]
        if first < 0x80 { return first == 0x20 || (first >= 0x09 && first <= 0x0d) ? 1 : 0 }
        if first == 0xc2, at + 1 < end { return text[at + 1] == 0x85 || text[at + 1] == 0xa0 ? 2 : 0 }
        guard first >= 0xe1, first <= 0xe3, at + 2 < end else { return 0 }
        let rest = UInt32(text[at + 1] & 0x3f) << 6 | UInt32(text[at + 2] & 0x3f)
        switch UInt32(first & 0x0f) << 12 | rest {
        case 0x1680, 0x2000...0x200a, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000: return 3
        default: return 0
        }
    }

    /// Whether a text has a prefix, with letters of either case. Other characters must be equal: with 0x20 set, U+001A
    /// would be a colon.
    /// - Parameter prefix: in lower case.
    private static func hasPrefix(_ text: UnsafeRawBufferPointer, _ prefix: StaticString) -> Bool {
        guard text.count >= prefix.utf8CodeUnitCount else { return false }
        return (0..<prefix.utf8CodeUnitCount).allSatisfy { index in
            let (byte, wanted) = (text[index], prefix.utf8Start[index])
            return byte == wanted || wanted &- 0x61 < 26 && byte == wanted &- 0x20
        }
    }
}
