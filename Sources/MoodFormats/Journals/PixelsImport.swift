import JSONCodec
import MoodCore

/// Reads the JSON of Pixels: `[{"date": "2026-11-20", "type": "Mood", "scores": [4, 3], "notes": "…", "tags": [{"type": "Emotions",
/// "entries": ["glad"]}]}]`. A day is one mood, at noon.
struct PixelsImport: ImportReader {
    private static let scores = 1.0...5.0

    private var entries: JSONEntries
    var at: Int { entries.at }
    var rows: RowReading

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        rows = try RowReading(options, of: .pixels)
        entries = try JSONEntries(file, in: nil, "Pixels")
        guard options.timeZone != nil else {
            throw UnreadableFile(
                "is needed: the days of Pixels have no zone (such as Europe/Berlin)", param: "timeZone")
        }
    }

    mutating func next() -> ImportItem? {
        guard let entry = entries.next() else { return nil }
        let value = entry.value
        guard value.object != nil else { return entry.refusal("The entry is no object.") }
        let date = value["date"]?.string ?? ""
        var draft = MoodDraft()
        var leftOff: [ImportProblem] = []
        do throws(ImportTimeParser.Failure) {
            let moment = try rows.times.read(date)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return entry.refusal("The time \(error.reason).")
        }
        let all = value["scores"]?.array ?? []
        let scores = all.compactMap(\.double).filter { Self.scores.contains($0) }
        let wrong = all.filter { score in !(score.double.map { Self.scores.contains($0) } ?? false) }
        let scoreFault = wrong.first.map { "The score \($0.text.prefix(32)) is no number from 1 to 5." }
        if let scoreFault { leftOff.append(entry.loss(scoreFault)) }
        if !scores.isEmpty {
            draft.valence = JSONValue.double((scores.reduce(0, +) / Double(scores.count) - 3) / 2).text
        }
        guard let feeling = rows.options.feeling(nearestTo: draft.valence) else {
            return entry.refusal(scoreFault ?? "The day has no score.")
        }
        (draft.emoji, draft.label) = (feeling.emoji, feeling.label)
        let notes = value["notes"]?.string ?? ""
        draft.notes = notes
        let tags = (value["tags"]?.array ?? []).flatMap { group in
            group.string.map { [$0] } ?? (group["entries"]?.array ?? []).compactMap(\.string)
        }
        draft.setTags(tags)
        rows.mapped.apply(to: &draft)
        let cells = [date, value["scores"]?.text ?? "", notes, value["tags"]?.text ?? ""]
        draft.id = rows.ids.next(cells.map { Array($0.utf8) })
        return entry.mood(draft, leftOff)
    }
}
