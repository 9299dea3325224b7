import JSONCodec
import MoodCore

/// Reads the output of `jrnl --export json`: `{"tags": {…}, "entries": [{title, body, date, time, tags, starred}]}`.
/// Older versions write no tags, neither for the whole nor for an entry.
struct JrnlImport: ImportReader {
    static let hasDatesOfManyForms = true
    private var entries: JSONEntries
    var at: Int { entries.at }
    var rows: RowReading

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        rows = try RowReading(options, of: .jrnl)
        entries = try JSONEntries(file, in: "entries", "jrnl --export json")
    }

    mutating func next() -> ImportItem? {
        guard let entry = entries.next() else { return nil }
        let value = entry.value
        guard value.object != nil else { return entry.refusal("The entry is no object.") }
        let (title, body) = (value["title"]?.string ?? "", value["body"]?.string ?? "")
        let (date, time) = (value["date"]?.string ?? "", value["time"]?.string ?? "")
        var draft = MoodDraft()
        do throws(ImportTimeParser.Failure) {
            let moment = try rows.times.read(date: date, time: time.isEmpty ? nil : time, hour: nil, minute: nil)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return entry.refusal("The time \(error.reason).")
        }
        draft.setFeeling(title: title.trimmedSpaces, body: body.trimmedSpaces, rows.options)
        let leftOff = draft.setStarAndTags(of: entry, else: JrnlTags.tags(title + "\n" + body))
        draft.setTags(draft.tags.map(\.withoutTagSign))
        rows.complete(&draft, id: [date, time, title, body])
        return draft.label.isEmpty ? entry.refusal("The entry has no title and no text.") : entry.mood(draft, leftOff)
    }
}

/// The words of a text that jrnl takes as tags.
enum JrnlTags {
    static func tags(_ text: String) -> [String] {
        text.split(whereSeparator: \.isWhitespace).compactMap { word in
            guard word.first == "@" else { return nil }
            let name = word.dropFirst().prefix { $0.isLetter || $0.isNumber || "-+*#/_".contains($0) }
            return name.isEmpty ? nil : "@" + name
        }
    }
}

extension MoodDraft {
    private static let labelCharactersMax = 200

    /// Finds the feeling of an entry without one: an emoji at the beginning of its title, or words of the palette; else
    /// the title is the label.
    mutating func setFeeling(title: String, body: String, _ options: ImportOptions) {
        var rest = Substring(title)
        if let first = rest.first, String(first).isEmoji {
            emoji = String(first)
            rest = rest.dropFirst()
        }
        label = String(rest).trimmedSpaces
        notes = body
        if emoji.isEmpty, let (feeling, count) = options.feeling(beginning: label) {
            let more = String(label.dropFirst(count)).trimmedSpaces
            (emoji, label) = (feeling.emoji, feeling.label)
            notes = [more, body].filter { !$0.isEmpty }.joined(separator: "\n\n")
        } else if label.isEmpty, let first = body.split(whereSeparator: \.isNewline).first {
            label = String(first).trimmedSpaces
        }
        if label.count > Self.labelCharactersMax {
            notes = [label, body].filter { !$0.isEmpty }.joined(separator: "\n\n")
            label = String(label.prefix(Self.labelCharactersMax - 1)).trimmedSpaces + "…"
        }
    }
}

extension MoodDraft {
    /// Takes `starred` and `tags` of an entry.
    /// - Parameter others: the tags of an entry without any.
    /// - Returns: what is left off.
    mutating func setStarAndTags(of entry: JSONEntries.Entry, else others: [String]) -> [ImportProblem] {
        isFavorite = entry["starred"]?.boolean
        let texts = entry["tags"]?.array?.compactMap(\.string)
        setTags(texts ?? others)
        var leftOff: [ImportProblem] = []
        if isFavorite == nil, entry["starred"] != nil { leftOff.append(entry.loss("starred must be true or false.")) }
        if let tags = entry["tags"], texts == nil || texts?.count != tags.array?.count {
            leftOff.append(entry.loss("tags must be a list of texts; anything else is left off."))
        }
        return leftOff
    }
}

extension ImportOptions {
    /// The feeling with the longest name at the beginning of a title, as whole words.
    fileprivate func feeling(beginning title: String) -> (feeling: KnownFeeling, count: Int)? {
        let words = title.split(separator: " ", omittingEmptySubsequences: false)
        for count in stride(from: min(words.count, 4), through: 1, by: -1) {
            let beginning = words.prefix(count).joined(separator: " ")
            let name = String(beginning.prefix { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" })
            guard beginning.dropFirst(name.count).allSatisfy(\.isPunctuation) else { continue }
            if let feeling = feeling(name) { return (feeling, beginning.count) }
        }
        return nil
    }
}

extension String {
    /// Whether it is exactly one emoji.
    public var isEmoji: Bool {
        var copy = self
        return copy.withUTF8 { Emoji.problem(UnsafeRawBufferPointer($0)) == nil }
    }

    var withoutTagSign: String { first == "@" || first == "#" ? String(dropFirst()) : self }
}
