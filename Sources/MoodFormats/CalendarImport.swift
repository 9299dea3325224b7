import JSONCodec
import MoodCore

/// Reads the VEVENTs and VJOURNALs of an iCalendar file. RFC 5545.
///
/// A UID that is a UUID is the mood's id. What is recurring is read once.
struct CalendarImport {
    private struct Property {
        var name: String
        var parameters: [String: String]
        var value: String
        var line: Int
    }

    private static let lineBytesMax = 1 << 20

    private let bytes: [UInt8]
    private(set) var at: Int
    private var line = 1
    private var ids = RowIDs("ics")
    private var times: TimeReader
    private let options: ImportOptions

    init(_ bytes: [UInt8], _ options: ImportOptions) throws(UnreadableFile) {
        self.bytes = bytes
        self.options = options
        times = TimeReader(options.timeZone)
        at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        let head = String(decoding: bytes[at...].prefix(64), as: UTF8.self).trimmedSpaces.uppercased()
        guard head.hasPrefix("BEGIN:VCALENDAR") else {
            throw UnreadableFile("is no calendar: it must begin with BEGIN:VCALENDAR")
        }
    }

    mutating func next() -> ImportItem? {
        var properties: [Property] = []
        var open: [String] = []
        var start = 0
        var fault: ImportProblem?
        while let (text, number) = nextLine() {
            guard let property = Self.property(text, number) else {
                let problem = ImportProblem(
                    line: number, reason: "The line is no property such as SUMMARY:Happy.", text: Excerpt.of(text))
                if !open.isEmpty { fault = fault ?? problem } else if !text.isEmpty { return .problem(problem) }
                continue
            }
            let kind = property.value.uppercased()
            if property.name == "BEGIN" {
                if open.isEmpty, kind != "VEVENT", kind != "VJOURNAL" { continue }
                if open.isEmpty { start = number }
                open.append(kind)
            } else if property.name == "END", let last = open.last {
                guard last == kind else {
                    fault =
                        fault
                        ?? ImportProblem(
                            line: number, reason: "\(last) is not ended before this line.", text: Excerpt.of(text))
                    open = open.filter { $0 != kind }
                    if !open.isEmpty { continue }
                    return fault.map { .problem($0) }
                }
                open.removeLast()
                if open.isEmpty { return fault.map { .problem($0) } ?? item(properties, start) }
            } else if open.count == 1 {
                properties.append(property)
            }
        }
        guard !open.isEmpty else { return nil }
        return .problem(ImportProblem(line: start, reason: "\(open[0]) is never ended.", text: "BEGIN:\(open[0])"))
    }

    /// The next line, unfolded.
    private mutating func nextLine() -> (text: [UInt8], line: Int)? {
        guard at < bytes.count else { return nil }
        let number = line
        var text: [UInt8] = []
        while true {
            let start = at
            while at < bytes.count, bytes[at] != 10 { at += 1 }
            var end = at
            at = min(at + 1, bytes.count)
            line += 1
            if end > start, bytes[end - 1] == 13 { end -= 1 }
            if text.count <= Self.lineBytesMax { text += bytes[start..<end] }
            guard at < bytes.count, bytes[at] == 32 || bytes[at] == 9 else { return (text, number) }
            at += 1
        }
    }

    private static func property(_ bytes: [UInt8], _ line: Int) -> Property? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        var parts: [String] = [""]
        var isQuoted = false
        var value: Substring?
        for place in text.indices {
            let character = text[place]
            if character == "\"" {
                isQuoted.toggle()
            } else if !isQuoted, character == ";" {
                parts.append("")
            } else if !isQuoted, character == ":" {
                value = text[text.index(after: place)...]
                break
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        guard let value, let name = parts.first, !name.isEmpty, name.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            return nil
        }
        var parameters: [String: String] = [:]
        for part in parts.dropFirst() {
            guard let sign = part.firstIndex(of: "=") else { continue }
            parameters[part[..<sign].uppercased()] = String(part[part.index(after: sign)...])
        }
        return Property(name: name.uppercased(), parameters: parameters, value: String(value), line: line)
    }

    private mutating func item(_ properties: [Property], _ line: Int) -> ImportItem {
        func property(_ name: String) -> Property? { properties.first { $0.name == name } }
        func text(_ name: String) -> String { property(name).map { Self.unescaped($0.value) } ?? "" }
        let excerpt = Excerpt.of(Array((property("SUMMARY").map { "SUMMARY:\($0.value)" } ?? "").utf8))
        func problem(_ reason: String, _ line: Int) -> ImportItem {
            .problem(ImportProblem(line: line, reason: reason, text: excerpt))
        }
        guard let start = property("DTSTART") ?? property("DTSTAMP") else {
            return problem("There is no DTSTART.", line)
        }
        var draft = MoodDraft()
        do throws(TimeReader.Failure) {
            let moment = try self.moment(start)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
            draft.createdAt = try property("CREATED").map { (p) throws(TimeReader.Failure) in try self.moment(p).time }
            let changed = property("LAST-MODIFIED") ?? property("DTSTAMP")
            draft.updatedAt = try changed.map { (p) throws(TimeReader.Failure) in try self.moment(p).time }
        } catch {
            return problem("The time \(error.reason).", start.line)
        }
        let summary = text("SUMMARY").trimmedSpaces
        var rest = Substring(summary)
        if let first = rest.first, String(first).isEmoji {
            draft.emoji = String(first)
            rest = rest.dropFirst()
        }
        draft.label = String(rest).trimmedSpaces
        draft.notes = text("DESCRIPTION")
        draft.setTags(properties.filter { $0.name == "CATEGORIES" }.flatMap { Self.list($0.value) })
        if let zone = property("X-MOODBOARD-TIMEZONE")?.value { draft.timeZone = zone }
        draft.valence = property("X-MOODBOARD-VALENCE").map(\.value).flatMap { JSONNumberText.isNumber($0) ? $0 : nil }
        draft.isFavorite = property("X-MOODBOARD-FAVORITE").map { $0.value == "TRUE" }
        if let scales = property("X-MOODBOARD-SCALES").flatMap({ CSVImport.scales(Self.unescaped($0.value)) }) {
            draft.scales = scales
        }
        draft.attachments = Self.place(property("GEO")?.value, text("LOCATION"))
        if draft.valence == nil { draft.valence = options.value(of: draft.label) }
        let uid = property("UID")?.value ?? ""
        draft.id = MoodID(uid) ?? ids.next([uid, start.value, summary, text("DESCRIPTION")].map { Array($0.utf8) })
        draft.complete(options)
        return .mood(
            ImportedMood(line: line, carriesID: MoodID(uid) != nil, json: draft.json, text: excerpt))
    }

    /// `20261120T213000Z`, the same without Z and with TZID or a zone of the options, or `20261120`.
    private mutating func moment(_ property: Property) throws(TimeReader.Failure) -> TimeReader.Moment {
        let digits = property.value.filter { $0.isASCII && $0.isNumber }
        let hasTime = digits.count == 14
        guard hasTime || digits.count == 8, digits.count == digits.utf8.count else { throw .notATime }
        let text = Array(digits)
        let day = "\(String(text[0..<4]))-\(String(text[4..<6]))-\(String(text[6..<8]))"
        let time =
            hasTime ? "\(String(text[8..<10])):\(String(text[10..<12])):\(String(text[12..<14]))" : "12:00:00"
        if property.value.hasSuffix("Z") { return try times.read("\(day)T\(time)Z") }
        return try times.read("\(day) \(time)", own: property.parameters["TZID"])
    }

    private static func place(_ position: String?, _ name: String) -> String? {
        guard let parts = position?.split(separator: ";"), parts.count == 2, let latitude = Double(parts[0]),
            let longitude = Double(parts[1])
        else { return nil }
        var members: [JSONValue.Member] = [
            .init("kind", "place"), .init("latitude", .number("\(latitude)")),
            .init("longitude", .number("\(longitude)")),
        ]
        if !name.isEmpty { members.append(.init("label", .string(name))) }
        return JSONValue.array([.object(members)]).text
    }

    /// RFC 5545, section 3.3.11.
    private static func unescaped(_ text: String) -> String { list(text, isSplit: false).first ?? "" }

    private static func list(_ text: String, isSplit: Bool = true) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            if isEscaped {
                parts[parts.count - 1].append(character == "n" || character == "N" ? "\n" : character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == ",", isSplit {
                parts.append("")
            } else {
                parts[parts.count - 1].append(character)
            }
        }
        return parts
    }
}
