import JSONCodec
import MoodText

/// A mood as text to pass on, in one of several forms.
public enum ShareFormat: String, Sendable, CaseIterable {
    case text, markdown, html, json, ics

    public var name: StaticString {
        switch self {
        case .text: "text"
        case .markdown: "markdown"
        case .html: "html"
        case .json: "json"
        case .ics: "ics"
        }
    }

    public var mediaType: StaticString {
        switch self {
        case .text: "text/plain; charset=utf-8"
        case .markdown: "text/markdown; charset=utf-8"
        case .html: "text/html; charset=utf-8"
        case .json: "application/json; charset=utf-8"
        case .ics: "text/calendar; charset=utf-8"
        }
    }
}

/// How a reader sees times: language, zone, and the present moment.
public struct ReadingContext: Sendable {
    public var locale: String
    /// Nil: the mood's, else the system's.
    public var timeZone: String?
    public var now: Timestamp

    public init(locale: String, timeZone: String?, now: Timestamp) {
        self.locale = locale
        self.timeZone = timeZone
        self.now = now
    }
}

/// Writes the text of a mood as a JSON string.
public struct Share {
    private let mood: MoodMembers
    private let record: UnsafeRawBufferPointer
    private let context: ReadingContext

    /// - Parameter record: the bytes of the mood.
    public init(_ mood: MoodMembers, record: UnsafeRawBufferPointer, context: ReadingContext) {
        self.mood = mood
        self.record = record
        self.context = context
    }

    /// Writes the text, with a template in place of the usual one if there is one.
    /// - Parameter component: what the mood is in a calendar.
    /// - Throws: when the locale or the zone is unknown.
    public func write(
        _ format: ShareFormat, template: ShareTemplate?, as component: ICalendar.Component = .vevent,
        _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        if format == .text, template == nil { return try writePlain(&phrases, to: &writer) }
        writer.string(try text(format, template: template, as: component, &phrases))
    }

    /// The text, for a caller that does not write it into an answer at once.
    /// - Throws: when the locale or the zone is unknown.
    public func text(
        _ format: ShareFormat, template: ShareTemplate? = nil, as component: ICalendar.Component = .vevent,
        _ phrases: inout Phrases
    ) throws(TextError) -> String {
        switch format {
        case .text:
            if let template { return try fill(template, &phrases) }
            return "\(emoji) \(label)\nRecorded \(try relative(&phrases))"
        case .markdown: return try markdown(&phrases)
        case .html: return try html(&phrases)
        case .json: return String(decoding: record, as: UTF8.self)
        case .ics: return ICalendar.text(of: mood, as: component)
        }
    }

    /// `EMOJI LABEL`, a line break, `Recorded RELATIVE`: copied from the record without decoding.
    private func writePlain(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        writer.raw("\"")
        if let emoji = mood.emoji { writer.contents(emoji) }
        writer.buffer.append(UInt8(ascii: " "))
        if let label = mood.label { writer.contents(label) }
        writer.buffer.append("\\nRecorded " as StaticString)
        try phrases.withRelative(
            from: mood.timestamp.value?.milliseconds ?? 0, to: context.now.milliseconds, locale: context.locale,
            timeZone: context.timeZone
        ) { writer.buffer.append($0) }
        writer.buffer.append(UInt8(ascii: "\""))
    }

    private func relative(_ phrases: inout Phrases) throws(TextError) -> String {
        try phrases.relative(
            from: mood.timestamp.value?.milliseconds ?? 0, to: context.now.milliseconds, locale: context.locale,
            timeZone: context.timeZone)
    }

    private func fill(_ template: ShareTemplate, _ phrases: inout Phrases) throws(TextError) -> String {
        var text = ""
        let time = mood.timestamp.value?.milliseconds ?? 0
        for piece in template.pieces {
            switch piece {
            case .text(let literal): text += literal
            case .place(.emoji): text += emoji
            case .place(.label): text += label
            case .place(.notes): text += notes
            case .place(.tags): text += tags.joined(separator: ", ")
            case .place(.relative): text += try relative(&phrases)
            case .place(.date):
                text += try phrases.date(time, locale: context.locale, timeZone: context.timeZone)
            case .place(.time):
                text += try phrases.time(time, locale: context.locale, timeZone: context.timeZone)
            case .place(.timestamp): text += mood.timestamp.value?.text ?? ""
            }
        }
        return text
    }

    private func markdown(_ phrases: inout Phrases) throws(TextError) -> String {
        var text = "**\(Self.markdownEscaped(emoji + " " + label))**\n\nRecorded \(try relative(&phrases))\n"
        if !notes.isEmpty {
            let lines = notes.split(omittingEmptySubsequences: false) { $0.isNewline }
            text += "\n" + lines.map { "> " + Self.markdownLine(String($0)) }.joined(separator: "\n") + "\n"
        }
        if !tags.isEmpty { text += "\nTags: " + tags.map(Self.markdownEscaped).joined(separator: ", ") + "\n" }
        return text
    }

    private func html(_ phrases: inout Phrases) throws(TextError) -> String {
        var text = "<figure class=\"mood\"><p>\(Self.htmlEscaped(emoji))</p><figcaption>"
        text += "<strong>\(Self.htmlEscaped(label))</strong> "
        text += "<time datetime=\"\(mood.timestamp.value?.text ?? "")\">Recorded "
        text += Self.htmlEscaped(try relative(&phrases)) + "</time>"
        if !notes.isEmpty { text += "<p>\(Self.htmlEscaped(notes))</p>" }
        if !tags.isEmpty {
            text += "<ul>" + tags.map { "<li>\(Self.htmlEscaped($0))</li>" }.joined() + "</ul>"
        }
        return text + "</figcaption></figure>"
    }

    private var emoji: String { mood.emoji?.string ?? "" }
    private var label: String { mood.label?.string ?? "" }
    private var notes: String { mood.notes?.string ?? "" }
    private var tags: [String] {
        mood.tags.flatMap { JSONValue($0).array }?.compactMap(\.string) ?? []
    }

    /// Every ASCII punctuation character may be escaped. CommonMark 0.31, section 2.4.
    static func markdownEscaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\`*_{}[]<>()#+-.!|~&=:\"'$%^@/,;?".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Escapes a line, whose leading white space would otherwise make it code. CommonMark 0.31, sections 2.5 and 4.4.
    private static func markdownLine(_ line: String) -> String {
        switch line.first {
        case " ": "&#32;" + markdownEscaped(String(line.dropFirst()))
        case "\t": "&#9;" + markdownEscaped(String(line.dropFirst()))
        default: markdownEscaped(line)
        }
    }

    /// The five characters that mean something in text or in an attribute. HTML Standard, "Escaping a string".
    static func htmlEscaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
