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

    /// Reads a stored record until emoji, label and time have come, which in the canonical order is at its start.
    public init(headline record: ValidJSON) {
        self.init()
        var reader = JSONReader(record)
        guard reader.enterObject() else { return }
        while emoji == nil || label == nil || timestamp.isEmpty, let key = reader.nextKey() {
            switch Name(key) {
            case .emoji: emoji = reader.text()
            case .label: label = reader.text()
            case .timestamp: timestamp = MoodTime(reader.text())
            default: reader.skip()
            }
        }
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

    /// Writes the mood in its canonical form. Members that every mood has must be set; notes, tags, attachments and the
    /// favourite mark have defaults.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        if let id {
            writer.buffer.append("\"id\":\"" as StaticString)
            id.write(to: &writer.buffer)
            writer.buffer.append(UInt8(ascii: "\""))
        }
        if let emoji {
            writer.key("emoji")
            writer.string(emoji)
        }
        if let label {
            writer.key("label")
            Self.write(trimmed: label, &writer)
        }
        Self.write(timestamp, "timestamp", &writer)
        writer.key("isFavorite")
        writer.boolean(isFavorite ?? false)
        writer.key("notes")
        if let notes { writer.string(notes) } else { writer.raw("\"\"") }
        writer.key("tags")
        writer.beginArray()
        if let tags {
            var reader = JSONReader(tags)
            _ = reader.enterArray()
            while reader.nextElement() {
                if let tag = reader.text() { Self.write(trimmed: tag, &writer) } else { reader.skip() }
            }
        }
        writer.endArray()
        if let valence = valence?.double {
            writer.key("valence")
            writer.double(valence)
        }
        if let timeZone {
            writer.key("timeZone")
            writer.string(timeZone)
        }
        writer.key("attachments")
        writer.beginArray()
        if let attachments, attachments.bytes.count > 2 { Attachment.write(all: attachments, to: &writer) }
        writer.endArray()
        Self.write(createdAt, "createdAt", &writer)
        Self.write(updatedAt, "updatedAt", &writer)
        if let revision {
            writer.key("revision")
            writer.integer(revision)
        }
        for member in unknown {
            writer.string(member.name)
            writer.buffer.append(UInt8(ascii: ":"))
            writer.raw(member.value.bytes)
        }
        writer.endObject()
    }

    private static func write(trimmed text: JSONText, _ writer: inout JSONWriter) {
        if text.isEscaped {
            text.withDecoded { writer.string(utf8: TextRule.trimmed($0)) }
        } else {
            writer.string(JSONText(raw: TextRule.trimmed(text.raw), isEscaped: false))
        }
    }

    private static func write(_ time: MoodTime, _ name: StaticString, _ writer: inout JSONWriter) {
        guard !time.isEmpty else { return }
        writer.key(name)
        writer.buffer.append(UInt8(ascii: "\""))
        time.write(to: &writer.buffer)
        writer.buffer.append(UInt8(ascii: "\""))
    }
}

/// A time of a mood where it stands, read only when somebody asks; or one that was set.
public struct MoodTime {
    private var text: JSONText?
    private var moment: Timestamp?

    public init() {}

    public init(_ text: JSONText?) { self.text = text }

    public init(_ time: Timestamp?) { moment = time }

    public var isEmpty: Bool { text == nil && moment == nil }

    /// The moment; nil when there is none, or none that can be read.
    public var value: Timestamp? { moment ?? text?.withDecoded { Timestamp(rfc3339: $0) } }

    /// Writes the canonical form.
    func write(to buffer: inout ByteBuffer) {
        if moment == nil, let text, isCanonical(text) { return buffer.append(text.raw) }
        value?.write(to: &buffer)
    }

    /// Whether a valid time is written in UTC with exactly three digits.
    private func isCanonical(_ text: JSONText) -> Bool {
        !text.isEscaped && text.raw.count == Timestamp.textLength && text.raw[19] == UInt8(ascii: ".")
            && text.raw[23] == UInt8(ascii: "Z") && text.raw[10] == UInt8(ascii: "T")
            && text.raw[17] != UInt8(ascii: "6")
    }
}
