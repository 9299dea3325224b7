import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import Versions

/// The Model Context Protocol: an adaptor. Each of its requests becomes calls of the host's own methods, by the same way that every
/// other request goes.
extension Dispatcher {
    /// Serves a request of that protocol.
    /// - Throws: what is answered as an error; nothing was written then.
    @inline(never)
    mutating func serve(
        _ method: ModelMethod, _ request: borrowing Request, _ params: ValidJSON?, _ validator: inout JSONValidator,
        to out: inout JSONWriter
    ) throws(RPCError) {
        guard request.id != nil else { return }
        let mark = out.count
        // A tool says what has changed.
        let request = request.with(core.options.hidesNotes ? [.atOnce, .withoutNotes] : .atOnce)
        do throws(RPCError) {
            let given = try ModelParams(params)
            let revision = try revision(of: method, given)
            out.beginResponse(id: request.id)
            let start = out.count
            let isWritten = try write(method, given, revision, request, &validator, to: &out)
            if isWritten, method.showsMoods { core.writeDamage(in: &out, from: start) }
            core.keepStateOfRequest()
            guard isWritten else { return out.rewind(to: mark) }
            out.endResponse()
            if out.count - mark > request.room {
                throw .answerTooLong(bytesMax: limits[.messageBytes], isOfBatch: request.destination.batch != nil)
            }
        } catch {
            out.rewind(to: mark)
            core.revertStateOfRequest()
            throw error
        }
    }

    /// The revision that a request is of.
    private mutating func revision(of method: ModelMethod, _ given: ModelParams) throws(RPCError) -> Revision {
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

    /// Writes the result.
    /// - Returns: false where the answer comes later, or the request has to wait.
    private mutating func write(
        _ method: ModelMethod, _ given: ModelParams, _ revision: Revision, _ request: borrowing Request,
        _ validator: inout JSONValidator, to out: inout JSONWriter
    ) throws(RPCError) -> Bool {
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
        case .callTool: return try callTool(given, revision, request, &validator, to: &out)
        case .listResources: return try listResources(given, revision, request, &validator, to: &out)
        case .listTemplates: return try listTemplates(given, request, &validator, to: &out)
        case .readResource: return try readResource(given, revision, request, &validator, to: &out)
        case .subscribe: try subscribe(given, revision, &out)
        case .unsubscribe: try unsubscribe(given, &out)
        case .listen:
            try listen(given, revision, request)
            return false
        case .listPrompts: return try listPrompts(given, request, &validator, to: &out)
        case .getPrompt: return try getPrompt(given, request, &validator, to: &out)
        case .complete: return try complete(given, revision, request, &validator, to: &out)
        }
        return true
    }

    // MARK: The beginning

    private mutating func initialize(_ given: ModelParams, _ out: inout JSONWriter) throws(RPCError) {
        let asked = try given.text(
            given.protocolVersion, "protocolVersion", "a revision of MCP such as \"2025-11-25\"")
        // Another revision is answered with one that is served; the client decides whether it goes on.
        var agreed = Revision(asked) ?? .newestWithHandshake
        if agreed.isStateless { agreed = .newestWithHandshake }
        core.changeState { $0.models.agreed = agreed }
        out.beginModelResult()
        out.key("protocolVersion")
        out.string(agreed.name)
        out.key("serverInfo")
        out.raw("{\"name\":\"moodboard\",\"title\":\"MoodBoard\",\"version\":\"")
        out.buffer.append(utf8: Version.program)
        out.buffer.append("\"}" as StaticString)
        Self.writeCapabilities(to: &out)
        out.endModelResult(version: Version.program)
    }

    private mutating func discover(_ out: inout JSONWriter) {
        out.beginModelResult()
        out.key("supportedVersions")
        JSONValue.array(Revision.supported).write(to: &out)
        Self.writeCapabilities(to: &out)
        out.endModelResult(freshFor: JSONWriter.listMilliseconds, version: Version.program)
    }

    private static func writeCapabilities(to out: inout JSONWriter) {
        out.key("capabilities")
        out.raw(
            "{\"tools\":{\"listChanged\":true},\"resources\":{\"subscribe\":true,\"listChanged\":true},\"prompts\":{\"listChanged\":false},\"completions\":{}}"
        )
        out.key("instructions")
        out.string(Instructions.text)
    }

    private mutating func listTools(_ out: inout JSONWriter) {
        out.beginModelResult()
        out.key("tools")
        toolCatalogue().write(to: &out)
        out.endModelResult(freshFor: JSONWriter.listMilliseconds, version: Version.program)
    }

    /// The tools that there are now.
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
        all += core.plugins.tools.filter { !isReadOnly || $0.effect.isReadOnly }
        let made = ToolCatalogue(all)
        tools = made
        toolRevision = core.plugins.toolRevision
        core.listedTools = toolRevision
        return made
    }
}
