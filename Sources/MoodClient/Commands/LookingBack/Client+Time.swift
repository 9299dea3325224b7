import JSONCodec

/// Times as people say them. The host reads them (`time.parse`), so that all its clients agree.
extension Client {
    /// A span of time: from `start` on, before `end`, in the protocol's form.
    struct Span {
        let start: String
        let end: String
        /// The moment for places that need one; nil for a long span.
        let at: String?
        /// The first and the last day, if it has whole days, or the day of a moment.
        let days: (from: String, to: String)?
        let isSpan: Bool

        var wholeDays: (from: String, to: String)? { isSpan ? days : nil }
        /// The span as members of a filter.
        var filter: Params {
            days.map { ["dayFrom": $0.from, "dayTo": $0.to] } ?? ["from": start, "to": end]
        }
    }

    /// Three common forms, for help and errors.
    static let timeExamples = "21:30, 'yesterday evening' or 2026-11-20"

    /// - Parameters:
    ///   - option: the option's name, for errors.
    ///   - zone: of the clocks; nil takes it from `--time-zone`.
    func span(_ text: String, option: String, zone: String? = nil) throws(ClientError) -> Span {
        let answer: JSONValue
        do throws(ClientError) {
            answer = try tree(call("time.parse", ["text": text, "timeZone": zone ?? invocation.value("time-zone")]))
        } catch {
            guard case .remote(let failure) = error, failure.code == -32602, failure.data?["path"]?.string == "/text"
            else { throw error }
            throw .badInput("\(option): \(failure.bareMessage)", advice: nil)
        }
        guard let start = answer["start"]?.string, let end = answer["end"]?.string else { throw unexpected() }
        var days: (from: String, to: String)?
        if let from = answer["dayFrom"]?.string, let to = answer["dayTo"]?.string { days = (from, to) }
        return Span(
            start: start, end: end, at: answer["at"]?.string, days: days, isSpan: answer["isSpan"]?.boolean ?? false)
    }

    /// The moment of an option such as `--at`; nil if it was not given.
    func moment(of option: String) throws(ClientError) -> String? {
        guard let text = invocation.value(option) else { return nil }
        return try moment(text, option: "--\(option)")
    }

    /// Reads a moment.
    func moment(_ text: String, option: String, zone: String? = nil) throws(ClientError) -> String {
        // The protocol reads RFC 3339 itself.
        if Moment(text) != nil { return text }
        if text == "now" { return Moment.rfc3339(milliseconds: console.nowMilliseconds()) }
        guard let at = try span(text, option: option, zone: zone).at else {
            throw .badInput(
                "\(option) wants a moment; '\(text)' is a longer span.", advice: "Such as \(Self.timeExamples).")
        }
        return at
    }

    /// `--from`, `--to`, `--on` and `--in` as members of a filter.
    func timeFilter() throws(ClientError) -> Params {
        let given = ["from", "to", "on", "in"].filter { invocation.has($0) }
        if given.contains("on") || given.contains("in"), given.count > 1 {
            throw usage("Give --on, --in, or --from and --to: each says the whole span.")
        }
        var filter: Params = [:]
        for option in given {
            let text = invocation.value(option) ?? ""
            let span = try span(text, option: "--\(option)")
            switch option {
            // The day of a mood is that in its own zone, like in statistics.
            case "from":
                let day = span.wholeDays?.from
                filter += day.map { ["dayFrom": $0] } ?? ["from": span.start]
            case "to":
                let day = span.wholeDays?.to
                filter += day.map { ["dayTo": $0] } ?? ["to": span.end]
            default:
                filter += span.filter
            }
        }
        if let from = filter["dayFrom"]?.string, let to = filter["dayTo"]?.string, to < from {
            throw usage("--to must not be before --from.")
        }
        return filter
    }
}
