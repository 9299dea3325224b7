import JSONCodec
import MoodText

/// A mood in one line, as views of its record, which it must not outlive. It does not read the rest of the record,
/// which is most of the work for the most shared texts. (Core Data: `propertiesToFetch`.)
public struct MoodHeadline {
    public let emoji: JSONText
    public let label: JSONText
    public let timeZone: JSONText?
    /// The mood's time; nil if the record has none that can be read.
    private let moment: Timestamp?

    /// - Parameters:
    ///   - moment: the mood's time, which the store knows.
    ///   - hasZone: whether the record has a time zone. Then the record must be read whole.
    public init(_ record: ValidJSON, at moment: Timestamp?, hasZone: Bool) {
        if !hasZone, let place = MoodSplice.headline(record.bytes) {
            self.moment = moment
            emoji = Self.text(record.bytes, place.emoji)
            label = Self.text(record.bytes, place.label)
            timeZone = nil
        } else {
            let mood = MoodMembers(trusting: record)
            self.moment = moment ?? mood.timestamp.value
            emoji = mood.emoji ?? JSONText("")
            label = mood.label ?? JSONText("")
            timeZone = mood.timeZone
        }
    }

    private static func text(_ record: UnsafeRawBufferPointer, _ place: Range<Int>) -> JSONText {
        let raw = UnsafeRawBufferPointer(rebasing: record[place])
        return JSONText(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\")))
    }

    /// Writes a JSON string without decoding: `EMOJI LABEL`, a line break, `Recorded RELATIVE` in the locale's words.
    /// - Throws: if the locale or the zone is unknown.
    public func write(
        _ context: ReadingContext, _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        writer.raw("\"")
        writer.contents(emoji)
        writer.buffer.append(UInt8(ascii: " "))
        writer.contents(label)
        writer.buffer.append("\\n" as StaticString)
        writer.buffer.append(Words.beforeRelative(context.locale))
        try phrases.withRelative(
            from: moment?.milliseconds ?? 0, to: context.now.milliseconds, locale: context.locale,
            timeZone: context.timeZone
        ) { writer.buffer.append($0) }
        writer.buffer.append(UInt8(ascii: "\""))
    }
}
