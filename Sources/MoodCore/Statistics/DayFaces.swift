import JSONCodec
import MoodText

/// Each day of a year or a month with its face: `stats.year`, `stats.month`. A day without moods is a gap, never neutral.
public struct DayFaces {
    private struct Day {
        var tally = Tally()
        /// By number of the emoji: how often, and the feeling of its latest mood.
        var emojis: [(emoji: Int, count: Int, feeling: Int)] = []
    }

    private var lookBack: LookBack
    public let days: ClosedRange<Int>
    private var found: [Int: Day] = [:]
    private var feelings: Feelings
    private var emojis: [[UInt8]: Int] = [:]

    public init(_ lookBack: LookBack, _ days: ClosedRange<Int>) {
        self.lookBack = lookBack
        self.days = days
        feelings = Feelings(lookBack.palette)
    }

    /// Takes in a mood that is not after now; moods come in order of time.
    public mutating func add(_ facts: MoodFacts) {
        let reading = lookBack.reading(facts)
        guard days.contains(reading.day) else { return }
        let feeling = feelings.number(of: facts)
        var day = found[reading.day] ?? Day()
        day.tally.add(facts.valence ?? feelings.all[feeling].estimate)
        let key = Array(facts.emoji.raw)
        let emoji = emojis[key] ?? emojis.count
        emojis[key] = emoji
        // The latest stands last.
        let count = day.emojis.firstIndex { $0.emoji == emoji }.map { day.emojis.remove(at: $0).count } ?? 0
        day.emojis.append((emoji, count + 1, feeling))
        found[reading.day] = day
    }

    /// What stands for a day.
    struct Face {
        var count = 0
        var average: Double?
        /// The most frequent, then the latest.
        var emoji: String?
        /// Of the latest mood with that emoji.
        var label: String?
    }

    func face(_ day: Int) -> Face {
        guard let found = found[day] else { return Face() }
        var best = found.emojis.first
        for emoji in found.emojis where emoji.count >= best?.count ?? 0 { best = emoji }
        let feeling = best.map { feelings.all[$0.feeling] }
        return Face(
            count: found.tally.count, average: found.tally.average, emoji: feeling?.emoji, label: feeling?.label)
    }

    /// Writes `{days: [{date, count, average?, emoji?, label?}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("days")
        writer.beginArray()
        for day in days {
            let face = face(day)
            writer.beginObject()
            writer.member("date", CivilDate(daysSince1970: day).text)
            writer.key("count")
            writer.integer(face.count)
            writer.member("average", face.average)
            writer.member("emoji", face.emoji)
            writer.member("label", face.label)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
