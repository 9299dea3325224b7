import JSONCodec

/// What a mood is found, sorted and counted by, taken from a record in the canonical layout of `MoodMembers.write` in one
/// pass: for whoever must look at all of them.
///
/// Every byte up to the end is accounted for: names and marks must be exactly those, values must be such that
/// `MoodMembers(checking:)` takes them too. So where this answers, that one says the same; where it does not (somebody
/// edited the record, or a later version added members), that one is to be asked.
public struct CanonicalMood {
    public let id: MoodID
    /// As written, escapes and all.
    public let label: JSONText
    public let timestamp: Timestamp
    public let isFavorite: Bool
    public let hasTimeZone: Bool
    public let updatedAt: Timestamp

    public init?(_ record: UnsafeRawBufferPointer) {
        var cursor = Cursor(record)
        guard let id = cursor.id(), cursor.skip(",\"emoji\":"), cursor.text() != nil, cursor.skip(",\"label\":"),
            let label = cursor.text(), cursor.skip(",\"timestamp\":\""), let timestamp = cursor.time(),
            cursor.skip(",\"isFavorite\":"), let isFavorite = cursor.boolean(),
            cursor.skip(",\"notes\":"), cursor.text() != nil, cursor.skip(",\"tags\":["), cursor.array()
        else { return nil }
        if cursor.skip(",\"valence\":") { guard cursor.number() else { return nil } }
        hasTimeZone = cursor.skip(",\"timeZone\":")
        if hasTimeZone { guard cursor.text() != nil else { return nil } }
        guard cursor.skip(",\"attachments\":["), cursor.array(), cursor.skip(",\"createdAt\":\""),
            cursor.time() != nil, cursor.skip(",\"updatedAt\":\""), let updatedAt = cursor.time(),
            cursor.skip(",\"revision\":"), cursor.lastInteger()
        else { return nil }
        self.id = id
        self.label = label
        self.timestamp = timestamp
        self.isFavorite = isFavorite
        self.updatedAt = updatedAt
    }

    /// The id alone, which comes first in the canonical layout; nil where it does not.
    @inline(__always)
    public static func id(_ record: UnsafeRawBufferPointer) -> MoodID? {
        var cursor = Cursor(record)
        return cursor.id()
    }
}

/// A place in a record. A step that does not fit answers nil or false, and then the place is of no meaning but behind
/// `skip`, which leaves it where it was.
private struct Cursor {
    private let record: UnsafeRawBufferPointer
    private var at = 0

    @inline(__always)
    init(_ record: UnsafeRawBufferPointer) { self.record = record }

    @inline(__always)
    mutating func skip(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard record.count - at >= count else { return false }
        let found = UnsafeRawBufferPointer(rebasing: record[at..<at + count])
        guard JSONText.sameBytes(found, UnsafeRawBufferPointer(start: literal.utf8Start, count: count)) else {
            return false
        }
        at += count
        return true
    }

    /// From the beginning of the record up to the end of its id.
    @inline(__always)
    mutating func id() -> MoodID? {
        guard skip("{\"id\":\""), record.count - at > MoodID.textLength else { return nil }
        let id = MoodID(UnsafeRawBufferPointer(rebasing: record[at..<at + MoodID.textLength]))
        at += MoodID.textLength
        return skip("\"") ? id : nil
    }

    @inline(__always)
    mutating func text() -> JSONText? {
        guard let text = JSONValidator.string(record, from: at) else { return nil }
        at += text.raw.count + 2
        return text
    }

    /// Behind the opening quote.
    @inline(__always)
    mutating func time() -> Timestamp? {
        guard record.count - at > Timestamp.textLength,
            record[at + Timestamp.textLength] == UInt8(ascii: "\""),
            let time = Timestamp(canonical: UnsafeRawBufferPointer(rebasing: record[at..<at + Timestamp.textLength]))
        else { return nil }
        at += Timestamp.textLength + 1
        return time
    }

    @inline(__always)
    mutating func boolean() -> Bool? {
        if skip("true") { return true }
        return skip("false") ? false : nil
    }

    /// Behind the opening bracket; what is in it is passed over as `JSONReader` does.
    @inline(__always)
    mutating func array() -> Bool {
        if skip("]") { return true }
        var reader = JSONReader(ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: record[(at - 1)...])))
        at += reader.skip().bytes.count - 1
        return record[at - 1] == UInt8(ascii: "]")
    }

    /// Up to the comma behind it.
    @inline(__always)
    mutating func number() -> Bool {
        guard at < record.count, record[at] &- 48 < 10 || record[at] == UInt8(ascii: "-") else { return false }
        while at < record.count, "0123456789+-.eE".utf8.contains(record[at]) { at += 1 }
        return at < record.count && record[at] == UInt8(ascii: ",")
    }

    /// Digits, the closing brace and the end.
    @inline(__always)
    mutating func lastInteger() -> Bool {
        let start = at
        while at < record.count, record[at] &- 48 < 10 { at += 1 }
        guard at > start, at - start <= 18 else { return false }
        return at == record.count - 1 && record[at] == UInt8(ascii: "}")
    }
}
