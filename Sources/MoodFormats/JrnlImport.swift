import JSONCodec
import MoodCore

/// Reads what `jrnl --export json` writes: `{"tags": {…}, "entries": [{title, body, date, time, tags, starred}]}`.
///
/// An entry has no mood: an emoji at the beginning of its title, or words of the palette, give one; else the title is the label.
struct JrnlImport {
    private static let labelCharactersMax = 200

    private struct Entry {
        var line: Int
        var text: [UInt8]
    }

    private var entries: [Entry] = []
    private var place = 0
    /// How far the entries have been read, in bytes.
    private(set) var at = 0
    private var ids = RowIDs("jrnl")
    private var times: TimeReader
    private let options: ImportOptions

    init(_ bytes: [UInt8], _ options: ImportOptions) throws(UnreadableFile) {
        self.options = options
        times = TimeReader(options.timeZone)
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        var fault: UnreadableFile?
        var found: [Entry]?
        let start = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        bytes.withUnsafeBytes { all in
            let text = UnsafeRawBufferPointer(rebasing: all[start...])
            do throws(JSONError) {
                let outline = try validator.validate(text)
                var reader = JSONReader(outline.text)
                guard reader.enterObject() else { return }
                while let key = reader.nextKey() {
                    guard key.equals("entries"), reader.enterArray() else {
                        reader.skip()
                        continue
                    }
                    found = Self.entries(&reader, text)
                }
            } catch {
                let line = text.prefix(error.offset).reduce(1) { $0 + ($1 == 10 ? 1 : 0) }
                fault = UnreadableFile("is not JSON: \(error.reason), line \(line)")
            }
        }
        if let fault { throw fault }
        guard let found else { throw UnreadableFile("has no entries: it must be what jrnl --export json writes") }
        entries = found
    }

    private static func entries(_ reader: inout JSONReader, _ text: UnsafeRawBufferPointer) -> [Entry] {
        var entries: [Entry] = []
        var line = 1
        var counted = 0
        while reader.nextElement() {
            let value = reader.skip()
            if let start = text.baseAddress, let place = value.bytes.baseAddress {
                let offset = place - start
                while counted < offset {
                    if text[counted] == 10 { line += 1 }
                    counted += 1
                }
            }
            entries.append(Entry(line: line, text: Array(value.bytes)))
        }
        return entries
    }

    mutating func next() -> ImportItem? {
        guard place < entries.count else { return nil }
        let entry = entries[place]
        place += 1
        at += entry.text.count
        let excerpt = Excerpt.of(entry.text.filter { $0 != 10 && $0 != 13 })
        func problem(_ reason: String) -> ImportItem {
            .problem(ImportProblem(line: entry.line, reason: reason, text: excerpt))
        }
        guard let members = JSONValue.members(of: entry.text) else { return problem("The entry is no object.") }
        let value = JSONValue.object(members)
        let (title, body) = (value["title"]?.string ?? "", value["body"]?.string ?? "")
        let (date, time) = (value["date"]?.string ?? "", value["time"]?.string ?? "")
        guard let day = TimeReader.day(date) else { return problem("The date is not one such as 2026-11-20.") }
        guard let timeOfDay = time.isEmpty ? 12 * 3_600_000 : TimeReader.timeOfDay(time) else {
            return problem("The time is not one such as 21:30.")
        }
        var draft = MoodDraft()
        do throws(TimeReader.Failure) {
            let moment = try times.moment(day: day, timeOfDay: timeOfDay)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return problem("The time \(error.reason).")
        }
        name(title.trimmedSpaces, body.trimmedSpaces, &draft)
        draft.isFavorite = value["starred"]?.boolean
        draft.setTags((value["tags"]?.array ?? []).compactMap(\.string).map { $0.withoutTagSign })
        draft.valence = options.value(of: draft.label)
        draft.id = ids.next([date, time, title, body].map { Array($0.utf8) })
        draft.complete(options)
        return .mood(ImportedMood(line: entry.line, carriesID: false, json: draft.json, text: excerpt))
    }

    private func name(_ title: String, _ body: String, _ draft: inout MoodDraft) {
        var rest = Substring(title)
        if let first = rest.first, String(first).isEmoji {
            draft.emoji = String(first)
            rest = rest.dropFirst()
        }
        var label = String(rest).trimmedSpaces
        var notes = body
        if draft.emoji.isEmpty, let feeling = feeling(beginning: label) {
            let more = String(label.dropFirst(feeling.count)).trimmedSpaces
            (draft.emoji, label) = (feeling.feeling.emoji, feeling.feeling.label)
            notes = [more, body].filter { !$0.isEmpty }.joined(separator: "\n\n")
        } else if label.isEmpty, let first = body.split(whereSeparator: \.isNewline).first {
            label = String(first).trimmedSpaces
        }
        if label.count > Self.labelCharactersMax {
            notes = [label, body].filter { !$0.isEmpty }.joined(separator: "\n\n")
            label = String(label.prefix(Self.labelCharactersMax - 1)).trimmedSpaces + "…"
        }
        draft.label = label
        draft.notes = notes
    }

    /// The feeling with the longest name that a title begins with, as a word.
    private func feeling(beginning title: String) -> (feeling: KnownFeeling, count: Int)? {
        let words = title.split(separator: " ", omittingEmptySubsequences: false)
        for count in stride(from: min(words.count, 4), through: 1, by: -1) {
            let beginning = words.prefix(count).joined(separator: " ")
            let name = String(beginning.prefix { $0.isLetter || $0.isNumber || $0 == " " || $0 == "-" })
            if let feeling = options.feeling(name) { return (feeling, beginning.count) }
        }
        return nil
    }
}

extension String {
    var isEmoji: Bool {
        var copy = self
        return copy.withUTF8 { Emoji.problem(UnsafeRawBufferPointer($0)) == nil }
    }

    var withoutTagSign: String { first == "@" || first == "#" ? String(dropFirst()) : self }
}
