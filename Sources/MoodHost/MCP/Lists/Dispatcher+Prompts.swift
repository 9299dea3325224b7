import JSONCodec
import JSONRPC
import MCP
import MoodCore
import MoodProtocol
import MoodText
import Versions

/// `prompts/*` and `completion/complete`.
extension Dispatcher {
    mutating func listPrompts(
        _ given: ModelParams
    ) throws -> ModelPlan {
        try list(.prompts, given, freshFor: JSONWriter.listMilliseconds) {
            (core, cursor, _, out) throws in
            try Self.checkIsFirst(cursor)
            for prompt in Prompt.allCases where !core.options.isReadOnly || prompt != .log { prompt.write(to: &out) }
            return nil
        }
    }

    mutating func getPrompt(
        _ given: ModelParams
    ) throws -> ModelPlan {
        let name = try given.text(given.name, "name", "the name of a prompt, as prompts/list gives it").string
        if let (server, name) = server(of: name) {
            return try getPrompt(name, of: server, given)
        }
        guard let prompt = Prompt(rawValue: name), prompt != .log || !core.options.isReadOnly else {
            throw Self.unknownPrompt(name, at: "/name")
        }
        let arguments = ToolArguments(try given.object(given.arguments, "arguments"))
        let argument = prompt.argument
        if let value = arguments[argument.name], value.text == nil {
            throw Arguments.error("must be a string", at: "/arguments/\(argument.name)")
        }
        if let problem = arguments[argument.name].flatMap({ Problem(nullCharacterIn: $0) }) {
            throw Arguments.error(problem.reason, at: "/arguments/\(argument.name)")
        }
        let said = arguments.text(argument.name)
        if prompt == .log {
            guard let said else {
                throw Arguments.error("is required: \(argument.summary)", at: "/arguments/\(argument.name)")
            }
            return ModelPlan { (_, _, out) throws in Self.write(prompt, given: "", data: [said], to: &out) }
        }
        let span = said ?? prompt.usualSpan
        let filter = try promptFilter(span, prompt)
        let rule: NotesRule = core.options.hidesNotes ? .hidden : prompt == .beforeTherapy ? .whole : .ofLists
        let range: JSONValue = .object(filter)
        let bytesMax = limits[.messageBytes] / 8
        return ModelPlan(
            [
                NativeCall("mood.list", ["limit": 100, "order": "asc", "filter": range]),
                NativeCall("stats.summary", range),
            ]
        ) { (_, outcomes, out) throws in
            let page = try outcomes[0].get()
            var data = ["There are no moods in this span."]
            if let moods = JSONWriter.moodLines(of: page, rule, bytesMax: bytesMax) {
                let hasMore = moods.isShort || JSONValue(bytes: page)["nextCursor"] != nil
                data = [
                    "My moods, the oldest first:\n\(moods.text)"
                        + (hasMore ? "\nThis is not all of them: mood_find lists them page by page." : "")
                ]
            }
            // If the statistics failed, the prompt has only the moods.
            if case .success(let statistics) = outcomes[1] {
                data.append(
                    statistics.count <= bytesMax
                        ? "Statistics of the same span, as JSON:\n" + String(decoding: statistics, as: UTF8.self)
                        : "The statistics of the span are longer than an answer: mood_stats shows them.")
            }
            Self.write(prompt, given: span, data: data, to: &out)
        }
    }

    /// The members `from` and `to` of a filter. Where the prompt needs a span, a moment means its day.
    private mutating func promptFilter(_ span: String, _ prompt: Prompt) throws -> [JSONValue.Member] {
        let path = "/arguments/\(prompt.argument.name)"
        var said = try core.meaning(of: span, at: path, examples: prompt.examples)
        if !prompt.isSince, !said.isSpan, let day = said.days?.lowerBound {
            said = try core.meaning(of: CivilDate(daysSince1970: day).text, at: path)
        }
        let times = prompt.isSince ? [("from", said.start)] : [("from", said.start), ("to", said.end)]
        return times.map { .init($0.0, .string((Timestamp(milliseconds: $0.1) ?? .maximum).text)) }
    }

    private static func unknownPrompt(_ name: String, at path: String) -> RPCError {
        let nearest = NearestNames.find(name, among: Prompt.allCases.map(\.rawValue)).first
        return Arguments.error(
            "is no prompt; " + (nearest.map { "did you mean \"\($0)\"?" } ?? "prompts/list lists all"), at: path)
    }

    private static func write(_ prompt: Prompt, given: String, data: [String], to out: inout JSONWriter) {
        out.beginModelResult()
        out.member("description", prompt.summary)
        out.member("messages", array: [prompt.task(given), Prompt.warning] + data) { text, out in
            out.beginObject()
            out.member("role", literal: "user")
            out.key("content")
            out.beginObject()
            out.member("type", literal: "text")
            out.member("text", text)
            out.endObject()
            out.endObject()
        }
        out.endModelResult(version: Version.program)
    }

    // MARK: Completion

    mutating func complete(
        _ given: ModelParams, _ revision: Revision
    ) throws -> ModelPlan {
        guard let reference = try given.object(given.reference, "ref") else {
            throw Arguments.error(
                "is required: {type: \"ref/prompt\", name} or {type: \"ref/resource\", uri}", at: "/ref")
        }
        guard let argument = try given.object(given.argument, "argument").map({ JSONValue($0) }),
            let name = argument["name"]?.string, let value = argument["value"]?.string
        else {
            throw Arguments.error("is required: {name, value}, both strings", at: "/argument")
        }
        let asked = JSONValue(reference)
        let key = asked["type"]?.string == "ref/prompt" ? "name" : "uri"
        if let (server, known) = asked[key]?.string.flatMap({ server(of: $0) }) {
            let reference = JSONValue.object([
                .init("type", asked["type"] ?? .null), .init(key, .string(known)),
            ])
            return try complete(reference, argument, of: server)
        }
        let completion = try Self.completion(asked, name)
        switch completion {
        case .words(let words):
            return ModelPlan { (_, _, out) throws in
                Self.write(words.filter { $0.lowercased().hasPrefix(value.lowercased()) }, to: &out)
            }
        case .feelings:
            return ModelPlan { (core, _, out) throws in
                Self.write(core.feelings(beginning: value) + core.emoji(beginning: value), to: &out)
            }
        case .ids:
            var params: [JSONValue.Member] = [.init("limit", .number(String(Self.valuesMax))), .init("count", true)]
            if !value.isEmpty { params.append(.init("filter", ["text": .string(value)])) }
            let prefix = value.lowercased()
            let isID = prefix.utf8.count >= 4 && prefix.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) }
            return ModelPlan([NativeCall("mood.list", .object(params))]) {
                (core, outcomes, out) throws in
                let page = JSONValue(bytes: try outcomes[0].get())
                let named = isID ? core.store.newestIDs(.max).map(\.text).filter { $0.hasPrefix(prefix) } : []
                if !named.isEmpty { return Self.write(named, to: &out) }
                let ids = (page["items"]?.array ?? []).compactMap { $0["id"]?.string }
                Self.write(ids, total: page["total"]?.integer, to: &out)
            }
        case .tags:
            return ModelPlan([NativeCall("mood.tags")]) {
                (_, outcomes, out) throws in
                // A host without that method knows no tags.
                guard case .success(let answer) = outcomes[0] else { return Self.write([], to: &out) }
                let tags = (JSONValue(bytes: answer)["tags"]?.array ?? []).compactMap {
                    $0["tag"]?.string
                }
                Self.write(tags.filter { $0.lowercased().hasPrefix(value.lowercased()) }, to: &out)
            }
        case .years, .months:
            let isYears = if case .years = completion { true } else { false }
            let oldest: JSONValue = ["limit": 1, "order": "asc"]
            let now = core.now.text
            return ModelPlan([NativeCall("mood.list", oldest)]) {
                (_, outcomes, out) throws in
                let first = JSONValue(bytes: try outcomes[0].get())["items"]?.array?.first?["timestamp"]?.string
                let months = Self.months(from: min(first ?? now, now), to: now)
                let years = months.filter { $0.hasSuffix("-01") || $0 == months.last }.map { String($0.prefix(4)) }
                let names = isYears ? years : ["this month", "last month"] + months
                Self.write(names.filter { $0.hasPrefix(value.lowercased()) }, to: &out)
            }
        }
    }

    private enum Completion {
        case ids, tags, years, months, feelings
        case words([String])
    }

    /// The months from one time to another, such as `2026-11`, the latest first.
    private static func months(from first: String, to last: String) -> [String] {
        func month(_ time: String) -> Int {
            let parts = time.prefix(7).split(separator: "-").compactMap { Int($0) }
            return parts.count == 2 ? parts[0] * 12 + parts[1] - 1 : 0
        }
        return (month(first)...month(last)).reversed().map { month in
            let (year, number) = (String(month / 12), String(month % 12 + 1))
            return String(repeating: "0", count: 4 - year.count) + year + (number.count == 1 ? "-0" : "-") + number
        }
    }

    private static func completion(_ reference: JSONValue, _ argument: String) throws -> Completion {
        switch reference["type"]?.string {
        case "ref/prompt":
            let name = reference["name"]?.string ?? ""
            guard let prompt = Prompt(rawValue: name) else { throw unknownPrompt(name, at: "/ref/name") }
            guard argument == "\(prompt.argument.name)" else {
                throw Arguments.error(
                    "is no argument of \(name); it takes \(prompt.argument.name)", at: "/argument/name")
            }
            return switch prompt {
            case .log: .feelings
            case .month: .months
            case .reflect: .words(spans)
            case .beforeTherapy: .words(spans + ["2 weeks ago"])
            }
        case "ref/resource":
            let uri = reference["uri"]?.string ?? ""
            guard let template = ResourceAddress.templates.first(where: { $0.template == uri }) else {
                // An address without parameters has nothing to complete.
                if ResourceAddress(uri) != nil { return .words([]) }
                throw Arguments.error("is no template; resources/templates/list lists all", at: "/ref/uri")
            }
            guard uri.contains("{\(argument)}") else {
                throw Arguments.error("does not stand in \(uri)", at: "/argument/name")
            }
            switch template.name {
            case "mood": return .ids
            case "tag": return .tags
            case "year": return .years
            case "stats": return .words(spans)
            case "screen": return .words(Array(Route.names.dropLast()))
            default: return .words([])
            }
        default: throw Arguments.error("must be ref/prompt or ref/resource", at: "/ref/type")
        }
    }

    private static let spans = [
        "today", "yesterday", "this week", "last week", "this month", "last month", "this year", "last year",
        "last 7 days", "last 30 days",
    ]

    static let valuesMax = 100

    /// - Parameter total: the number of all values, if these are not all.
    private static func write(_ values: [String], total: Int? = nil, to out: inout JSONWriter) {
        let total = total ?? values.count
        out.beginModelResult()
        out.member("completion") { out in
            out.member("values", array: values.prefix(valuesMax)) { value, out in out.string(value) }
            out.member("total", total)
            out.member("hasMore", total > min(values.count, valuesMax))
        }
        out.endModelResult(version: Version.program)
    }
}
