/// The lines of an iCalendar file, unfolded. RFC 5545, section 3.1.
struct CalendarLines {
    struct Property {
        var name: String
        var parameters: [String: String]
        var value: String
        var line: Int
    }

    /// The longest line; a longer one is cut.
    private static let lineBytesMax = 16 << 20

    private var lines: FileLines
    var at: Int { lines.at }
    /// The number of lines read.
    private(set) var line = 0

    init(_ file: ImportBytes) { lines = FileLines(file) }

    /// The beginning of the next line.
    var head: ArraySlice<UInt8> { lines.head }

    /// The next line and its number.
    mutating func next() -> (text: [UInt8], line: Int)? {
        guard var text = lines.next() else { return nil }
        line += 1
        let number = line
        while let first = lines.first, first == 32 || first == 9 {
            lines.skip()
            guard let more = lines.next() else { break }
            line += 1
            if text.count <= Self.lineBytesMax { text += more }
        }
        // vCalendar 1.0 folds quoted-printable text with a sign at the end.
        while text.last == UInt8(ascii: "="), Self.isQuotedPrintable(text), let more = lines.next() {
            line += 1
            text.removeLast()
            if text.count <= Self.lineBytesMax { text += more }
        }
        return (text, number)
    }

    private static func isQuotedPrintable(_ text: [UInt8]) -> Bool {
        let head = String(decoding: text.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).uppercased()
        return head.split(separator: ";").dropFirst().contains { $0.hasSuffix("QUOTED-PRINTABLE") }
    }

    /// The text of `Gr=FC=DFe`, in UTF-8 or Windows-1252.
    private static func quotedPrintable(_ text: String) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "="), let code = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16),
                rest.count >= 2
            {
                bytes.append(code)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        let decoded = bytes.isUTF8 ? String(decoding: bytes, as: UTF8.self) : WindowsText.text(bytes)
        return decoded.replacing("\r\n", with: "\n")
    }

    static func property(_ bytes: [UInt8], _ line: Int) -> Property? {
        let text = bytes.isUTF8 ? String(decoding: bytes, as: UTF8.self) : WindowsText.text(bytes)
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
                let rest = text[text.index(after: place)...]
                // TZID=tzone://Microsoft/Utc:20240101T100000 has a colon of its own.
                if parts.count > 1, parts.last?.hasSuffix("=tzone") == true, rest.hasPrefix("//") {
                    parts[parts.count - 1].append(character)
                    continue
                }
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
        let plain = isQuotedPrintable(bytes) ? quotedPrintable(String(value)) : String(value)
        return Property(name: name.uppercased(), parameters: parameters, value: plain, line: line)
    }

    /// The text without escapes. RFC 5545, section 3.3.11.
    static func unescaped(_ text: String) -> String { list(text, isSplit: false).first ?? "" }

    static func list(_ text: String, isSplit: Bool = true) -> [String] {
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

/// Facts that the first event needs: zones, which may be anywhere, and the events that replace others of their UID.
struct CalendarOutline {
    /// Zones by the plain form of their TZID.
    private(set) var zones: [String: CalendarZone] = [:]
    /// X-WR-TIMEZONE of each calendar in the file.
    private(set) var usualZones: [Int: String] = [:]
    /// The calendars that only cancel events.
    private(set) var cancelling: Set<Int> = []
    /// The highest SEQUENCE of each UID.
    private(set) var sequences: [String: Int] = [:]
    /// The line of each UID's first event that is not a single day of a repeating one; without one, that of the first
    /// such day.
    private(set) var firsts: [String: (line: Int, isDay: Bool)] = [:]

    /// The names of the lines to read.
    private static let names = [
        "BEGIN:", "END:", "UID", "SEQUENCE", "RECURRENCE-ID", "X-WR-TIMEZONE", "METHOD", "TZ", "X-LIC-", "DTSTART",
        "RRULE",
        "RDATE",
    ].map { Array($0.utf8) }

    init(_ lines: CalendarLines) {
        var lines = lines
        var calendar = 0
        var open: [String] = []
        var event = (line: 0, uid: "", sequence: 0, isDay: false)
        var zone = ZoneReader()
        while let (text, number) = lines.next() {
            guard Self.names.contains(where: text.beginsLike), let property = CalendarLines.property(text, number)
            else {
                continue
            }
            let kind = property.value.uppercased()
            switch property.name {
            case "BEGIN":
                if kind == "VCALENDAR" { calendar += 1 }
                if kind == "VEVENT" || kind == "VJOURNAL" { event = (number, "", 0, false) }
                if kind == "VTIMEZONE" { zone = ZoneReader() }
                zone.begin(kind)
                open.append(kind)
            case "END":
                if kind == "VEVENT" || kind == "VJOURNAL" { keep(event) }
                zone.end(kind)
                if kind == "VTIMEZONE", !zone.name.isEmpty, zones[zone.name] == nil { zones[zone.name] = zone.zone }
                if let place = open.lastIndex(of: kind) { open.removeSubrange(place...) }
            case "X-WR-TIMEZONE": usualZones[calendar] = property.value.trimmedSpaces
            case "METHOD": if kind == "CANCEL" { cancelling.insert(calendar) }
            default:
                guard let component = open.last else { continue }
                if open.contains("VTIMEZONE") {
                    zone.take(property)
                } else if component == "VEVENT" || component == "VJOURNAL" {
                    switch property.name {
                    case "UID": event.uid = property.value
                    case "SEQUENCE": event.sequence = Int(property.value.trimmedSpaces) ?? 0
                    case "RECURRENCE-ID": event.isDay = true
                    default: break
                    }
                }
            }
        }
    }

    private mutating func keep(_ event: (line: Int, uid: String, sequence: Int, isDay: Bool)) {
        guard !event.uid.isEmpty else { return }
        if !event.isDay { sequences[event.uid] = max(sequences[event.uid] ?? .min, event.sequence) }
        if let first = firsts[event.uid], !first.isDay || event.isDay { return }
        firsts[event.uid] = (event.line, event.isDay)
    }

    /// A TZID without quotes and escapes.
    static func plain(_ name: String) -> String {
        Folded.text(CalendarLines.unescaped(name).replacing("\"", with: "").trimmedSpaces)
    }

    /// Collects the lines of a zone.
    private struct ZoneReader {
        var name = ""
        var zone = CalendarZone()
        private var observance: CalendarZone.Observance?
        private var rule: String?
        private var hasOffset = false

        mutating func begin(_ kind: String) {
            guard kind == "STANDARD" || kind == "DAYLIGHT" else { return }
            (observance, rule, hasOffset) = (.init(), nil, false)
        }

        mutating func end(_ kind: String) {
            guard kind == "STANDARD" || kind == "DAYLIGHT", var observance, hasOffset else { return }
            observance.rule = rule.flatMap { CalendarZone.Rule($0, start: observance.start) }
            zone.observances.append(observance)
            self.observance = nil
        }

        mutating func take(_ property: CalendarLines.Property) {
            switch property.name {
            case "TZID": name = CalendarOutline.plain(property.value)
            case "X-LIC-LOCATION": zone.location = property.value.trimmedSpaces
            case "DTSTART": if let start = CalendarDates.local(property.value) { observance?.start = start }
            case "TZOFFSETFROM": observance?.offsetFrom = CalendarDates.offset(property.value.trimmedSpaces)
            case "TZOFFSETTO":
                guard let offset = CalendarDates.offset(property.value.trimmedSpaces) else { return }
                observance?.offsetTo = offset
                hasOffset = true
            case "RRULE": rule = property.value
            case "RDATE":
                observance?.dates += property.value.split(separator: ",").compactMap { CalendarDates.local(String($0)) }
            default: break
            }
        }
    }
}

extension [UInt8] {
    /// Whether the bytes begin with a name, in any case.
    fileprivate func beginsLike(_ name: [UInt8]) -> Bool {
        count >= name.count && zip(self, name).allSatisfy { ($0 & 0xDF) == ($1 & 0xDF) }
    }
}
