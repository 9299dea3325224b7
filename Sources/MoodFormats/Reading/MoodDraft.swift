import JSONCodec
import MoodCore

/// A mood in preparation from a file's content.
struct MoodDraft {
    var id: MoodID?
    var emoji = ""
    var label = ""
    var timestamp: Timestamp?
    var notes = ""
    var tags: [String] = []
    /// The numbers as JSON, by name.
    var scales: [(name: String, value: String)] = []
    var timeZone: String?
    /// The array as JSON.
    var attachments: String?
    var createdAt: Timestamp?
    var updatedAt: Timestamp?
    /// Members of the ready kinds as JSON.
    private var ready: [MoodField: String] = [:]
    var isFavorite: Bool? {
        get { ready[.isFavorite].map { $0 == "true" } }
        set { ready[.isFavorite] = newValue.map { $0 ? "true" : "false" } }
    }
    /// The number as JSON.
    var valence: String? {
        get { ready[.valence] }
        set { ready[.valence] = newValue }
    }

    /// Sets a member of a ready kind from a text.
    /// - Returns: the reason why it is left out, if it is.
    mutating func set(_ field: MoodField, _ text: String, _ decimal: Character? = nil) -> String? {
        switch field.kind {
        case .flag:
            ready[field] = BooleanText.boolean(text).map { $0 ? "true" : "false" }
            return ready[field] == nil ? "\(field.name) must be true or false." : nil
        case .number:
            ready[field] = NumberText.number(text, decimal)
            return ready[field] == nil ? NumberText.fault("\(field.name)", text) : nil
        default:
            ready[field] = JSONValue.string(text).text
            return nil
        }
    }

    /// Adds a scale.
    /// - Parameter value: a number as JSON.
    /// - Returns: the reason why it is left out, if it is.
    mutating func addScale(_ name: String, _ value: String) -> String? {
        let plain = name.trimmedSpaces
        if scales.contains(where: { $0.name.trimmedSpaces == plain }) { return "The scale \(plain) stands twice." }
        scales.append((name, value))
        return nil
    }

    /// Adds what is missing from the feeling of its label.
    mutating func complete(_ options: ImportOptions) {
        if let feeling = options.feeling(label) {
            if emoji.isEmpty { emoji = feeling.emoji }
            return
        }
        if label.isEmpty, let feeling = options.feelings.first(where: { $0.emoji == emoji }) { label = feeling.label }
        if emoji.isEmpty { emoji = ImportOptions.plainEmoji }
    }

    /// Tags without white space around them, each once, compared by folded text.
    mutating func setTags(_ texts: [String]) {
        tags = texts.map(\.trimmedSpaces).filter { !$0.isEmpty }
        guard tags.count > 1 else { return }
        var seen: Set<[UInt8]> = []
        tags = tags.filter { seen.insert(Array(Folded.text($0).utf8)).inserted }
    }

    /// Takes the emoji at the beginning of a label, as people write it in one cell.
    mutating func takeEmojiFromLabel() {
        guard emoji.isEmpty, let first = label.first,
            let found = [String(first), "\(first)\u{fe0f}"].first(where: \.isEmoji)
        else { return }
        emoji = found
        label = String(label.dropFirst()).trimmedSpaces
    }

    /// Takes the signs off tags of other programs: `#sea`, and `#sea #tea` in one.
    mutating func takeOffTagSigns() {
        guard tags.contains(where: { $0.first == "#" }) else { return }
        setTags(
            tags.flatMap { tag in
                let words = tag.split(whereSeparator: \.isWhitespace)
                return words.allSatisfy { $0.first == "#" }
                    ? words.map { String($0).withoutTagSign } : [tag.withoutTagSign]
            })
    }

    var json: [UInt8] {
        var writer = JSONWriter(capacity: 512)
        writer.beginObject()
        func text(_ name: StaticString, _ value: String?) {
            guard let value else { return }
            writer.key(name)
            writer.string(value)
        }
        func raw(_ name: StaticString, _ value: String?) {
            guard let value else { return }
            writer.key(name)
            writer.number(text: value)
        }
        text("id", id?.text)
        text("emoji", emoji)
        text("label", label)
        text("timestamp", timestamp?.text)
        for field in MoodField.allCases { raw(field.name, ready[field]) }
        if !notes.isEmpty { text("notes", notes) }
        if !tags.isEmpty {
            writer.beginArray("tags")
            for tag in tags { writer.string(tag) }
            writer.endArray()
        }
        if !scales.isEmpty {
            writer.beginObject("scales")
            for (name, value) in scales {
                writer.key(text: name)
                writer.number(text: value)
            }
            writer.endObject()
        }
        text("timeZone", timeZone)
        raw("attachments", attachments)
        text("createdAt", createdAt?.text)
        text("updatedAt", updatedAt?.text)
        writer.endObject()
        return Array(writer.buffer.bytes)
    }
}
