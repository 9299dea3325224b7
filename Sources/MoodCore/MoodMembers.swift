import JSONCodec

/// A mood's members where they stand: views of a stored record, of a request's params, or of one laid over the other.
///
/// One type serves reading, creating and updating, because the record that is stored is what the protocol shows. It
/// holds no text of its own, so it must not outlive the bytes it was read from. (Where readers come from: a SwiftData
/// model object, a Room entity; but a view, closer to a FlatBuffers accessor.)
///
/// Invariant: `write` is canonical. Members in one order, texts trimmed and escaped in one way, times in UTC with three
/// digits; writing what was read from a canonical record gives the same bytes. So equality of moods is equality of bytes.
public struct MoodMembers {
    public var id: MoodID?
    public var emoji: JSONText?
    public var label: JSONText?
    public var timestamp = MoodTime()
    public var isFavorite: Bool?
    public var notes: JSONText?
    public var tags: ValidJSON?
    public var valence: JSONNumber?
    public var timeZone: JSONText?
    public var attachments: ValidJSON?
    public var createdAt = MoodTime()
    public var updatedAt = MoodTime()
    public var revision: Int?
    /// Members that this version does not know; they are kept as they are.
    public var unknown: [(name: JSONText, value: ValidJSON)] = []

    public init() {}

    /// Reads bytes that are to become a stored record.
    /// - Returns: nil when a member has the wrong kind or one that every mood has is missing.
    public init?(checking record: ValidJSON) {
        self.init()
        guard read(record), id != nil, emoji != nil, label != nil, timestamp.value != nil, isFavorite != nil,
            notes != nil, tags != nil, attachments != nil, createdAt.value != nil, updatedAt.value != nil,
            revision != nil
        else { return nil }
    }

    /// Reads a stored record, which was checked when it was stored or loaded.
    public init(trusting record: ValidJSON) {
        self.init()
        _ = read(record)
    }

    /// Reads a stored record until emoji and label have come, which in the canonical order is at its start.
    /// - Parameter moment: what the mood's time says, which the store knows.
    public init(headline record: ValidJSON, at moment: Timestamp?) {
        self.init()
        timestamp = MoodTime(moment)
        if let place = MoodSplice.headline(record.bytes) {
            emoji = Self.text(record.bytes, place.emoji)
            label = Self.text(record.bytes, place.label)
            return
        }
        var reader = JSONReader(record)
        guard reader.enterObject() else { return }
        while emoji == nil || label == nil, let key = reader.nextKey() {
            switch Name(key) {
            case .emoji: emoji = reader.text()
            case .label: label = reader.text()
            default: reader.skip()
            }
        }
    }

    private static func text(_ record: UnsafeRawBufferPointer, _ place: Range<Int>) -> JSONText {
        let raw = UnsafeRawBufferPointer(rebasing: record[place])
        return JSONText(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\")))
    }

    /// Reads all members; false when one has the wrong kind.
    private mutating func read(_ record: ValidJSON) -> Bool {
        var reader = JSONReader(record)
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            switch Name(key) {
            case .id:
                id = reader.text()?.withDecoded { MoodID($0) }
                if id == nil { return false }
            case .emoji:
                emoji = reader.text()
                if emoji == nil { return false }
            case .label:
                label = reader.text()
                if label == nil { return false }
            case .timestamp:
                timestamp = MoodTime(reader.text())
                if timestamp.isEmpty { return false }
            case .isFavorite:
                isFavorite = reader.boolean()
                if isFavorite == nil { return false }
            case .notes:
                notes = reader.text()
                if notes == nil { return false }
            case .tags:
                if reader.kind != .array { return false }
                tags = reader.skip()
            case .valence:
                valence = reader.number()
                if valence == nil { return false }
            case .timeZone:
                timeZone = reader.text()
                if timeZone == nil { return false }
            case .attachments:
                if reader.kind != .array { return false }
                attachments = reader.skip()
            case .createdAt:
                createdAt = MoodTime(reader.text())
                if createdAt.isEmpty { return false }
            case .updatedAt:
                updatedAt = MoodTime(reader.text())
                if updatedAt.isEmpty { return false }
            case .revision:
                revision = reader.number()?.integer
                if revision == nil { return false }
            case nil:
                unknown.append((key, reader.skip()))
            }
        }
        return true
    }

    /// The members by name, told apart by length first.
    private enum Name {
        case id, emoji, label, timestamp, isFavorite, notes, tags, valence, timeZone, attachments, createdAt,
            updatedAt, revision

        @inline(__always)
        init?(_ key: JSONText) {
            switch key.raw.count {
            case 2 where key.equals("id"): self = .id
            case 4 where key.equals("tags"): self = .tags
            case 5 where key.equals("emoji"): self = .emoji
            case 5 where key.equals("label"): self = .label
            case 5 where key.equals("notes"): self = .notes
            case 7 where key.equals("valence"): self = .valence
            case 8 where key.equals("timeZone"): self = .timeZone
            case 8 where key.equals("revision"): self = .revision
            case 9 where key.equals("timestamp"): self = .timestamp
            case 9 where key.equals("createdAt"): self = .createdAt
            case 9 where key.equals("updatedAt"): self = .updatedAt
            case 10 where key.equals("isFavorite"): self = .isFavorite
            case 11 where key.equals("attachments"): self = .attachments
            default: return nil
            }
        }
    }

    /// This mood with the members that `other` has laid over it.
    public func overlaid(with other: MoodMembers, removingValence: Bool, removingTimeZone: Bool) -> MoodMembers {
        var result = self
        if let value = other.emoji { result.emoji = value }
        if let value = other.label { result.label = value }
        if !other.timestamp.isEmpty { result.timestamp = other.timestamp }
        if let value = other.isFavorite { result.isFavorite = value }
        if let value = other.notes { result.notes = value }
        if let value = other.tags { result.tags = value }
        if let value = other.attachments { result.attachments = value }
        result.valence = removingValence ? nil : other.valence ?? valence
        result.timeZone = removingTimeZone ? nil : other.timeZone ?? timeZone
        return result
    }

    /// Writes the mood in its canonical form. What every mood has must be set; notes, tags, attachments and the favourite
    /// mark have defaults.
    ///
    /// The names and the marks around them are written as one literal each: this is the longest way of a created mood.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.buffer.append("\"id\":\"" as StaticString)
        id?.write(to: &writer.buffer)
        writer.buffer.append("\",\"emoji\":\"" as StaticString)
        if let emoji { writer.contents(emoji) }
        writer.buffer.append("\",\"label\":\"" as StaticString)
        if let label { Self.writeContents(trimmed: label, &writer) }
        writer.buffer.append("\",\"timestamp\":\"" as StaticString)
        timestamp.write(to: &writer.buffer)
        if isFavorite ?? false {
            writer.buffer.append("\",\"isFavorite\":true,\"notes\":\"" as StaticString)
        } else {
            writer.buffer.append("\",\"isFavorite\":false,\"notes\":\"" as StaticString)
        }
        if let notes { writer.contents(notes) }
        writer.buffer.append("\",\"tags\":[" as StaticString)
        if let tags { Self.writeTags(tags, &writer) }
        writer.buffer.append(UInt8(ascii: "]"))
        if let valence = valence?.double {
            writer.key("valence")
            writer.double(valence)
        }
        if let timeZone {
            writer.key("timeZone")
            writer.string(timeZone)
        }
        writer.buffer.append(",\"attachments\":[" as StaticString)
        if let attachments, attachments.bytes.count > 2 { Attachment.write(all: attachments, to: &writer) }
        writer.buffer.append("],\"createdAt\":\"" as StaticString)
        createdAt.write(to: &writer.buffer)
        writer.buffer.append("\",\"updatedAt\":\"" as StaticString)
        updatedAt.write(to: &writer.buffer)
        writer.buffer.append("\",\"revision\":" as StaticString)
        writer.buffer.append(integer: revision ?? 0)
        for member in unknown {
            writer.string(member.name)
            writer.buffer.append(UInt8(ascii: ":"))
            writer.raw(member.value.bytes)
        }
        writer.endObject()
    }

    private static func writeTags(_ tags: ValidJSON, _ writer: inout JSONWriter) {
        var reader = JSONReader(tags)
        guard reader.enterArray() else { return }
        while reader.nextElement() {
            guard let tag = reader.text() else {
                reader.skip()
                continue
            }
            // The bracket or the tag before tells whether a comma is due.
            if writer.buffer.bytes.last != UInt8(ascii: "[") { writer.buffer.append(UInt8(ascii: ",")) }
            writer.buffer.append(UInt8(ascii: "\""))
            writeContents(trimmed: tag, &writer)
            writer.buffer.append(UInt8(ascii: "\""))
        }
    }

    private static func writeContents(trimmed text: JSONText, _ writer: inout JSONWriter) {
        if text.isEscaped {
            text.withDecoded { writer.contents(utf8: TextRule.trimmed($0)) }
        } else {
            writer.buffer.append(TextRule.trimmed(text.raw))
        }
    }
}

/// A time of a mood: where it stands, read only when somebody asks, or one that was set.
public struct MoodTime {
    private var text: JSONText?
    private var moment: Timestamp?

    public init() {}

    public init(_ text: JSONText?) { self.text = text }

    public init(_ time: Timestamp?) { moment = time }

    /// A time of which both are known: the text and the moment it says.
    public init(_ text: JSONText, saying moment: Timestamp) {
        self.text = text
        self.moment = moment
    }

    public var isEmpty: Bool { text == nil && moment == nil }

    /// The moment; nil when there is none, or none that can be read.
    public var value: Timestamp? { moment ?? text?.withDecoded { Timestamp(rfc3339: $0) } }

    /// Writes the canonical form. Times in UTC with three digits, or with none, are copied.
    func write(to buffer: inout ByteBuffer) {
        if let raw = text?.raw, text?.isEscaped == false, raw.count >= 20, raw[raw.count - 1] == UInt8(ascii: "Z"),
            raw[10] == UInt8(ascii: "T"), raw[17] != UInt8(ascii: "6")
        {
            if raw.count == Timestamp.textLength { return buffer.append(raw) }
            if raw.count == 20 {
                buffer.append(UnsafeRawBufferPointer(rebasing: raw[..<19]))
                return buffer.append(".000Z" as StaticString)
            }
        }
        value?.write(to: &buffer)
    }
}
