import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import Versions

/// The Model Context Protocol as an adapter: each request becomes calls of the host's own methods, in the way of all
/// other requests.
extension Dispatcher {
    /// Serves an MCP request.
    @inline(never)
    mutating func serve(
        _ method: ModelMethod, _ request: borrowing Request, _ params: ValidJSON?,
        to out: inout JSONWriter
    ) throws {
        guard request.id != nil else { return }
        let mark = out.count
        let request = request.with(core.options.hidesNotes ? .withoutNotes : [])
        out.beginResponse(id: request.id)
        switch method {
        case .callTool: try callTool(try read(params, of: method), request, mark, to: &out)
        case .listen:
            try listen(try read(params, of: method), request)
            core.keepStateOfRequest()
            // The answer comes when it ends.
            return out.rewind(to: mark)
        default:
            let start = out.count
            try write(try read(params, of: method), request.with(.atOnce), method, to: &out)
            if method.showsMoods { core.writeDamage(in: &out, from: start) }
            core.keepStateOfRequest()
        }
        out.endResponse()
        if out.count - mark > request.room { throw Self.tooLong(request.destination, limits) }
    }

    private mutating func read(
        _ params: ValidJSON?, of method: ModelMethod
    ) throws -> (given: ModelParams, revision: Revision) {
        let given = try ModelParams(params)
        return (given, try revision(of: method, given))
    }

    /// The MCP revision of a request.
    private mutating func revision(of method: ModelMethod, _ given: ModelParams) throws -> Revision {
        let agreed = method == .initialize ? Revision.newestWithHandshake : core.state.models.agreed
        let revision = try given.meta.revision(agreed: agreed)
        if method.era == (revision.isStateless ? .older : .newer) {
            throw RPCError(
                .methodNotFound,
                revision.isStateless
                    ? "\(method.name) is of the revisions before \(Revision.july2026.name), which begin with initialize."
                    : "\(method.name) is of the revision \(Revision.july2026.name), which each request names in _meta.",
                [.init("suggestions", .array([]))])
        }
        return revision
    }

    /// Writes the result of any request but a call of a tool.
    private mutating func write(
        _ asked: (given: ModelParams, revision: Revision), _ request: borrowing Request,
        _ method: ModelMethod, to out: inout JSONWriter
    ) throws {
        let (given, revision) = asked
        switch method {
        case .subscribe: try subscribe(given, revision, request, &out)
        case .readResource:
            let reading = try self.reading(given, revision)
            switch reading {
            case .plan(let plan): try carryOut(plan, given, request, to: &out)
            case .moods(let list): try readMoods(list, request, to: &out)
            }
        default:
            guard let plan = try self.plan(method, given, revision) else { return try writePlain(method, given, &out) }
            try carryOut(plan, given, request, to: &out)
        }
    }

    /// The plan of a request that needs methods of the host, or plugins; else nil.
    private mutating func plan(
        _ method: ModelMethod, _ given: ModelParams, _ revision: Revision
    ) throws -> ModelPlan? {
        switch method {
        case .listResources: try listResources(given, revision)
        case .listTemplates: try listTemplates(given)
        case .listPrompts: try listPrompts(given)
        case .getPrompt: try getPrompt(given)
        case .complete: try complete(given, revision)
        default: nil
        }
    }

    /// Writes the result of a request that needs neither.
    private mutating func writePlain(
        _ method: ModelMethod, _ given: ModelParams, _ out: inout JSONWriter
    ) throws {
        switch method {
        case .initialize: try initialize(given, &out)
        case .discover: discover(&out)
        case .ping: out.raw("{}")
        case .setLevel:
            _ = try given.text(given.level, "level", "how much is to be logged")
            out.raw("{}")
        case .listTools:
            try given.checkCursor()
            listTools(&out)
        case .unsubscribe: try unsubscribe(given, &out)
        default: break
        }
    }

    // MARK: The beginning

    private mutating func initialize(_ given: ModelParams, _ out: inout JSONWriter) throws {
        let asked = try given.text(
            given.protocolVersion, "protocolVersion", "a revision of MCP such as \"2025-11-25\"")
        // For an unknown revision, answer with a served one; the client decides whether to continue.
        var agreed = Revision(asked) ?? .newestWithHandshake
        if agreed.isStateless { agreed = .newestWithHandshake }
        core.changeState { $0.models.agreed = agreed }
        out.beginModelResult()
        out.member("protocolVersion", agreed.name)
        out.key("serverInfo")
        out.raw("{\"name\":\"moodboard\",\"title\":\"MoodBoard\",\"version\":\"")
        out.buffer.append(utf8: Version.program)
        out.buffer.append("\"}" as StaticString)
        Self.writeCapabilities(to: &out)
        out.endModelResult(version: Version.program)
    }

    private mutating func discover(_ out: inout JSONWriter) {
        out.beginModelResult()
        out.member("supportedVersions", JSONValue.array(Revision.supported))
        Self.writeCapabilities(to: &out)
        out.endModelResult(freshFor: JSONWriter.listMilliseconds, version: Version.program)
    }

    private static func writeCapabilities(to out: inout JSONWriter) {
        out.key("capabilities")
        out.raw(
            "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},\"prompts\":{\"listChanged\":false},\"completions\":{}}"
        )
        out.member("instructions", Instructions.text)
    }

    private mutating func listTools(_ out: inout JSONWriter) {
        out.beginModelResult()
        out.key("tools")
        toolCatalogue().write(to: &out)
        out.endModelResult(freshFor: JSONWriter.listMilliseconds, version: Version.program)
    }

    /// The tools at present.
    mutating func toolCatalogue() -> ToolCatalogue {
        core.loadPlugins()
        if let tools, toolRevision == core.plugins.toolRevision { return tools }
        let isReadOnly = core.options.isReadOnly
        var all = Tool.all(isReadOnly: isReadOnly).filter { core.methods.find(JSONText($0.method)) != nil }
        if core.options.offersAllTools {
            for method in core.methods.all {
                guard let tool = Tool(method, &core.methods.names), !isReadOnly || tool.effect.isReadOnly,
                    !all.contains(where: { $0.name == tool.name })
                else { continue }
                all.append(tool)
            }
        }
        all += core.plugins.tools(&core.methods.names).filter { !isReadOnly || $0.effect.isReadOnly }
        let made = ToolCatalogue(all)
        tools = made
        toolRevision = core.plugins.toolRevision
        core.listedTools = toolRevision
        return made
    }
}
