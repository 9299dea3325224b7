import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// `stats.render`: a look back as a document to keep.
extension Core {
    mutating func render(
        _ asked: borrowing Request, _ arguments: borrowing Arguments
    ) throws -> any LaterWork {
        let request = try lookBackRequest(arguments)
        let word = arguments[StatisticsParams.what].text?.string ?? ""
        let what = LookBackPage.What(rawValue: word) ?? .summary
        try Self.checkMembers(arguments, of: what)
        let drawing = Drawing(
            request: request, what: what,
            span: try span(arguments, request), step: Self.step(arguments), year: arguments[StatisticsParams.drawnYear],
            month: arguments[StatisticsParams.drawnMonth], weekStartsOn: try settings().weekStartsOn,
            locale: locale(arguments[StatisticsParams.locale]), hidesNotes: asked.ways.contains(.withoutNotes))
        let format: LookBackPage.Format =
            switch arguments[StatisticsParams.format] {
            case .text: .text
            case .svg: .svg
            case .html: .html
            }
        let (width, hasColor) = (arguments[StatisticsParams.width], arguments[StatisticsParams.color])
        return try lookingBack { (moods, watch, out) throws in
            let page = try drawing.page(&moods, watch)
            out.beginObject()
            out.member("text", page.text(format, width: width, hasColor: hasColor))
            out.member("mediaType", format.mediaType)
            out.endObject()
        }
    }

    /// Refuses members that another drawing has, rather than draw something else than was meant.
    private static func checkMembers(
        _ arguments: borrowing Arguments, of what: LookBackPage.What
    ) throws(RPCError) {
        let ofSpans: [LookBackPage.What] = [.summary, .report]
        let members: [(isGiven: Bool, path: String, drawings: [LookBackPage.What])] = [
            (arguments[has: StatisticsParams.drawnYear], "/year", [.year, .report]),
            (arguments[has: StatisticsParams.drawnMonth], "/month", [.month]),
            (arguments[has: StatisticsParams.span], arguments.path(StatisticsParams.span), ofSpans),
            (arguments[has: StatisticsParams.from], "/from", ofSpans),
            (arguments[has: StatisticsParams.to], "/to", ofSpans),
            (arguments[has: StatisticsParams.by], "/by", ofSpans),
        ]
        for member in members where member.isGiven && !member.drawings.contains(what) {
            let names = member.drawings.map(\.rawValue).joined(separator: " or ")
            throw Arguments.error("belongs to what \(names); leave it out", at: member.path)
        }
    }
}

/// The parameters of a document to draw.
private struct Drawing: Sendable {
    let request: LookBackRequest
    let what: LookBackPage.What
    let span: LookBackSpan
    let step: Summary.Step?
    let year: Int?
    let month: String?
    let weekStartsOn: Int
    let locale: String
    let hidesNotes: Bool
    /// The most moods that a report shows one by one, the latest.
    private static let shownMoodsMax = 1_000

    func page(_ moods: inout RecordStore, _ watch: WalkWatch) throws -> LookBackPage {
        let today = request.today
        switch what {
        case .year:
            let days = LookBackRequest.days(ofYear: year ?? today.year)
            let faces = try request.faces(of: days, &moods, watch)
            return LookBackPage(.year, faces: faces, summary: nil, weekStartsOn: weekStartsOn, locale: locale)
        case .month:
            let days = LookBackRequest.days(ofMonth: month ?? String(today.text.prefix(7)))
            let faces = try request.faces(of: days, &moods, watch)
            return LookBackPage(.month, faces: faces, summary: nil, weekStartsOn: weekStartsOn, locale: locale)
        case .summary:
            let summary = try request.summary(of: span, by: step, &moods, watch)
            return LookBackPage(.summary, faces: nil, summary: summary, weekStartsOn: weekStartsOn, locale: locale)
        case .report:
            let first = span.firstDay.map { CivilDate(daysSince1970: $0).year }
            let days = LookBackRequest.days(ofYear: year ?? first ?? today.year)
            let faces = try request.faces(of: days, &moods, watch)
            let span = span.isOpen ? LookBackSpan(firstDay: days.lowerBound, lastDay: days.upperBound) : span
            let summary = try request.summary(of: span, by: step, &moods, watch)
            var lookBack = request.lookBack
            var memories: [String] = []
            for (_, records) in try request.onThisDay(today, &moods, watch) {
                for record in records {
                    memories.append(record.withUnsafeBytes { lookBack.line($0, locale, hidesNotes: hidesNotes) })
                }
            }
            let lines = try request.lines(
                in: span, max: Self.shownMoodsMax, locale, hidesNotes: hidesNotes, &moods, watch)
            return LookBackPage(
                .report, faces: faces, summary: summary, onThisDay: memories, moods: lines, weekStartsOn: weekStartsOn,
                locale: locale)
        }
    }
}
