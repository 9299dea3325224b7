import JSONCodec
import MoodText

/// The face of each day of a year or month: `stats.year`, `stats.month`. A day without moods is a gap, not neutral.
public struct DayFaces {
    private struct Day {
        let day: Int
        var tally = Tally()
        /// The emojis of the day, the latest last: number, count, and the feeling of its latest mood.
        var emojis: [(emoji: Int, count: Int, feeling: Int)] = []

        /// Counts an emoji and makes it the last.
        @inline(__always)
        mutating func count(_ emoji: Int, _ feeling: Int) {
            if let last = emojis.last, last.emoji == emoji {
                return emojis[emojis.count - 1] = (emoji, last.count + 1, feeling)
            }
            let count = emojis.firstIndex { $0.emoji == emoji }.map { emojis.remove(at: $0).count } ?? 0
            emojis.append((emoji, count + 1, feeling))
        }
    }

    private var lookBack: LookBack
    public let days: ClosedRange<Int>
    private var found: [Day] = []
    private var places: [Int: Int] = [:]
    /// The index of the previous mood's day; -1 at the beginning.
    private var place = -1
    private var feelings: Feelings
    private var emojis: [[UInt8]: Int] = [:]
    /// The emoji of each feeling, by the feeling's number.
    private var emojiNumbers: [Int] = []

    public init(_ lookBack: LookBack, _ days: ClosedRange<Int>) {
        self.lookBack = lookBack
        self.days = days
        feelings = Feelings(lookBack.palette)
    }

    /// Adds a mood that is not after now. Moods come in order of time.
    public mutating func add(_ mood: MoodTraits, _ texts: MoodTraits.Texts) {
        let day = lookBack.reading(mood, texts).day
        guard days.contains(day) else { return }
        let feeling = feelings.number(of: mood, texts)
        let estimate = feelings.all[feeling].estimate
        let emoji = emoji(of: feeling)
        if place < 0 || found[place].day != day { find(day) }
        found[place].tally.add(mood.valence ?? estimate)
        found[place].count(emoji, feeling)
    }

    /// The number of a feeling's emoji.
    private mutating func emoji(of feeling: Int) -> Int {
        if feeling < emojiNumbers.count { return emojiNumbers[feeling] }
        for feeling in feelings.all[emojiNumbers.count...] {
            let key = Array(feeling.emoji.utf8)
            let number = emojis[key] ?? emojis.count
            emojis[key] = number
            emojiNumbers.append(number)
        }
        return emojiNumbers[feeling]
    }

    private mutating func find(_ day: Int) {
        if let known = places[day] { return place = known }
        place = found.count
        places[day] = place
        found.append(Day(day: day))
    }

    /// A day's count, mean and emoji.
    struct Face {
        var count = 0
        var average: Double?
        /// The most frequent emoji, of several the latest.
        var emoji: String?
        /// The label of the latest mood with that emoji.
        var label: String?
    }

    func face(_ day: Int) -> Face {
        guard let found = places[day].map({ found[$0] }) else { return Face() }
        var best = found.emojis.first
        for emoji in found.emojis where emoji.count >= best?.count ?? 0 { best = emoji }
        let feeling = best.map { feelings.all[$0.feeling] }
        return Face(
            count: found.tally.count, average: found.tally.average, emoji: feeling?.emoji, label: feeling?.label)
    }

    /// Writes `{days: [{date, count, average?, emoji?, label?}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.beginArray("days")
        for day in days {
            let face = face(day)
            writer.beginObject()
            writer.member("date", CivilDate(daysSince1970: day).text)
            writer.member("count", face.count)
            writer.computed("average", face.average)
            writer.member("emoji", face.emoji)
            writer.member("label", face.label)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
