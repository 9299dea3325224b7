import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodText
import Platform
import PluginHost
import Synchronization
import Versions

/// A plugin that may run: its record and its process.
final class TrustedPlugin {
    var id: PluginID { record.id }
    private(set) var record: PluginRecords.Record
    let manifest: Manifest
    let hosted: HostedPlugin
    /// The methods for clients: those of its manifest, or the tools of an MCP server that the user has seen.
    private(set) var ownMethods: [Manifest.OwnMethod] = []
    /// Whether its tools differ from `ownMethods`.
    private(set) var toolsChanged = false
    /// Whether its program is the trusted one.
    let isUsable: Bool
    private let data: String?
    private var diskTime = 0
    private let excess = Excess()
    /// The lines that the log has once.
    private var told: Set<String> = []
    private static let toldMax = 64
    /// Nil: it gets no events.
    let delivery: PluginDelivery?
    /// The times of its recent changes, by the monotonic clock.
    private var changeTimes: [Int] = []
    /// The most changes per minute of a plugin that gets events.
    private static let changesMax = 600

    /// Nil if its manifest cannot be read. If its program is missing, the plugin has failed, with that reason.
    init?(_ record: PluginRecords.Record, _ registry: PluginRegistry) {
        guard let manifest = try? Manifest.read(record.manifest, id: record.id.text),
            let runs = try? registry.runFolder()
        else { return nil }
        let id = record.id
        self.record = record
        self.manifest = manifest
        let copy = "\(runs)/\(id)/\(record.digest)"
        // The user trusted this program, not another one with its name.
        let program = ExecSearch.find(manifest.exec[0], folder: copy, runtimes: record.runtimes)
        isUsable = program?.realPath == record.execRealPath
        let data = registry.dataFolder(id)
        self.data = data
        let run = Self.run(id, record, manifest, program?.path ?? record.execRealPath, copy, data, registry)
        hosted = HostedPlugin(run, registry.notes(of: id), registry.surroundings)
        ownMethods = manifest.kind == .mcp ? Self.methods(of: record.toolList) : manifest.provides.methods
        if !isUsable {
            hosted.condemn(
                .init(
                    .start,
                    "its program is no longer \(record.execRealPath), which was trusted; trust it again, or mend that and restart it"
                ))
        }
        delivery =
            manifest.provides.events.contains(.mood)
            ? PluginDelivery(data.map { $0 + ".lease" }, from: record.trustedRevision) : nil
    }

    private static func run(
        _ id: PluginID, _ record: PluginRecords.Record, _ manifest: Manifest, _ program: String, _ copy: String,
        _ data: String?, _ registry: PluginRegistry
    ) -> PluginRun {
        let (limits, options) = (manifest.limits, registry.options)
        let home = data ?? "/nonexistent"
        let zone = registry.timeZone
        let plan = KeptProcess.Plan(
            keeper: registry.settings.keeper, program: program,
            arguments: [program] + manifest.exec.dropFirst(),
            environment: [
                "PATH=" + (record.runtimes.map { $0 + "/bin:" + $0 } + [ExecSearch.path]).joined(separator: ":"),
                "HOME=\(home)", "TMPDIR=\(home)", "LANG=C.UTF-8", "LC_ALL=C.UTF-8", "TZ=\(zone)", "MOODBOARD_PLUGIN=1",
                "MOODBOARD_PLUGIN_DATA=\(home)", "PYTHONNOUSERSITE=1",
            ],
            directory: copy, dataDirectory: data, isDataReadOnly: options.isReadOnly, runtimes: record.runtimes,
            readable: (manifest.permissions.readable + record.readable).compactMap(PluginPlace.expanded),
            writable: (manifest.permissions.writable + record.writable).compactMap(PluginPlace.expanded),
            network: manifest.permissions.network, memoryBytes: limits.memoryMB << 20, cpuSeconds: limits.cpuSeconds,
            fileBytes: limits.diskMB << 20, processes: 1024, openFiles: 256,
            requiresIsolation: registry.settings.requiresIsolation)
        var times = PluginLife.Times()
        times.idle = limits.idleSeconds * 1000
        times.hello = options.limits[.pluginHelloMs]
        times.backOff = options.limits[.pluginBackOffMs]
        return PluginRun(
            id: id, process: plan, times: times, timeoutMilliseconds: limits.timeoutMilliseconds,
            concurrency: limits.concurrency, answerBytesMax: options.limits[.pluginAnswerBytes],
            dialect: manifest.kind == .mcp
                ? .mcp(hostVersion: Version.program) : .moodboard(hello: hello(id, record, manifest, registry, data)),
            staysIdle: !manifest.provides.transports.isEmpty)
    }

    /// The params of `plugin.hello`, without `revision` and the closing brace.
    private static func hello(
        _ id: PluginID, _ record: PluginRecords.Record, _ manifest: Manifest, _ registry: PluginRegistry,
        _ data: String?
    ) -> [UInt8] {
        let open = PluginConfig.withDefaults(record.config, by: manifest.config)
        let config = PluginConfig.laid(registry.secrets[id], over: open)
        var members: [JSONValue.Member] = [
            .init("protocol", 1),
            .init("host", ["name": "moodboard", "version": .string(Version.program)]),
            .init("id", .string(id.text)), .init("config", config),
            .init("locale", .string(registry.options.locale ?? HostOptions.usualLocale)),
            .init("timeZone", .string(registry.timeZone)),
        ]
        if let data { members.append(.init("dataDirectory", .string(data))) }
        return Array(JSONValue.object(members).text.utf8.dropLast())
    }

    // MARK: The tools of an MCP server

    /// Whether its tools are known now, and unpinned or pinned by digest only.
    var wantsPin: Bool {
        guard manifest.kind == .mcp, record.toolList == nil, let digest = toolsDigest else { return false }
        return record.tools.map { $0.utf8.elementsEqual(digest.utf8) } ?? true
    }

    /// The digest of its present tools; nil if it has not run.
    private(set) var toolsDigest: String?

    /// Takes its list of tools. Tools that differ from those the user has seen cannot be called, so that no server
    /// changes after it was trusted.
    func takeTools() {
        toolsDigest = PluginDigest.ofTools(.array(hosted.tools)).text
        hosted.mayBeCalled = Self.names(of: seen)
        toolsChanged = true
    }

    private static func names(of tools: [JSONValue]) -> Set<String> { Set(tools.compactMap { $0["name"]?.string }) }

    /// The tools that equal their pinned versions; all of them if none are pinned.
    private var seen: [JSONValue] {
        let tools = hosted.tools
        if record.tools == toolsDigest { return tools }
        guard let pinned = record.toolList?.array else { return record.tools == nil ? tools : [] }
        let known = Set(pinned.map { PluginDigest.ofTools($0) })
        return tools.filter { known.contains(PluginDigest.ofTools($0)) }
    }

    /// The names of its tools that may not be called.
    var hiddenTools: [String] {
        guard let shown = hosted.mayBeCalled else { return [] }
        return hosted.tools.compactMap { $0["name"]?.string }.filter { !shown.contains($0) }
    }

    /// Makes methods of its tools that the user has seen.
    func showTools() {
        toolsChanged = false
        ownMethods = Self.methods(of: .array(seen))
    }

    /// Takes a changed record of a plugin that goes on: other tools are pinned, or it is restarted.
    func take(_ record: PluginRecords.Record) {
        self.record = record
        guard manifest.kind == .mcp else { return }
        if toolsDigest == nil { return ownMethods = Self.methods(of: record.toolList) }
        let seen = seen
        hosted.mayBeCalled = Self.names(of: seen)
        // Schemas of many tools take long to read again.
        if toolsChanged || seen.count != ownMethods.count || Set(ownMethods.map(\.name)) != hosted.mayBeCalled {
            showTools()
        }
    }

    private static func methods(of tools: JSONValue?) -> [Manifest.OwnMethod] {
        (tools?.array ?? []).compactMap { Manifest.OwnMethod(tool: $0) }
    }

    /// Adds a line to its log, unless it has been there.
    func noteOnce(_ text: String) {
        if told.count < Self.toldMax, told.insert(text).inserted { hosted.note(text) }
    }

    // MARK: Its disk

    /// The interval of checks of its disk use.
    private static let diskMilliseconds = 1000
    private static let filesMax = 100_000

    /// The time of the next check; nil while it does not run.
    var diskDeadline: Int? { data != nil && hosted.isAlive ? diskTime : nil }

    /// Stops a plugin that had written more than it may when its files were counted last, until the user starts it
    /// again. Has them counted anew.
    /// - Parameter counter: counts beside the loop, because a plugin may have very many files.
    func checkDisk(at now: Int, _ counter: HelperThread) {
        guard let data, let time = diskDeadline, now >= time else { return }
        diskTime = now + Self.diskMilliseconds
        let (excess, start, bytesMax) = (self.excess, hosted.life.starts, manifest.limits.diskMB << 20)
        if excess.start.load(ordering: .acquiring) == start {
            return hosted.condemn(
                .init(
                    .disk,
                    "its data directory has more than \(manifest.limits.diskMB) MB (diskMB), or too many files"))
        }
        guard !excess.isCounting.exchange(true, ordering: .acquiring) else { return }
        let count: @Sendable () -> Void = {
            var files = 0
            let bytes = Self.bytes(in: data, &files)
            if bytes > bytesMax || files > Self.filesMax { excess.start.store(start, ordering: .releasing) }
            excess.isCounting.store(false, ordering: .releasing)
        }
        if !counter.run(count) { count() }
    }

    /// The finding of the thread that counts.
    private final class Excess: Sendable {
        /// The start of the plugin, by number, in which it had too much.
        let start = Atomic<Int>(0)
        let isCounting = Atomic<Bool>(false)
    }

    /// The size of a folder. The length of a path bounds the depth of the recursion.
    private static func bytes(in folder: String, _ files: inout Int) -> Int {
        var bytes = 0
        // A missing or unreadable entry counts as nothing.
        for name in (try? FileSystem.system.list(folder)) ?? [] where files <= filesMax {
            files += 1
            guard let status = try? FileSystem.system.statusOfPath(folder + "/" + name) else { continue }
            bytes += status.kind == .directory ? Self.bytes(in: folder + "/" + name, &files) : status.size
        }
        return bytes
    }

    // MARK: Calls

    /// A call with the timeout of the manifest.
    func call(_ method: String, _ params: JSONValue, progressToken: [UInt8]? = nil) -> PluginCall {
        call(method, Array(params.text.utf8), progressToken: progressToken)
    }

    /// A call with params that are JSON on one line.
    func call(_ method: String, _ params: [UInt8], progressToken: [UInt8]? = nil) -> PluginCall {
        PluginCall(
            method, params, timeoutMilliseconds: manifest.limits.timeoutMilliseconds, progressToken: progressToken)
    }

    /// A request of MCP to a server.
    func request(_ method: String, _ params: JSONValue) -> PluginCall {
        PluginCall(
            method, Array(params.text.utf8), timeoutMilliseconds: manifest.limits.timeoutMilliseconds,
            isOfProtocol: true)
    }

    /// Its own methods, as clients call them.
    func methods(_ names: inout KeptNames) -> [(method: Method, run: Handler.Run)] {
        ownMethods.map { method($0, &names) }
    }

    /// One of its own methods.
    func method(_ own: Manifest.OwnMethod, _ names: inout KeptNames) -> (method: Method, run: Handler.Run) {
        let described = own.params.fields(&names)
        let method = Method(
            names.name("x.\(id).\(own.name)"), own.effect == .read ? .read : .write, .owner, own.summary,
            described: described, result: .described(own.result.source.object ?? []),
            errors: [.pluginUnavailable, .pluginFailed, .pluginTimeout], since: manifest.version)
        let order = described.map { "\($0.name)" }
        return (
            method,
            .later { [id] (core, _, arguments) throws(RPCError) in try core.callPlugin(id, own, order, arguments) }
        )
    }

    /// Restarts it; it starts when it is needed.
    func restart(skip: Bool) {
        hosted.stop(because: "it was restarted")
        hosted.pardon()
        if skip, let seq = delivery?.skip() {
            hosted.note("events.deliver: Event \(seq), which it had refused, was passed over: a person asked for that.")
        }
        delivery?.hurry()
    }

    /// The last event that it has acknowledged, to any host.
    var acknowledged: Int? { delivery?.lastAcknowledged }

    /// Whether it may make one more change now.
    func mayChange(at now: Int) -> Bool {
        changeTimes.removeAll { now - $0 >= 60_000 }
        return changeTimes.count < Self.changesMax
    }

    /// Counts a change that it has made.
    func noteChange(at now: Int) {
        if !manifest.provides.events.isEmpty { changeTimes.append(now) }
    }
}

extension JSONSchema {
    /// The params of a method for its description.
    fileprivate func fields(_ names: inout KeptNames) -> [Field] {
        let required = (source["required"]?.array ?? []).compactMap(\.string)
        return (source["properties"]?.object ?? []).map { property in
            let name = names.name(property.name)
            let summary = property.value["description"]?.string ?? property.value["title"]?.string ?? property.name
            let schema = Schema.described(property.value.object ?? [])
            return required.contains { $0.utf8.elementsEqual(property.name.utf8) }
                ? .required(name, schema, summary) : .optional(name, schema, summary)
        }
    }
}
