import JSONCodec
import MoodText

/// Consecutive days with a mood.
public struct Streaks: Sendable {
    private let days: [Int]

    /// - Parameter days: days with a mood, in any order.
    public init(_ days: some Sequence<Int>) { self.days = days.sorted() }

    /// The first and the last day of a streak.
    typealias Row = (first: Int, last: Int)

    /// The streak that lasts until today or yesterday, and the longest one; of several the earliest.
    func rows(today: Int) -> (current: Row?, longest: Row?) {
        var longest: Row?
        var present: Row?
        for day in days {
            if let row = present, day <= row.last + 1 {
                present = (row.first, day)
            } else {
                present = (day, day)
            }
            if let row = present, longest.map({ row.last - row.first > $0.last - $0.first }) ?? true { longest = row }
        }
        let isCurrent = present.map { $0.last >= today - 1 } ?? false
        return (isCurrent ? present : nil, longest)
    }

    /// Writes `{current: {days, from?}, longest: {days, from?, to?}}`.
    func write(today: Int, to writer: inout JSONWriter) {
        let (current, longest) = rows(today: today)
        writer.beginObject("streak")
        Self.write("current", current, hasEnd: false, to: &writer)
        Self.write("longest", longest, hasEnd: true, to: &writer)
        writer.endObject()
    }

    private static func write(_ name: StaticString, _ row: Row?, hasEnd: Bool, to writer: inout JSONWriter) {
        writer.key(name)
        writer.beginObject()
        writer.member("days", row.map { $0.last - $0.first + 1 } ?? 0)
        if let row {
            writer.member("from", CivilDate(daysSince1970: row.first).text)
            if hasEnd { writer.member("to", CivilDate(daysSince1970: row.last).text) }
        }
        writer.endObject()
    }
}
