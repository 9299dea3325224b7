import JSONCodec
import MoodText

/// A day for every drawing.
struct DrawnDay {
    let day: Int
    let date: CivilDate
    let face: DayFaces.Face

    init(_ day: Int, _ faces: DayFaces) {
        self.day = day
        date = CivilDate(daysSince1970: day)
        face = faces.face(day)
    }

    var band: ValenceBand? { face.average.map { ValenceBand($0) } }

    var sign: String { band?.sign ?? (face.count > 0 ? NoBand.unknownSign : NoBand.gapSign) }

    /// `2026-11-20: 2 moods, pleasant (+0.35), 😊 Happy`.
    func text(_ words: LookBackWords) -> String {
        guard face.count > 0 else { return "\(date.text): \(words.gap)" }
        var text = "\(date.text): \(words.mood(face.count)), \(band.map(words.name) ?? words.unknown)"
        if let average = face.average { text += " (\(words.signed(average)))" }
        if let emoji = face.emoji, let label = face.label { text += ", \(emoji) \(label)" }
        return text
    }
}

extension DayFaces {
    /// The days by month, in order.
    var drawnMonths: [(year: Int, month: Int, days: [DrawnDay])] {
        var months: [(year: Int, month: Int, days: [DrawnDay])] = []
        for number in days {
            let day = DrawnDay(number, self)
            if months.last.map({ $0.year == day.date.year && $0.month == day.date.month }) != true {
                months.append((day.date.year, day.date.month, []))
            }
            months[months.count - 1].days.append(day)
        }
        return months
    }
}

extension LookBack {
    /// A mood as a line: `2026-11-20 09:00 😊 Happy +0.80: slept well`.
    /// - Parameters:
    ///   - locale: for the form of numbers.
    ///   - hidesNotes: whether to leave notes out.
    public mutating func line(
        _ record: UnsafeRawBufferPointer, _ locale: String, hidesNotes: Bool = false
    ) -> String {
        let facts = MoodFacts(record)
        let reading = reading(facts)
        let minutes = reading.timeOfDay / 60_000
        func two(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        var line = "\(CivilDate(daysSince1970: reading.date).text) \(two(minutes / 60)):\(two(minutes % 60))"
        line += " \(facts.emoji.string) \(facts.label.string)"
        if let valence = facts.valence { line += " " + LookBackWords.of(locale).signed(valence) }
        if hidesNotes { return line }
        let notes = MoodMembers(trusting: ValidJSON(trusting: record)).notes?.string ?? ""
        let words = notes.split { $0.isNewline || $0 == " " }.joined(separator: " ")
        return words.isEmpty ? line : line + ": " + words
    }
}
