import JSONCodec
import Platform

/// The parts of a mood that people see. Missing and odd members count as missing: the host has checked the rest.
struct MoodView {
    let id: String
    let emoji: String
    let label: String
    let timestamp: String
    /// The zone of the place where it was lived.
    let timeZone: String?
    let isFavorite: Bool
    let notes: String
    let tags: [String]
    /// Its own valence, as the host wrote it.
    let valence: String?
    /// `sleep 7, energy -2.5`; empty without scales.
    let scales: String
    let members: [JSONValue.Member]

    /// - Returns: nil if it has no id and so is not a mood.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.string else { return nil }
        self.id = id
        emoji = value.text(of: "emoji")
        label = value.text(of: "label")
        timestamp = value.text(of: "timestamp")
        timeZone = value["timeZone"]?.string
        isFavorite = value["isFavorite"]?.boolean ?? false
        notes = value.text(of: "notes")
        tags = value.texts(of: "tags")
        valence = value["valence"]?.text
        scales = (value["scales"]?.object ?? []).map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        members = value.object ?? []
    }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// `😊 Happy`, safe for a terminal.
    var title: String { Escaping.visible("\(emoji) \(label)") }

    /// `😊 Happy of 2026-01-02 06:04`
    func told(_ console: Console) -> String { localTime(console).map { "\(title) of \($0.time.text)" } ?? title }

    /// Its local time in its own zone, else in this system's; and whether this system's clocks show another time.
    func localTime(_ console: Console) -> (time: LocalTime, isElsewhere: Bool)? {
        guard let moment = Moment(timestamp), let here = console.localTime(moment.secondsSince1970) else { return nil }
        guard let timeZone, let there = console.localTimeInZone(moment.secondsSince1970, timeZone) else {
            return (here, false)
        }
        return (there, there.text != here.text)
    }

    /// A line for programs: id, time, emoji, label, valence, tags and note, with tabs between them.
    var fields: String {
        [id, timestamp, emoji, label, valence ?? "", tags.joined(separator: ","), notes].map(Self.escaped)
            .joined(separator: "\t")
    }

    /// A line for programs.
    static func fields(_ fields: [String]) -> String { fields.map(escaped).joined(separator: "\t") + "\n" }

    /// Escapes a tab, a line end and a backslash as `\t`, `\n` and `\\`.
    private static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x09 || $0 == 0x0a || $0 == 0x5c }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\t": result.append(contentsOf: "\\t".unicodeScalars)
            case "\n": result.append(contentsOf: "\\n".unicodeScalars)
            case "\\": result.append(contentsOf: "\\\\".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    /// Members without their own line in `mood show`.
    private var others: [JSONValue.Member] {
        let known =
            ["id", "emoji", "label", "timestamp", "timeZone", "isFavorite", "notes", "tags"]
            + (scales.isEmpty ? [] : ["scales"])
        return members.filter { !known.contains($0.name) }
    }

    /// All about one mood, a line for each fact.
    /// - Parameter width: the terminal's; nil leaves lines as long as they are.
    func card(console: Console, style: Style, width columns: Int? = nil) -> String {
        var text = style.apply(.heading, to: title) + (isFavorite ? " " + style.apply(.mark, to: "★") : "") + "\n"
        var rows = [("id", id)] + times(console)
        if !tags.isEmpty { rows.append(("tags", tags.map { "#" + $0 }.joined(separator: " "))) }
        if !scales.isEmpty { rows.append(("scales", scales)) }
        for member in others {
            if let elements = member.value.array, elements.isEmpty { continue }
            rows.append((member.name, member.value.string ?? member.value.text))
        }
        let width = rows.map { DisplayWidth.of(Escaping.visible($0.0)) }.max() ?? 0
        for (name, value) in rows {
            let term = DisplayWidth.padded(Escaping.visible(name), to: width)
            let margin = String(repeating: " ", count: width + 4)
            let lines = Self.lines(Escaping.visible(value), columns.map { $0 - width - 4 })
            text += "  \(style.apply(.quiet, to: term))  \(lines.joined(separator: "\n" + margin))\n"
        }
        if !notes.isEmpty {
            text += "\n"
            for line in notes.split(omittingEmptySubsequences: false, whereSeparator: { $0 == "\n" || $0 == "\r\n" }) {
                let shown = Escaping.visible(Paragraph.withoutTabs(String(line)))
                for part in Self.lines(shown, columns.map { $0 - 2 }) { text += part.isEmpty ? "\n" : "  \(part)\n" }
            }
        }
        return text
    }

    private static func lines(_ text: String, _ columns: Int?) -> [String] {
        columns.map { Paragraph.wrapped(text, to: max($0, Table.narrowest)) } ?? [text]
    }

    /// The local time in the mood's own zone, and this system's local time if that differs.
    private func times(_ console: Console) -> [(String, String)] {
        guard let local = localTime(console) else { return [("when", timestamp)] }
        let zone = timeZone ?? local.time.zone
        guard local.isElsewhere, let here = Moment(timestamp).flatMap({ console.localTime($0.secondsSince1970) }) else {
            return [("when", "\(local.time.text) \(zone) (\(timestamp))")]
        }
        return [("when", "\(local.time.text) \(zone) (\(timestamp))"), ("here", "\(here.text) \(here.zone)")]
    }
}
