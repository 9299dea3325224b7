import JSONCodec
import MoodText

extension Summary {
    /// Writes the result of `stats.summary`.
    public mutating func write(to writer: inout JSONWriter) {
        let (days, whole) = (days(), whole)
        writer.beginObject()
        // One end can be a day, and the other a moment.
        let (from, to) = (
            span.from.flatMap { Timestamp(milliseconds: $0) }, span.to.flatMap { Timestamp(milliseconds: $0) }
        )
        writer.member("from", from?.text ?? (span.firstDay ?? days?.lowerBound).map(Self.date))
        writer.member("to", to?.text ?? (span.lastDay ?? days.map { _ in lookBack.today }).map(Self.date))
        writer.member("moods", whole.count)
        writer.member("favorites", favorites)
        writer.member("days", byDay.count)
        writer.member("valued", whole.valued)
        writer.member("estimated", estimated)
        writer.computed("average", whole.average)
        writer.computed("spread", whole.spread)
        writePrevious(to: &writer)
        writeFeelings(to: &writer)
        writeValences(to: &writer)
        scales.write(to: &writer)
        writeTags(to: &writer)
        writer.tallies("weekdays", weekdays)
        writer.tallies("hours", hours)
        writer.tallies("partsOfDay", partsOfDay)
        streaks.write(today: lookBack.today, to: &writer)
        writer.computed("swings", swings)
        writeSeries(days, to: &writer)
        writer.endObject()
    }

    static func date(_ day: Int) -> String { CivilDate(daysSince1970: day).text }

    private func writePrevious(to writer: inout JSONWriter) {
        guard let previousSpan else { return }
        writer.beginObject("previous")
        if let first = previousSpan.firstDay, let last = previousSpan.lastDay {
            writer.member("from", Self.date(first))
            writer.member("to", Self.date(last))
        } else {
            writer.member("from", (previousSpan.from.flatMap { Timestamp(milliseconds: $0) })?.text)
            writer.member("to", (previousSpan.to.flatMap { Timestamp(milliseconds: $0) })?.text)
        }
        writer.member("moods", previous.count)
        writer.computed("average", previous.average)
        writer.endObject()
    }

    private func writeFeelings(to writer: inout JSONWriter) {
        writer.beginArray("feelings")
        for feeling in feelings.most(Self.feelingsMax) {
            writer.beginObject()
            writer.member("emoji", feeling.emoji)
            writer.member("label", feeling.label)
            writer.members(of: feeling.tally)
            writer.endObject()
        }
        writer.endArray()
    }

    private func writeValences(to writer: inout JSONWriter) {
        writer.beginArray("valences")
        for (place, count) in valences.enumerated() {
            writer.beginObject()
            writer.member("from", Self.edges[place])
            writer.member("to", Self.edges[place + 1])
            writer.member("count", count)
            writer.endObject()
        }
        writer.endArray()
    }

    /// The comparable tags, by count, then tag.
    var comparedTags: [(tag: TagCounts.Tag, average: Double, without: Double)] {
        let whole = whole
        return tags.sorted.compactMap { tag in
            guard tag.tally.valued >= Self.comparedMin, whole.valued - tag.tally.valued >= Self.comparedMin,
                let average = tag.tally.average, let without = tag.tally.averageOfOthers(in: whole)
            else { return nil }
            return (tag, average, without)
        }
    }

    private func writeTags(to writer: inout JSONWriter) {
        writer.beginArray("tags")
        for (tag, average, without) in comparedTags {
            writer.beginObject()
            writer.member("tag", tag.spelling)
            writer.member("count", tag.tally.count)
            writer.computed("average", average)
            writer.computed("without", without)
            writer.computed("difference", average - without)
            writer.endObject()
        }
        writer.endArray()
    }

    private func writeSeries(_ days: ClosedRange<Int>?, to writer: inout JSONWriter) {
        writer.beginArray("series")
        for (day, tally) in series(days) {
            writer.beginObject()
            writer.member("date", Self.date(day))
            writer.members(of: tally)
            writer.endObject()
        }
        writer.endArray()
    }

    /// Every bucket of the course, with its first day.
    func series(_ days: ClosedRange<Int>?) -> [(day: Int, tally: Tally)] {
        guard let days else { return [] }
        var series: [(day: Int, tally: Tally)] = []
        for day in days {
            let start = bucket(of: day)
            if series.last?.day != start { series.append((start, Tally())) }
            if let tally = byDay[day] { series[series.count - 1].tally.add(tally) }
        }
        return series
    }

    private func bucket(of day: Int) -> Int {
        switch step {
        case .day: return day
        case .week: return day - CivilDate.weekday(ofDay: day)
        case .month:
            let date = CivilDate(daysSince1970: day)
            return day - date.day + 1
        }
    }
}
