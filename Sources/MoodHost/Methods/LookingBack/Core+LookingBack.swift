import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// `stats.*` and `mood.tags`: looking back. Docs/08-LookingBack.md defines every number.
extension Core {
    static let lookingBackHandlers: InlineArray<_, Handler> = [
        Handler(
            StatisticsMethods.summary, [.reads, .durable],
            later: { (core, _, arguments) throws in
                let request = try core.lookBackRequest(arguments)
                let (span, step) = (try core.span(arguments, request), Self.step(arguments))
                return try core.lookingBack { (moods, watch, out) throws in
                    var summary = try request.summary(of: span, by: step, &moods, watch)
                    summary.write(to: &out)
                }
            }),
        Handler(
            StatisticsMethods.year, [.reads, .durable],
            later: { (core, _, arguments) throws in
                let request = try core.lookBackRequest(arguments)
                let days = LookBackRequest.days(ofYear: arguments[StatisticsParams.year])
                return try core.lookingBack { (moods, watch, out) throws in
                    try request.faces(of: days, &moods, watch).write(to: &out)
                }
            }),
        Handler(
            StatisticsMethods.month, [.reads, .durable],
            later: { (core, _, arguments) throws in
                let request = try core.lookBackRequest(arguments)
                let days = LookBackRequest.days(ofMonth: arguments[StatisticsParams.month])
                return try core.lookingBack { (moods, watch, out) throws in
                    try request.faces(of: days, &moods, watch).write(to: &out)
                }
            }),
        Handler(
            StatisticsMethods.onThisDay, [.reads, .durable],
            later: { (core, _, arguments) throws in
                let request = try core.lookBackRequest(arguments)
                let date = arguments[StatisticsParams.date].flatMap { CivilDate($0) }
                return try core.lookingBack { (moods, watch, out) throws in
                    Self.write(try request.onThisDay(date ?? request.today, &moods, watch), to: &out)
                }
            }),
        Handler(StatisticsMethods.render, [.reads, .durable], later: { try $0.render($1, $2) }),
        Handler(StatisticsMethods.tags, .reads, { try $0.writeTags($2, &$3) }),
    ]

    mutating func lookBackRequest(_ arguments: borrowing Arguments) throws -> LookBackRequest {
        let now = arguments[StatisticsParams.now] ?? now
        let timeZone = arguments[StatisticsParams.timeZone]
        let clocks = try zoneClocks(timeZone)
        var filter = MoodFilter()
        if let given = arguments[MoodParams.filter] { filter = try self.filter(given, timeZone: timeZone) }
        let palette = try settings().palette
        return LookBackRequest(
            lookBack: LookBack(clocks, palette, now: now.milliseconds), filter: filter, now: now, timeZone: timeZone)
    }

    /// Reads all moods, as they are now, on the helper thread; a store in memory at once.
    /// - Parameter write: reads the moods and writes the result.
    mutating func lookingBack(
        _ write: @escaping @Sendable (inout RecordStore, WalkWatch, inout JSONWriter) throws -> Void
    ) throws -> any LaterWork {
        let beginning = LongWork.Progress(message: "Reading", done: 0, total: store.statistics.moods)
        guard store.canBeFrozen else {
            var result = JSONWriter(capacity: 4096)
            try store.lookBack { (moods) throws in try write(&moods, WalkWatch(), &result) }
            return DoneRequest(Array(result.buffer.bytes), beginning)
        }
        try store.flushEarly()
        let moods = try store.frozen(MoodFilter(), isDescending: false)
        let work = LongWork(on: store.helper, beginning)
        return LongRequest(work) {
            let watch = WalkWatch(isCancelled: { work.isCancelled }, progress: { work.tell($0, $1) })
            var result = JSONWriter(capacity: 4096)
            do {
                try moods.lookBack { (moods) throws in try write(&moods, watch, &result) }
            } catch {
                return { (_, _) throws in throw error }
            }
            let bytes = Array(result.buffer.bytes)
            return { (_, out) throws in bytes.withUnsafeBytes { out.raw($0) } }
        }
    }

    static func step(_ arguments: borrowing Arguments) -> Summary.Step? {
        arguments[StatisticsParams.by]?.text.flatMap { Summary.Step(rawValue: $0.string) }
    }

    /// The meaning of `span`, or of `from` and `to`.
    mutating func span(
        _ arguments: borrowing Arguments, _ request: LookBackRequest
    ) throws -> LookBackSpan {
        let (from, to) = (arguments[StatisticsParams.from], arguments[StatisticsParams.to])
        let span = arguments[StatisticsParams.span]
        let path = arguments.path(StatisticsParams.span)
        if let span {
            if from != nil || to != nil {
                throw Arguments.error("belongs in place of from and to; leave out one of the two", at: path)
            }
            let meaning = try meaning(
                of: span, at: path, examples: TimeLanguage.spanExamples, timeZone: request.timeZone, now: request.now)
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

    // MARK: On this day, and tags

    private static func write(_ items: [(year: Int, moods: [[UInt8]])], to out: inout JSONWriter) {
        out.beginObject()
        out.member("items", array: items) { element, out in
            let (year, moods) = element
            out.beginObject()
            out.member("year", year)
            out.member("moods", array: moods) { mood, out in mood.withUnsafeBytes { out.raw($0) } }
            out.endObject()
        }
        out.endObject()
    }

    private mutating func writeTags(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        var filter = MoodFilter()
        if let given = arguments[MoodParams.filter] { filter = try self.filter(given) }
        let counts = try store.lookBack { (moods) throws(StorageError) in
            try moods.gather(from: nil, through: .max, filter, WalkWatch(), { TagCounts() }) { $0.add($1, $2) }
        }
        counts.write(to: &out)
    }
}
