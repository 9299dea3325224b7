import JSONCodec
import JSONRPC
import PluginHost

/// Descriptions of plugins for clients.
extension PluginRegistry {
    /// The plugin with this id in the folders at present, without shadowed ones.
    func find(_ id: PluginID) -> FoundPlugin? { scan(only: id).first { $0.id == id.text && !$0.isShadowed } }

    /// - Throws: `notFound` for an unknown plugin.
    func require(_ id: PluginID) throws(RPCError) {
        guard self[id] == nil, records[id] == nil, find(id) == nil else { return }
        throw Self.missing(id)
    }

    static func missing(_ id: PluginID) -> RPCError {
        RPCError(
            .notFound, "There is no plugin \(id). mood plugin list shows those that are there.",
            [.init("id", .string(id.text))])
    }

    /// The state of a plugin that cannot run here; nil for an unknown one.
    func stateWithoutProcess(_ id: PluginID) -> String? {
        if let record = records[id], !record.isEnabled { return "disabled" }
        guard let found = find(id) else { return nil }
        return found.problem != nil ? "invalid" : "untrusted"
    }

    var shareFormatNames: [String] {
        plugins(that: .shareFormats).flatMap { $0.manifest.provides.shareFormats.map(\.name) }
    }

    /// `{id, name, version, state, reason?, changed?, path, provides, permissions}` of a plugin in a folder.
    func summary(_ found: FoundPlugin) -> JSONValue {
        .object(members(found, PluginID(found.id)))
    }

    /// The description of a trusted plugin that is in no folder.
    func summary(of id: PluginID) -> JSONValue { .object(members(nil, id)) }

    private func members(_ found: FoundPlugin?, _ id: PluginID?) -> [JSONValue.Member] {
        let plugin = found?.isShadowed == true ? nil : id.flatMap { self[$0] }
        let record = found?.isShadowed == true ? nil : id.flatMap { records[$0] }
        let manifest = found?.manifest ?? plugin?.manifest
        let (state, reason) = listedState(found, plugin, record)
        var members: [JSONValue.Member] = [.init("id", .string(id?.text ?? found?.id ?? ""))]
        if let manifest {
            members.append(.init("name", .string(manifest.name)))
            members.append(.init("version", .string(manifest.version)))
        }
        members.append(.init("state", .string(state)))
        if let reason { members.append(.init("reason", .string(reason))) }
        if let trusted = record?.digest, let found, found.digest?.text != trusted {
            members.append(.init("changed", true))
        }
        if let found { members.append(.init("path", .string(found.path))) }
        if let provides = manifest?.source["provides"] { members.append(.init("provides", provides)) }
        if let manifest { members.append(.init("permissions", manifest.permissions.json)) }
        return members
    }

    func listedState(
        _ found: FoundPlugin?, _ plugin: TrustedPlugin?, _ record: PluginRecords.Record?
    ) -> (state: String, reason: String?) {
        if found?.isShadowed == true { return ("shadowed", "Another folder with this id comes first.") }
        if let plugin { return (plugin.hosted.life.state.rawValue, plugin.hosted.life.reason) }
        if let record {
            if !record.isEnabled { return ("disabled", nil) }
            return ("failed", "What was trusted cannot be used. Trust it again.")
        }
        if let problem = found?.problem { return ("invalid", "\(problem)") }
        if settings.isOff { return ("disabled", "The host was started with --no-plugins.") }
        return ("untrusted", problem)
    }

    /// The full description of a plugin; nil for an unknown one.
    func detail(_ id: PluginID) -> JSONValue? {
        let found = find(id)
        let record = records[id]
        guard found != nil || record != nil else { return nil }
        var members = members(found, id)
        let plugin = self[id]
        if let digest = found?.digest { members.append(.init("digest", .string(digest.text))) }
        let manifest = plugin?.manifest ?? found?.manifest
        if let record {
            members.append(.init("trusted", .string(record.digest)))
            members.append(.init("trustedSince", .string(record.trustedSince)))
            members.append(.init("exec", .string(record.execRealPath)))
            members.append(.init("granted", plugin?.granted ?? .object([])))
        } else if let manifest, let found,
            let program = ExecSearch.find(manifest.exec[0], folder: found.path, runtimes: [])
        {
            members.append(.init("exec", .string(program.realPath)))
        }
        if let manifest {
            members.append(.init("command", .array(manifest.exec.map { .string($0) })))
            let config = PluginConfig.withDefaults(record?.config ?? .object([]), by: manifest.config)
            members.append(.init("config", PluginConfig.split(config, by: manifest.config).open))
            members.append(.init("limits", manifest.limits.json))
        }
        if let plugin { members += plugin.facts }
        if record != nil, let error = notes(of: id).lastError { members.append(.init("lastError", error.json)) }
        return .object(members)
    }
}

extension TrustedPlugin {
    /// Its permissions: those of its manifest, and those that the user has added.
    fileprivate var granted: JSONValue {
        var permissions = manifest.permissions
        permissions.readable += record.readable
        permissions.writable += record.writable
        let members = permissions.json.object ?? []
        return .object(members + [.init("runtimes", .array(record.runtimes.map { .string($0) }))])
    }

    /// The facts of its process.
    fileprivate var facts: [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        func number(_ name: String, _ value: Int?) {
            if let value { members.append(.init(name, .number(String(value)))) }
        }
        if !hosted.isolation.isEmpty {
            members.append(
                .init(
                    "isolation",
                    .object(
                        hosted.isolation.map { part, level in
                            switch level {
                            case .enforced: .init(part.rawValue, "enforced")
                            case .declared(let reason): .init(part.rawValue, .string("declared: \(reason)"))
                            }
                        })))
        }
        if manifest.kind == .mcp {
            if let tools = toolsDigest ?? record.tools { members.append(.init("tools", .string(tools))) }
            if let pinned = record.tools { members.append(.init("pinnedTools", .string(pinned))) }
            members.append(.init("hiddenTools", .array(hiddenTools.map { .string($0) })))
        }
        number("pid", hosted.processID.map(Int.init))
        number("starts", hosted.life.starts)
        number("crashes", hosted.life.crashes)
        number("calls", hosted.calls)
        number("acknowledged", acknowledged)
        return members
    }
}

extension LastError {
    fileprivate var json: JSONValue {
        ["at": .string(at), "reason": .string(fault.reason), "what": .string(fault.kind.rawValue)]
    }
}

extension Manifest.Limits {
    fileprivate var json: JSONValue {
        [
            "memoryMB": .number(String(memoryMB)), "cpuSeconds": .number(String(cpuSeconds)),
            "diskMB": .number(String(diskMB)), "timeoutMs": .number(String(timeoutMilliseconds)),
            "concurrency": .number(String(concurrency)), "idleSeconds": .number(String(idleSeconds)),
        ]
    }
}
