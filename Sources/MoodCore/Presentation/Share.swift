import JSONCodec
import MoodText

/// A format for sharing a mood. A new format is another value here and in `all`; the schemas, the host, the client's
/// options and the documents follow.
///
/// A class, so that a request passes one word.
public final class ShareFormat: Sendable, Equatable {
    /// The protocol's name.
    public let name: StaticString
    /// The name for people.
    public let title: StaticString
    /// The media type with its charset.
    public let mediaType: StaticString
    fileprivate let write: @Sendable (Share, inout Phrases) throws(TextError) -> String

    private init(
        _ name: StaticString, title: StaticString, _ mediaType: StaticString,
        _ write: @escaping @Sendable (Share, inout Phrases) throws(TextError) -> String
    ) {
        self.name = name
        self.title = title
        self.mediaType = mediaType
        self.write = write
    }

    public static let text = ShareFormat("text", title: "Plain text", "text/plain; charset=utf-8") {
        (share, phrases) throws(TextError) in try share.plain(&phrases)
    }
    public static let markdown = ShareFormat("markdown", title: "Markdown", "text/markdown; charset=utf-8") {
        (share, phrases) throws(TextError) in try share.markdown(&phrases)
    }
    public static let html = ShareFormat("html", title: "Web page", "text/html; charset=utf-8") {
        (share, phrases) throws(TextError) in try share.html(&phrases)
    }
    public static let json = ShareFormat("json", title: "JSON", "application/json; charset=utf-8") {
        (share, _) throws(TextError) in share.json
    }
    public static let ics = ShareFormat("ics", title: "Calendar", "text/calendar; charset=utf-8") {
        (share, _) throws(TextError) in ICalendar.text(of: share.mood, as: share.component)
    }

    /// All formats in the order of the protocol.
    public static let all: [ShareFormat] = [text, markdown, html, json, ics]

    public static func == (a: ShareFormat, b: ShareFormat) -> Bool { a === b }

    /// The format of this name; nil if there is none.
    public static func named(_ name: String) -> ShareFormat? { all.first { "\($0.name)" == name } }
}

/// The reader's language and zone, and the present moment.
public struct ReadingContext: Sendable {
    public var locale: String
    /// The reader's zone; nil takes the mood's, else the system's.
    public var timeZone: String?
    public var now: Timestamp

    public init(locale: String, timeZone: String?, now: Timestamp) {
        self.locale = locale
        self.timeZone = timeZone
        self.now = now
    }
}

/// The text of a mood.
public struct Share {
    fileprivate let mood: MoodMembers
    private let record: UnsafeRawBufferPointer?
    private let context: ReadingContext
    /// The kind of calendar component.
    fileprivate let component: ICalendar.Component

    /// - Parameter record: the bytes of the mood; nil if some members differ from the stored ones.
    public init(
        _ mood: MoodMembers, record: UnsafeRawBufferPointer?, context: ReadingContext,
        as component: ICalendar.Component = .vevent
    ) {
        self.mood = mood
        self.record = record
        self.context = context
        self.component = component
    }

    /// The text in a format. Plain text equals that of `MoodHeadline`.
    /// - Throws: if the locale or the zone is unknown.
    public func text(_ format: ShareFormat, _ phrases: inout Phrases) throws(TextError) -> String {
        try format.write(self, &phrases)
    }

    fileprivate var json: String {
        if let record { return String(decoding: record, as: UTF8.self) }
        var writer = JSONWriter(capacity: 512)
        mood.write(to: &writer)
        return String(decoding: writer.buffer.bytes, as: UTF8.self)
    }

    fileprivate func plain(_ phrases: inout Phrases) throws(TextError) -> String {
        return "\(emoji) \(label)\n\(try recorded(&phrases))"
    }

    /// `Recorded 2 hours ago`, as a sentence of the reader's language.
    private func recorded(_ phrases: inout Phrases) throws(TextError) -> String {
        "\(Words.beforeRelative(context.locale))\(try relative(&phrases))"
    }

    private func relative(_ phrases: inout Phrases) throws(TextError) -> String {
        try phrases.relative(
            from: mood.timestamp.value?.milliseconds ?? 0, to: context.now.milliseconds, locale: context.locale,
            timeZone: context.timeZone)
    }

    /// The filled template, instead of plain text.
    /// - Throws: if the locale or the zone is unknown.
    public func filled(_ template: ShareTemplate, _ phrases: inout Phrases) throws(TextError) -> FilledTemplate {
        let time = mood.timestamp.value?.milliseconds ?? 0
        return try FilledTemplate(template) { name, writer throws(TextError) in
            switch name {
            case .emoji: if let emoji = mood.emoji { writer.contents(emoji) }
            case .label: if let label = mood.label { writer.contents(label) }
            case .notes: if let notes = mood.notes { writer.contents(notes) }
            case .tags: writer.contents(of: tags.joined(separator: ", "))
            case .relative: writer.contents(of: try relative(&phrases))
            case .date:
                writer.contents(of: try phrases.date(time, locale: context.locale, timeZone: context.timeZone))
            case .time:
                writer.contents(of: try phrases.time(time, locale: context.locale, timeZone: context.timeZone))
            case .timestamp: writer.contents(of: mood.timestamp.value?.text ?? "")
            }
        }
    }

    fileprivate func markdown(_ phrases: inout Phrases) throws(TextError) -> String {
        var text = "**\(Self.markdownEscaped(emoji + " " + label))**\n\n\(try recorded(&phrases))\n"
        if !notes.isEmpty { text += "\n" + Self.markdownQuote(notes) }
        if !tags.isEmpty { text += "\nTags: " + tags.map(Self.markdownEscaped).joined(separator: ", ") + "\n" }
        return text
    }

    fileprivate func html(_ phrases: inout Phrases) throws(TextError) -> String {
        var text = "<figure class=\"mood\"><p>\(Self.htmlEscaped(emoji))</p><figcaption>"
        text += "<strong>\(Self.htmlEscaped(label))</strong> "
        text += "<time datetime=\"\(mood.timestamp.value?.text ?? "")\">"
        text += Self.htmlEscaped(try recorded(&phrases)) + "</time>"
        if !notes.isEmpty {
            let lines = notes.split(omittingEmptySubsequences: false) { $0.isNewline }
            text += "<p>" + lines.map { Self.htmlEscaped(String($0)) }.joined(separator: "<br>") + "</p>"
        }
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

    /// Escapes every ASCII punctuation character, which CommonMark 0.31, section 2.4, allows.
    public static func markdownEscaped(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if "\\`*_{}[]<>()#+-.!|~&=:\"'$%^@/,;?".unicodeScalars.contains(scalar) { result.append("\\") }
            result.append(scalar)
        }
        return String(result)
    }

    /// Writes a quotation. A backslash keeps a line end from becoming a space. CommonMark 0.31, section 6.7.
    private static func markdownQuote(_ notes: String) -> String {
        let lines = notes.split(omittingEmptySubsequences: false) { $0.isNewline }
        var text = ""
        for (index, line) in lines.enumerated() {
            let isBroken = !line.isEmpty && index + 1 < lines.count && !lines[index + 1].isEmpty
            text += "> " + markdownLine(String(line)) + (isBroken ? "\\\n" : "\n")
        }
        return text
    }

    /// Escapes a line and its leading white space, which would make it code. CommonMark 0.31, sections 2.5 and 4.4.
    public static func markdownLine(_ line: String) -> String {
        switch line.first {
        case " ": "&#32;" + markdownEscaped(String(line.dropFirst()))
        case "\t": "&#9;" + markdownEscaped(String(line.dropFirst()))
        default: markdownEscaped(line)
        }
    }

    /// Escapes the five special characters of text and attributes. HTML Standard, "Escaping a string".
    public static func htmlEscaped(_ text: String) -> String {
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
