import JSONCodec
import MoodProtocol

/// The changes of a mood in the answer of `mood_get`.
extension JSONWriter {
    /// Writes the inside of a string: each change on its own line, and the next cursor.
    mutating func changes(_ page: ChangePage, _ rule: NotesRule) {
        page.items?.forEachElement { item in
            guard page.isLeftOut else { return historyLine(item, rule) }
            put("\\nThe change with the revision ")
            if let revision = Change(item).revision { buffer.append(revision.bytes) }
            put(" is left out, because it is longer than an answer.")
        }
        guard let cursor = page.cursor else { return }
        put("\\nThere are earlier changes: the same call with cursor \\\"")
        contents(cursor)
        put("\\\".")
    }

    private mutating func historyLine(_ item: ValidJSON, _ rule: NotesRule) {
        let change = Change(item)
        put("\\nrevision ")
        if let revision = change.revision { buffer.append(revision.bytes) }
        put(" ")
        if let time = change.at { contents(time) }
        put(" ")
        if let kind = change.kind { contents(kind) }
        guard let mood = change.mood else { return }
        put(": ")
        moodLine(mood, rule.ofChanges)
    }

    mutating func historyItem(_ item: ValidJSON, _ rule: NotesRule) {
        beginObject()
        item.forEachMember { name, value in
            string(name)
            buffer.append(UInt8(ascii: ":"))
            if name.equals("mood") { mood(value, rule.ofChanges) } else { raw(value.bytes) }
        }
        endObject()
    }
}

/// A page of `mood.history`.
struct ChangePage {
    var items: ValidJSON?
    var count = 0
    var cursor: JSONText?
    /// Whether the changes are named by their revisions alone.
    var isLeftOut = false

    init(_ page: ValidJSON) {
        var (items, cursor) = (ValidJSON?.none, JSONText?.none)
        page.forEachMember { name, value in
            if name.equals("items") { items = value }
            if name.equals("nextCursor") { cursor = value.text }
        }
        (self.items, self.cursor) = (items, cursor)
        items?.forEachElement { _ in count += 1 }
    }
}

/// A change of `mood.history`.
struct Change {
    var revision: ValidJSON?
    var at: JSONText?
    var kind: JSONText?
    var mood: ValidJSON?

    init(_ item: ValidJSON) {
        var change = (revision: ValidJSON?.none, at: JSONText?.none, kind: JSONText?.none, mood: ValidJSON?.none)
        item.forEachMember { name, value in
            if name.equals("revision") {
                change.revision = value
            } else if name.equals("at") {
                change.at = value.text
            } else if name.equals("kind") {
                change.kind = value.text
            } else if name.equals("mood") {
                change.mood = value
            }
        }
        (revision, at, kind, mood) = change
    }
}

extension NotesRule {
    /// The rule for changes of a mood, which show no more of its notes than lists do.
    fileprivate var ofChanges: NotesRule {
        if self == .whole { return .ofLists }
        if case .cut(let most) = self, most > 500 { return .ofLists }
        return self
    }
}
