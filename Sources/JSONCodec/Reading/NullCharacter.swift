/// The character U+0000 in JSON texts. A string can contain it only as the escape `\\u0000` (RFC 8259, section 7).
///
/// Programs in C take it for the end of a text, and some JSON readers, such as that of Emacs 28, refuse a whole message
/// with it.
public enum NullCharacter {
    private static let escapeCount = 6

    /// The offset of its first escape in JSON text, or in the inside of a string.
    public static func offset(in json: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        var at = start
        while let found = json.firstOffset(of: UInt8(ascii: "\\"), from: at) {
            if isEscape(json, found) { return found }
            // The character after a backslash begins no escape.
            at = found + 2
            guard at < json.count else { return nil }
        }
        return nil
    }

    private static func isEscape(_ json: UnsafeRawBufferPointer, _ at: Int) -> Bool {
        at + escapeCount <= json.count && json[at + 1] == UInt8(ascii: "u")
            && json[(at + 2)..<(at + escapeCount)].allSatisfy { $0 == UInt8(ascii: "0") }
    }

    /// JSON text without the character.
    public static func removed(from json: UnsafeRawBufferPointer) -> [UInt8] {
        var result: [UInt8] = []
        var at = 0
        while let found = offset(in: json, from: at) {
            result += json[at..<found]
            at = found + escapeCount
        }
        return result + json[at...]
    }
}

extension JSONText {
    public var holdsNullCharacter: Bool { isEscaped && NullCharacter.offset(in: raw) != nil }
}
