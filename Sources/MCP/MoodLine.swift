import JSONCodec
import MoodProtocol

/// A mood as one line for who reads text alone: everything of it, and what a call needs to name it.
extension JSONWriter {
    /// Writes the inside of a string, such as
    /// `😌 Calm · 2026-11-20T10:00:00.000Z · #work · id 0190… · revision 12 · notes: "…"`.
    ///
    /// The members are escaped as they stand in the mood, and a string in a string of the same text needs no more.
    public mutating func moodLine(_ mood: ValidJSON, _ rule: NotesRule) {
        var parts = Parts()
        mood.forEachMember { key, value in parts.take(key, value) }
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
        var isFirst = true
        parts.tags?.forEachElement { tag in
            put(isFirst ? " · #" : " #")
            isFirst = false
            if let tag = tag.text { line(tag) }
        }
        attachments(parts.attachments)
        put(" · id ")
        if let id = parts.id { contents(id) }
        put(" · revision ")
        if let revision = parts.revision { buffer.append(revision.bytes) }
        if let notes = parts.notes { self.notes(notes, rule) }
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

    private struct Parts {
        var id: JSONText?
        var emoji: JSONText?
        var label: JSONText?
        var time: JSONText?
        var zone: JSONText?
        var notes: JSONText?
        var valence: ValidJSON?
        var scales: ValidJSON?
        var tags: ValidJSON?
        var attachments: ValidJSON?
        var revision: ValidJSON?
        var isFavorite = false

        mutating func take(_ key: JSONText, _ value: ValidJSON) {
            if key.equals("id") {
                id = value.text
            } else if key.equals("emoji") {
                emoji = value.text
            } else if key.equals("label") {
                label = value.text
            } else if key.equals("timestamp") {
                time = value.text
            } else if key.equals("isFavorite") {
                isFavorite = value.boolean == true
            } else if key.equals("notes") {
                notes = value.text
            } else if key.equals("tags") {
                tags = value
            } else if key.equals("valence") {
                valence = value
            } else if key.equals("scales") {
                scales = value
            } else if key.equals("timeZone") {
                zone = value.text
            } else if key.equals("attachments") {
                attachments = value
            } else if key.equals("revision") {
                revision = value
            }
        }
    }
}
