import JSONCodec
import MoodCore

/// Reads a table of moods: ours, or any other.
///
/// `map` decides about a column, else its name (`CSVColumns`); other columns are skipped. Date and time of day may have
/// columns of their own.
struct CSVImport: ImportReader {
    static let hasDatesOfManyForms = true
    /// The bytes of a short row.
    private static let rowBytes = 32

    private let table: CSVRecords
    private var records: CSVRecords
    var at: Int { records.at }
    private let columns: CSVColumns
    private var ids: RowIDs
    private var times: ImportTimeParser
    private var isOrderSought = false
    private var mapped: MappedFeelings
    private let options: ImportOptions
    /// The parts of the present row that are left out.
    private var leftOff: [(column: Int, reason: String)] = []

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        records = CSVRecords(file)
        table = records
        ids = RowIDs("csv", expected: file.count / Self.rowBytes)
        self.options = options
        times = ImportTimeParser(options)
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        let names = header.cells.map { String(decoding: $0, as: UTF8.self).trimmedSpaces }
        let start = table
        columns = try CSVColumns(names, options.columns) { start.isTable }
        mapped = try MappedFeelings(options, of: .csv)
    }

    var unusedName: String? { mapped.unused }

    mutating func next() -> ImportItem? {
        guard let record = records.next() else { return nil }
        let excerpt = Excerpt.of(record.bytes)
        if let fault = record.fault {
            return .problem(ImportProblem(line: record.line, reason: "The row \(fault).", text: excerpt))
        }
        leftOff = []
        var draft = MoodDraft()
        var fault: CellFault?
        do throws(CellFault) { draft = try self.draft(record.cells) } catch { fault = error }
        if let fault {
            return .problem(
                ImportProblem(line: record.line, column: fault.column, reason: fault.reason, text: excerpt))
        }
        let carriesID = draft.id != nil
        if !carriesID { draft.id = ids.next(record.cells) }
        let count = columns.kinds.count
        if record.cells.count > count, record.cells[count...].contains(where: { !$0.isEmpty }) {
            leftOff.append(
                (
                    count + 1,
                    "The row has \(record.cells.count) cells, and the header \(count): the others are left off."
                ))
        }
        var mood = ImportedMood(line: record.line, carriesID: carriesID, json: draft.json, text: excerpt)
        mood.columns = columns.numbers
        if !leftOff.isEmpty {
            mood.leftOff = leftOff.map {
                ImportProblem(line: record.line, column: $0.column, reason: $0.reason, text: excerpt, loss: .part)
            }
        }
        return .mood(mood)
    }

    private struct CellFault: Error {
        let column: Int
        let reason: String
    }

    /// The cells of a row with its time.
    private struct When {
        var timestamp: (text: String, place: Int)?
        var date: (text: String, place: Int)?
        var time: (text: String, place: Int)?
        var hour: String?
        var minute: String?
        var hasClock = false
    }

    private mutating func draft(_ cells: [[UInt8]]) throws(CellFault) -> MoodDraft {
        var draft = MoodDraft()
        var when = When()
        for (place, column) in columns.kinds.enumerated() {
            guard let column else { continue }
            if column == .time || column == .hour { when.hasClock = true }
            guard place < cells.count else { continue }
            let text = self.text(cells[place], place)
            if column == .member(.notes), draft.notes.isEmpty {
                draft.notes = text
                continue
            }
            let trimmed = text.trimmedSpaces
            guard !trimmed.isEmpty else { continue }
            switch column {
            case .date: when.date = (trimmed, place)
            case .time: when.time = (trimmed, place)
            case .hour: when.hour = trimmed
            case .minute: when.minute = trimmed
            case .scale(let name): addScale(name, NumberText.measure(trimmed), place, &draft)
            case .valence(let from, let to): draft.valence = valence(trimmed, from, to, place)
            case .member(.timestamp): when.timestamp = (trimmed, place)
            case .member(let field): set(field, trimmed, place, &draft)
            }
        }
        try setTime(when, &draft)
        try setFeeling(&draft)
        return draft
    }

    private mutating func leaveOff(_ place: Int, _ reason: String) { leftOff.append((place + 1, reason)) }

    private mutating func text(_ cell: [UInt8], _ place: Int) -> String {
        if cell.isUTF8 { return String(decoding: cell, as: UTF8.self) }
        leaveOff(place, "The cell is not UTF-8 and was read as Windows-1252. Save the file as UTF-8 if that is wrong.")
        return WindowsText.text(cell)
    }

    private mutating func setTime(_ when: When, _ draft: inout MoodDraft) throws(CellFault) {
        guard let (text, place) = when.timestamp ?? when.date else {
            let column = columns.kinds.firstIndex { $0 == .member(.timestamp) || $0 == .date } ?? 0
            throw CellFault(column: column + 1, reason: "The timestamp is missing.")
        }
        do throws(ImportTimeParser.Failure) {
            let moment = try self.moment(text, place, when, own: draft.timeZone)
            draft.timestamp = moment.time
            if draft.timeZone == nil { draft.timeZone = moment.zone }
            if moment.isNoon, when.hasClock { leaveOff(place, "There is no time of day: noon was taken.") }
        } catch {
            // An unknown zone is left out if the times can be read without it.
            if case .unknownZone = error, let name = draft.timeZone {
                draft.timeZone = nil
                leaveOff((columns.numbers["timeZone"] ?? 1) - 1, "The zone \(name) is not known.")
                return try setTime(when, &draft)
            }
            let isClock = error == .notATime && when.time != nil && (try? DateText(text)) != nil
            throw CellFault(
                column: (isClock ? when.time?.place ?? place : place) + 1, reason: "The time \(error.reason).")
        }
    }

    private mutating func moment(
        _ text: String, _ place: Int, _ when: When, own: String?
    ) throws(ImportTimeParser.Failure) -> ImportTimeParser.Moment {
        do throws(ImportTimeParser.Failure) {
            return try times.read(
                date: text, time: when.time?.text, hour: when.hour, minute: when.minute, own: own)
        } catch {
            guard case .ambiguous = error, !isOrderSought else { throw error }
        }
        isOrderSought = true
        times.order = order(ofColumn: place)
        return try times.read(date: text, time: when.time?.text, hour: when.hour, minute: when.minute, own: own)
    }

    /// The order of days and months in a column's dates, unless two of them contradict each other.
    private func order(ofColumn place: Int) -> DateText.Order? {
        var all = table
        var found: DateText.Order?
        while let record = all.next() {
            guard place < record.cells.count else { continue }
            let text = String(decoding: record.cells[place], as: UTF8.self)
            guard let shown = (try? DateText(text))?.evidence else { continue }
            if let found, found != shown { return nil }
            found = shown
        }
        return found
    }

    private mutating func setFeeling(_ draft: inout MoodDraft) throws(CellFault) {
        if draft.label.isEmpty, draft.emoji.isEmpty {
            guard let nearest = options.feeling(nearestTo: draft.valence) else {
                let column = columns.numbers["label"] ?? columns.numbers["emoji"] ?? columns.numbers["valence"]
                throw CellFault(column: column ?? 1, reason: "The label is missing.")
            }
            (draft.label, draft.emoji) = (nearest.label, nearest.emoji)
        }
        mapped.apply(to: &draft)
        draft.complete(options)
    }

    private mutating func set(_ field: MoodField, _ trimmed: String, _ place: Int, _ draft: inout MoodDraft) {
        switch field {
        case .id:
            draft.id = MoodID(trimmed)
            if draft.id == nil { leaveOff(place, "The id is no UUID.") }
        case .emoji: draft.emoji = trimmed
        case .label: draft.label = trimmed
        case .tags:
            if trimmed.hasPrefix("["), let list = try? JSONValue(parsing: trimmed).array {
                draft.setTags(draft.tags + list.compactMap(\.string))
            } else {
                let tags = trimmed.utf8.split {
                    $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "|")
                }
                draft.setTags(draft.tags + tags.map { String(Substring($0)) })
            }
        case .scales:
            let (scales, unread) = ScaleText.scales(trimmed)
            for (name, value) in scales { addScale(name, value, place, &draft) }
            for part in unread { leaveOff(place, "\"\(part.prefix(64))\" is no scale such as sleep=7.") }
        case .timeZone: draft.timeZone = trimmed
        case .attachments:
            if (try? JSONValue(parsing: trimmed).array) != nil {
                draft.attachments = trimmed
            } else {
                leaveOff(place, "attachments must be a JSON array.")
            }
        case .createdAt: draft.createdAt = time(trimmed, place, "createdAt")
        case .updatedAt: draft.updatedAt = time(trimmed, place, "updatedAt")
        case .notes: draft.notes += "\n\n" + trimmed
        case .timestamp, .revision: break
        default: if let reason = draft.set(field, trimmed) { leaveOff(place, reason) }
        }
    }

    private mutating func addScale(_ name: String, _ value: String?, _ place: Int, _ draft: inout MoodDraft) {
        if let reason = draft.addScale(name, value) { leaveOff(place, reason) }
    }

    private mutating func valence(_ text: String, _ from: Double, _ to: Double, _ place: Int) -> String? {
        guard let number = NumberText.number(text).flatMap({ Double($0) }),
            min(from, to)...max(from, to) ~= number
        else {
            leaveOff(place, "The value must be a number from \(Self.text(from)) to \(Self.text(to)).")
            return nil
        }
        return Self.text((number - from) / (to - from) * 2 - 1)
    }

    private static func text(_ number: Double) -> String { JSONValue.double(number).text }

    private mutating func time(_ text: String, _ place: Int, _ name: String) -> Timestamp? {
        do throws(ImportTimeParser.Failure) { return try times.read(text).time } catch {
            leaveOff(place, "\(name) \(error.reason).")
            return nil
        }
    }
}

extension [UInt8] {
    var isUTF8: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }
}
