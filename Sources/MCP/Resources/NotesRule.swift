import JSONCodec
import MoodProtocol

/// The part of a mood's notes that an answer shows.
public enum NotesRule: Sendable, Equatable {
    case whole
    /// The most characters of each.
    case cut(Int)
    case hidden

    /// The rule for moods in lists.
    public static let ofLists = NotesRule.cut(500)

    /// This rule, then those that make an answer shorter.
    var shorterRules: [NotesRule] {
        switch self {
        case .hidden: [.hidden]
        case .whole: [self, .cut(4000), .ofLists, .cut(0)]
        case .cut(let most): [self] + [.cut(4000), .ofLists, .cut(100), .cut(0)].filter { $0.most < most }
        }
    }

    private var most: Int { if case .cut(let most) = self { most } else { .max } }

    /// The notes as shown, and whether they were cut; nil if hidden.
    func shown(_ notes: JSONText) -> (text: String, isCut: Bool)? {
        switch self {
        case .hidden: return nil
        case .whole: return (notes.string, false)
        case .cut(let most):
            let text = notes.string
            guard let end = text.index(text.startIndex, offsetBy: most, limitedBy: text.endIndex), end < text.endIndex
            else { return (text, false) }
            return (String(text[..<end]) + "…", true)
        }
    }

    /// Whether these notes are shown unchanged.
    func keeps(_ notes: JSONText) -> Bool {
        switch self {
        case .whole: true
        case .cut(let most): notes.raw.count <= most
        case .hidden: false
        }
    }
}

extension JSONWriter {
    /// Writes a mood with as much of its notes as the rule allows. `notesCut` reports a cut.
    public mutating func mood(_ mood: ValidJSON, _ rule: NotesRule) { self.mood(MoodParts(mood), rule) }

    mutating func mood(_ parts: MoodParts, _ rule: NotesRule) {
        guard let text = parts.notes, !rule.keeps(text) else { return raw(parts.whole.bytes) }
        let mood = parts.whole
        beginObject()
        mood.forEachMember { key, value in
            guard key.equals("notes") else {
                string(key)
                buffer.append(UInt8(ascii: ":"))
                return raw(value.bytes)
            }
            guard let shown = rule.shown(text) else { return }
            self.key("notes")
            string(shown.text)
            guard shown.isCut else { return }
            self.key("notesCut")
            boolean(true)
        }
        endObject()
    }

    /// Writes a cell of a screen with as much of the notes as the rule allows. Cut notes offer no action, because it
    /// would replace the whole notes.
    private mutating func notesCell(_ cell: ValidJSON, _ rule: NotesRule) {
        var isCut = false
        cell.forEachMember { name, value in
            if name.equals("text"), let shown = value.text.flatMap(rule.shown) { isCut = shown.isCut }
        }
        guard isCut else { return raw(cell.bytes) }
        beginObject()
        cell.forEachMember { name, value in
            if name.equals("action") { return }
            string(name)
            buffer.append(UInt8(ascii: ":"))
            if name.equals("text"), let shown = value.text.flatMap(rule.shown) {
                string(shown.text)
                member("notesCut", true)
            } else if name.equals("accessibility") {
                beginObject()
                value.forEachMember { name, value in
                    if name.equals("label"), let shown = value.text.flatMap(rule.shown) { member("label", shown.text) }
                }
                member("traits", array: ["staticText"]) { trait, out in out.string(trait) }
                endObject()
            } else {
                raw(value.bytes)
            }
        }
        endObject()
    }

    /// Writes any result without the notes of moods, at any depth.
    public mutating func withoutNotes(_ value: ValidJSON) { withNotes(value, .hidden) }

    /// Writes any result with as much of the notes of moods as the rule allows, at any depth.
    mutating func withNotes(_ value: ValidJSON, _ rule: NotesRule) {
        if rule == .whole { return raw(value.bytes) }
        var reader = JSONReader(value)
        withNotes(&reader, rule)
    }

    /// Writes a value. The validator bounds the depth, so this recursion is bounded too.
    private mutating func withNotes(_ reader: inout JSONReader, _ rule: NotesRule) {
        switch reader.kind {
        case .object:
            beginObject()
            _ = reader.enterObject()
            while let key = reader.nextKey() {
                if key.equals("notes"), reader.kind == .string {
                    if let shown = reader.skip().text.flatMap(rule.shown) {
                        self.key("notes")
                        string(shown.text)
                        if shown.isCut {
                            self.key("notesCut")
                            boolean(true)
                        }
                    }
                    continue
                }
                string(key)
                buffer.append(UInt8(ascii: ":"))
                if key.equals("cells"), reader.kind == .array { cells(&reader, rule) } else { withNotes(&reader, rule) }
            }
            endObject()
        case .array:
            beginArray()
            _ = reader.enterArray()
            while reader.nextElement() { withNotes(&reader, rule) }
            endArray()
        default: raw(reader.skip().bytes)
        }
    }

    private mutating func cells(_ reader: inout JSONReader, _ rule: NotesRule) {
        beginArray()
        _ = reader.enterArray()
        while reader.nextElement() {
            var copy = reader
            let cell = copy.skip()
            var isNotes = false
            cell.forEachMember { if $0.equals("type"), $1.text?.equals("notes") == true { isNotes = true } }
            if isNotes {
                reader = copy
                notesCell(cell, rule)
            } else {
                withNotes(&reader, rule)
            }
        }
        endArray()
    }
}
