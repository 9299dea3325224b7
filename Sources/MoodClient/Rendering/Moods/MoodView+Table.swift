import Platform

extension MoodView {
    /// The columns of a label, and then of a note, that are worth more than an id, a zone, a time or a scale.
    private static let comfortable = 20

    /// The table of a list, for a terminal. A narrow one keeps the number, the day, the mood and then the note.
    /// - Parameter shorten: the form of an id to show.
    static func table(
        _ moods: [MoodView], palette: PersonalPalette, console: Console, shorten: (String) -> String
    ) -> Table {
        let times = moods.map { $0.localTime(console) }
        let zones = Set(times.compactMap { $0?.time.zone })
        let sharedZone = zones.count == 1 ? zones.first : nil
        var table = Table([
            .init("", role: .quiet), .init("ID", rank: 2, role: .quiet), .init("★", rank: 7, role: .mark),
            .init("DAY"),
            .init(sharedZone.map { "TIME (\(Escaping.visible($0)))" } ?? "TIME", rank: 3), .init("ZONE", rank: 1),
            .init("MOOD", isFlexible: true, comfortable: comfortable), .init("VALENCE", rank: 5),
            .init("TAGS", isFlexible: true, rank: 4), .init("SCALES", isFlexible: true, rank: 0),
            .init("NOTE", isFlexible: true, rank: 6, role: .quiet, comfortable: comfortable),
        ])
        for (index, mood) in moods.enumerated() {
            let time = times[index]?.time
            let zone = sharedZone == nil ? time?.zone ?? "" : ""
            table.rows.append([
                "@\(index + 1)", shorten(mood.id), mood.isFavorite ? "★" : "",
                Escaping.visible(time?.date ?? mood.timestamp), time?.clock ?? "", Escaping.visible(zone), mood.title,
                mood.valenceBar(palette), Escaping.visible(mood.tags.map { "#" + $0 }.joined(separator: " ")),
                Escaping.visible(mood.scales), Escaping.visible(oneLine(mood.notes)),
            ])
        }
        return table
    }

    /// `▰▰▰▱▱`: from none for -1 to all for 1. A valence that comes only from the palette has a mark. Empty if unknown.
    private func valenceBar(_ palette: PersonalPalette) -> String {
        let parts = 5
        let own = valence.flatMap(Double.init)
        guard let value = own ?? palette.valence(emoji: emoji, label: label) else { return "" }
        let filled = Int(((min(max(value, -1), 1) + 1) / 2 * Double(parts)).rounded())
        let bar = String(repeating: "▰", count: filled) + String(repeating: "▱", count: parts - filled)
        return own == nil ? bar + "~" : bar
    }

    /// Replaces line breaks by a visible sign.
    private static func oneLine(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x0a || $0 == 0x0d }) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars where scalar != "\r" { result.append(scalar == "\n" ? "↵" : scalar) }
        return String(result)
    }
}
