import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `stats.*` and `mood.tags`: looking back. Docs/08-LookingBack.md defines every number.
extension Core {
    static let lookingBackHandlers: InlineArray<_, Handler> = [
        Handler(
            StatisticsMethods.summary,
            { (core, arguments, out) throws(RPCError) in try core.summarize(arguments, &out) }
        ),
        Handler(
            StatisticsMethods.year,
            { (core, arguments, out) throws(RPCError) in
                let year = arguments[StatisticsParams.year]
                let days = core.days(ofYear: year)
                try core.faces(of: days, try core.lookBackRequest(arguments)).write(to: &out)
            }
        ),
        Handler(
            StatisticsMethods.month,
            { (core, arguments, out) throws(RPCError) in
                let days = core.days(ofMonth: arguments[StatisticsParams.month])
                try core.faces(of: days, try core.lookBackRequest(arguments)).write(to: &out)
            }
        ),
        Handler(
            StatisticsMethods.onThisDay,
            { (core, arguments, out) throws(RPCError) in try core.writeOnThisDay(arguments, &out) }),
        Handler(
            StatisticsMethods.render, { (core, arguments, out) throws(RPCError) in try core.render(arguments, &out) }),
        Handler(
            StatisticsMethods.tags, { (core, arguments, out) throws(RPCError) in try core.writeTags(arguments, &out) }),
    ]

    /// What every look back starts from.
    struct LookBackRequest {
        var lookBack: LookBack
        var filter: MoodFilter
        var now: Timestamp
        var timeZone: String?
    }

    mutating func lookBackRequest(_ arguments: borrowing Arguments) throws(RPCError) -> LookBackRequest {
        try open()
        let now = arguments[StatisticsParams.now] ?? now
        let timeZone = arguments[StatisticsParams.timeZone]
        let clocks = try zoneClocks(timeZone)
        var filter = MoodFilter()
        if let given = arguments[MoodParams.filter] { filter = try self.filter(given, timeZone: timeZone) }
        let palette = try settings().palette
        return LookBackRequest(
            lookBack: LookBack(clocks, palette, now: now.milliseconds), filter: filter, now: now, timeZone: timeZone)
    }

    // MARK: Summary

    private mutating func summarize(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let request = try lookBackRequest(arguments)
        let span = try span(arguments, request)
        var summary = try summary(of: span, arguments, request)
        summary.write(to: &out)
    }

    /// - Throws: `invalidParams` where the course would have too many entries.
    mutating func summary(
        of span: LookBackSpan, _ arguments: borrowing Arguments, _ request: LookBackRequest
    ) throws(RPCError) -> Summary {
        let step = arguments[StatisticsParams.by]?.text.flatMap { Summary.Step(rawValue: $0.string) }
        var summary = try summary(of: span, by: step ?? .day, request)
        if summary.seriesCount() > Summary.seriesMax {
            guard step == nil else {
                throw Arguments.error(
                    "would make a series of \(summary.seriesCount()) entries, and \(Summary.seriesMax) are allowed; choose"
                        + " a shorter span, or month", at: "/by")
            }
            summary = try self.summary(of: span, by: .month, request)
        }
        return summary
    }

    mutating func summary(
        of span: LookBackSpan, by step: Summary.Step, _ request: LookBackRequest
    ) throws(RPCError) -> Summary {
        do throws(MoodStoreError) {
            return try store.gather(
                from: nil, through: request.now.milliseconds, request.filter,
                { Summary(request.lookBack, span, by: step) }, { $0.add($1, isMeant: $2) })
        } catch {
            throw RPCError(error)
        }
    }

    /// What `in`, or `from` and `to`, mean.
    mutating func span(
        _ arguments: borrowing Arguments, _ request: LookBackRequest
    ) throws(RPCError) -> LookBackSpan {
        let (from, to) = (arguments[StatisticsParams.from], arguments[StatisticsParams.to])
        let span = arguments[StatisticsParams.span]
        if let span {
            if from != nil || to != nil {
                throw Arguments.error("belongs in place of from and to; leave out one of the two", at: "/in")
            }
            let meaning = try meaning(of: span, at: "/in", timeZone: request.timeZone, now: request.now)
            if let days = meaning.days { return LookBackSpan(firstDay: days.lowerBound, lastDay: days.upperBound) }
            return LookBackSpan(from: meaning.start, to: meaning.end)
        }
        var result = LookBackSpan()
        if let from {
            let meaning = try meaning(of: from, at: "/from", timeZone: request.timeZone, now: request.now)
            if meaning.isSpan, let days = meaning.days {
                result.firstDay = days.lowerBound
            } else {
                result.from = meaning.start
            }
        }
        if let to {
            let meaning = try meaning(of: to, at: "/to", timeZone: request.timeZone, now: request.now)
            if meaning.isSpan, let days = meaning.days {
                result.lastDay = days.upperBound
            } else {
                result.to = meaning.end
            }
        }
        let isBackwards =
            result.firstDay.flatMap { first in result.lastDay.map { $0 < first } }
            ?? result.from.flatMap { from in result.to.map { $0 < from } } ?? false
        if isBackwards { throw Arguments.error("must not be before from", at: "/to") }
        return result
    }

    // MARK: Days

    func days(ofYear year: Int) -> ClosedRange<Int> {
        CivilDate(year: year, month: 1, day: 1).daysSince1970...CivilDate(year: year, month: 12, day: 31).daysSince1970
    }

    /// - Parameter month: checked, such as 2026-11.
    func days(ofMonth month: String) -> ClosedRange<Int> {
        let first = CivilDate(month + "-01") ?? CivilDate(year: 1970, month: 1, day: 1)
        return first.daysSince1970...first.daysSince1970 + first.daysInMonth - 1
    }

    mutating func faces(of days: ClosedRange<Int>, _ request: LookBackRequest) throws(RPCError) -> DayFaces {
        var request = request
        // No zone is further from another than two days.
        let from = request.lookBack.start(ofDay: days.lowerBound - 2)
        let last = min(request.now.milliseconds, request.lookBack.start(ofDay: days.upperBound + 3))
        do throws(MoodStoreError) {
            return try store.gather(
                from: from, through: last, request.filter, { DayFaces(request.lookBack, days) },
                { if $2 { $0.add($1) } })
        } catch {
            throw RPCError(error)
        }
    }

    // MARK: On this day, and tags

    private mutating func writeOnThisDay(
        _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws(RPCError) {
        let request = try lookBackRequest(arguments)
        let today = CivilDate(daysSince1970: request.lookBack.today)
        let date = arguments[StatisticsParams.date].flatMap { CivilDate($0) } ?? today
        let items = try onThisDay(date, request)
        out.beginObject()
        out.key("items")
        out.beginArray()
        for (year, moods) in items {
            out.beginObject()
            out.key("year")
            out.integer(year)
            out.key("moods")
            out.beginArray()
            for mood in moods { mood.withUnsafeBytes { out.raw($0) } }
            out.endArray()
            out.endObject()
        }
        out.endArray()
        out.endObject()
    }

    /// The moods of a day of the calendar in the years before, the latest year first.
    mutating func onThisDay(
        _ date: CivilDate, _ request: LookBackRequest
    ) throws(RPCError) -> [(year: Int, moods: [[UInt8]])] {
        var lookBack = request.lookBack
        let last = min(request.now.milliseconds, lookBack.start(ofDay: date.daysSince1970 + 3))
        var items: [(year: Int, moods: [[UInt8]])] = []
        let found: [(key: Int, record: [UInt8])]
        do throws(MoodStoreError) {
            found = try store.gatherRecords(through: last, request.filter) { facts in
                let day = CivilDate(daysSince1970: lookBack.reading(facts).day)
                return day.month == date.month && day.day == date.day && day.year < date.year ? day.year : nil
            }
        } catch {
            throw RPCError(error)
        }
        for (year, record) in found {
            if items.last?.year == year {
                items[items.count - 1].moods.append(record)
            } else {
                items.append((year, [record]))
            }
        }
        return items.reversed()
    }

    private mutating func writeTags(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        var filter = MoodFilter()
        if let given = arguments[MoodParams.filter] { filter = try self.filter(given) }
        do throws(MoodStoreError) {
            try store.gather(from: nil, through: .max, filter, { TagCounts() }, { if $2 { $0.add($1) } }).write(
                to: &out)
        } catch {
            throw RPCError(error)
        }
    }
}
