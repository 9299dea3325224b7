import JSONCodec
import MoodCore
import MoodText

/// The formats for export.
public enum ExportFormat: String, Sendable, CaseIterable {
    /// Lossless: each mood in its stored form.
    case jsonl
    /// All known members.
    case csv
    case daylio, jrnl, ics, markdown, html

    /// Whether the newest mood comes first.
    public var isDescending: Bool { self == .daylio }
}

/// Writes moods as the text of a file, one after the other.
///
///     var export = MoodExport(.csv, timeZone: "Europe/Berlin")
///     export.begin(to: &text)
///     for record in records { export.append(record, to: &text) }
///     export.end(to: &text)
public struct MoodExport {
    private let format: ExportFormat
    private var clock: WallClock
    /// The number of uses of each tag, for jrnl.
    private var tags: [String: Int] = [:]
    private var isFirst = true

    /// - Parameter timeZone: for moods without their own, in formats with local times.
    public init(_ format: ExportFormat, timeZone: String) {
        self.format = format
        clock = WallClock(timeZone)
    }

    public mutating func begin(to text: inout ByteBuffer) {
        switch format {
        case .jsonl: break
        case .csv: text.append(utf8: CSVExport.header)
        case .daylio: text.append(utf8: DaylioExport.header)
        case .jrnl: text.append("{\n  \"entries\": [")
        case .ics: text.append(utf8: ICalendar.beginning)
        case .markdown: text.append("# Moods\n")
        case .html: text.append(utf8: PageExport.beginning)
        }
    }

    public mutating func append(_ record: UnsafeRawBufferPointer, to text: inout ByteBuffer) {
        if format == .jsonl {
            text.append(record)
            return text.append("\n")
        }
        let mood = MoodMembers(trusting: ValidJSON(trusting: record))
        switch format {
        case .jsonl: break
        case .csv: CSVExport.append(mood, to: &text)
        case .daylio: DaylioExport.append(mood, &clock, to: &text)
        case .jrnl:
            text.append(utf8: isFirst ? "\n    " : ",\n    ")
            for tag in mood.tagTexts { tags["@" + tag, default: 0] += 1 }
            JrnlExport.append(mood, &clock, to: &text)
        case .ics: text.append(utf8: ICalendar.component(of: mood, as: .vevent, isExport: true))
        case .markdown: PageExport.appendMarkdown(mood, &clock, to: &text)
        case .html: PageExport.appendHTML(mood, &clock, to: &text)
        }
        isFirst = false
    }

    /// Appends a line of a mood's history; jsonl only.
    public func append(history item: UnsafeRawBufferPointer, to text: inout ByteBuffer) {
        text.append("{\"history\":")
        text.append(item)
        text.append("}\n")
    }

    /// Appends the settings; jsonl only.
    public func append(settings: UnsafeRawBufferPointer, to text: inout ByteBuffer) {
        text.append("{\"settings\":")
        text.append(settings)
        text.append("}\n")
    }

    public mutating func end(to text: inout ByteBuffer) {
        switch format {
        case .jsonl, .csv, .daylio, .markdown: break
        case .jrnl:
            var counts = JSONWriter(capacity: 256)
            counts.beginObject()
            for (tag, count) in tags.sorted(by: { $0.key < $1.key }) {
                counts.key(text: tag)
                counts.integer(count)
            }
            counts.endObject()
            text.append(utf8: isFirst ? "],\n  \"tags\": " : "\n  ],\n  \"tags\": ")
            text.append(counts.buffer.bytes)
            text.append("\n}\n")
        case .ics: text.append(utf8: ICalendar.ending)
        case .html: text.append(utf8: PageExport.ending)
        }
    }
}

/// The local times of moods.
struct WallClock {
    private let usual: String
    private var clocks: [String: ZoneClock?] = [:]

    init(_ zone: String) { usual = zone }

    /// `2026-11-20T21:30:00.000Z`, in which Z stands for the mood's zone.
    mutating func text(of mood: MoodMembers) -> String {
        guard let time = mood.timestamp.value else { return Timestamp.minimum.text }
        let name = mood.timeZone?.string ?? usual
        if clocks[name] == nil { clocks[name] = .some(ZoneClock(name)) }
        let local = clocks[name]??.local(at: time.milliseconds) ?? time.milliseconds
        return (Timestamp(milliseconds: local) ?? time).text
    }
}

extension MoodMembers {
    var tagTexts: [String] { tags.flatMap { JSONValue($0).array }?.compactMap(\.string) ?? [] }
    var emojiText: String { emoji?.string ?? "" }
    var labelText: String { label?.string ?? "" }
    var notesText: String { notes?.string ?? "" }
}

/// Our own table: all known members, with commas between tags.
enum CSVExport {
    static let header = CSVColumn.members.map { "\($0.name)" }.joined(separator: ",") + "\r\n"

    static func append(_ mood: MoodMembers, to text: inout ByteBuffer) {
        for (place, field) in CSVColumn.members.enumerated() {
            if place > 0 { text.append(",") }
            Array(cell(field, mood).utf8).csvCell.withUnsafeBytes { text.append($0) }
        }
        text.append("\r\n")
    }

    private static func cell(_ field: MoodField, _ mood: MoodMembers) -> String {
        switch field.kind {
        case .id: return mood.id?.text ?? ""
        case .time: return mood[time: field].value?.text ?? ""
        case .tags:
            let tags = mood.tagTexts
            let needsJSON = tags.contains { $0.contains { ",;|".contains($0) } } || tags.first?.hasPrefix("[") == true
            return needsJSON ? JSONValue.array(tags.map { .string($0) }).text : tags.joined(separator: ",")
        case .attachments:
            let attachments = mood.attachments.map { JSONValue($0) }
            return attachments?.array?.isEmpty == false ? attachments?.text ?? "" : ""
        case .emoji, .label, .notes, .timeZone, .line: return mood[field]?.string ?? ""
        case .flag, .number, .object, .revision:
            return mood[field].map { String(decoding: $0.raw, as: UTF8.self) } ?? ""
        }
    }
}

/// The CSV of Daylio with nine columns. It has no ids, no seconds and no zone, and its mood is a name.
enum DaylioExport {
    static let header = "full_date,date,weekday,time,mood,activities,scales,note_title,note\r\n"
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]
    private static let weekdays = ["Thursday", "Friday", "Saturday", "Sunday", "Monday", "Tuesday", "Wednesday"]

    static func append(_ mood: MoodMembers, _ clock: inout WallClock, to text: inout ByteBuffer) {
        let local = clock.text(of: mood)
        let date = String(local.prefix(10))
        let month = Int(date.dropFirst(5).prefix(2)) ?? 1
        let days = (Timestamp(date + "T00:00:00Z")?.milliseconds ?? 0) / 86_400_000
        let scales = mood.scales.flatMap { JSONValue($0).object } ?? []
        let cells = [
            date, "\(months[(month - 1) % 12]) \(Int(date.suffix(2)) ?? 1)", weekdays[Int((days % 7 + 7) % 7)],
            String(local.dropFirst(11).prefix(5)), mood.labelText,
            mood.tagTexts.map { $0.replacing("|", with: "/") }.joined(separator: " | "),
            // 1.500 might be read as thousands.
            scales.map { "\($0.name):\u{a0}\($0.value.text)" + (NumberText.isAmbiguous($0.value.text) ? "0" : "") }
                .joined(separator: " | "), "",
            // Daylio's notes may be formatted, so escape text that looks like markup.
            mood.notesText.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;"),
        ]
        for (place, cell) in cells.enumerated() {
            if place > 0 { text.append(",") }
            // Daylio quotes people's texts.
            let bytes = Array(cell.utf8)
            let isQuoted = place >= 5
            (isQuoted ? [34] + cell.replacing("\"", with: "\"\"").utf8 + [34] : bytes.csvCell)
                .withUnsafeBytes { text.append($0) }
        }
        text.append("\r\n")
    }
}

/// An entry of jrnl, with emoji and label as its title.
enum JrnlExport {
    static func append(_ mood: MoodMembers, _ clock: inout WallClock, to text: inout ByteBuffer) {
        let local = clock.text(of: mood)
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        writer.member("title", "\(mood.emojiText) \(mood.labelText)")
        writer.member("body", mood.notesText)
        writer.member("date", String(local.prefix(10)))
        writer.member("time", String(local.dropFirst(11).prefix(5)))
        writer.beginArray("tags")
        for tag in mood.tagTexts { writer.string("@" + tag) }
        writer.endArray()
        writer.member("starred", mood.isFavorite == true)
        writer.endObject()
        text.append(writer.buffer.bytes)
    }
}
