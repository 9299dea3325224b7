import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import PluginHost

/// Requests of clients to plugins: their own methods, and share formats.
extension Core {
    /// A call of `x.<id>.<name>`.
    /// - Parameter order: the names of its params, for params by position.
    func callPlugin(
        _ id: PluginID, _ own: Manifest.OwnMethod, _ order: [String], _ arguments: borrowing Arguments
    ) throws(RPCError) -> any LaterWork {
        guard let plugin = plugins[id] else { throw .pluginUnavailable(id.text, state: "untrusted") }
        if let params = arguments.whole, Self.isPlain(params) {
            return try work(plugin, own, Array(params.bytes), at: "", nil) { result, out in
                result.withUnsafeBytes { out.raw($0) }
            }
        }
        var given = arguments.whole.map { JSONValue($0) } ?? .object([])
        if let elements = given.array {
            guard elements.count <= order.count else {
                throw Arguments.error(
                    "is one too many; this method takes \(order.count) params by position", at: "/\(order.count)")
            }
            given = .object(zip(order, elements).map { JSONValue.Member($0, $1) })
        }
        var token: [UInt8]?
        if !order.contains("progressToken"), let asked = given["progressToken"], case .object(let members) = given {
            token = Array(asked.text.utf8)
            given = .object(members.filter { !$0.name.utf8.elementsEqual("progressToken".utf8) })
        }
        return try work(plugin, own, Array(given.text.utf8), at: "", token) { result, out in
            result.withUnsafeBytes { out.raw($0) }
        }
    }

    /// Whether params can be sent unchanged: an object on one line without a token of the caller.
    private static func isPlain(_ params: ValidJSON) -> Bool {
        guard params.bytes.first == UInt8(ascii: "{"), params.bytes.allSatisfy({ $0 >= 0x20 }) else { return false }
        var isPlain = true
        params.forEachMember { name, _ in if name.equals("progressToken") { isPlain = false } }
        return isPlain
    }

    /// Calls a plugin's own method.
    /// - Parameters:
    ///   - params: an object, as JSON on one line.
    ///   - path: the place of the params in those of the request.
    ///   - write: writes the answer, given the result.
    private func work(
        _ plugin: TrustedPlugin, _ own: Manifest.OwnMethod, _ params: [UInt8], at path: String, _ token: [UInt8]?,
        _ write: @escaping ([UInt8], inout JSONWriter) -> Void
    ) throws(RPCError) -> PluginWork {
        if let fault = params.withUnsafeBytes({ own.params.check(ValidJSON(trusting: $0)) }) {
            throw Arguments.error(fault.reason, at: path + fault.path)
        }
        let id = plugin.id.text
        if plugin.manifest.kind == .mcp { return toolWork(plugin, own, JSONValue(bytes: params), token, write) }
        var sent = params
        // The plugin reports its progress under the caller's token.
        if let token {
            sent.removeLast()
            sent += (sent.count > 1 ? ",\"progressToken\":" : "\"progressToken\":").utf8
            sent += token
            sent.append(UInt8(ascii: "}"))
        }
        let call = plugin.call(own.name, sent, progressToken: token)
        return PluginWork([(plugin.hosted, call)], progressToken: token) { (_, out) throws(RPCError) in
            let result = try call.result(of: id)
            if let fault = result.withUnsafeBytes({ own.result.check(ValidJSON(trusting: $0)) }) {
                throw .undeclared(id, fault)
            }
            write(result, &out)
        }
    }

    /// Calls a tool of an MCP server.
    private func toolWork(
        _ plugin: TrustedPlugin, _ own: Manifest.OwnMethod, _ arguments: JSONValue, _ token: [UInt8]?,
        _ write: @escaping ([UInt8], inout JSONWriter) -> Void
    ) -> PluginWork {
        let id = plugin.id.text
        let call = plugin.call(own.name, arguments, progressToken: token)
        return PluginWork([(plugin.hosted, call)], progressToken: token) { (_, out) throws(RPCError) in
            let result = try call.toolResult(of: id)
            // A result with `content` is text for users and has no schema.
            if result["content"] == nil, let fault = own.result.check(result) { throw .undeclared(id, fault) }
            write(Array(result.text.utf8), &out)
        }
    }

    /// Performs an action `{type: "x.<id>.<name>", params?}`; nil for another action. The host cannot try it or repeat
    /// its outcome, because a plugin's method has effects of its own.
    mutating func performByPlugin(
        _ action: JSONValue, _ arguments: borrowing Arguments
    ) throws(RPCError) -> (any LaterWork)? {
        guard let type = action["type"]?.string, type.utf8.starts(with: "x.".utf8) else { return nil }
        seePlugins()
        let name = type.utf8.split(separator: UInt8(ascii: ".")).last.map { String(decoding: $0, as: UTF8.self) } ?? ""
        let id = PluginID(String(decoding: type.utf8.dropFirst(2).dropLast(name.utf8.count + 1), as: UTF8.self))
        guard let id, let plugin = plugins[id], let own = plugin.ownMethods.first(where: { $0.name == name }) else {
            if let id, plugins[id] == nil, let state = plugins.stateWithoutProcess(id) {
                throw .pluginUnavailable(id.text, state: state)
            }
            throw Arguments.error("is no action of a plugin that may run", at: "/action/type")
        }
        let isNamed = arguments[CommonParams.operation] != nil
        if isNamed || arguments.isDryRun {
            throw Arguments.error("is not for actions of plugins; leave it out", at: isNamed ? "/opId" : "/dryRun")
        }
        return try work(plugin, own, Array((action["params"] ?? .object([])).text.utf8), at: "/action/params", nil) {
            result, out in
            out.beginObject()
            out.key("effects")
            out.raw("[]")
            out.key("result")
            result.withUnsafeBytes { out.raw($0) }
            out.endObject()
        }
    }

    /// The method of this name.
    /// - Throws: `pluginUnavailable` for a method of a known plugin that may not run.
    mutating func find(_ name: JSONText) throws(RPCError) -> MethodTable.Entry? {
        if let entry = methods.find(name) { return entry }
        return try findPluginMethod(name)
    }

    /// Adds the methods of all plugins that may run to the table.
    mutating func addPluginMethods() {
        loadPlugins()
        _ = plugins.addMethods(&methods)
    }

    private mutating func findPluginMethod(_ name: JSONText) throws(RPCError) -> MethodTable.Entry? {
        // Most other names are those of MCP.
        guard name.isEscaped || name.raw.first == UInt8(ascii: "x") else { return nil }
        let text = name.string
        guard text.utf8.starts(with: "x.".utf8), text.utf8.count < 256 else { return nil }
        seePlugins()
        addPluginMethods()
        if let entry = methods.find(name) ?? unseenTool(text) { return entry }
        let labels = text.utf8.dropFirst(2).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let id = PluginID(labels.dropLast().map { String(decoding: $0, as: UTF8.self) }.joined(separator: "."))
        else { return nil }
        // A plugin that may run has no such method.
        guard plugins[id] == nil, let state = plugins.stateWithoutProcess(id) else { return nil }
        throw .pluginUnavailable(id.text, state: state)
    }

    /// Shares a mood in a plugin's format, for `mood.share`.
    mutating func shareByPlugin(
        _ name: String, _ id: MoodID, _ request: borrowing Request, _ arguments: borrowing Arguments
    ) throws -> any LaterWork {
        seePlugins()
        guard let (plugin, format) = plugins.shareFormat(name) else {
            let known = ShareFormat.all.map { "\"\($0.name)\"" } + plugins.shareFormatNames.map { "\"\($0)\"" }
            throw Arguments.error("must be one of \(known.joined(separator: ", "))", at: "/format")
        }
        if request.caller.plugin != nil { throw RPCError.ofPluginToPlugin(plugin.id.text) }
        for (given, member) in [
            (arguments[has: MoodParams.template], "/template"),
            (arguments[MoodParams.component] != .usual, arguments.path(MoodParams.component)),
        ] where given {
            throw Arguments.error("does not belong to format \(name); leave out one of the two", at: member)
        }
        var params = try pluginReading(of: id, request, arguments)
        params.insert(.init("format", .string(name)), at: 0)
        let call = plugin.call("share.render", .object(params))
        let mediaType = format.mediaType + "; charset=utf-8"
        return PluginWork([(plugin.hosted, call)]) { (_, out) throws(RPCError) in
            let result = try call.result(of: plugin.id.text)
            let value = result.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
            guard let text = value["text"]?.string else {
                throw .pluginFailed(plugin.id.text, "its result has no text", path: "/text")
            }
            out.beginObject()
            out.member("text", text)
            out.member("mediaType", mediaType)
            out.member("format", name)
            out.endObject()
        }
    }

    /// `{mood, locale, timeZone, now}`: the params with which a plugin describes a mood.
    mutating func pluginReading(
        of id: MoodID, _ request: borrowing Request, _ arguments: borrowing Arguments
    ) throws -> [JSONValue.Member] {
        let record = try store.record(id)
        var mood = JSONValue(record)
        if request.ways.contains(.withoutNotes) {
            mood = .object((mood.object ?? []).filter { !$0.name.utf8.elementsEqual("notes".utf8) })
        }
        let context = reading(arguments, in: MoodMembers(trusting: record).timeZone)
        return [
            .init("mood", mood), .init("locale", .string(context.locale)),
            .init("timeZone", .string(context.timeZone ?? TimeZones.system)), .init("now", .string(context.now.text)),
        ]
    }
}

extension RPCError {
    static func undeclared(_ plugin: String, _ fault: SchemaFault) -> RPCError {
        .pluginFailed(
            plugin, "its result is not what it has declared: \(fault.path.isEmpty ? "it" : fault.path) \(fault.reason)",
            path: fault.path)
    }

    /// The error of a plugin's request to another plugin, which the host does not serve.
    static func ofPluginToPlugin(_ plugin: String) -> RPCError {
        RPCError(
            .permissionDenied, "What a plugin asks is not served by a plugin; this belongs to \(plugin).",
            [.init("permission", "owner")])
    }
}
