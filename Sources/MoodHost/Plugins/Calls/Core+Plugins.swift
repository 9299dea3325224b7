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
        Handler(PluginMethods.list, { try $0.listPlugins($1, &$3) }),
        Handler(
            PluginMethods.info,
            { (core, request, arguments, out) throws in
                try core.readFolder(arguments, request)
                try core.writePlugin(try pluginID(arguments), &out)
            }
        ),
        Handler(
            PluginMethods.trust,
            check: { (core, request, arguments) throws in
                try core.readFolder(arguments, request)
                let found = try core.trustable(arguments)
                _ = try core.grants(arguments)
                try core.copyFolder(of: found, request)
                return core.needOfRecords
            },
            maybe: { (core, _, arguments, out) throws in try core.trustPlugin(arguments, &out) }
        ),
        Handler(
            PluginMethods.untrust,
            check: { (core, request, arguments) throws in
                try core.readFolder(arguments, request)
                return core.plugins.isKept(try core.seenPlugin(arguments)) ? core.needOfRecords : []
            },
            maybe: { (core, _, arguments, out) throws in
                try core.untrustPlugin(try pluginID(arguments), &out)
            }
        ),
        Handler(
            PluginMethods.enable,
            check: { (core, request, arguments) throws in try core.checkTrusted(arguments, request) },
            maybe: { (core, _, arguments, out) throws in
                try core.changePlugin(arguments, &out) { (record, _) in record.isEnabled = true }
            }
        ),
        Handler(
            PluginMethods.disable,
            check: { (core, request, arguments) throws in try core.checkTrusted(arguments, request) },
            maybe: { (core, _, arguments, out) throws in
                try core.changePlugin(arguments, &out) { (record, _) in record.isEnabled = false }
            }
        ),
        Handler(
            PluginMethods.restart,
            check: { (core, request, arguments) throws in
                try core.readFolder(arguments, request)
                let id = try core.seenPlugin(arguments)
                return core.options.isReadOnly || core.plugins[id] == nil ? [] : core.needOfRecords
            },
            maybe: { (core, _, arguments, out) throws in
                try core.restartPlugin(try pluginID(arguments), skip: arguments[PluginParams.skip], &out)
            }
        ),
        Handler(
            PluginMethods.configure,
            check: { (core, request, arguments) throws in
                try core.readFolder(arguments, request)
                _ = try core.configuration(arguments)
                return try core.checkTrusted(arguments, request)
            },
            maybe: { (core, _, arguments, out) throws in try core.configurePlugin(arguments, &out) }),
        Handler(
            PluginMethods.log,
            { (core, request, arguments, out) throws in
                try core.readFolder(arguments, request)
                let id = try core.seenPlugin(arguments)
                writeLog(core.plugins.notes(of: id).last(arguments[PluginParams.lines]), &out)
            }
        ),
    ]

    static func pluginID(_ arguments: borrowing Arguments) throws(RPCError) -> PluginID {
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
    private mutating func checkTrusted(
        _ arguments: borrowing Arguments, _ request: borrowing Request
    ) throws -> Need {
        try readFolder(arguments, request)
        let id = try seenPlugin(arguments)
        if plugins.records[id] == nil { throw Self.untrusted(id) }
        return needOfRecords
    }

    /// The need of a change of the records: the store's lock.
    private var needOfRecords: Need { path == nil ? [] : .makes }

    private static func untrusted(_ id: PluginID) -> RPCError {
        .refused(by: id.text, "\(id) is not trusted. Trust it first: mood plugin trust \(id).")
    }

    private static func writeLog(_ lines: [PluginLog.Line], _ out: inout JSONWriter) {
        out.beginObject()
        out.member("lines", array: lines) { line, out in line.write(to: &out) }
        out.endObject()
    }

    // MARK: Listing

    private mutating func listPlugins(_ request: borrowing Request, _ out: inout JSONWriter) throws(Stop) {
        seePlugins()
        let found = try scanPlugins(request)
        out.beginObject()
        out.key("plugins")
        out.beginArray()
        for place in plugins.settings.places where (try? FileSystem.system.list(place)) == nil {
            log(.warning, "--plugins \(place): there is no such folder, or it cannot be read.")
        }
        for one in found { plugins.summary(one).write(to: &out) }
        // A trusted plugin runs on even if its folder is gone.
        for record in plugins.records.records where !found.contains(where: { $0.id == record.id.text }) {
            plugins.summary(of: record.id).write(to: &out)
        }
        out.endArray()
        out.endObject()
    }

    func writePlugin(_ id: PluginID, _ out: inout JSONWriter) throws(RPCError) {
        guard let info = plugins.detail(id) else { throw PluginRegistry.missing(id) }
        info.write(to: &out)
    }

    // MARK: Changing

    private mutating func changePlugin(
        _ arguments: borrowing Arguments, _ out: inout JSONWriter,
        _ body: @escaping @Sendable (inout PluginRecords.Record, inout JSONValue) -> Void
    ) throws -> (any LaterWork)? {
        let id = try Self.pluginID(arguments)
        return try changePlugins(&out) { (records, secrets) in
            guard var record = records[id] else { throw Self.untrusted(id) }
            body(&record, &secrets[id])
            records[id] = record
        } then: { (core, out) in
            try core.writePlugin(id, &out)
        }
    }

    /// Restarts a plugin. The file notifies every other host that runs it.
    private mutating func restartPlugin(
        _ id: PluginID, skip: Bool, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        if !options.isReadOnly, plugins[id] != nil {
            return try changePlugins(&out) { (records, _) in
                records[id]?.restarts += 1
                if skip { records[id]?.skips += 1 }
            } then: { (core, out) in
                try core.writePlugin(id, &out)
            }
        }
        if let plugin = plugins[id] { plugins.restart(plugin, skip: skip) }
        try writePlugin(id, &out)
        return nil
    }

    private mutating func untrustPlugin(_ id: PluginID, _ out: inout JSONWriter) throws -> (any LaterWork)? {
        guard plugins.isKept(id) else {
            try writeUntrusted(id, &out)
            return nil
        }
        return try changePlugins(&out) { (records, secrets) in
            records[id] = nil
            secrets[id] = .object([])
        } then: { (core, out) in
            core.plugins.noteOutdated(id)
            try core.writeUntrusted(id, &out)
        }
    }

    private func writeUntrusted(_ id: PluginID, _ out: inout JSONWriter) throws(RPCError) {
        guard plugins.find(id) != nil else {
            // Its folder is gone too, so nothing more is known of it.
            return JSONValue.object([.init("id", .string(id.text)), .init("state", "untrusted")]).write(to: &out)
        }
        try writePlugin(id, &out)
    }

    private mutating func configurePlugin(
        _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let parts = try configuration(arguments)
        return try changePlugin(arguments, &out) { (record, secret) in
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
        let config = JSONValue(arguments[PluginParams.config]).asObject
        let secretsBefore = plugins.secrets[id]
        // A secret that the params omit stays unchanged.
        let whole = PluginConfig.laid(config, over: secretsBefore)
        if let fault = schema.check(PluginConfig.withDefaults(whole, by: schema)) {
            throw Arguments.error(fault.reason, at: "/config" + fault.path)
        }
        return PluginConfig.split(whole, by: schema)
    }
}
