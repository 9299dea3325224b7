import JSONCodec
import MoodText

/// Statistics of the moods in a span: `stats.summary`. Docs/08-LookingBack.md defines every number.
///
///     var summary = Summary(lookBack, span, by: .week)
///     for mood in moods { summary.add(mood, texts) }    // in order of time
///     summary.streaks = Streaks(days)
///     summary.write(to: &writer)
public struct Summary {
    /// The length of a bucket of the course.
    public enum Step: String, CaseIterable, Sendable { case day, week, month }

    static let feelingsMax = 20
    /// The fewest moods with a tag, and without it, for a comparison.
    static let comparedMin = 5
    /// The most entries of a course: people do not read more.
    public static let seriesMax = 40_000
    static let edges: [Double] = [-1, -0.6, -0.2, 0.2, 0.6, 1]

    var lookBack: LookBack
    let span: LookBackSpan
    let previousSpan: LookBackSpan?
    /// The course's step. It can change after moods were added.
    public var step: Step

    var favorites = 0
    var estimated = 0
    var previous = Tally()
    var feelings: Feelings
    var valences = [Int](repeating: 0, count: edges.count - 1)
    var scales = ScaleCounts()
    var tags = TagCounts()
    var hours = [Tally](repeating: Tally(), count: 24)
    var byDay = DayTallies()
    var firstDay: Int?
    /// The streaks of the whole journal, independent of the span and the filter.
    public var streaks = Streaks([])

    public init(_ lookBack: LookBack, _ span: LookBackSpan, by step: Step) {
        self.lookBack = lookBack
        self.span = span
        self.step = step
        previousSpan = span.previous(today: lookBack.today)
        feelings = Feelings(lookBack.palette)
    }

    /// Adds a mood that matches the filter and is not after now. Moods come in order of time.
    @inline(__always)
    public mutating func add(_ mood: MoodTraits, _ texts: MoodTraits.Texts) {
        let reading = lookBack.reading(mood, texts)
        let isInSpan = span.contains(day: reading.day, time: mood.time)
        guard isInSpan || previousSpan?.contains(day: reading.day, time: mood.time) == true else { return }
        let feeling = feelings.number(of: mood, texts)
        let valence = mood.valence ?? feelings.all[feeling].estimate
        guard isInSpan else { return previous.add(valence) }
        if mood.isFavorite { favorites += 1 }
        if mood.valence == nil, valence != nil { estimated += 1 }
        feelings.count(feeling, valence)
        if let valence { valences[Self.bucket(of: valence)] += 1 }
        scales.add(mood, texts)
        tags.add(mood, valence: valence, texts)
        hours[min(reading.timeOfDay / 3_600_000, 23)].add(valence)
        byDay.add(reading.day, valence)
        firstDay = min(firstDay ?? reading.day, reading.day)
    }

    /// The bucket of a valence. The last bucket is closed at both ends.
    private static func bucket(of valence: Double) -> Int {
        var place = 0
        while place < edges.count - 2, valence >= edges[place + 1] { place += 1 }
        return place
    }

    /// The days of the course; nil if there are none.
    public mutating func days() -> ClosedRange<Int>? {
        let first = span.firstDay ?? span.from.map { lookBack.usualReading($0).day } ?? firstDay
        let last = span.lastDay ?? span.to.map { lookBack.usualReading($0 - 1).day } ?? lookBack.today
        guard let first else { return nil }
        // A mood's day in another zone can be one earlier or later.
        let lastUsed = max(last, byDay.last ?? last)
        return first <= lastUsed ? min(first, firstDay ?? first)...lastUsed : nil
    }

    /// The number of entries of the course.
    public mutating func seriesCount() -> Int {
        guard let days = days() else { return 0 }
        let length = days.upperBound - days.lowerBound + 1
        switch step {
        case .day: return length
        case .week: return length / 7 + 1
        case .month: return length / 28 + 1
        }
    }

    /// The mean difference between the means of consecutive days; nil if there are no two.
    var swings: Double? {
        var sum = Tally()
        for (day, tally) in byDay.sorted {
            guard let mean = tally.average, let next = byDay[day + 1]?.average else { continue }
            sum.add(abs(next - mean))
        }
        return sum.average
    }

    /// The tally of all moods.
    var whole: Tally { byDay.all.reduce(into: Tally()) { $0.add($1.tally) } }

    /// The tallies of weekdays, from Monday.
    var weekdays: [Tally] {
        byDay.all.reduce(into: [Tally](repeating: Tally(), count: 7)) {
            $0[CivilDate.weekday(ofDay: $1.day)].add($1.tally)
        }
    }

    /// The tallies of parts of the day, from 0, 6, 12 and 18 o'clock.
    var partsOfDay: [Tally] {
        stride(from: 0, to: 24, by: 6).map { first in
            hours[first..<first + 6].reduce(into: Tally()) { $0.add($1) }
        }
    }
}
