import JSONCodec
import JSONRPC
import MoodProtocol
import PluginHost

/// The tools of MCP servers that are plugins. The host pins them at the first start, so that a server cannot change
/// them after it was trusted.
extension Core {
    /// Pins the tools that MCP servers have listed. No group is open, and the call may wait for the store's lock.
    /// - Returns: whether it wrote to the file.
    mutating func takeServerTools() -> Bool {
        let unpinned = plugins.takeTools(&methods)
        guard !unpinned.isEmpty, !options.isReadOnly else { return false }
        let found = unpinned.map { (id: $0.id, digest: $0.toolsDigest, tools: JSONValue.array($0.hosted.tools)) }
        let pin: PluginRecordsChange = { (records, _) in
            for (id, digest, tools) in found {
                // Another host may have pinned them first.
                guard var record = records[id], record.toolList == nil else { continue }
                (record.tools, record.toolList) = (digest, tools)
                records[id] = record
            }
        }
        do {
            var contents = PluginContents(records: plugins.records, secrets: plugins.secrets)
            if path == nil {
                try pin(&contents.records, &contents.secrets)
            } else {
                contents = try store.changePlugins(pin)
            }
            take(contents)
        } catch {
            for plugin in unpinned {
                plugin.hosted.note("Its tools could not be pinned: \(RPCError(error, .write).message)")
            }
        }
        return true
    }

    /// Pins tools when the user trusts an MCP server.
    /// - Parameter digest: the digest of the tools that the user has seen; nil: keep the pinned ones, or pin the first
    ///   listed.
    /// - Throws: `conflict` if the trusted server has listed other tools.
    mutating func pinTools(
        _ digest: String?, _ before: PluginRecords.Record?, _ record: inout PluginRecords.Record
    ) throws(RPCError) {
        (record.tools, record.toolList) = (digest ?? before?.tools, before?.toolList)
        guard let digest, before.map({ $0.tools != digest || $0.toolList == nil }) ?? true else { return }
        let running = plugins[record.id]
        if before?.digest == record.digest, let present = running?.toolsDigest, present != digest {
            throw RPCError(
                .conflict,
                "The tools of \(record.id) are not what was looked at: their digest is \(present). Look at them again, then trust that.",
                [
                    .init("reason", "tools"), .init("currentRevision", .number(String(store.revision))),
                    .init("tools", .string(present)),
                ])
        }
        record.toolList = running?.toolsDigest == digest ? running.map { .array($0.hosted.tools) } : nil
    }

    /// A method of an MCP server that has not listed its tools: a call starts the server and finds out.
    mutating func unseenTool(_ name: String) -> MethodTable.Entry? {
        for plugin in plugins.plugins(that: .methods)
        where plugin.manifest.kind == .mcp && plugin.record.toolList == nil {
            let prefix = "x.\(plugin.id)."
            guard name.utf8.starts(with: prefix.utf8), plugin.toolsDigest == nil else { continue }
            let tool: JSONValue = [
                "name": .string(String(decoding: name.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)),
                "inputSchema": ["type": "object"],
            ]
            guard let own = Manifest.OwnMethod(tool: tool) else { return nil }
            let (method, run) = plugin.method(own, &methods.names)
            return MethodTable.Entry(method, run)
        }
        return nil
    }
}

extension PluginCall {
    /// The result of a tool: its structured content, else `{content}`.
    /// - Throws: `pluginFailed` with the text of a failed tool.
    func toolResult(of plugin: String) throws(RPCError) -> JSONValue {
        let bytes = try result(of: plugin)
        let value = bytes.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        let texts = (value["content"]?.array ?? []).compactMap { $0["text"]?.string }
        if value["isError"]?.boolean == true {
            throw .pluginFailed(
                plugin, [UInt8](JSONValue.object([.init("message", .string(texts.joined(separator: "\n")))]).text.utf8))
        }
        if value["resultType"]?.string == "input_required" {
            throw .pluginFailed(plugin, "its tool wants to ask a person something, and this host can ask no person")
        }
        if let structured = value["structuredContent"], structured.object != nil { return structured }
        guard let content = value["content"], content.array != nil else {
            throw .pluginFailed(plugin, "its tool has answered with nothing that MCP knows", path: "/content")
        }
        return .object([.init("content", content)])
    }
}
