import MoodCore

/// Times of older files: RFC 3339, and forms that differ from it a little.
enum OlderTime {
    /// Reads RFC 3339, and also: a space for the T (RFC 3339, section 5.6, note), a space before the offset, and an
    /// offset without its colon, as in `2026-01-02 03:04:05 +0000`, the description of a Swift `Date`. A zone is always
    /// needed.
    static func read(_ text: UnsafeRawBufferPointer) -> Timestamp? {
        if let time = Timestamp(rfc3339: text) { return time }
        guard text.count >= 20, text.count <= 64 else { return nil }
        var bytes = Array(text)
        if bytes[10] == UInt8(ascii: " ") { bytes[10] = UInt8(ascii: "T") }
        if let sign = bytes.lastIndex(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "-") }), sign >= 19 {
            if bytes.count - sign == 5 { bytes.insert(UInt8(ascii: ":"), at: sign + 3) }
            if bytes[sign - 1] == UInt8(ascii: " ") { bytes.remove(at: sign - 1) }
        }
        return bytes.withUnsafeBytes { Timestamp(rfc3339: $0) }
    }

    static let rule = "must be a time such as 2026-01-02T03:04:05Z, with a zone"

    /// The rule for numbers: there are several ways to count, so the moment is unknown.
    static let numberRule =
        rule
        + "; a number does not say whether it counts seconds from 2001 (as Swift does) or from 1970, or milliseconds"
}
