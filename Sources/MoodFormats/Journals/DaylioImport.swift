import JSONCodec
import MoodCore

/// Reads the CSV of Daylio: of 5 columns (`date, time, mood, activities, note`), 7 (`year` and `weekday` too), 8
/// (`full_date` instead of `year`, and `note_title`) and 9 (`scales` too). Times are local, in the phone's language.
struct DaylioImport: ImportReader {
    static let hasDatesOfManyForms = true
    private static let known: Set<String> = [
        "full_date", "year", "date", "weekday", "time", "mood", "activities", "scales", "note_title", "note",
    ]

    private let table: CSVRecords
    private var records: CSVRecords
    private let headerLine: Int
    /// The columns of no known name with content.
    private var untaken: Set<String> = []
    private var isDecimalSought = false
    private var decimal: Character?
    var at: Int { records.at }
    private let names: [String]
    var rows: RowReading
    private let moods: [String: DaylioWords.Group]
    /// The parts of the present row that are left out.
    private var leftOff: [(column: String, reason: String)] = []

    private static func names(_ cells: [[UInt8]]) -> [String] {
        cells.map { Folded.text(String(decoding: $0, as: UTF8.self).trimmedSpaces) }
    }

    /// Whether a header is Daylio's.
    static func isHeader(_ cells: [[UInt8]]) -> Bool {
        let names = names(cells)
        guard ["time", "mood", "activities"].allSatisfy(names.contains) else { return false }
        return isWhole(names) || names.contains("date") && names.count >= 5 && names.allSatisfy(known.contains)
    }

    /// Whether `map` names columns of a short table. It is then read as any other table, as in earlier versions.
    static func isMapped(_ cells: [[UInt8]], _ options: ImportOptions) -> Bool {
        let names = names(cells)
        return !isWhole(names)
            && options.columns.contains { names.contains(Folded.text($0.name)) && CSVColumn(target: $0.target) != nil }
    }

    private static func isWhole(_ names: [String]) -> Bool {
        names.contains("weekday") && names.contains("date") && (names.contains("full_date") || names.contains("year"))
    }

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        records = CSVRecords(file)
        table = records
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        guard Self.isHeader(header.cells) else {
            throw UnreadableFile(
                "is no CSV of Daylio: its first line must be full_date,date,weekday,time,mood,activities,note_title,note"
            )
        }
        names = Self.names(header.cells)
        headerLine = header.line
        // Earlier versions read the short form as any table, and its moods keep those ids.
        rows = try RowReading(options, of: .daylio, ids: Self.isWhole(names) ? "daylio" : "csv")
        moods = Self.moods(records, names.firstIndex(of: "weekday"))
    }

    /// The number of rows to read for the language of a file: two languages may share the names of some weekdays.
    private static let weekdayRows = 200

    /// The names of the five moods, in the language of the file's weekdays.
    private static func moods(_ records: CSVRecords, _ weekday: Int?) -> [String: DaylioWords.Group] {
        var records = records
        guard let weekday else { return DaylioWords.english }
        var words: Set<String> = []
        for _ in 0..<weekdayRows {
            guard let record = records.next() else { break }
            guard weekday < record.cells.count, !record.cells[weekday].isEmpty else { continue }
            words.insert(Folded.text(String(decoding: record.cells[weekday], as: UTF8.self).trimmedSpaces))
        }
        return DaylioWords.language(ofWeekdays: words)?.moods ?? [:]
    }

    mutating func next() -> ImportItem? {
        guard let record = records.next() else {
            guard let name = untaken.popFirst() else { return nil }
            let column = (names.firstIndex(of: name) ?? 0) + 1
            return .problem(
                ImportProblem(
                    line: headerLine, column: column,
                    reason: "Nothing is taken of column \(column), which Daylio does not write.", loss: .part))
        }
        let excerpt = Excerpt.of(record.bytes)
        func problem(_ reason: String, _ column: String? = nil, _ loss: ImportProblem.Loss = .row) -> ImportProblem {
            ImportProblem(
                line: record.line, column: column.flatMap { names.firstIndex(of: $0) }.map { $0 + 1 },
                reason: reason, text: excerpt, loss: loss)
        }
        if let fault = record.fault { return .problem(problem("The row \(fault).")) }
        leftOff = []
        var cells: [String: String] = [:]
        for (place, name) in names.enumerated() where place < record.cells.count {
            let cell = record.cells[place]
            if !cell.isEmpty, !Self.known.contains(name) { untaken.insert(name) }
            if !cell.isUTF8 { leftOff.append((name, "The cell is not UTF-8 and was read as Windows-1252.")) }
            cells[name] = (cell.isUTF8 ? String(decoding: cell, as: UTF8.self) : WindowsText.text(cell)).trimmedSpaces
        }
        var draft = MoodDraft()
        do throws(ImportTimeParser.Failure) {
            let moment = try self.moment(cells)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
            if moment.isNoon { leftOff.append(("time", "There is no time of day: noon was taken.")) }
        } catch {
            return .problem(problem("The time \(error.reason).", isClock(cells, error) ? "time" : dayName))
        }
        draft.label = cells["mood"] ?? ""
        guard !draft.label.isEmpty else { return .problem(problem("The mood is missing.", "mood")) }
        draft.setTags((cells["activities"] ?? "").split(separator: "|").map(String.init))
        let notes = [cells["note_title"] ?? "", MarkedText.plain(cells["note"] ?? "")].filter { !$0.isEmpty }
        draft.notes = notes.joined(separator: "\n\n")
        addScales(cells["scales"] ?? "", &draft)
        setValue(&draft)
        draft.id = rows.ids.next(record.cells)
        if record.cells.dropFirst(names.count).contains(where: { !$0.isEmpty }) {
            leftOff.append(
                ("", "The row has \(record.cells.count) cells, and the header \(names.count): the others are left off.")
            )
        }
        var mood = ImportedMood(line: record.line, carriesID: false, json: draft.json, text: excerpt)
        for (member, name) in [("label", "mood"), ("tags", "activities"), ("scales", "scales"), ("notes", "note")] {
            mood.columns[member] = names.firstIndex(of: name).map { $0 + 1 }
        }
        mood.leftOff = leftOff.map { problem($0.reason, $0.column, .part) }
        return .mood(mood)
    }

    private var dayName: String { names.contains("full_date") ? "full_date" : "date" }

    private mutating func moment(_ cells: [String: String]) throws(ImportTimeParser.Failure) -> ImportTimeParser.Moment
    {
        var day = cells[dayName] ?? ""
        if !names.contains("full_date"), let year = cells["year"] {
            guard let found = Int(year).flatMap({ ImportTimeParser.day(day, year: $0) }),
                let time = Timestamp(milliseconds: found)
            else { throw .notATime }
            day = String(time.text.prefix(10))
        }
        let time = cells["time"] ?? ""
        return try rows.times.read(date: day, time: time.isEmpty ? nil : time, hour: nil, minute: nil)
    }

    /// Whether the time of day is the part that cannot be read.
    private func isClock(_ cells: [String: String], _ failure: ImportTimeParser.Failure) -> Bool {
        guard failure == .notATime, let time = cells["time"], !time.isEmpty else { return false }
        return DateText.clock(time) == nil
            && (!names.contains("full_date") || ImportTimeParser.day(cells["full_date"] ?? "") != nil)
    }

    private mutating func addScales(_ text: String, _ draft: inout MoodDraft) {
        if !isDecimalSought, NumberText.hasAmbiguous(text), let column = names.firstIndex(of: "scales") {
            (isDecimalSought, decimal) = (true, NumberText.decimal(in: table, at: [column]))
        }
        let (scales, unread) = ScaleText.scales(text.replacing("\u{a0}", with: " "), separators: ["|"], decimal)
        for part in unread { leftOff.append(("scales", ScaleText.fault(part, "sleep: 7"))) }
        for (name, value) in scales {
            if let reason = draft.addScale(name, value) { leftOff.append(("scales", reason)) }
        }
    }

    /// Sets a mood's valence and emoji: from `map`, else from Daylio's group, else from the palette.
    private mutating func setValue(_ draft: inout MoodDraft) {
        if rows.mapped.apply(to: &draft) { return draft.complete(rows.options) }
        let name = Folded.text(draft.label)
        if let group = moods[name] ?? (rows.options.feeling(draft.label) == nil ? DaylioWords.english[name] : nil) {
            (draft.emoji, draft.valence) = (group.emoji, group.valence)
        } else if let feeling = rows.options.feeling(draft.label) {
            (draft.emoji, draft.label) = (feeling.emoji, feeling.label)
        }
        draft.complete(rows.options)
    }
}
