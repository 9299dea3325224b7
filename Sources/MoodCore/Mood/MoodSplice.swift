import JSONCodec

/// The most frequent change, without reading the whole mood: writes another favorite mark, time of update and revision
/// into the stored bytes.
///
/// It relies on the canonical layout of `MoodMembers.write`: fixed bytes up to the emoji, two strings, a time of fixed
/// length, the mark; and at the end a time of fixed length and the revision. It checks every fixed byte. A record of
/// another layout (a file that a person edited, members of a later version) must be written as a whole.
public enum MoodSplice {
    /// Copies a canonical record with three values replaced.
    /// - Returns: false, with nothing written, if the record has another layout.
    public static func write(
        _ record: UnsafeRawBufferPointer, isFavorite: Bool, updatedAt: Timestamp, revision: Int,
        to writer: inout JSONWriter
    ) -> Bool {
        guard let mark = markStart(record), let tail = tailStart(record) else { return false }
        let markLength = record[mark] == UInt8(ascii: "t") ? 4 : 5
        guard mark + markLength <= tail else { return false }
        writer.raw(UnsafeRawBufferPointer(rebasing: record[..<mark]))
        writer.boolean(isFavorite)
        writer.buffer.append(UnsafeRawBufferPointer(rebasing: record[(mark + markLength)..<tail]))
        updatedAt.write(to: &writer.buffer)
        writer.buffer.append("\",\"revision\":" as StaticString)
        writer.buffer.append(integer: revision)
        writer.buffer.append(UInt8(ascii: "}"))
        return true
    }

    /// The ranges of emoji and label, between their quotes.
    static func headline(_ record: UnsafeRawBufferPointer) -> (emoji: Range<Int>, label: Range<Int>)? {
        var at = 0
        guard skip("{\"id\":\"", record, &at) else { return nil }
        at += MoodID.textLength
        guard skip("\",\"emoji\":\"", record, &at) else { return nil }
        let emoji = at
        guard skipText(record, &at) else { return nil }
        let emojiEnd = at
        guard skip("\",\"label\":\"", record, &at) else { return nil }
        let label = at
        guard skipText(record, &at) else { return nil }
        return (emoji..<emojiEnd, label..<at)
    }

    /// The offset of the value of `isFavorite`.
    private static func markStart(_ record: UnsafeRawBufferPointer) -> Int? {
        guard let headline = headline(record) else { return nil }
        var at = headline.label.upperBound
        guard skip("\",\"timestamp\":\"", record, &at) else { return nil }
        at += Timestamp.textLength
        guard skip("\",\"isFavorite\":", record, &at), at < record.count else { return nil }
        return at
    }

    /// The offset of the text of `updatedAt`, if it and the revision come last.
    private static func tailStart(_ record: UnsafeRawBufferPointer) -> Int? {
        guard record.last == UInt8(ascii: "}") else { return nil }
        var at = record.count - 1
        while at > 0, record[at - 1] &- 48 < 10 { at -= 1 }
        guard at < record.count - 1 else { return nil }
        let revisionName: StaticString = "\",\"revision\":"
        let updateName: StaticString = ",\"updatedAt\":\""
        at -= revisionName.utf8CodeUnitCount
        let start = at - Timestamp.textLength
        guard skip(revisionName, record, &at) else { return nil }
        at = start - updateName.utf8CodeUnitCount
        return skip(updateName, record, &at) ? start : nil
    }

    @inline(__always)
    private static func skip(_ literal: StaticString, _ record: UnsafeRawBufferPointer, _ at: inout Int) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard at >= 0, record.count - at >= count else { return false }
        let found = UnsafeRawBufferPointer(rebasing: record[at..<at + count])
        at += count
        return JSONText.sameBytes(found, UnsafeRawBufferPointer(start: literal.utf8Start, count: count))
    }

    /// Moves to the quote that ends a string.
    @inline(__always)
    private static func skipText(_ record: UnsafeRawBufferPointer, _ at: inout Int) -> Bool {
        guard let end = record.endOfString(from: at) else { return false }
        at = end.offset
        return true
    }
}
