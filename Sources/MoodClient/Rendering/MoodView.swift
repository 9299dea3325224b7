import JSONCodec

/// The parts of a mood that people see. Missing and odd members are shown as missing: the host has checked the rest.
struct MoodView {
    let id: String
    let emoji: String
    let label: String
    let timestamp: String
    let isFavorite: Bool
    let notes: String
    let tags: [String]
    /// `sleep 7, energy -2.5`; empty where there are none.
    let scales: String
    let members: [JSONValue.Member]

    /// - Returns: nil if it has no id and so is not a mood.
    init?(_ value: JSONValue) {
        guard let id = value["id"]?.string else { return nil }
        self.id = id
        emoji = value["emoji"]?.string ?? ""
        label = value["label"]?.string ?? ""
        timestamp = value["timestamp"]?.string ?? ""
        isFavorite = value["isFavorite"]?.boolean ?? false
        notes = value["notes"]?.string ?? ""
        tags = (value["tags"]?.array ?? []).compactMap(\.string)
        scales = (value["scales"]?.object ?? []).map { "\($0.name) \($0.value.text)" }.joined(separator: ", ")
        members = value.object ?? []
    }

    /// `😊 Happy`, safe for a terminal.
    var title: String { Escaping.visible("\(emoji) \(label)") }

    /// Members without their own line in `mood show`.
    var others: [JSONValue.Member] {
        let known =
            ["id", "emoji", "label", "timestamp", "isFavorite", "notes", "tags"] + (scales.isEmpty ? [] : ["scales"])
        return members.filter { !known.contains($0.name) }
    }

    /// The table of a list.
    /// - Parameter shorten: an id as it is shown.
    static func table(_ moods: [MoodView], console: Console, shorten: (String) -> String) -> Table {
        let times = moods.map { Moment($0.timestamp).flatMap { console.localTime($0.secondsSince1970) } }
        let zones = Set(times.compactMap { $0?.zone })
        let sharedZone = zones.count == 1 ? zones.first : nil
        var table = Table([
            .init("ID", role: .quiet), .init("★", role: .mark), .init("MOOD", isFlexible: true),
            .init(sharedZone.map { "WHEN (\(Escaping.visible($0)))" } ?? "WHEN (local time)"),
            .init("TAGS", isFlexible: true), .init("SCALES", isFlexible: true),
            .init("NOTE", isFlexible: true, role: .quiet),
        ])
        for (mood, time) in zip(moods, times) {
            let when = time.map { sharedZone == nil ? "\($0.text) \($0.zone)" : $0.text } ?? mood.timestamp
            table.rows.append([
                shorten(mood.id), mood.isFavorite ? "★" : "", mood.title, Escaping.visible(when),
                Escaping.visible(mood.tags.map { "#" + $0 }.joined(separator: " ")), Escaping.visible(mood.scales),
                Escaping.visible(Self.oneLine(mood.notes)),
            ])
        }
        return table
    }

    /// Line breaks as a visible sign.
    private static func oneLine(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "\r" { result.append(scalar == "\n" ? "↵" : scalar) }
        return String(result)
    }

    /// Everything about one mood, a line for each thing.
    func card(console: Console, style: Style) -> String {
        var text = style.apply(.heading, to: title) + (isFavorite ? " " + style.apply(.mark, to: "★") : "") + "\n"
        var when = timestamp
        if let time = Moment(timestamp).flatMap({ console.localTime($0.secondsSince1970) }) {
            when = "\(time.text) \(time.zone) (\(timestamp))"
        }
        var rows = [("id", id), ("when", when)]
        if !tags.isEmpty { rows.append(("tags", tags.map { "#" + $0 }.joined(separator: " "))) }
        if !scales.isEmpty { rows.append(("scales", scales)) }
        for member in others {
            if let elements = member.value.array, elements.isEmpty { continue }
            rows.append((member.name, member.value.string ?? member.value.text))
        }
        let width = rows.map { DisplayWidth.of(Escaping.visible($0.0)) }.max() ?? 0
        for (name, value) in rows {
            let term = DisplayWidth.padded(Escaping.visible(name), to: width)
            text += "  \(style.apply(.quiet, to: term))  \(Escaping.visible(value))\n"
        }
        if !notes.isEmpty {
            text += "\n"
            for line in notes.split(separator: "\n", omittingEmptySubsequences: false) {
                text += line.isEmpty ? "\n" : "  \(Escaping.visible(String(line)))\n"
            }
        }
        return text
    }
}
