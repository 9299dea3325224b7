import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import PluginHost

/// `plugin.*`.
extension Core {
    static let pluginHandlers: InlineArray<_, Handler> = [
        Handler(PluginMethods.list, { $0.listPlugins(&$3) }),
        Handler(
            PluginMethods.info,
            { (core, _, arguments, out) throws(RPCError) in
                core.seePlugins()
                try core.writePlugin(try pluginID(arguments), &out)
            }
        ),
        Handler(
            PluginMethods.trust,
            check: { (core, _, arguments) throws(RPCError) in
                _ = try (core.trustable(arguments), grants(arguments))
                return core.needOfRecords
            },
            { (core, _, arguments, out) throws(RPCError) in try core.trustPlugin(arguments, &out) }
        ),
        Handler(
            PluginMethods.untrust,
            check: { (core, _, arguments) throws(RPCError) in
                let id = try core.seenPlugin(arguments)
                return core.plugins.records[id] == nil ? [] : core.needOfRecords
            },
            { (core, _, arguments, out) throws(RPCError) in
                try core.untrustPlugin(try pluginID(arguments), &out)
            }
        ),
        Handler(
            PluginMethods.enable,
            check: { (core, _, arguments) throws(RPCError) in try core.checkTrusted(arguments) },
            { (core, _, arguments, out) throws(RPCError) in
                try core.changePlugin(arguments, &out) { (record, _) throws(RPCError) in record.isEnabled = true }
            }
        ),
        Handler(
            PluginMethods.disable,
            check: { (core, _, arguments) throws(RPCError) in try core.checkTrusted(arguments) },
            { (core, _, arguments, out) throws(RPCError) in
                try core.changePlugin(arguments, &out) { (record, _) throws(RPCError) in record.isEnabled = false }
            }
        ),
        Handler(
            PluginMethods.restart,
            check: { (core, _, arguments) throws(RPCError) in
                let id = try core.seenPlugin(arguments)
                return core.options.isReadOnly || core.plugins[id] == nil ? [] : core.needOfRecords
            },
            { (core, _, arguments, out) throws(RPCError) in
                try core.restartPlugin(try pluginID(arguments), skip: arguments[PluginParams.skip], &out)
            }
        ),
        Handler(
            PluginMethods.configure,
            check: { (core, _, arguments) throws(RPCError) in
                _ = try core.configuration(arguments)
                return try core.checkTrusted(arguments)
            },
            { (core, _, arguments, out) throws(RPCError) in try core.configurePlugin(arguments, &out) }),
        Handler(
            PluginMethods.log,
            { (core, _, arguments, out) throws(RPCError) in
                let id = try core.seenPlugin(arguments)
                writeLog(core.plugins.notes(of: id).last(arguments[PluginParams.lines]), &out)
            }
        ),
    ]

    private static func pluginID(_ arguments: borrowing Arguments) throws(RPCError) -> PluginID {
        guard let id = PluginID(arguments[PluginParams.id]) else {
            throw Arguments.error("must be an id such as org.example.poem", at: "/id")
        }
        return id
    }

    /// The known plugin that a request names, by the records as they are now.
    private mutating func seenPlugin(_ arguments: borrowing Arguments) throws(RPCError) -> PluginID {
        seePlugins()
        let id = try Self.pluginID(arguments)
        try plugins.require(id)
        return id
    }

    /// Checks that a request names a trusted plugin.
    private mutating func checkTrusted(_ arguments: borrowing Arguments) throws(RPCError) -> Need {
        let id = try seenPlugin(arguments)
        if plugins.records[id] == nil { throw Self.untrusted(id) }
        return needOfRecords
    }

    /// The need of a change of the records: the store's lock.
    private var needOfRecords: Need { path == nil ? [] : .makes }

    private static func untrusted(_ id: PluginID) -> RPCError {
        let reason = "\(id) is not trusted. Trust it first: mood plugin trust \(id)."
        return RPCError(.refused, reason, [.init("by", .string(id.text)), .init("reason", .string(reason))])
    }

    private static func writeLog(_ lines: [PluginLog.Line], _ out: inout JSONWriter) {
        out.beginObject()
        out.member("lines", array: lines) { line, out in line.write(to: &out) }
        out.endObject()
    }

    // MARK: Listing

    private mutating func listPlugins(_ out: inout JSONWriter) {
        seePlugins()
        out.beginObject()
        out.key("plugins")
        out.beginArray()
        for place in plugins.settings.places where (try? FileSystem.system.list(place)) == nil {
            log(.warning, "--plugins \(place): there is no such folder, or it cannot be read.")
        }
        let found = plugins.scan()
        for one in found { plugins.summary(one).write(to: &out) }
        // A trusted plugin runs on even if its folder is gone.
        for record in plugins.records.records where !found.contains(where: { $0.id == record.id.text }) {
            plugins.summary(of: record.id).write(to: &out)
        }
        out.endArray()
        out.endObject()
    }

    private func writePlugin(_ id: PluginID, _ out: inout JSONWriter) throws(RPCError) {
        guard let info = plugins.detail(id) else { throw PluginRegistry.missing(id) }
        info.write(to: &out)
    }

    // MARK: Changing

    private mutating func changePlugin(
        _ arguments: borrowing Arguments, _ out: inout JSONWriter,
        _ body: (inout PluginRecords.Record, inout JSONValue) throws(RPCError) -> Void
    ) throws(RPCError) {
        let id = try Self.pluginID(arguments)
        try changePlugins { (records, secrets) throws(RPCError) in
            guard var record = records[id] else { throw Self.untrusted(id) }
            try body(&record, &secrets[id])
            records[id] = record
        }
        try writePlugin(id, &out)
    }

    /// Restarts a plugin. The file notifies every other host that runs it.
    private mutating func restartPlugin(_ id: PluginID, skip: Bool, _ out: inout JSONWriter) throws(RPCError) {
        if options.isReadOnly {
            if let plugin = plugins[id] { plugins.restart(plugin, skip: skip) }
        } else if plugins[id] != nil {
            try changePlugins { (records, _) throws(RPCError) in
                records[id]?.restarts += 1
                if skip { records[id]?.skips += 1 }
            }
        }
        try writePlugin(id, &out)
    }

    private mutating func untrustPlugin(_ id: PluginID, _ out: inout JSONWriter) throws(RPCError) {
        if plugins.records[id] != nil {
            try changePlugins { (records, _) throws(RPCError) in records[id] = nil }
            plugins.noteOutdated(id)
        }
        guard plugins.find(id) != nil else {
            // Its folder is gone too, so nothing more is known of it.
            return JSONValue.object([.init("id", .string(id.text)), .init("state", "untrusted")]).write(to: &out)
        }
        try writePlugin(id, &out)
    }

    private mutating func configurePlugin(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let parts = try configuration(arguments)
        try changePlugin(arguments, &out) { (record, secret) throws(RPCError) in
            record.config = parts.open
            secret = parts.secret
        }
    }

    /// The settings that a request gives to a plugin.
    private mutating func configuration(
        _ arguments: borrowing Arguments
    ) throws(RPCError) -> (open: JSONValue, secret: JSONValue) {
        let id = try seenPlugin(arguments)
        let manifest = plugins[id]?.manifest ?? plugins.find(id)?.manifest
        guard let schema = manifest?.config else {
            throw Arguments.error("cannot be set: \(id) has no settings", at: "/config")
        }
        let config = JSONValue(arguments[PluginParams.config])
        let secretsBefore = plugins.secrets[id]
        // A secret that the params omit stays unchanged.
        let whole = PluginConfig.laid(config, over: secretsBefore)
        if let fault = schema.check(PluginConfig.withDefaults(whole, by: schema)) {
            throw Arguments.error(fault.reason, at: "/config" + fault.path)
        }
        return PluginConfig.split(whole, by: schema)
    }

    /// The plugin that a request to trust names, if its folder is as the user has seen it.
    private mutating func trustable(
        _ arguments: borrowing Arguments
    ) throws(RPCError) -> (id: PluginID, path: String, manifest: Manifest, digest: PluginDigest) {
        seePlugins()
        let id = try Self.pluginID(arguments)
        if plugins.settings.isOff {
            throw RPCError(
                .refused, "The host was started with --no-plugins.",
                [.init("by", "--no-plugins"), .init("reason", "The host was started with --no-plugins.")])
        }
        guard let found = plugins.find(id) else { throw PluginRegistry.missing(id) }
        guard let manifest = found.manifest, found.problem == nil else {
            let reason = found.problem.map { "\($0)" } ?? "Its manifest cannot be read."
            throw RPCError(
                .refused, "\(id) is invalid. \(reason)",
                [.init("by", .string(id.text)), .init("reason", .string(reason))])
        }
        let digest = arguments[PluginParams.digest]
        guard let current = found.digest, current.text.utf8.elementsEqual(digest.utf8) else {
            throw Self.otherDigest(id, found.digest?.text, revision: store.revision)
        }
        return (id, found.path, manifest, current)
    }

    /// The members of a request to trust that the user adds.
    private static func grants(
        _ arguments: borrowing Arguments
    ) throws(RPCError) -> (runtimes: [String]?, files: (read: [String], write: [String])?, tools: String?) {
        let runtimes = try arguments[PluginParams.runtimes].map { (given) throws(RPCError) in
            try folders(JSONValue(given), "/runtimes")
        }
        let files = try arguments[PluginParams.files].map { (given) throws(RPCError) in
            let files = JSONValue(given)
            return (
                read: try folders(files["read"] ?? [], "/files/read"),
                write: try folders(files["write"] ?? [], "/files/write")
            )
        }
        let tools = arguments[PluginParams.tools]
        if let tools, PluginDigest(tools) == nil {
            throw Arguments.error("must be sha256: and 64 hex digits", at: "/tools")
        }
        return (runtimes, files, tools)
    }

    /// Trusts a plugin. Nothing of a plugin runs before this.
    private mutating func trustPlugin(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let (id, folder, manifest, current) = try trustable(arguments)
        let before = plugins.records[id]
        let given = try Self.grants(arguments)
        let copy: String
        do {
            copy = try TrustedCopy.make(from: folder, of: id, into: plugins.runFolder(), expecting: current)
            try plugins.makeDataFolder(id)
        } catch {
            let reason = "\(id) cannot be copied: \(error)"
            throw RPCError(.refused, reason, [.init("by", .string(id.text)), .init("reason", .string(reason))])
        }
        let runtimes = given.runtimes ?? before?.runtimes ?? []
        guard let program = ExecSearch.find(manifest.exec[0], folder: copy, runtimes: runtimes) else {
            let reason =
                "Its program \(manifest.exec[0]) is not in the folder or in \(ExecSearch.path), or may not be executed."
            throw RPCError(
                .refused, "\(id): \(reason)", [.init("by", .string(id.text)), .init("reason", .string(reason))])
        }
        var record = PluginRecords.Record(
            id: id, digest: current.text, trustedSince: now.text, trustedRevision: store.revision,
            execRealPath: program.realPath, manifest: manifest.source)
        record.readable = given.files?.read ?? before?.readable ?? []
        record.writable = given.files?.write ?? before?.writable ?? []
        record.runtimes = runtimes
        if manifest.kind == .mcp { pinTools(given.tools, before, &record) }
        try changePlugins { (records, _) throws(RPCError) in
            if let before = records[id] { (record.config, record.isEnabled) = (before.config, before.isEnabled) }
            records[id] = record
        }
        plugins.noteOutdated(id)
        noteTools(of: id, manifest)
        // An MCP server must run once to list its tools.
        if manifest.kind == .mcp { plugins[id]?.hosted.wake() }
        try writePlugin(id, &out)
    }

    /// Logs the offered methods that cannot be tools for AI clients.
    private func noteTools(of id: PluginID, _ manifest: Manifest) {
        for own in manifest.provides.methods where own.isTool {
            do throws(ToolShape.Problem) { _ = try own.toolSchemas() } catch {
                plugins.notes(of: id).add(
                    .host, nil, "\(own.name) is no tool for AI clients: \(error.reason).", at: now.text)
            }
        }
    }

    private static func otherDigest(_ id: PluginID, _ current: String?, revision: Int) -> RPCError {
        RPCError(
            .conflict,
            "The folder of \(id) is not what was looked at: its digest is \(current ?? "not to be had"). Look at it again, then trust that.",
            [
                .init("reason", "digest"), .init("currentRevision", .number(String(revision))),
                .init("digest", current.map { .string($0) } ?? .null),
            ])
    }

    private static func folders(_ value: JSONValue, _ path: String) throws(RPCError) -> [String] {
        var folders: [String] = []
        for (place, element) in (value.array ?? []).enumerated() {
            guard let folder = element.string, folder.hasPrefix("/") || folder.hasPrefix("~/") else {
                throw Arguments.error("must be an absolute path, or one in ~/", at: "\(path)/\(place)")
            }
            folders.append(folder)
        }
        return folders
    }
}
