import JSONCodec
import JSONRPC
import MCP
import MoodCore
import MoodProtocol

/// `tools/call`.
extension Dispatcher {
    /// What a call of a tool is, while it is served.
    struct ToolCall {
        let tool: Tool
        var arguments: ToolArguments
        let given: ModelParams
        let request: Request
        var facts: ToolFacts
    }

    /// - Returns: false where the answer comes later, or the request has to wait.
    mutating func callTool(
        _ given: ModelParams, _ revision: Revision, _ request: Request, _ validator: inout JSONValidator,
        to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
        let name = try given.text(given.name, "name", "the name of a tool, as tools/list gives it")
        let tool = try toolCatalogue().find(name)
        let arguments = ToolArguments(try given.object(given.arguments, "arguments"))
        if let problem = arguments.problem(for: tool.input, limits) {
            out.toolError(tool.text(of: problem), version: Core.version)
            return true
        }
        let isHidden = core.options.hidesNotes || arguments.boolean("with_notes") == false
        var facts = ToolFacts(
            revision, notes: isHidden ? .hidden : tool.showsMany ? .ofLists : .whole,
            bytesMax: limits[.mcpAnswerBytes], version: Core.version)
        facts.isDryRun = arguments.boolean("dry_run") == true
        var call = ToolCall(tool: tool, arguments: arguments, given: given, request: request, facts: facts)
        if let problem = understand(&call) {
            out.toolError(problem, version: Core.version)
            return true
        }
        core.hidesNotes = isHidden
        defer { core.hidesNotes = false }
        guard try perform(&call, &validator, to: &out) else { return false }
        if let token = given.meta.progressToken { core.notices.addDone(token) }
        return true
    }

    private mutating func perform(
        _ call: inout ToolCall, _ validator: inout JSONValidator, to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
        switch call.tool.work {
        case .get: return try get(call, &validator, to: &out)
        case .find: return try find(&call, &validator, to: &out)
        case .delete: return try delete(&call, &validator, to: &out)
        default: break
        }
        var params = JSONWriter(capacity: 512)
        var native = JSONWriter(capacity: 1024)
        defer { extendLifetime(params) }
        defer { extendLifetime(native) }
        call.tool.writeParams(call.arguments, to: &params)
        let before = revisionBefore(call)
        switch try ask(
            Name(call.tool.method), ValidJSON(trusting: params.buffer.bytes), for: call.request, &validator,
            into: &native)
        {
        case .result(let value):
            noteChange(since: before, &call)
            switch call.tool.work {
            case .add, .update, .favorite: call.tool.writeMood(value, call.facts, to: &out)
            case .share: call.tool.writeValue(value, text: JSONValue(value)["text"]?.string, call.facts, to: &out)
            case .screen: call.tool.writeScreen(value, call.facts, to: &out)
            default: call.tool.writeValue(value, call.facts, to: &out)
            }
        case .failure(let error): out.toolError(call.tool.text(of: error), version: Core.version)
        case .later, .parked: return false
        }
        return true
    }

    // MARK: Single tools

    private mutating func get(
        _ call: ToolCall, _ validator: inout JSONValidator, to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
        var params = JSONWriter(capacity: 64)
        var native = JSONWriter(capacity: 1024)
        var past = JSONWriter(capacity: 16)
        defer { extendLifetime(params) }
        defer { extendLifetime(native) }
        defer { extendLifetime(past) }
        call.tool.writeParams(call.arguments, to: &params)
        let asked = ValidJSON(trusting: params.buffer.bytes)
        switch try ask(Name("mood.get"), asked, for: call.request, &validator, into: &native) {
        case .result(let mood):
            guard call.arguments.boolean("with_history") == true else {
                call.tool.writeMood(mood, call.facts, to: &out)
                return true
            }
            guard
                case .result(let page) = try ask(
                    Name("mood.history"), asked, for: call.request, &validator, into: &past)
            else { return false }
            var items: ValidJSON?
            page.forEachMember { name, value in if name.equals("items") { items = value } }
            call.tool.writeMood(mood, history: items, call.facts, to: &out)
        case .failure(let error): out.toolError(call.tool.text(of: error), version: Core.version)
        case .later, .parked: return false
        }
        return true
    }

    /// Asks for fewer where the answer would be too long, so that the cursor fits what is shown.
    private mutating func find(
        _ call: inout ToolCall, _ validator: inout JSONValidator, to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
        var params = JSONWriter(capacity: 256)
        var native = JSONWriter(capacity: 16 * 1024)
        defer { extendLifetime(params) }
        defer { extendLifetime(native) }
        while true {
            params.rewind(to: 0)
            call.tool.writeParams(call.arguments, to: &params)
            switch try ask(
                Name("mood.list"), ValidJSON(trusting: params.buffer.bytes), for: call.request, &validator,
                into: &native)
            {
            case .result(let page):
                guard let fewer = call.tool.writeMoods(page, call.facts, to: &out) else { return true }
                guard fewer > 0 else {
                    out.toolError(
                        call.tool.text(
                            "matches a mood that is longer than an answer may be (\(call.facts.bytesMax) bytes, the limit mcpAnswerBytes). Give with_notes false, or read the resource moodboard://mood/ID",
                            at: ""), version: Core.version)
                    return true
                }
                call.arguments.understand("limit", as: .number(String(fewer)))
            case .failure(let error):
                out.toolError(call.tool.text(of: error), version: Core.version)
                return true
            case .later, .parked: return false
            }
        }
    }

    private mutating func delete(
        _ call: inout ToolCall, _ validator: inout JSONValidator, to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
        var ids: [JSONText] = []
        call.arguments["ids"]?.forEachElement { if let id = $0.text { ids.append(id) } }
        if ids.count > 1, !call.facts.isDryRun, call.arguments.integer("confirm") != ids.count {
            out.toolError(
                call.tool.text(
                    "must be \(ids.count), the number of ids, to say that so many moods are meant to be deleted. Ask the person first",
                    at: "/confirm"), version: Core.version)
            return true
        }
        var params = JSONWriter(capacity: 512)
        var native = JSONWriter(capacity: 64)
        defer { extendLifetime(params) }
        defer { extendLifetime(native) }
        call.tool.writeParams(call.arguments, to: &params)
        let before = revisionBefore(call)
        switch try ask(
            Name("mood.deleteMany"), ValidJSON(trusting: params.buffer.bytes), for: call.request, &validator,
            into: &native)
        {
        case .result:
            noteChange(since: before, &call)
            call.tool.writeDeleted(ids, call.facts, to: &out)
        case .failure(let error): out.toolError(call.tool.text(of: error), version: Core.version)
        case .later, .parked: return false
        }
        return true
    }

    // MARK: What has changed

    /// The store's revision, with what others have done so far.
    private mutating func revisionBefore(_ call: ToolCall) -> Int {
        guard !call.tool.effect.isReadOnly else { return 0 }
        // Where it cannot be opened, the method says so.
        try? core.open()
        return core.store.revision
    }

    private mutating func noteChange(since before: Int, _ call: inout ToolCall) {
        call.facts.storeRevision = core.store.revision
        call.facts.hasChanged = !call.tool.effect.isReadOnly && !call.facts.isDryRun && core.store.revision != before
    }
}

extension Dispatcher {
    /// Understands what was said in words: times, feelings, routes.
    /// - Returns: what is wrong with one of them.
    private mutating func understand(_ call: inout ToolCall) -> String? {
        for (name, meaning) in call.tool.times {
            guard let text = call.arguments.text(name) else { continue }
            switch core.time(of: text, as: meaning, zone: call.arguments.text("time_zone")) {
            case .success(let time): call.arguments.understand(name, as: .string(time.text))
            case .failure(let problem): return call.tool.text(problem.reason, at: "/\(name)")
            }
        }
        if case .perform = call.tool.work, let problem = Tool.problem(ofAction: call.arguments["action"]) {
            return call.tool.text(problem, at: "/action/type")
        }
        if case .screen = call.tool.work, let asked = call.arguments["route"] {
            guard let route = Self.route(asked) else {
                return call.tool.text(
                    "must be one of \(Route.names.dropLast().joined(separator: ", ")), or moodboard://mood/ID with the id of a mood",
                    at: "/route")
            }
            var writer = JSONWriter(capacity: 64)
            route.write(to: &writer)
            if let value = try? JSONValue.parse(Array(writer.buffer.bytes)) {
                call.arguments.understand("route", as: value)
            }
        }
        return nil
    }

    /// A route by its name, its address, or as screens write it.
    static func route(_ asked: ValidJSON) -> Route? {
        if let text = asked.text?.string { return Route(name: text, id: nil) ?? DeepLink.route(of: text) }
        let value = JSONValue(asked)
        return value["name"]?.string.flatMap { Route(name: $0, id: value["id"]?.string.flatMap { MoodID($0) }) }
    }
}

/// Why words were not understood.
struct WordProblem: Error {
    let reason: String
}

extension Core {
    func time(of text: String, as meaning: Tool.TimeMeaning, zone: String?) -> Result<Timestamp, WordProblem> {
        if let time = Timestamp(text) { return .success(time) }
        return .failure(WordProblem(reason: "must be an RFC 3339 time such as 2026-11-20T10:00:00Z"))
    }
}
