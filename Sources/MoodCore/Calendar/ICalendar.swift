import JSONCodec

/// Moods and their events as iCalendar objects for import into calendars. RFC 5545.
///
/// A second export replaces the first: UIDs come from ids and titles, and stay. DTSTAMP is the mood's last change, as
/// section 3.8.7.2 requires without a METHOD, so a mood always gives the same bytes.
public enum ICalendar {
    /// The kind of component for a mood.
    public enum Component: String, Sendable, CaseIterable {
        /// An event at a time.
        case vevent
        /// An entry in a diary. RFC 5545, section 3.6.3.
        case vjournal
    }

    /// The time of the alarm before an event.
    private static let alarm = "-PT1H30M"

    /// An event of a mood, with a VEVENT for each of its occurrences.
    /// - Parameters:
    ///   - place: the event's index among the mood's attachments, from 0.
    ///   - bytesMax: the size at which the text is left unfinished.
    public static func text(
        of event: Attachment.Event, at place: Int, in mood: MoodMembers, bytesMax: Int = .max
    ) -> String {
        let rest = linesAfterTimes(of: event)
        return calendar(bytesMax: bytesMax) { lines in
            let uid = self.uid(of: event, at: place, in: mood)
            var times: [String: Int] = [:]
            for occurrence in event.occurrences {
                let start = moment(occurrence.start)
                times[start, default: 0] += 1
                lines.begin("VEVENT")
                // Each of several occurrences is known by its start, and by a number if another begins then too.
                let again = times[start].flatMap { $0 > 1 ? "-\($0 - 1)" : nil } ?? ""
                lines.line("UID", event.occurrences.count == 1 ? uid : "\(uid)-\(start)\(again)")
                stamp(mood, &lines)
                lines.line("DTSTART", moment(occurrence.start))
                end(occurrence, &lines)
                lines.append(rest)
            }
        }
    }

    /// The lines that all occurrences share.
    private static func linesAfterTimes(of event: Attachment.Event) -> CalendarWriter {
        var lines = CalendarWriter()
        lines.text("SUMMARY", event.title)
        describe(event, &lines)
        if let location = event.location { lines.text("LOCATION", location) }
        if let url = event.url { lines.line("URL", url) }
        lines.line("CLASS", "PRIVATE")
        lines.line("TRANSP", "TRANSPARENT")
        lines.begin("VALARM")
        lines.line("ACTION", "DISPLAY")
        lines.text("DESCRIPTION", event.title)
        lines.line("TRIGGER", alarm)
        lines.end("VALARM")
        lines.end("VEVENT")
        return lines
    }

    /// An id from the mood's id and the event's title. The event's place is not in it, because it changes with earlier
    /// attachments: a calendar never replaces another event, and a postponed one stays the same. Events with the same
    /// title are numbered from the second on.
    private static func uid(of event: Attachment.Event, at place: Int, in mood: MoodMembers) -> String {
        let before = Attachment.all(of: mood).filter { other in
            guard other.place < place, case .event(let earlier) = other.attachment.content else { return false }
            return earlier.title.utf8.elementsEqual(event.title.utf8)
        }
        let number = before.isEmpty ? "" : "-\(before.count)"
        return "\(mood.id?.text ?? "")-\(hash(event.title))\(number)"
    }

    /// FNV-1a of 64 bits, as 16 digits: equal in every version and on every machine.
    private static func hash(_ text: String) -> String {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// The calendar of a mood. A mood is in the past, so there is no alarm.
    public static func text(of mood: MoodMembers, as component: Component) -> String {
        calendar { append(mood, component, isExport: false, &$0) }
    }

    /// The text before the components of a calendar.
    public static var beginning: String { calendar { _ in }.replacing(ending, with: "") }
    public static let ending = "END:VCALENDAR\r\n"

    /// The component alone, for a calendar of many.
    /// - Parameter isExport: whether to add private properties for what calendars have no words for.
    public static func component(of mood: MoodMembers, as component: Component, isExport: Bool) -> String {
        var lines = CalendarWriter()
        append(mood, component, isExport: isExport, &lines)
        return lines.string
    }

    private static func append(
        _ mood: MoodMembers, _ component: Component, isExport: Bool, _ lines: inout CalendarWriter
    ) {
        let name = component.rawValue.uppercased()
        lines.begin(name)
        lines.line("UID", mood.id?.text ?? "")
        stamp(mood, &lines)
        if let time = mood.timestamp.value { lines.line("DTSTART", moment(time)) }
        if let time = mood.createdAt.value { lines.line("CREATED", moment(time)) }
        if let time = mood.updatedAt.value { lines.line("LAST-MODIFIED", moment(time)) }
        lines.line("SUMMARY", CalendarWriter.escapedLine("\(mood.emoji?.string ?? "") \(mood.label?.string ?? "")"))
        if let notes = mood.notes?.string, !notes.isEmpty { lines.text("DESCRIPTION", notes) }
        lines.texts("CATEGORIES", mood.tags.flatMap { JSONValue($0).array }?.compactMap(\.string) ?? [])
        if component == .vevent {
            place(of: mood, &lines)
            lines.line("TRANSP", "TRANSPARENT")
        }
        if let id = mood.id { lines.line("URL", DeepLink.url(of: .moodDetail(id))) }
        lines.line("CLASS", "PRIVATE")
        if isExport { measure(mood, &lines) }
        lines.end(name)
    }

    /// Writes private properties. RFC 5545, section 3.8.8.2.
    private static func measure(_ mood: MoodMembers, _ lines: inout CalendarWriter) {
        for field in MoodField.allCases {
            guard let name = field.calendarProperty, let value = mood[field] else { continue }
            switch field.kind {
            case .flag:
                let isTrue = value.raw.first == UInt8(ascii: "t")
                if isTrue || field.isOptional { lines.line(name, isTrue ? "TRUE" : "FALSE") }
            case .timeZone: lines.line(name, value.string)
            case .line: lines.text(name, value.string)
            case .number: lines.line(name, String(decoding: value.raw, as: UTF8.self))
            default: lines.text(name, String(decoding: value.raw, as: UTF8.self))
            }
        }
    }

    private static func calendar(bytesMax: Int = .max, _ body: (inout CalendarWriter) -> Void) -> String {
        var lines = CalendarWriter(bytesMax: bytesMax)
        lines.begin("VCALENDAR")
        lines.line("VERSION", "2.0")
        lines.line("PRODID", "-//MoodBoard//MoodBoard//EN")
        lines.line("CALSCALE", "GREGORIAN")
        body(&lines)
        lines.end("VCALENDAR")
        return lines.string
    }

    private static func stamp(_ mood: MoodMembers, _ lines: inout CalendarWriter) {
        lines.line("DTSTAMP", moment(mood.updatedAt.value ?? mood.timestamp.value ?? .minimum))
    }

    /// Writes an end later than the start. An event without one takes no time. RFC 5545, sections 3.6.1 and 3.8.2.2.
    private static func end(_ occurrence: Attachment.Occurrence, _ lines: inout CalendarWriter) {
        let end = moment(occurrence.end)
        if end > moment(occurrence.start) { lines.line("DTEND", end) }
    }

    private static func describe(_ event: Attachment.Event, _ lines: inout CalendarWriter) {
        let parts = [event.description, event.hostName.map { "Host: \($0)" }].compactMap(\.self).filter { !$0.isEmpty }
        if !parts.isEmpty { lines.text("DESCRIPTION", parts.joined(separator: "\n")) }
    }

    /// Writes the first place among the attachments.
    private static func place(of mood: MoodMembers, _ lines: inout CalendarWriter) {
        for (_, attachment) in Attachment.all(of: mood) {
            guard case .place(let latitude, let longitude, let label, let address) = attachment.content else {
                continue
            }
            let place = Coordinates(latitude: latitude, longitude: longitude)
            if let name = label ?? address { lines.text("LOCATION", name) }
            lines.line("GEO", "\(place.latitudeText);\(place.longitudeText)")
            return
        }
    }

    /// A time in form 2 of section 3.3.5: UTC, whole seconds.
    static func moment(_ time: Timestamp) -> String {
        time.text.prefix(19).filter { $0 != "-" && $0 != ":" } + "Z"
    }
}
