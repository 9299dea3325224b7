import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// A look back as read from the params. It needs nothing but the moods, so it can run on the helper thread.
struct LookBackRequest: Sendable {
    let lookBack: LookBack
    let filter: MoodFilter
    let now: Timestamp
    let timeZone: String?

    var today: CivilDate { CivilDate(daysSince1970: lookBack.today) }

    /// - Parameter step: nil: days, unless there are too many.
    /// - Throws: `invalidParams` if the series would have too many entries.
    func summary(
        of span: LookBackSpan, by step: Summary.Step?, _ moods: inout RecordStore, _ watch: WalkWatch
    ) throws -> Summary {
        var summary = try gather(span, step ?? .day, &moods, watch)
        if summary.seriesCount() > Summary.seriesMax {
            guard step == nil else {
                throw Arguments.error(
                    "would make a series of \(summary.seriesCount()) entries, and \(Summary.seriesMax) are allowed; choose"
                        + " a shorter span, or month", at: "/by")
            }
            summary.step = .month
        }
        return summary
    }

    private func gather(
        _ span: LookBackSpan, _ step: Summary.Step, _ moods: inout RecordStore, _ watch: WalkWatch
    ) throws -> Summary {
        let (from, last) = moments(around: span)
        var summary = try moods.gather(
            from: from, through: last, filter, watch, { Summary(lookBack, span, by: step) }, { $0.add($1, $2) })
        summary.streaks = Streaks(try moods.days(through: now.milliseconds, lookBack, watch))
        return summary
    }

    // MARK: Days

    static func days(ofYear year: Int) -> ClosedRange<Int> {
        CivilDate(year: year, month: 1, day: 1).daysSince1970...CivilDate(year: year, month: 12, day: 31).daysSince1970
    }

    /// - Parameter month: checked, such as 2026-11.
    static func days(ofMonth month: String) -> ClosedRange<Int> {
        let first = CivilDate(month + "-01") ?? CivilDate(year: 1970, month: 1, day: 1)
        return first.daysSince1970...first.daysSince1970 + first.daysInMonth - 1
    }

    func faces(
        of days: ClosedRange<Int>, _ moods: inout RecordStore, _ watch: WalkWatch
    ) throws -> DayFaces {
        let (from, last) = moments(around: days)
        return try moods.gather(
            from: from, through: last, filter, watch, { DayFaces(lookBack, days) }, { $0.add($1, $2) })
    }

    /// The earliest time of moods of a span and of the span before it, nil without a beginning, and the latest time.
    private func moments(around span: LookBackSpan) -> (from: Int64?, last: Int64) {
        let whole = span.previous(today: lookBack.today) ?? span
        let from = whole.from ?? whole.firstDay.map { moments(around: $0...$0).from }
        let last = span.to ?? span.lastDay.map { moments(around: $0...$0).last }
        return (from, min(now.milliseconds, last ?? .max))
    }

    /// The earliest and the latest time of moods of these days. Zones differ by at most two days.
    private func moments(around days: ClosedRange<Int>) -> (from: Int64, last: Int64) {
        var lookBack = lookBack
        let last = lookBack.start(ofDay: days.upperBound + 3)
        return (lookBack.start(ofDay: days.lowerBound - 2), min(now.milliseconds, last))
    }

    // MARK: On this day

    /// The moods of a calendar day in earlier years, the latest year first.
    func onThisDay(
        _ date: CivilDate, _ moods: inout RecordStore, _ watch: WalkWatch
    ) throws -> [(year: Int, moods: [[UInt8]])] {
        var lookBack = lookBack
        var items: [(year: Int, moods: [[UInt8]])] = []
        guard let first = try moods.firstTime() else { return [] }
        var year = date.year - 1
        let firstYear = CivilDate(daysSince1970: lookBack.usualReading(first).day - 2).year
        while year >= firstYear {
            defer { year -= 1 }
            let wanted = CivilDate(year: year, month: date.month, day: min(date.day, Self.daysIn(date.month, year)))
            // February 29 exists in leap years only.
            guard wanted.day == date.day else { continue }
            let day = wanted.daysSince1970
            let (from, last) = moments(around: day...day)
            var found: [[UInt8]] = []
            try moods.forEachRecord(from: from, through: last, isDescending: false, filter, watch) { record in
                if lookBack.reading(MoodFacts(record)).day == day { found.append(Array(record)) }
                return true
            }
            if !found.isEmpty { items.append((year, found)) }
        }
        return items
    }

    private static func daysIn(_ month: Int, _ year: Int) -> Int {
        CivilDate(year: year, month: month, day: 1).daysInMonth
    }

    /// The latest moods of a span as lines, the latest first.
    func lines(
        in span: LookBackSpan, max: Int, _ locale: String, hidesNotes: Bool, _ moods: inout RecordStore,
        _ watch: WalkWatch
    ) throws -> [String] {
        var lookBack = lookBack
        var lines: [String] = []
        try moods.forEachRecord(from: nil, through: now.milliseconds, isDescending: true, filter, watch) { record in
            let facts = MoodFacts(record)
            let day = lookBack.reading(facts).day
            if span.contains(day: day, time: facts.time) {
                lines.append(lookBack.line(record, locale, hidesNotes: hidesNotes))
            }
            // Zones differ by at most two days.
            let isPast = span.firstDay.map { day < $0 - 2 } ?? false
            return !isPast && lines.count < max
        }
        return lines
    }
}
