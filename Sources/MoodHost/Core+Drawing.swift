import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `stats.render`: what was looked back on, as something to keep.
extension Core {
    /// A report shows so many moods themselves, the latest.
    private static let shownMoodsMax = 1_000

    mutating func render(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let request = try lookBackRequest(arguments)
        let word = arguments[StatisticsParams.what].text?.string ?? ""
        let what = LookBackPage.What(rawValue: word) ?? .summary
        let format: LookBackPage.Format =
            switch arguments[StatisticsParams.format] {
            case .text: .text
            case .svg: .svg
            case .html: .html
            }
        let page = try page(what, arguments, request)
        out.beginObject()
        out.key("text")
        out.string(
            page.text(
                format, width: arguments[StatisticsParams.width], hasColor: arguments[StatisticsParams.color]))
        out.key("mediaType")
        out.string(format.mediaType)
        out.endObject()
    }

    private mutating func page(
        _ what: LookBackPage.What, _ arguments: borrowing Arguments, _ request: LookBackRequest
    ) throws(RPCError) -> LookBackPage {
        let today = CivilDate(daysSince1970: request.lookBack.today)
        let weekStartsOn = try settings().weekStartsOn
        let year = arguments[StatisticsParams.drawnYear]
        switch what {
        case .year:
            let faces = try faces(of: days(ofYear: year ?? today.year), request)
            return LookBackPage(.year, faces: faces, summary: nil, weekStartsOn: weekStartsOn)
        case .month:
            let month = arguments[StatisticsParams.drawnMonth] ?? String(today.text.prefix(7))
            let faces = try faces(of: days(ofMonth: month), request)
            return LookBackPage(.month, faces: faces, summary: nil, weekStartsOn: weekStartsOn)
        case .summary:
            let summary = try summary(of: try span(arguments, request), arguments, request)
            return LookBackPage(.summary, faces: nil, summary: summary, weekStartsOn: weekStartsOn)
        case .report:
            var span = try span(arguments, request)
            let faces = try faces(of: days(ofYear: year ?? Self.year(of: span) ?? today.year), request)
            if span.isOpen { span = LookBackSpan(firstDay: faces.days.lowerBound, lastDay: faces.days.upperBound) }
            let summary = try summary(of: span, arguments, request)
            var lookBack = request.lookBack
            var memories: [String] = []
            for (_, moods) in try onThisDay(today, request) {
                for mood in moods { memories.append(mood.withUnsafeBytes { lookBack.line($0) }) }
            }
            return LookBackPage(
                .report, faces: faces, summary: summary, onThisDay: memories, moods: try lines(in: span, request),
                weekStartsOn: weekStartsOn)
        }
    }

    private static func year(of span: LookBackSpan) -> Int? {
        span.firstDay.map { CivilDate(daysSince1970: $0).year }
    }

    /// The moods of a span, the latest first.
    private mutating func lines(in span: LookBackSpan, _ request: LookBackRequest) throws(RPCError) -> [String] {
        var lookBack = request.lookBack
        var lines: [String] = []
        var filter = request.filter
        do throws(MoodStoreError) {
            try store.forEachRecordBackwards(through: request.now.milliseconds, &filter) { record in
                let facts = MoodFacts(record)
                let day = lookBack.reading(facts).day
                if span.contains(day: day, time: facts.time) { lines.append(lookBack.line(record)) }
                // No zone is further from another than two days.
                let isPast = span.firstDay.map { day < $0 - 2 } ?? false
                return !isPast && lines.count < Self.shownMoodsMax
            }
        } catch {
            throw RPCError(error)
        }
        return lines
    }
}
