import JSONCodec
import MoodCore

/// Reads the JSON of Pixels: `[{"date": "2026-11-20", "type": "Mood", "scores": [4, 3], "notes": "…", "tags": [{"type": "Emotions",
/// "entries": ["glad"]}]}]`. A day is one mood, at noon.
struct PixelsImport: ImportReader {
    private static let scores = 1.0...5.0

    private var entries: JSONEntries
    var at: Int { entries.at }
    private var ids = RowIDs("pixels")
    private var times: ImportTimeParser
    private var mapped: MappedFeelings
    private let options: ImportOptions

    init(_ file: ImportBytes, _ options: ImportOptions) throws(UnreadableFile) {
        self.options = options
        times = ImportTimeParser(options)
        mapped = try MappedFeelings(options, of: .pixels)
        entries = try JSONEntries(file, in: nil, "Pixels")
        guard options.timeZone != nil else {
            throw UnreadableFile(
                "is needed: the days of Pixels have no zone (such as Europe/Berlin)", param: "timeZone")
        }
    }

    var unusedName: String? { mapped.unused }

    mutating func next() -> ImportItem? {
        guard let (place, value, excerpt) = entries.next() else { return nil }
        func problem(_ reason: String, _ loss: ImportProblem.Loss = .row) -> ImportProblem {
            ImportProblem(line: place.line, column: place.column, reason: reason, text: excerpt, loss: loss)
        }
        guard value.object != nil else { return .problem(problem("The entry is no object.")) }
        let date = value["date"]?.string ?? ""
        var draft = MoodDraft()
        var leftOff: [ImportProblem] = []
        do throws(ImportTimeParser.Failure) {
            let moment = try times.read(date)
            (draft.timestamp, draft.timeZone) = (moment.time, moment.zone)
        } catch {
            return .problem(problem("The time \(error.reason)."))
        }
        let all = value["scores"]?.array ?? []
        let scores = all.compactMap(\.double).filter { Self.scores.contains($0) }
        let wrong = all.filter { score in !(score.double.map { Self.scores.contains($0) } ?? false) }
        let scoreFault = wrong.first.map { "The score \($0.text.prefix(32)) is no number from 1 to 5." }
        if let scoreFault { leftOff.append(problem(scoreFault, .part)) }
        if !scores.isEmpty {
            draft.valence = JSONValue.double((scores.reduce(0, +) / Double(scores.count) - 3) / 2).text
        }
        guard let feeling = options.feeling(nearestTo: draft.valence) else {
            return .problem(problem(scoreFault ?? "The day has no score."))
        }
        (draft.emoji, draft.label) = (feeling.emoji, feeling.label)
        let notes = value["notes"]?.string ?? ""
        draft.notes = notes
        let tags = (value["tags"]?.array ?? []).flatMap { group in
            group.string.map { [$0] } ?? (group["entries"]?.array ?? []).compactMap(\.string)
        }
        draft.setTags(tags)
        mapped.apply(to: &draft)
        let cells = [date, value["scores"]?.text ?? "", notes, value["tags"]?.text ?? ""]
        draft.id = ids.next(cells.map { Array($0.utf8) })
        var mood = ImportedMood(line: place.line, carriesID: false, json: draft.json, text: excerpt)
        mood.leftOff = leftOff
        return .mood(mood)
    }
}
