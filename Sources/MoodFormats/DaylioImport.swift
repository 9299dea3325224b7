import JSONCodec
import MoodCore

/// Reads the CSV of Daylio: of 7 columns (`year, date, weekday, time, mood, activities, note`), 8 (`full_date` instead of
/// `year`, and `note_title`) and 9 (`scales` too). Times are those of a clock on the wall, in the words of the phone's language.
struct DaylioImport {
    /// The names that Daylio gives its five groups, with what they are worth.
    private static let groups: [(name: String, emoji: String, valence: String)] = [
        ("rad", "😄", "1"), ("good", "🙂", "0.5"), ("meh", "😐", "0"), ("bad", "🙁", "-0.5"), ("awful", "😣", "-1"),
    ]

    private var records: CSVRecords
    /// How far the file has been read.
    var at: Int { records.at }
    private var names: [String] = []
    private var ids = RowIDs("daylio")
    private var times: TimeReader
    private let options: ImportOptions

    /// Whether a header is Daylio's.
    static func isHeader(_ cells: [[UInt8]]) -> Bool {
        let names = cells.map { Folded.text(String(decoding: $0, as: UTF8.self).trimmedSpaces) }
        return ["date", "weekday", "time", "mood", "activities"].allSatisfy(names.contains)
            && (names.contains("full_date") || names.contains("year"))
    }

    init(_ bytes: [UInt8], _ options: ImportOptions) throws(UnreadableFile) {
        records = CSVRecords(bytes)
        self.options = options
        times = TimeReader(options.timeZone)
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        guard Self.isHeader(header.cells) else {
            throw UnreadableFile(
                "is no CSV of Daylio: its first line must be full_date,date,weekday,time,mood,activities,note_title,note"
            )
        }
        names = header.cells.map { Folded.text(String(decoding: $0, as: UTF8.self).trimmedSpaces) }
    }

    mutating func next() -> ImportItem? {
        guard let record = records.next() else { return nil }
        let excerpt = Excerpt.of(record.bytes)
        func problem(_ reason: String, _ column: String? = nil) -> ImportItem {
            .problem(
                ImportProblem(
                    line: record.line, column: column.flatMap { names.firstIndex(of: $0) }.map { $0 + 1 },
                    reason: reason, text: excerpt))
        }
        if let fault = record.fault { return problem("The row \(fault).") }
        guard record.cells.count == names.count else {
            return problem("The row has \(record.cells.count) cells, and the header \(names.count).")
        }
        guard record.cells.allSatisfy(\.isUTF8) else { return problem("The row is not UTF-8. Save the file as UTF-8.") }
        func cell(_ name: String) -> String {
            names.firstIndex(of: name).map { String(decoding: record.cells[$0], as: UTF8.self).trimmedSpaces } ?? ""
        }
        let hasFullDate = names.contains("full_date")
        let day =
            hasFullDate
            ? TimeReader.day(cell("full_date")) : Int(cell("year")).flatMap { TimeReader.day(cell("date"), year: $0) }
        guard let day else {
            return problem("The date is not one that can be read.", hasFullDate ? "full_date" : "date")
        }
        guard let timeOfDay = TimeReader.timeOfDay(cell("time")) else {
            return problem("The time is not one such as 21:30 or 9:30 pm.", "time")
        }
        var draft = MoodDraft()
        do throws(TimeReader.Failure) {
            let moment = try times.moment(day: day, timeOfDay: timeOfDay)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return problem("The time \(error.reason).", "time")
        }
        draft.label = cell("mood")
        guard !draft.label.isEmpty else { return problem("The mood is missing.", "mood") }
        draft.setTags(cell("activities").split(separator: "|").map(String.init))
        let notes = [cell("note_title"), Self.withoutMarkup(cell("note"))].filter { !$0.isEmpty }
        draft.notes = notes.joined(separator: "\n\n")
        if !cell("scales").isEmpty {
            guard let scales = CSVImport.scales(cell("scales").replacing("\u{a0}", with: " "), separators: ["|"])
            else {
                return problem("The scales must be numbers such as sleep: 7 | energy: 3.", "scales")
            }
            draft.scales = scales
        }
        value(&draft)
        draft.id = ids.next(record.cells)
        var mood = ImportedMood(line: record.line, carriesID: false, json: draft.json, text: excerpt)
        for (member, name) in [("label", "mood"), ("tags", "activities"), ("scales", "scales"), ("notes", "note")] {
            mood.columns[member] = names.firstIndex(of: name).map { $0 + 1 }
        }
        return .mood(mood)
    }

    /// What the mood is worth and how it is drawn: as `map` says, else the palette, else Daylio's group.
    private func value(_ draft: inout MoodDraft) {
        let group = Self.groups.first { $0.name == Folded.text(draft.label) }
        draft.valence = options.value(of: draft.label)
        if let feeling = options.feeling(draft.label) {
            (draft.emoji, draft.label) = (feeling.emoji, feeling.label)
        } else if let group {
            draft.emoji = group.emoji
            if draft.valence == nil { draft.valence = group.valence }
        }
        draft.complete(options)
    }

    /// A note may have been formatted: line breaks stay, the rest of the markup goes.
    static func withoutMarkup(_ text: String) -> String {
        guard text.contains("<") || text.contains("&") else { return text }
        var result = ""
        var rest = Substring(text)
        while let first = rest.first {
            if first == "<", let end = rest.firstIndex(of: ">"), isTag(rest[rest.index(after: rest.startIndex)..<end]) {
                let name = rest[rest.index(after: rest.startIndex)..<end].lowercased()
                if name.hasPrefix("br") || name.hasPrefix("/p") || name.hasPrefix("/div") || name.hasPrefix("/li") {
                    result += "\n"
                }
                rest = rest[rest.index(after: end)...]
            } else if first == "&", let (text, count) = entity(rest) {
                result += text
                rest = rest.dropFirst(count)
            } else {
                result.append(first)
                rest.removeFirst()
            }
        }
        return result.trimmedSpaces
    }

    private static let tags: Set<String> = [
        "br", "p", "div", "b", "i", "u", "s", "strong", "em", "ul", "ol", "li", "span", "font",
    ]

    private static func isTag(_ inside: Substring) -> Bool {
        let name = inside.drop { $0 == "/" }.prefix { $0.isLetter }.lowercased()
        return tags.contains(name)
    }

    private static func entity(_ text: Substring) -> (String, Int)? {
        for (name, value) in [
            ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "),
        ]
        where text.hasPrefix(name) {
            return (value, name.count)
        }
        return nil
    }
}
