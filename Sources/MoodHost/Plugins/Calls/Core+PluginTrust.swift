import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import Platform
import PluginHost

/// `plugin.trust`.
extension Core {
    typealias Trustable = (id: PluginID, path: String, manifest: Manifest, digest: PluginDigest)

    /// The plugin that a request to trust names, if its folder is as the user has seen it.
    mutating func trustable(
        _ arguments: borrowing Arguments
    ) throws(RPCError) -> Trustable {
        seePlugins()
        let id = try Self.pluginID(arguments)
        if plugins.settings.isOff {
            throw .refused(by: "--no-plugins", "The host was started with --no-plugins.")
        }
        guard let found = plugins.find(id) else { throw PluginRegistry.missing(id) }
        guard let manifest = found.manifest, found.problem == nil else {
            let reason = found.problem.map { "\($0)" } ?? "Its manifest cannot be read."
            throw .refused(by: id.text, reason, message: "\(id) is invalid. \(reason)")
        }
        let digest = arguments[PluginParams.digest]
        guard let current = found.digest, current.text.utf8.elementsEqual(digest.utf8) else {
            throw Self.otherDigest(id, found.digest?.text, revision: store.revision)
        }
        return (id, found.path, manifest, current)
    }

    /// The members of a request to trust that the user adds.
    func grants(
        _ arguments: borrowing Arguments
    ) throws(RPCError) -> (runtimes: [String]?, files: (read: [String], write: [String])?, tools: String?) {
        let protected = plugins.protected
        let runtimes = try arguments[PluginParams.runtimes].map { (given) throws(RPCError) in
            // They are searched as they are written.
            try Self.folders(JSONValue(given), "/runtimes", besides: protected).compactMap(PluginPlace.expanded)
        }
        let files = try arguments[PluginParams.files].map { (given) throws(RPCError) in
            let files = JSONValue(given)
            return (
                read: try Self.folders(files["read"] ?? [], "/files/read", besides: protected),
                write: try Self.folders(files["write"] ?? [], "/files/write", besides: protected)
            )
        }
        let tools = arguments[PluginParams.tools]
        if let tools, PluginDigest(tools) == nil {
            throw Arguments.error("must be sha256: and 64 hex digits", at: "/tools")
        }
        return (runtimes, files, tools)
    }

    /// Trusts a plugin. Nothing of a plugin runs before this.
    mutating func trustPlugin(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws -> (any LaterWork)? {
        let found = try trustable(arguments)
        let (id, manifest, current) = (found.id, found.manifest, found.digest)
        // Other bytes get nothing that the user has granted to those before them.
        let before = plugins.records[id]
        let same = before.flatMap { $0.digest == current.text ? $0 : nil }
        let given = try grants(arguments)
        let copy: TrustedCopy
        do {
            copy = try takeCopy(found)
            try plugins.makeDataFolder(id)
        } catch {
            throw RPCError.refused(by: id.text, "\(id) cannot be copied: \(error)")
        }
        let runtimes = given.runtimes ?? same?.runtimes ?? []
        guard let program = ExecSearch.find(manifest.exec[0], folder: copy.path, runtimes: runtimes) else {
            let reason =
                "Its program \(manifest.exec[0]) is not in the folder, in \(ExecSearch.path) or in a runtime of this request, or may not be executed."
            throw RPCError.refused(by: id.text, reason, message: "\(id): \(reason)")
        }
        var made = PluginRecords.Record(
            id: id, digest: current.text, trustedSince: now.text, trustedRevision: store.revision,
            execRealPath: program.realPath, manifest: manifest.source)
        made.readable = given.files?.read ?? same?.readable ?? []
        made.writable = given.files?.write ?? same?.writable ?? []
        made.runtimes = runtimes
        if manifest.kind == .mcp { try pinTools(given.tools, before, &made) }
        let record = made
        // Until a record names the copy, its lock has the removal wait.
        plugins.noteOutdated(id)
        return try changePlugins(&out) { (records, _) in
            let before = records[id]
            records[id] = record
            if let before {
                records[id]?.config = before.config
                records[id]?.isEnabled = before.isEnabled
            }
        } then: { (core, out) in
            extendLifetime(copy)
            core.noteTools(of: id, manifest)
            // An MCP server must run once to list its tools.
            if manifest.kind == .mcp { core.plugins[id]?.hosted.wake() }
            try core.writePlugin(id, &out)
        }
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

    private static func folders(
        _ value: JSONValue, _ path: String, besides protected: ProtectedFolders
    ) throws(RPCError) -> [String] {
        let folders = (value.array ?? []).compactMap(\.string)
        for (place, folder) in folders.enumerated() {
            if let problem = protected.problem(of: folder) {
                throw Arguments.error(problem, at: "\(path)/\(place)")
            }
        }
        return folders
    }
}
