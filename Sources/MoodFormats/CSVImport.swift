import JSONCodec
import MoodCore

/// Reads a table of moods: ours, or any other whose columns are named by `map`.
///
/// A column is what its name says (`label`, `timestamp`), or what `map` makes of it; `date` and `time` together are a
/// timestamp, `scales.NAME` is one scale. Others are passed over.
struct CSVImport {
    private enum Column: Equatable {
        case member(MoodField)
        case date, time
        case scale(String)
    }

    /// A short row.
    private static let rowBytes = 32

    private var records: CSVRecords
    /// How far the file has been read.
    var at: Int { records.at }
    private var columns: [Column?] = []
    private var names: [String] = []
    private var ids: RowIDs
    private var times: TimeReader
    private let options: ImportOptions
    /// Which column each member is taken from, from 1.
    private var columnNumbers: [String: Int] = [:]

    init(_ bytes: [UInt8], _ options: ImportOptions) throws(UnreadableFile) {
        records = CSVRecords(bytes)
        ids = RowIDs("csv", expected: bytes.count / Self.rowBytes)
        self.options = options
        times = TimeReader(options.timeZone)
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        names = header.cells.map { String(decoding: $0, as: UTF8.self).trimmedSpaces }
        for (name, target) in options.columns {
            guard names.contains(where: { Folded.text($0) == Folded.text(name) }) else {
                throw UnreadableFile("has no column \(name); it has \(Self.list(names))", param: "map")
            }
            guard Self.column(target) != nil else {
                throw UnreadableFile(
                    "\(target) is no member of a mood; known are label, emoji, timestamp, date, time, notes, tags,"
                        + " isFavorite, valence, scales, scales.NAME, timeZone, id, attachments, createdAt, updatedAt",
                    param: "map")
            }
        }
        columns = names.map { name in
            let mapped = options.columns.first { Folded.text($0.name) == Folded.text(name) }?.target
            return Self.column(mapped ?? name)
        }
        // A column that `map` names comes before one that has the name itself.
        for (place, name) in names.enumerated() {
            let isMapped = options.columns.contains { Folded.text($0.name) == Folded.text(name) }
            guard !isMapped, let column = columns[place] else { continue }
            let others = columns.indices.filter { $0 != place && columns[$0] == column }
            if !others.isEmpty, others.contains(where: { $0 < place }) || others.contains(where: isMappedColumn) {
                columns[place] = nil
            }
        }
        for (place, column) in columns.enumerated() {
            switch column {
            case .member(let field): columnNumbers["\(field.name)"] = place + 1
            case .scale: columnNumbers["scales"] = place + 1
            case .date: columnNumbers["timestamp"] = place + 1
            case .time, nil: break
            }
        }
        let hasTime = columns.contains(.member(.timestamp)) || columns.contains(.date)
        let hasName = columns.contains(.member(.label)) || columns.contains(.member(.emoji))
        guard hasTime, hasName else {
            throw UnreadableFile(
                "has no column for the \(hasTime ? "label" : "timestamp"): say which it is with map"
                    + " (mood=label, when=timestamp); the columns are \(Self.list(names))", param: "map")
        }
    }

    private func isMappedColumn(_ place: Int) -> Bool {
        options.columns.contains { Folded.text($0.name) == Folded.text(names[place]) }
    }

    private static func list(_ names: [String]) -> String {
        names.prefix(20).map { $0.isEmpty ? "one without a name" : String($0.prefix(40)) }.joined(separator: ", ")
    }

    private static func column(_ name: String) -> Column? {
        let folded = Folded.text(name)
        if folded == "date" { return .date }
        if folded == "time" { return .time }
        if folded.hasPrefix("scales."), name.utf8.count > 7 { return .scale(String(name.dropFirst(7))) }
        return MoodField.allCases.first { Folded.text("\($0.name)") == folded && $0 != .revision }.map { .member($0) }
    }

    /// The next mood or problem; nil at the end.
    mutating func next() -> ImportItem? {
        guard let record = records.next() else { return nil }
        let excerpt = Excerpt.of(record.bytes)
        if let fault = record.fault {
            return .problem(ImportProblem(line: record.line, reason: "The row \(fault).", text: excerpt))
        }
        if record.cells.count > columns.count, record.cells[columns.count...].contains(where: { !$0.isEmpty }) {
            return .problem(
                ImportProblem(
                    line: record.line, column: columns.count + 1,
                    reason: "The row has \(record.cells.count) cells, and the header \(columns.count).", text: excerpt))
        }
        for (place, cell) in record.cells.enumerated() where !cell.isUTF8 {
            return .problem(
                ImportProblem(
                    line: record.line, column: place + 1,
                    reason: "The cell is not UTF-8. Save the file as UTF-8.", text: excerpt))
        }
        var draft = MoodDraft()
        var fault: CellFault?
        do throws(CellFault) { draft = try self.draft(record.cells) } catch { fault = error }
        if let fault {
            return .problem(
                ImportProblem(line: record.line, column: fault.column, reason: fault.reason, text: excerpt))
        }
        let carriesID = draft.id != nil
        if !carriesID { draft.id = ids.next(record.cells) }
        draft.complete(options)
        var mood = ImportedMood(line: record.line, carriesID: carriesID, json: draft.json, text: excerpt)
        mood.columns = columnNumbers
        return .mood(mood)
    }

    private struct CellFault: Error {
        let column: Int
        let reason: String
    }

    private mutating func draft(_ cells: [[UInt8]]) throws(CellFault) -> MoodDraft {
        var draft = MoodDraft()
        var when: (text: String, place: Int)?
        var date: (text: String, place: Int)?
        var time: String?
        for (place, column) in columns.enumerated() where place < cells.count {
            guard let column else { continue }
            let text = String(decoding: cells[place], as: UTF8.self)
            if column == .member(.notes) { draft.notes = text }
            let trimmed = text.trimmedSpaces
            guard !trimmed.isEmpty else { continue }
            switch column {
            case .date: date = (trimmed, place)
            case .time: time = trimmed
            case .scale(let name):
                draft.scales.append((name, try Self.number(trimmed, place, "\(name)")))
            case .member(.timestamp): when = (trimmed, place)
            case .member(let field): try set(field, trimmed, place, &draft)
            }
        }
        let place = when?.place ?? date?.place ?? 0
        if when == nil, date == nil {
            let column = columns.firstIndex { $0 == .member(.timestamp) || $0 == .date } ?? 0
            throw CellFault(column: column + 1, reason: "The timestamp is missing.")
        }
        do throws(TimeReader.Failure) {
            let moment: TimeReader.Moment
            if let when {
                moment = try times.read(when.text, own: draft.timeZone)
            } else {
                moment = try times.read((date?.text ?? "") + (time.map { " " + $0 } ?? ""), own: draft.timeZone)
            }
            draft.timestamp = moment.time
            if draft.timeZone == nil { draft.timeZone = moment.zone }
        } catch {
            throw CellFault(column: place + 1, reason: "The time \(error.reason).")
        }
        if draft.valence == nil { draft.valence = options.value(of: draft.label) }
        return draft
    }

    private mutating func set(
        _ field: MoodField, _ trimmed: String, _ place: Int, _ draft: inout MoodDraft
    ) throws(CellFault) {
        switch field {
        case .id:
            guard let id = MoodID(trimmed) else {
                throw CellFault(column: place + 1, reason: "The id is no UUID.")
            }
            draft.id = id
        case .emoji: draft.emoji = trimmed
        case .label: draft.label = trimmed
        case .isFavorite:
            switch Folded.text(trimmed) {
            case "true", "1", "yes", "x", "y": draft.isFavorite = true
            case "false", "0", "no", "n": draft.isFavorite = false
            default: throw CellFault(column: place + 1, reason: "isFavorite must be true or false.")
            }
        case .tags:
            if trimmed.hasPrefix("["), let list = try? JSONValue(parsing: trimmed).array {
                draft.setTags(list.compactMap(\.string))
            } else {
                let tags = trimmed.utf8.split {
                    $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") || $0 == UInt8(ascii: "|")
                }
                draft.setTags(tags.map { String(Substring($0)) })
            }
        case .valence: draft.valence = try Self.number(trimmed, place, "valence")
        case .scales:
            guard let scales = Self.scales(trimmed) else {
                throw CellFault(
                    column: place + 1, reason: "scales must be {\"sleep\": 7} or sleep=7; energy=3.")
            }
            draft.scales += scales
        case .timeZone: draft.timeZone = trimmed
        case .attachments:
            guard (try? JSONValue(parsing: trimmed).array) != nil else {
                throw CellFault(column: place + 1, reason: "attachments must be a JSON array.")
            }
            draft.attachments = trimmed
        case .createdAt: draft.createdAt = try time(trimmed, place, "createdAt")
        case .updatedAt: draft.updatedAt = try time(trimmed, place, "updatedAt")
        case .notes, .timestamp, .revision: break
        }
    }

    private mutating func time(_ text: String, _ place: Int, _ name: String) throws(CellFault) -> Timestamp {
        do throws(TimeReader.Failure) { return try times.read(text).time } catch {
            throw CellFault(column: place + 1, reason: "\(name) \(error.reason).")
        }
    }

    private static func number(_ text: String, _ place: Int, _ name: String) throws(CellFault) -> String {
        if JSONNumberText.isPlain(text) { return text }
        let number = text.contains(",") && !text.contains(".") ? text.replacing(",", with: ".") : text
        let plain = number.hasPrefix("+") ? String(number.dropFirst()) : number
        guard JSONNumberText.isNumber(plain) else {
            throw CellFault(column: place + 1, reason: "\(name) must be a number.")
        }
        return plain
    }

    /// `{"sleep": 7}` or `sleep=7; energy=3`.
    /// - Parameter separators: what stands between two.
    static func scales(_ text: String, separators: [Character] = [";", "|"]) -> [(name: String, value: String)]? {
        if text.hasPrefix("{") {
            guard let members = try? JSONValue(parsing: text).object else { return nil }
            return members.map { ($0.name, $0.value.text) }
        }
        var scales: [(name: String, value: String)] = []
        for part in text.split(whereSeparator: separators.contains) {
            guard let sign = part.lastIndex(where: { $0 == "=" || $0 == ":" }) else { return nil }
            let value = String(part[part.index(after: sign)...]).trimmedSpaces
            guard JSONNumberText.isNumber(value) else { return nil }
            scales.append((String(part[..<sign]).trimmedSpaces, value))
        }
        return scales
    }
}

extension [UInt8] {
    var isUTF8: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }
}
