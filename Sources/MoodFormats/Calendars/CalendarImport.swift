import JSONCodec
import MoodCore
import MoodText

/// Reads the VEVENTs and VJOURNALs of an iCalendar file. RFC 5545.
///
/// A UID that is a UUID is the mood's id. It reads the first of repeating events, the highest SEQUENCE, and reports
/// cancelled ones.
struct CalendarImport: ImportReader {
    private typealias Property = CalendarLines.Property

    private var lines: CalendarLines
    var at: Int { lines.at }
    private let outline: CalendarOutline
    private var calendar = 0
    /// Whether the present calendar has not ended.
    private var isCut = false
    var rows: RowReading

    static func isStart(_ head: ArraySlice<UInt8>) -> Bool {
        head.prefix(15).map { $0 | 0x20 }.elementsEqual("begin:vcalendar".utf8.map { $0 | 0x20 })
    }

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        rows = try RowReading(options, of: .ics)
        lines = CalendarLines(file)
        let head = String(decoding: lines.head.prefix(64), as: UTF8.self).trimmedSpaces.uppercased()
        guard head.hasPrefix("BEGIN:VCALENDAR") else {
            throw UnreadableFile("is no calendar: it must begin with BEGIN:VCALENDAR")
        }
        outline = CalendarOutline(lines)
    }

    mutating func next() -> ImportItem? {
        var properties: [Property] = []
        var open: [String] = []
        var start = 0
        var faults: [ImportProblem] = []
        func fault(_ reason: String, _ line: Int, _ text: [UInt8]) -> ImportProblem {
            ImportProblem(line: line, reason: reason, text: Excerpt.of(text))
        }
        while let (text, number) = lines.next() {
            guard let property = CalendarLines.property(text, number) else {
                let problem = fault("The line is no property such as SUMMARY:Happy.", number, text)
                if !open.isEmpty { faults.append(problem) } else if !text.isEmpty { return .problem(problem) }
                continue
            }
            let kind = property.value.uppercased()
            if property.name == "BEGIN" {
                if kind == "VCALENDAR" { (calendar, isCut) = (calendar + 1, true) }
                if open.isEmpty, kind != "VEVENT", kind != "VJOURNAL" { continue }
                if open.isEmpty { start = number }
                open.append(kind)
            } else if property.name == "END", open.isEmpty {
                if kind == "VCALENDAR" { isCut = false }
            } else if property.name == "END", let last = open.last {
                if last == kind {
                    open.removeLast()
                } else {
                    faults.append(fault("\(last) is not ended before this line.", number, text))
                    open = open.filter { $0 != kind }
                }
                if open.isEmpty { return item(properties, start, faults) }
            } else if open.count == 1 {
                properties.append(property)
            }
        }
        guard !open.isEmpty else { return cut() }
        let problem = ImportProblem(line: start, reason: "\(open[0]) is never ended.", text: "BEGIN:\(open[0])")
        let item = self.item(properties, start, faults + [problem])
        if case .mood = item { return item }
        isCut = false
        return .problem(problem)
    }

    /// The loss of everything behind the end of a file that was cut off; once.
    private mutating func cut() -> ImportItem? {
        guard isCut else { return nil }
        isCut = false
        return .problem(
            ImportProblem(
                line: lines.line, reason: "The file is cut off: the line END:VCALENDAR is missing. Fetch it again."))
    }

    /// Properties of events that moods do not have.
    private static let foreign = ["URL", "ATTACH", "ATTENDEE", "COMMENT", "CONTACT"]

    private mutating func item(_ properties: [Property], _ line: Int, _ faults: [ImportProblem]) -> ImportItem {
        func property(_ name: String) -> Property? { properties.first { $0.name == name } }
        func text(_ name: String) -> String { property(name).map { CalendarLines.unescaped($0.value) } ?? "" }
        let excerpt = Excerpt.of(Array((property("SUMMARY").map { "SUMMARY:\($0.value)" } ?? "").utf8))
        func problem(_ reason: String, _ line: Int, _ loss: ImportProblem.Loss = .row) -> ImportProblem {
            ImportProblem(line: line, reason: reason, text: excerpt, loss: loss)
        }
        if let reason = noMood(properties, line) { return .problem(problem(reason, line, .none)) }
        guard let start = property("DTSTART") ?? property("CREATED") ?? property("DTSTAMP") else {
            return .problem(problem("There is no DTSTART.", line))
        }
        var leftOff = faults.map { fault in
            var part = fault
            part.loss = .part
            return part
        }
        let foreign = Self.foreign.filter { name in
            property(name).map { !$0.value.isEmpty && !$0.value.hasPrefix("moodboard:") } ?? false
        }
        if !foreign.isEmpty {
            leftOff.append(problem("\(foreign.joined(separator: ", ")): a mood has no place for it.", line, .part))
        }
        var draft = MoodDraft()
        do throws(ImportTimeParser.Failure) {
            let moment = try self.moment(start)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
            if let note = moment.note { leftOff.append(problem(note, start.line, .part)) }
        } catch {
            return .problem(problem("The time \(error.reason).", start.line))
        }
        func time(_ property: Property?) -> Timestamp? {
            guard let property else { return nil }
            do throws(ImportTimeParser.Failure) { return try moment(property).time } catch {
                leftOff.append(problem("\(property.name) \(error.reason).", property.line, .part))
                return nil
            }
        }
        draft.createdAt = time(property("CREATED"))
        draft.updatedAt = time(property("LAST-MODIFIED") ?? property("DTSTAMP"))
        let notes = properties.filter { $0.name == "DESCRIPTION" }.map { CalendarLines.unescaped($0.value) }
        setFeeling(text("SUMMARY").trimmedSpaces, notes.filter { !$0.isEmpty }.joined(separator: "\n\n"), &draft)
        draft.setTags(properties.filter { $0.name == "CATEGORIES" }.flatMap { CalendarLines.list($0.value) })
        if let zone = property("X-MOODBOARD-TIMEZONE")?.value { draft.timeZone = zone }
        if let given = property("X-MOODBOARD-VALENCE") {
            let isNumber = JSONNumberText.isNumber(given.value)
            draft.valence = isNumber ? given.value : nil
            if !isNumber { leftOff.append(problem("\(given.name) is no number, and is left off.", given.line, .part)) }
        }
        draft.isFavorite = property("X-MOODBOARD-FAVORITE").map { $0.value == "TRUE" }
        for field in MoodField.ready {
            guard let given = field.calendarProperty.flatMap(property) else { continue }
            if let reason = draft.set(field, CalendarLines.unescaped(given.value), ".") {
                leftOff.append(problem(reason, given.line, .part))
            }
        }
        if let given = property("X-MOODBOARD-SCALES") {
            let (scales, unread) = ScaleText.scales(CalendarLines.unescaped(given.value), ".")
            for (name, value) in scales {
                if let reason = draft.addScale(name, value) { leftOff.append(problem(reason, given.line, .part)) }
            }
            for part in unread { leftOff.append(problem(ScaleText.fault(part, "sleep=7"), given.line, .part)) }
        }
        draft.attachments = Self.place(property("GEO")?.value, text("LOCATION"))
        if draft.attachments == nil, let place = property("GEO") ?? property("LOCATION"),
            !place.value.trimmedSpaces.isEmpty
        {
            leftOff.append(problem("\(place.name) gives no coordinates, and is left off.", place.line, .part))
        }
        let hasEmoji = !draft.emoji.isEmpty
        rows.mapped.apply(to: &draft)
        let uid = property("UID")?.value ?? ""
        draft.id =
            MoodID(uid)
            ?? rows.ids.next(
                [uid, start.value, text("SUMMARY").trimmedSpaces, text("DESCRIPTION")].map { Array($0.utf8) })
        draft.complete(rows.options)
        guard !draft.label.isEmpty else { return .problem(problem("There is no SUMMARY.", line)) }
        if property("RRULE") != nil || property("RDATE") != nil {
            leftOff.append(problem("It repeats: only the first is taken.", line, .none))
        }
        if MoodID(uid) == nil { draft.takeOffTagSigns() }
        var mood = ImportedMood(line: line, carriesID: MoodID(uid) != nil, json: draft.json, text: excerpt)
        mood.leftOff = leftOff
        // A calendar program drops private properties, so their absence says nothing.
        mood.says = ["timestamp", "label", "notes", "tags"] + (hasEmoji ? ["emoji"] : [])
        return .mood(mood)
    }

    /// The reason why an event is not a mood; nil if it is one.
    private func noMood(_ properties: [Property], _ line: Int) -> String? {
        func value(_ name: String) -> String? { properties.first { $0.name == name }?.value.trimmedSpaces }
        if value("STATUS")?.uppercased() == "CANCELLED" || outline.cancelling.contains(calendar) {
            return "It is cancelled, and is not taken."
        }
        guard let uid = properties.first(where: { $0.name == "UID" })?.value, !uid.isEmpty else { return nil }
        if value("RECURRENCE-ID") != nil {
            return outline.firsts[uid]?.line == line
                ? nil : "It is one day of an event that repeats, of which only the first is taken."
        }
        let sequence = value("SEQUENCE").flatMap { Int($0) } ?? 0
        return sequence < outline.sequences[uid] ?? .min
            ? "A later form of it is in the file (a higher SEQUENCE), and is taken instead." : nil
    }

    private func setFeeling(_ summary: String, _ notes: String, _ draft: inout MoodDraft) {
        var rest = Substring(summary)
        if let first = rest.first, String(first).isEmoji {
            draft.emoji = String(first)
            rest = rest.dropFirst()
        }
        draft.label = String(rest).trimmedSpaces
        draft.notes = notes
        if draft.label.isEmpty, draft.emoji.isEmpty, let first = notes.split(whereSeparator: \.isNewline).first {
            draft.label = String(first).trimmedSpaces
        }
    }

    private struct Moment {
        var time: Timestamp
        var zone: String?
        /// A remark about it.
        var note: String?
    }

    /// Reads `20261120T213000Z`, a time in a zone, or `20261120`.
    private mutating func moment(_ property: Property) throws(ImportTimeParser.Failure) -> Moment {
        let value = property.value.trimmedSpaces
        guard let local = CalendarDates.local(value) else {
            let moment = try rows.times.read(value, own: property.parameters["TZID"])
            return Moment(time: moment.time, zone: moment.zone)
        }
        if value.hasSuffix("Z") || value.hasSuffix("z"), let time = Timestamp(milliseconds: local) {
            return Moment(time: time)
        }
        let timeOfDay = value.utf8.count > 8 ? 0 : 12 * 3_600_000
        return try moment(ofLocal: local + Int64(timeOfDay), in: property.parameters["TZID"])
    }

    private mutating func moment(
        ofLocal local: Int64, in name: String?
    ) throws(ImportTimeParser.Failure) -> Moment {
        guard let name, !name.isEmpty else {
            if let usual = outline.usualZones[calendar].map(CalendarLines.unescaped),
                ZoneNames.meaning(usual) != nil
            {
                return try moment(ofLocal: local, inZone: usual)
            }
            let moment = try rows.times.moment(day: local, timeOfDay: 0)
            return Moment(time: moment.time, zone: moment.zone)
        }
        let known = CalendarLines.unescaped(name)
        let meaning = ZoneNames.meaning(known)
        if let zone = outline.zones[CalendarOutline.plain(name)], !zone.observances.isEmpty {
            let moment = zone.moment(ofLocal: local)
            guard let time = Timestamp(milliseconds: moment) else { throw .notATime }
            // Keep the name of a zone whose clocks show the same time.
            guard case .zone(let lived)? = meaning ?? zone.location.flatMap(ZoneNames.meaning),
                rows.times.offset(at: time, in: lived) == zone.offset(at: moment)
            else { return Moment(time: time) }
            return Moment(time: time, zone: lived)
        }
        if meaning != nil { return try moment(ofLocal: local, inZone: known) }
        guard rows.options.timeZone != nil else { throw .unknownZone(name) }
        let moment = try rows.times.moment(day: local, timeOfDay: 0)
        return Moment(
            time: moment.time, zone: moment.zone,
            note: "The zone \(name) is not known: timeZone was taken in its place.")
    }

    private mutating func moment(ofLocal local: Int64, inZone zone: String) throws(ImportTimeParser.Failure) -> Moment {
        let moment = try rows.times.moment(day: local, timeOfDay: 0, own: zone)
        return Moment(time: moment.time, zone: moment.zone)
    }

    private static func place(_ position: String?, _ name: String) -> String? {
        guard let parts = position?.split(separator: ";"), parts.count == 2, let latitude = Double(parts[0]),
            let longitude = Double(parts[1]), latitude.isFinite, longitude.isFinite
        else { return nil }
        var members: [JSONValue.Member] = [
            .init("kind", "place"), .init("latitude", .number("\(latitude)")),
            .init("longitude", .number("\(longitude)")),
        ]
        if !name.isEmpty { members.append(.init("label", .string(name))) }
        return JSONValue.array([.object(members)]).text
    }
}
