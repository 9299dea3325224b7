import JSONCodec
import MoodCore
import MoodProtocol

/// A mood as one line for readers of text alone: all its contents, with the id and revision for calls.
extension JSONWriter {
    /// Writes the inside of a string, such as
    /// `😌 Calm · 2026-11-20T10:00:00.000Z · #work · id 0190… · revision 12 · notes: "…"`.
    ///
    /// The members keep their escapes from the mood; a quoted string inside the text needs no more.
    public mutating func moodLine(_ mood: ValidJSON, _ rule: NotesRule) { moodLine(MoodParts(mood), rule) }

    mutating func moodLine(_ parts: MoodParts, _ rule: NotesRule) {
        if let emoji = parts.emoji { contents(emoji) }
        put(" ")
        if let label = parts.label { line(label) }
        put(" · ")
        if let time = parts.time { contents(time) }
        if let zone = parts.zone {
            put(" ")
            contents(zone)
        }
        if parts.isFavorite { put(" · favorite") }
        if let value = parts.valence {
            put(" · valence ")
            buffer.append(value.bytes)
        }
        parts.scales?.forEachMember { name, value in
            put(" · ")
            line(name)
            put(" ")
            buffer.append(value.bytes)
        }
        if parts.hasReady { readyMembers(of: parts.whole) }
        if let tags = parts.tags { self.tags(tags) }
        attachments(parts.attachments)
        put(" · id ")
        if let id = parts.id { contents(id) }
        put(" · revision ")
        if let revision = parts.revision { buffer.append(revision.bytes) }
        if let notes = parts.notes { self.notes(notes, rule) }
    }

    /// Writes the inside of a string: the mood with this id does not fit.
    mutating func leftOut(_ id: JSONText?) {
        put("The mood with the id ")
        if let id { contents(id) }
        put(" is left out, because it is longer than an answer: read moodboard://mood/")
        if let id { contents(id) }
        put(".")
    }

    /// Writes the inside of a string: how to get the next page.
    mutating func nextPage(_ cursor: JSONText?, _ asOf: CursorTime?) {
        guard let cursor else { return }
        put("\\nThere are more: the same call with cursor \\\"")
        contents(cursor)
        asOf?.write(to: &self)
        put("\\\".")
    }

    private mutating func readyMembers(of mood: ValidJSON) {
        mood.forEachMember { name, value in
            guard let field = MoodField(name), field.isReady else { return }
            put(" · ")
            put(field.name)
            put(" ")
            if let text = value.text { line(text) } else { buffer.append(value.bytes) }
        }
    }

    private mutating func tags(_ tags: ValidJSON) {
        var reader = JSONReader(tags)
        guard reader.enterArray() else { return }
        var isFirst = true
        while reader.nextElement() {
            if isFirst { put(" · #") } else { put(" #") }
            isFirst = false
            if let tag = reader.text() { line(tag) } else { reader.skip() }
        }
    }

    private mutating func attachments(_ attachments: ValidJSON?) {
        var count = 0
        attachments?.forEachElement { _ in count += 1 }
        guard count > 0 else { return }
        put(" · attachments ")
        buffer.append(integer: count)
    }

    private mutating func notes(_ notes: JSONText, _ rule: NotesRule) {
        guard !notes.raw.isEmpty else { return }
        if rule.keeps(notes) {
            put(" · notes: \\\"")
            line(notes)
            return put("\\\"")
        }
        guard let shown = rule.shown(notes) else { return put(" · notes left out") }
        put(" · notes: \\\"")
        line(shown.text)
        put("\\\"")
        if shown.isCut { put(" (cut)") }
    }
}

/// The members of a mood as views, read in one pass.
struct MoodParts {
    /// The whole mood.
    private(set) var whole: ValidJSON
    private(set) var id: JSONText?
    private(set) var emoji: JSONText?
    private(set) var label: JSONText?
    private(set) var time: JSONText?
    private(set) var zone: JSONText?
    private(set) var notes: JSONText?
    private(set) var valence: ValidJSON?
    private(set) var scales: ValidJSON?
    private(set) var tags: ValidJSON?
    private(set) var attachments: ValidJSON?
    private(set) var revision: ValidJSON?
    private(set) var isFavorite = false
    /// Whether it has members of a ready kind.
    private(set) var hasReady = false

    init(_ mood: ValidJSON) {
        var reader = JSONReader(mood)
        self.init(&reader)
    }

    /// Reads the next mood.
    init(_ reader: inout JSONReader) {
        let start = reader.valueStart
        whole = ValidJSON.emptyObject
        guard reader.enterObject() else {
            whole = reader.skip()
            return
        }
        // The members have this order, so mostly the loop only finds the end.
        if reader.pass("\"id\":") { id = Self.text(&reader) }
        if reader.pass("\"emoji\":") { emoji = Self.text(&reader) }
        if reader.pass("\"label\":") { label = Self.text(&reader) }
        if reader.pass("\"timestamp\":") { time = Self.text(&reader) }
        if reader.pass("\"isFavorite\":") { isFavorite = reader.boolean() ?? (reader.skip().boolean == true) }
        if reader.pass("\"notes\":") { notes = Self.text(&reader) }
        if reader.pass("\"tags\":") { tags = reader.skip() }
        if reader.pass("\"valence\":") { valence = reader.skip() }
        if reader.pass("\"scales\":") { scales = reader.skip() }
        if reader.pass("\"timeZone\":") { zone = Self.text(&reader) }
        // Most moods have none.
        if !reader.pass("\"attachments\":[]"), reader.pass("\"attachments\":") { attachments = reader.skip() }
        if reader.pass("\"createdAt\":") { _ = Self.text(&reader) }
        if reader.pass("\"updatedAt\":") { _ = Self.text(&reader) }
        if reader.pass("\"revision\":") { revision = reader.skip() }
        while let key = reader.nextKey() {
            guard let field = MoodField(key) else {
                reader.skip()
                continue
            }
            switch field {
            case .id: id = Self.text(&reader)
            case .emoji: emoji = Self.text(&reader)
            case .label: label = Self.text(&reader)
            case .timestamp: time = Self.text(&reader)
            case .isFavorite: isFavorite = reader.skip().boolean == true
            case .notes: notes = Self.text(&reader)
            case .tags: tags = reader.skip()
            case .valence: valence = reader.skip()
            case .scales: scales = reader.skip()
            case .timeZone: zone = Self.text(&reader)
            case .attachments: attachments = reader.skip()
            case .revision: revision = reader.skip()
            default:
                reader.skip()
                if field.isReady { hasReady = true }
            }
        }
        whole = reader.slice(from: start)
    }

    /// A string; skips a value of another kind.
    @inline(__always)
    private static func text(_ reader: inout JSONReader) -> JSONText? {
        if let text = reader.text() { return text }
        reader.skip()
        return nil
    }
}
