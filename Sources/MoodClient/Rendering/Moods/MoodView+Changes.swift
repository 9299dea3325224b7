import JSONCodec

extension MoodView {
    /// The longest value to show, in characters.
    private static let shownMax = 60

    /// The members that differ from an earlier version, with both values: `valence none → 0.5, note "a" → "b"`.
    func changes(since before: MoodView, _ console: Console) -> String {
        var changes: [String] = []
        func compare(_ name: String, _ old: String, _ new: String) {
            if old != new { changes.append("\(name) \(Self.shown(old)) → \(Self.shown(new))") }
        }
        let known = ["id", "createdAt", "updatedAt", "revision"]
        var names = before.members.map(\.name)
        names += members.map(\.name).filter { !names.contains($0) }
        for name in names where !known.contains(name) {
            let (old, new) = (before[name], self[name])
            switch name {
            case "timestamp":
                // A time in another zone is another clock time of the same moment, and the zone has its own change.
                guard before.timestamp != timestamp else { continue }
                let (from, to) = (before.clockTime(console), clockTime(console))
                compare("time", from == to ? before.timestamp : from, from == to ? timestamp : to)
            case "isFavorite": compare("favorite", before.isFavorite ? "yes" : "no", isFavorite ? "yes" : "no")
            case "notes": compare("note", Self.quoted(before.notes), Self.quoted(notes))
            case "tags": compare("tags", before.tags.joined(separator: ", "), tags.joined(separator: ", "))
            case "timeZone": compare("time zone", before.timeZone ?? "", timeZone ?? "")
            case "scales":
                var scales = (old?.object ?? []).map(\.name)
                scales += (new?.object ?? []).map(\.name).filter { !scales.contains($0) }
                for scale in scales { compare(scale, old?[scale]?.text ?? "", new?[scale]?.text ?? "") }
            default: compare(name, Self.text(old), Self.text(new))
            }
        }
        return changes.joined(separator: ", ")
    }

    private func clockTime(_ console: Console) -> String { localTime(console)?.time.text ?? timestamp }

    /// A value as people read it; empty for none.
    private static func text(_ value: JSONValue?) -> String {
        guard let value, value.array?.isEmpty != true else { return "" }
        return value.string ?? value.text
    }

    private static func quoted(_ text: String) -> String { text.isEmpty ? "" : "\"\(text)\"" }

    private static func shown(_ text: String) -> String {
        if text.isEmpty { return "none" }
        return text.count > shownMax ? text.prefix(shownMax - 1) + "…" : text
    }
}
