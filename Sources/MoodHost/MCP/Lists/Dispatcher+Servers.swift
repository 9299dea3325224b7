import JSONCodec
import JSONRPC
import MCP
import MoodProtocol
import Platform
import PluginHost
import Versions

/// Resources and prompts of MCP servers that are plugins, under `x.<id>.`. The first list that an AI client asks for
/// starts them.
extension Dispatcher {
    /// The time that a list waits for a server. A server that has not answered by then is left out.
    private static let listMilliseconds = 3000

    /// Writes a list of the host's own items and those of servers.
    /// - Parameters:
    ///   - calls: the native calls for a page of the host's own items, given its cursor.
    ///   - write: writes the host's own items of a page, given its cursor.
    mutating func list(
        _ item: ForwardedMCPItem, _ given: ModelParams, freshFor milliseconds: Int = 0,
        _ calls: (String) -> [NativeCall] = { _ in [] },
        _ write: @escaping (inout Core, String, [ModelWork.Outcome], inout JSONWriter) throws -> String?
    ) throws -> ModelPlan {
        let cursor = given.cursor?.isNull == false ? try given.text(given.cursor, "cursor", "a nextCursor").string : ""
        let place = cursor.isEmpty ? ListPlace(servers: servers.map(\.id)) : try ListPlace(cursor: cursor)
        let own = place.own.map(calls) ?? []
        var asked: [(server: TrustedPlugin, cursor: String)] = []
        var works: [PluginWork] = []
        for (id, cursor) in place.servers {
            guard let server = server(id) else { continue }
            asked.append((server, cursor))
            works.append(Self.page(of: server, item, cursor))
        }
        return ModelPlan(own, besides: works) {
            (core, outcomes, out) throws in
            var next = ListPlace(servers: [])
            next.own = nil
            out.beginModelResult()
            out.key(text: item.rawValue)
            out.beginArray()
            if let cursor = place.own { next.own = try write(&core, cursor, outcomes, &out) }
            for ((server, cursor), outcome) in zip(asked, outcomes.dropFirst(own.count)) {
                guard case .success(let bytes) = outcome else { continue }
                let page = JSONValue(bytes: bytes)
                for item in item.items(of: page, server.id, leaveOut: server.noteOnce) { item.write(to: &out) }
                next.goOn(server.id, at: page["nextCursor"]?.string, after: cursor)
            }
            out.endArray()
            out.member("nextCursor", next.cursor)
            out.endModelResult(freshFor: works.isEmpty ? milliseconds : 0, version: Version.program)
        }
    }

    /// One page of a server; `{}` if it has none, or does not answer in time.
    private static func page(of server: TrustedPlugin, _ item: ForwardedMCPItem, _ cursor: String) -> PluginWork {
        let call = server.request(item.method, .object(cursor.isEmpty ? [] : [.init("cursor", .string(cursor))]))
        let hosted = server.hosted
        let end = Clock.monotonicMilliseconds + listMilliseconds
        return PluginWork([(hosted, call)], until: end) { (_, out) throws in
            if case .result(let bytes) = call.outcome { return bytes.withUnsafeBytes { out.raw($0) } }
            hosted.abandon(call)
            out.raw("{}")
        }
    }

    /// The MCP servers among the plugins that may run. No plugin serves a request of another plugin.
    private var servers: [TrustedPlugin] {
        mutating get {
            core.loadPlugins()
            return core.plugins.plugins(that: .methods).filter { $0.manifest.kind == .mcp }
        }
    }

    private mutating func server(_ id: PluginID) -> TrustedPlugin? { servers.first { $0.id == id } }

    /// The server of a prompt or address, and its name there. Ids and names contain full stops, so the longest matching
    /// id counts.
    mutating func server(of name: String) -> (server: TrustedPlugin, name: String)? {
        guard name.utf8.starts(with: "x.".utf8) else { return nil }
        let named = servers.filter { name.utf8.starts(with: ForwardedMCPItem.prefix($0.id).utf8) }
        guard let server = named.max(by: { $0.id.text.utf8.count < $1.id.text.utf8.count }) else { return nil }
        let rest = name.utf8.dropFirst(ForwardedMCPItem.prefix(server.id).utf8.count)
        return (server, String(decoding: rest, as: UTF8.self))
    }

    /// Asks a server, and writes the members of the result from its answer.
    /// - Parameters:
    ///   - otherwise: the result of a server that does not have the method; nil is the error for an unknown item.
    ///   - refusal: the error if the server does not know the item, given the server's message.
    mutating func pass(
        _ method: String, _ params: JSONValue, to server: TrustedPlugin, otherwise: JSONValue? = nil,
        refusal: @escaping (String) -> RPCError = { Arguments.error("is not known there: \($0)", at: "/ref") },
        _ write: @escaping (JSONValue, inout JSONWriter) throws -> Void
    ) throws -> ModelPlan {
        let (call, id) = (server.request(method, params), server.id.text)
        let work = PluginWork([(server.hosted, call)]) { (_, out) throws in
            if call.isOfNoMethod {
                guard let otherwise else { throw refusal("it has no \(method)") }
                return otherwise.write(to: &out)
            }
            if case .failed(let error) = call.outcome {
                let error = JSONValue(bytes: error)
                // Both eras' codes for an unknown item. (MCP: "Error Handling" of resources and prompts)
                if [-32602, -32002].contains(error["code"]?.integer) {
                    throw refusal(String((error["message"]?.string ?? "").unicodeScalars.prefix(500)))
                }
            }
            let bytes = try call.result(of: id)
            bytes.withUnsafeBytes { out.raw($0) }
        }
        return ModelPlan([], besides: [work]) {
            (_, outcomes, out) throws in
            let result = JSONValue(bytes: try outcomes[0].get())
            out.beginModelResult()
            try write(result, &out)
            out.endModelResult(version: Version.program)
        }
    }

    mutating func readResource(
        _ address: String, of server: TrustedPlugin, _ revision: Revision
    ) throws -> ModelPlan {
        let id = server.id
        return try pass(
            "resources/read", ["uri": .string(ForwardedMCPItem.original(address))], to: server,
            refusal: { .noResource(ForwardedMCPItem.prefix(id) + address, revision, RPCError(.notFound, $0)) }
        ) { (result, out) throws in
            out.key("contents")
            try ForwardedMCPItem.contents(of: result, id).write(to: &out)
        }
    }

    mutating func getPrompt(
        _ name: String, of server: TrustedPlugin, _ given: ModelParams
    ) throws -> ModelPlan {
        let id = server.id
        var params: [JSONValue.Member] = [.init("name", .string(name))]
        if let arguments = try given.object(given.arguments, "arguments") {
            params.append(.init("arguments", JSONValue(arguments)))
        }
        return try pass(
            "prompts/get", .object(params), to: server,
            refusal: {
                Arguments.error("names no prompt of the plugin \(id), or its arguments are wrong: \($0)", at: "/name")
            }
        ) { (result, out) throws in
            out.member("description", (result["description"]?.string ?? name) + " (Of the plugin \(id).)")
            out.key("messages")
            try ForwardedMCPItem.messages(of: result, id).write(to: &out)
        }
    }

    /// - Parameter reference: `ref` with the name or template as the server knows it.
    mutating func complete(
        _ reference: JSONValue, _ argument: JSONValue, of server: TrustedPlugin
    ) throws -> ModelPlan {
        try pass(
            "completion/complete", ["ref": reference, "argument": argument], to: server, otherwise: .object([])
        ) { (result, out) throws in
            let found = result["completion"] ?? .null
            let values = (found["values"]?.array ?? []).filter { $0.string != nil }
            out.key("completion")
            JSONValue.object([
                .init("values", .array(Array(values.prefix(Self.valuesMax)))),
                .init("hasMore", .boolean(found["hasMore"]?.boolean ?? (values.count > Self.valuesMax))),
            ]).write(to: &out)
        }
    }
}

extension PluginCall {
    /// Whether the server does not have the method: it has not declared it, or says so.
    fileprivate var isOfNoMethod: Bool {
        switch outcome {
        case .unknown: true
        case .failed(let error): JSONValue(bytes: error)["code"]?.integer == -32601
        default: false
        }
    }
}
