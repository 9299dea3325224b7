import JSONCodec
import JSONRPC
import MCP
import MoodCore
import MoodProtocol
import PluginHost
import Versions

/// `tools/call`.
extension Dispatcher {
    /// A call of a tool, while it is served.
    struct ToolCall {
        let tool: Tool
        var arguments: ToolArguments
        let given: ModelParams
        var facts: ToolFacts
    }

    /// Writes the result of a tool, then settles its changes: a result that does not fit keeps none.
    /// - Parameter mark: the beginning of the answer.
    mutating func callTool(
        _ asked: (given: ModelParams, revision: Revision), _ request: borrowing Request, _ mark: Int,
        to out: inout JSONWriter
    ) throws {
        let (given, revision) = asked
        var call = try toolCall(given, revision)
        if let problem = problem(of: &call) { return out.toolError(problem, version: Version.program) }
        // A tool reports its changes; the only call of one that looks can be answered later.
        let mayBeLater = call.tool.effect.isReadOnly && call.tool.special == nil
        let request = request.with(mayBeLater ? [] : .atOnce).with(call.facts.notes == .hidden ? .withoutNotes : [])
        let start = out.count
        try perform(&call, request, to: &out)
        core.writeDamage(in: &out, from: start)
        // One more byte, for the end of the answer.
        if out.count + 1 - mark > request.room { throw Self.tooLong(request.destination, limits) }
        do { try settle(call.tool.method, request, isDryRun: call.facts.isDryRun) } catch {
            guard case .refused(let error) = Stop(error, .write) else { throw error }
            core.takeBack()
            out.rewind(to: start)
            out.toolError(call.tool.text(of: error), version: Version.program)
        }
        if let token = given.meta.progressToken { core.notices.addDone(token) }
    }

    private mutating func toolCall(_ given: ModelParams, _ revision: Revision) throws -> ToolCall {
        let name = try given.text(given.name, "name", "the name of a tool, as tools/list gives it")
        let tool: Tool
        do throws(RPCError) { tool = try toolCatalogue().find(name) } catch {
            core.seePlugins()
            tool = try toolCatalogue().find(name)
        }
        let arguments = ToolArguments(try given.object(given.arguments, "arguments"))
        let isHidden = core.options.hidesNotes || arguments.boolean("with_notes") == false
        var facts = ToolFacts(
            revision, notes: isHidden ? .hidden : tool.notes,
            bytesMax: limits[.mcpAnswerBytes], version: Version.program)
        facts.isDryRun = arguments.boolean("dry_run") == true
        // A minute, because clocks differ.
        if arguments["when"] != nil {
            facts.latestMoment = Timestamp(milliseconds: core.now.milliseconds + 60_000)?.text
        }
        return ToolCall(tool: tool, arguments: arguments, given: given, facts: facts)
    }

    /// Checks the arguments and converts phrases.
    /// - Returns: the problem of an argument.
    private mutating func problem(of call: inout ToolCall) -> String? {
        if !call.tool.isForeign, let problem = call.arguments.problem(for: call.tool.input, limits) {
            return call.tool.text(of: problem)
        }
        return understand(call.tool.params, &call)
    }

    private mutating func perform(
        _ call: inout ToolCall, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        switch call.tool.special {
        case .consent: try delete(&call, request, to: &out)
        case .history where call.arguments.boolean("with_history") == true || call.arguments["cursor"] != nil:
            try showHistory(call, request, to: &out)
        default: try show(&call, request, to: &out)
        }
    }

    /// Calls the method of a tool, and writes its result. Asks for fewer items if the answer would be too long, so that
    /// the cursor matches the shown items. Each round asks for fewer than the last page had, and one item is always
    /// written, so it ends.
    private mutating func show(
        _ call: inout ToolCall, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var limit = Int.max
        while true {
            let outcome: NativeOutcome
            do { outcome = try ask(&call, request) } catch {
                guard case .later(let work, _) = error as? Stop else { throw error }
                let (tool, facts) = (call.tool, call.facts)
                throw Stop.later(
                    ModelWork([.later(work)], call.given.meta.progressToken) { (core, outcomes, out) in
                        Self.write(outcomes[0], of: tool, facts, &core, to: &out)
                    })
            }
            guard case .success(let value) = outcome else { return Self.write(outcome, of: call.tool, to: &out) }
            noteChange(&call)
            switch call.tool.shows(call.tool, value, call.facts, &out) {
            case .fewer(let fewer) where limit > 1:
                limit = min(fewer, limit - 1)
                call.arguments.understand("limit", as: .number(String(limit)))
            case .whole, .fewer: return
            case .nothing: return core.takeBack()
            }
        }
    }

    mutating func ask(_ call: inout ToolCall, _ request: borrowing Request) throws -> NativeOutcome {
        defer { extendLifetime(call.arguments) }
        guard call.tool.isForeign else {
            let params = call.arguments.params(call.tool.params)
            return try ask(
                call.tool.method, .named(params, said: call.arguments.said(call.tool.params)), for: request)
        }
        var params = JSONValue(call.arguments.object ?? .emptyObject)
        // The plugin reports its progress under the caller's token.
        if let token = call.given.meta.progressToken, let members = params.object {
            params = .object(members + [.init("progressToken", JSONValue(token))])
        }
        return try KeptBytes(Array(params.text.utf8)).withJSON {
            try ask(call.tool.method, .whole($0), for: request)
        }
    }

    /// Writes the outcome of a method that answers later. There is no other page to ask for: one that does not fit is
    /// shortened.
    private static func write(
        _ outcome: ModelWork.Outcome, of tool: Tool, _ facts: ToolFacts, _ core: inout Core, to out: inout JSONWriter
    ) {
        guard case .success(let bytes) = outcome else { return write(outcome, of: tool, to: &out) }
        bytes.withUnsafeBytes { bytes in
            var shown = tool.shows(tool, ValidJSON(trusting: bytes), facts, &out)
            if case .fewer = shown {
                shown = tool.writeValue(ValidJSON(trusting: bytes), cutsNotes: true, facts, to: &out)
            }
            if case .nothing = shown { core.takeBack() }
        }
    }

    /// Writes the error of a method.
    static func write<Value>(_ outcome: Result<Value, RPCError>, of tool: Tool, to out: inout JSONWriter) {
        if case .failure(let error) = outcome { out.toolError(tool.text(of: error), version: Version.program) }
    }

    /// Writes a mood with a page of its changes, of which it asks for fewer if the answer would be too long.
    private mutating func showHistory(
        _ call: ToolCall, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var call = call
        let got = try ask(&call, request)
        guard case .success(let mood) = got else { return Self.write(got, of: call.tool, to: &out) }
        let kept = KeptBytes(Array(mood.bytes))
        while true {
            let page = try ask("mood.history", .named(call.arguments.params(Tool.historyParams)), for: request)
            guard case .success(let changes) = page else { return Self.write(page, of: call.tool, to: &out) }
            let fewer = kept.withJSON { call.tool.writeMood($0, page: changes, call.facts, to: &out) }
            guard let fewer else { return extendLifetime(call.arguments) }
            let limit = call.arguments.understood("limit")?.integer ?? .max
            call.arguments.understand("limit", as: .number(String(min(fewer, limit - 1))))
        }
    }

    /// Records the call's changes, before they are settled.
    mutating func noteChange(_ call: inout ToolCall) {
        let isOpen = core.store.isCommitOpen
        call.facts.hasChanged = isOpen && !call.facts.isDryRun
        call.facts.storeRevision = core.store.revision - (isOpen && call.facts.isDryRun ? 1 : 0)
    }
}

extension Dispatcher {
    /// Converts phrases to times, feelings and routes.
    /// - Returns: the problem of an argument.
    private mutating func understand(_ params: [ToolParam], _ call: inout ToolCall) -> String? {
        for param in params {
            if let problem = understand(param.members, &call)
                ?? param.phrase.flatMap({ understand($0, param.argument, &call) })
            {
                return problem
            }
        }
        return nil
    }

    private mutating func understand(_ phrase: ToolParam.Phrase, _ name: Name, _ call: inout ToolCall) -> String? {
        switch phrase {
        case .moment, .start, .end:
            guard let text = call.arguments.text(name) else { return nil }
            if phrase != .moment { readCursor(&call) }
            let (zone, now) = (call.arguments.text("time_zone"), call.facts.asOf?.time)
            switch core.time(of: text, as: phrase, zone: zone, now: now) {
            case .success(let time): call.arguments.understand(name, as: .string(time.text))
            case .failure(let problem): return call.tool.text(problem.reason, at: "/\(name)")
            }
        case .action:
            return Tool.problem(ofAction: call.arguments[name]).map { call.tool.text($0, at: "/action/type") }
        case .feeling, .newFeeling:
            if let word = call.arguments.text(name), Self.isWord(word) {
                guard let feeling = core.feeling(word) else {
                    return call.tool.text(unknownFeeling(word), at: "/\(name)")
                }
                call.arguments.understand(name, as: .string(feeling.emoji))
                if call.arguments["label"] == nil, phrase == .newFeeling {
                    call.arguments.understand("label", as: .string(feeling.label))
                }
            }
            if phrase == .newFeeling { return completeFeeling(&call) }
        case .year:
            call.facts.year = call.arguments.integer(name) ?? Int(core.now.text.prefix(4)) ?? 1
            call.arguments.understand(name, as: .number(String(call.facts.year)))
        case .scope: call.arguments.understand(name, as: core.path == nil ? "session" : "store")
        case .route:
            guard let asked = call.arguments[name] else { return nil }
            guard let route = Self.route(asked) else {
                return call.tool.text(
                    "must be one of \(Route.names.dropLast().joined(separator: ", ")), or moodboard://mood/ID with the id of a mood",
                    at: "/\(name)")
            }
            call.arguments.understand(name, as: Self.value(of: route))
        }
        return nil
    }

    /// Takes the time of the first page from the cursor; the first page has the present time.
    private mutating func readCursor(_ call: inout ToolCall) {
        if call.facts.asOf != nil { return }
        guard let (cursor, time) = call.arguments.text("cursor").flatMap({ CursorTime.parts(of: $0) }) else {
            return call.facts.asOf = CursorTime(core.now)
        }
        call.facts.asOf = time
        call.arguments.understand("cursor", as: .string(cursor))
    }

    /// Whether it is no emoji, but may be the name of one.
    private static func isWord(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { Emoji.problem(UnsafeRawBufferPointer($0)) } != nil
    }

    /// Completes emoji or label from the palette.
    private mutating func completeFeeling(_ call: inout ToolCall) -> String? {
        let (emoji, label) = (call.arguments.text("emoji"), call.arguments.text("label"))
        guard let said = emoji ?? label else {
            return call.tool.text("is required: one emoji, or a word of the palette such as calm", at: "/emoji")
        }
        if emoji == nil {
            guard let feeling = core.feeling(said) else { return call.tool.text(unknownFeeling(said), at: "/emoji") }
            call.arguments.understand("emoji", as: .string(feeling.emoji))
        } else if label == nil, call.arguments.understood("label") == nil {
            guard let feeling = core.feeling(said) else {
                return call.tool.text(
                    "is required: \(said) is not in the palette, so it has no name of its own", at: "/label")
            }
            call.arguments.understand("label", as: .string(feeling.label))
        }
        return nil
    }

    private mutating func unknownFeeling(_ word: String) -> String {
        let known = core.feelings(beginning: "")
        let shown = String(word.unicodeScalars.prefix(50))
        let nearest = NearestNames.find(shown, among: known)
        let hint =
            nearest.isEmpty
            ? "the palette has \(known.joined(separator: ", "))" : "did you mean \(nearest.joined(separator: " or "))?"
        return "must be one emoji, or a word of the palette; \"\(shown)\" is neither: \(hint)"
    }

    /// The route of a name, an address, or the object that screens write.
    static func route(_ asked: ValidJSON) -> Route? {
        if let text = asked.text?.string { return Route(name: text, id: nil) ?? DeepLink.route(of: text) }
        let value = JSONValue(asked)
        return value["name"]?.string.flatMap { Route(name: $0, id: value["id"]?.string.flatMap { MoodID($0) }) }
    }
}
