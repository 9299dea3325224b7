import JSONCodec
import MoodCore

/// Reads a table of moods: ours, or any other.
///
/// `map` decides about a column, else its name (`CSVColumns`); others are a problem of the header. Date and time of day
/// may have columns of their own.
struct CSVImport: ImportReader {
    static let hasDatesOfManyForms = true
    /// The bytes of a short row.
    private static let rowBytes = 32

    private let table: CSVRecords
    private var records: CSVRecords
    var at: Int { records.at }
    private let columns: CSVColumns
    private var isOrderSought = false
    var rows: RowReading
    private var isDecimalSought = false
    private var decimal: Character?
    private let headerLine: Int
    /// Whether each row has as many cells as the header.
    private var isTable = true
    /// The places of columns with content that is not taken.
    private var untaken: Set<Int> = []
    private var feelings = FeelingColumn()
    /// The parts of the present row that are left out.
    private var leftOff: [(column: Int, reason: String)] = []

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        records = CSVRecords(file)
        table = records
        guard let header = records.next() else { throw UnreadableFile("is empty") }
        let names = header.cells.map { String(decoding: $0, as: UTF8.self).trimmedSpaces }
        let start = table
        columns = try CSVColumns(names, options.columns) { start.isTable }
        headerLine = header.line
        rows = try RowReading(options, of: .csv, expected: file.count / Self.rowBytes)
    }
    var refusal: UnreadableFile? { feelings.refusal(columns) }

    mutating func next() -> ImportItem? {
        guard let record = records.next() else {
            guard !untaken.isEmpty else { return nil }
            defer { untaken = [] }
            return .problem(columns.problem(ofUntaken: untaken.sorted(), line: headerLine, isTable: isTable))
        }
        let excerpt = Excerpt.of(record.bytes)
        if let fault = record.fault {
            return .problem(ImportProblem(line: record.line, reason: "The row \(fault).", text: excerpt))
        }
        leftOff = []
        isTable = isTable && record.cells.count == columns.kinds.count
        for place in columns.untaken
        where !untaken.contains(place) && place < record.cells.count && record.cells[place].contains(where: { $0 > 32 })
        {
            untaken.insert(place)
        }
        var draft = MoodDraft()
        var fault: CellFault?
        do throws(CellFault) { draft = try self.draft(record.cells) } catch { fault = error }
        if let fault {
            return .problem(
                ImportProblem(line: record.line, column: fault.column, reason: fault.reason, text: excerpt))
        }
        let carriesID = draft.id != nil
        if !carriesID {
            draft.id = rows.ids.next(record.cells)
            draft.takeOffTagSigns()
        }
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
        if carriesID, !columns.isWhole || !leftOff.isEmpty || record.cells.count < count {
            mood.says = columns.says(record.cells.count, leftOff: Set(leftOff.map { $0.column - 1 }))
        }
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
        var zone: (text: String, place: Int)?
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
            case .scale(let name):
                if let value = NumberText.measure(trimmed, decimalMark(trimmed)) {
                    addScale(name, value, place, &draft)
                } else {
                    leaveOff(place, NumberText.fault(name, trimmed))
                }
            case .valence(let from, let to): draft.valence = valence(trimmed, from, to, place)
            case .member(.timestamp): when.timestamp = (trimmed, place)
            case .member(.timeZone): when.zone = (trimmed, place)
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
        var own: String?
        if let zone = when.zone {
            switch ZoneNames.meaning(zone.text) {
            case .zone(let name): (own, draft.timeZone) = (name, name)
            case .offset: own = zone.text
            case nil:
                let stand = rows.options.timeZone == nil ? "" : ": timeZone was taken in its place"
                leaveOff(zone.place, "The zone \(zone.text) is not known\(stand).")
            }
        }
        do throws(ImportTimeParser.Failure) {
            let moment = try self.moment(text, place, when, own: own)
            draft.timestamp = moment.time
            if draft.timeZone == nil { draft.timeZone = moment.zone }
            if moment.isNoon, when.hasClock { leaveOff(place, "There is no time of day: noon was taken.") }
            if let clock = moment.otherClock {
                leaveOff(when.time?.place ?? place, "The time of day \(clock) is left off: \(text) has another.")
            }
        } catch {
            if error == .noZone, let zone = when.zone {
                throw CellFault(
                    column: zone.place + 1,
                    reason: "The time \(ImportTimeParser.Failure.unknownZone(zone.text).reason).")
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
            return try rows.times.read(
                date: text, time: when.time?.text, hour: when.hour, minute: when.minute, own: own)
        } catch {
            switch error {
            case .ambiguous, .other: if isOrderSought { throw error }
            default: throw error
            }
        }
        isOrderSought = true
        rows.times.order = order(ofColumn: place)
        return try rows.times.read(date: text, time: when.time?.text, hour: when.hour, minute: when.minute, own: own)
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
            guard let nearest = rows.options.feeling(nearestTo: draft.valence) else {
                let column = columns.numbers["label"] ?? columns.numbers["emoji"] ?? columns.numbers["valence"]
                let place = (column ?? 1) - 1
                let known = leftOff.first { $0.column == columns.numbers["valence"] }?.reason
                throw CellFault(column: place + 1, reason: known ?? "The label is missing.")
            }
            (draft.label, draft.emoji) = (nearest.label, nearest.emoji)
        }
        let isMapped = rows.mapped.apply(to: &draft)
        if draft.emoji.isEmpty, !isMapped {
            feelings.take(label: draft.label)
            draft.takeEmojiFromLabel()
            if draft.label.count > 2, draft.label.first == ":", draft.label.last == ":" {
                leaveOff(
                    (columns.numbers["label"] ?? 1) - 1,
                    "\(draft.label.prefix(64)) is kept as a label: emoji are not read by their names, so write the emoji."
                )
            }
            rows.mapped.apply(to: &draft)
        }
        draft.complete(rows.options)
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
            let (scales, unread) = ScaleText.scales(trimmed, decimalMark(trimmed))
            for (name, value) in scales { addScale(name, value, place, &draft) }
            for part in unread { leaveOff(place, ScaleText.fault(part, "sleep=7")) }
        case .attachments:
            if (try? JSONValue(parsing: trimmed).array) != nil {
                draft.attachments = trimmed
            } else {
                leaveOff(place, "attachments must be a JSON array.")
            }
        case .createdAt: draft.createdAt = time(trimmed, place, "createdAt")
        case .updatedAt: draft.updatedAt = time(trimmed, place, "updatedAt")
        case .notes: draft.notes += "\n\n" + trimmed
        case .timestamp, .timeZone, .revision: break
        default:
            if let reason = draft.set(field, trimmed, decimalMark(trimmed)) { leaveOff(place, reason) }
            guard field == .valence, let number = draft.valence.flatMap({ Double($0) }) else { return }
            feelings.take(valence: number, place)
            guard abs(number) > 1 else { return }
            draft.valence = nil
            leaveOff(
                place,
                "\(columns.name(place)) is \(trimmed), and a valence goes from -1 to 1: \(FeelingColumn.advice(columns, place))"
            )
        }
    }

    /// The decimal mark of the file's numbers, sought if a number has two readings.
    private mutating func decimalMark(_ text: String) -> Character? {
        guard !isDecimalSought, NumberText.hasAmbiguous(text) else { return decimal }
        isDecimalSought = true
        let places = columns.kinds.indices.filter { place in
            switch columns.kinds[place] {
            case .scale, .valence, .member(.scales), .member(.valence): true
            default: false
            }
        }
        decimal = NumberText.decimal(in: table, at: places)
        return decimal
    }

    private mutating func addScale(_ name: String, _ value: String, _ place: Int, _ draft: inout MoodDraft) {
        if let reason = draft.addScale(name, value) { leaveOff(place, reason) }
    }

    private mutating func valence(_ text: String, _ from: Double, _ to: Double, _ place: Int) -> String? {
        guard let number = NumberText.number(text, decimalMark(text)).flatMap({ Double($0) }),
            min(from, to)...max(from, to) ~= number
        else {
            leaveOff(
                place,
                "\(columns.name(place)) must be a number from \(Self.text(from)) to \(Self.text(to)), and is \(text).")
            return nil
        }
        return Self.text((number - from) / (to - from) * 2 - 1)
    }

    private static func text(_ number: Double) -> String { JSONValue.double(number).text }

    private mutating func time(_ text: String, _ place: Int, _ name: String) -> Timestamp? {
        do throws(ImportTimeParser.Failure) { return try rows.times.read(text).time } catch {
            leaveOff(place, "\(name) \(error.reason).")
            return nil
        }
    }
}

/// The numbers of a column that a feeling was read from: they may be on a scale of another program.
struct FeelingColumn {
    private var place: Int?
    private var (least, greatest) = (Double.infinity, -Double.infinity)
    /// Whether a value stands between -1 and 1, as only a valence does.
    private var hasFraction = false
    /// Whether a number was taken as a valence.
    private var isTaken = false
    private var (labels, numbers) = (0, 0)

    mutating func take(valence: Double, _ place: Int) {
        self.place = place
        (least, greatest) = (min(least, valence), max(greatest, valence))
        hasFraction = hasFraction || abs(valence) < 1 && valence != 0
        isTaken = isTaken || abs(valence) <= 1
    }

    mutating func take(label: String) {
        labels += 1
        guard let number = NumberText.number(label).flatMap({ Double($0) }) else { return }
        numbers += 1
        if place == nil { (least, greatest) = (min(least, number), max(greatest, number)) }
    }

    /// The reason to refuse a table whose numbers are of another scale: 1 would be the best of a valence.
    func refusal(_ columns: CSVColumns) -> UnreadableFile? {
        let hasOthers = columns.numbers["label"] != nil || columns.numbers["emoji"] != nil
        var column = place.flatMap { greatest > 1 && !hasFraction && (isTaken || !hasOthers) ? $0 : nil }
        if numbers > 0, numbers == labels { column = columns.numbers["label"].map { $0 - 1 } }
        guard let column else { return nil }
        let first = least < 1 ? Int(least.rounded(.down).clamped) : 1
        let last = [5, 10, 100].first { Double($0) >= greatest } ?? Int(greatest.rounded(.up).clamped)
        return UnreadableFile(
            "must say the range of \(columns.name(column)), which has numbers up to \(JSONValue.double(greatest).text):"
                + " such as \(columns.name(column))=valence:\(first)..\(last). Nothing was taken", param: "map")
    }

    static func advice(_ columns: CSVColumns, _ place: Int) -> String {
        "say its range with map (\(columns.name(place))=valence:1..5)."
    }
}

extension Double {
    /// A number that an integer can hold.
    fileprivate var clamped: Double { Swift.min(Swift.max(self, -1e9), 1e9) }
}

extension [UInt8] {
    var isUTF8: Bool { allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil }
}
