import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodText
import Platform
import PluginHost

/// Which plugins may run, and those that do. Nothing of it is touched before somebody needs plugins or opens the store, and of
/// a plugin no more than its record is read before somebody needs that one.
///
/// A class, because calls of plugins come back to it from wherever they were begun; all of them are in the loop.
final class PluginRegistry {
    let settings: PluginSettings
    let options: HostOptions
    /// The store's directory; nil in memory. Absolute, because what runs begins in another one.
    let store: String?
    /// What was trusted, as it stands in `plugins.json`.
    private(set) var records = PluginRecords()
    private(set) var secrets = PluginSecrets()
    /// Whether the records were read.
    private(set) var isLoaded = false
    /// Why what was trusted cannot be read.
    var problem: String?
    /// Those that may run, in the order of their ids.
    private var known: [(id: PluginID, provisions: Provisions)] = []
    /// What all of them bring together.
    private(set) var provisions: Provisions = []
    /// Those of them that were needed, in the order of their ids,
    private(set) var ready: [TrustedPlugin] = []
    /// and their processes.
    private(set) var hosted: [HostedPlugin] = []
    /// Those that may run no more and have not ended.
    var leaving: [HostedPlugin] = []
    /// Whether the table has the methods of all.
    private var hasMethods = true
    /// For the greeting; set by the loop's side.
    var revision = 0
    /// Whether an MCP server has listed its tools, and nobody has looked at them.
    private(set) var haveToolsCome = false
    private var changes: [PluginChange] = []
    private var watch: FileWatch?
    /// Who asks, when a plugin does, by its id.
    var sessions: [String: Int] = [:]
    var cells = PluginCells()
    /// When somebody is told of changes again.
    var deliveryDeadline: Int?
    /// Plugins of which copies are left that nobody trusts any more.
    var outdated: Set<PluginID> = []
    /// Of the folders that somebody has asked about.
    var digests = KnownDigests()
    let temporary = TemporaryFolder("moodboard-plugins")
    /// What is known of plugins that have run here or were asked about, by their ids.
    var notes: [PluginID: PluginNotes] = [:]

    init(_ options: HostOptions) {
        self.options = options
        settings = options.plugins
        store = if case .directory(let path) = options.place { Terminal.absolute(path) } else { nil }
    }

    var hasChangeHooks: Bool { provisions.contains(.changeHooks) }
    var hasCells: Bool { provisions.contains(.cells) }
    /// Whether some of them are told of changes.
    var hasEvents: Bool { provisions.contains(.events) }

    var flags: PluginFlags {
        var flags: PluginFlags = isLoaded ? [] : .unread
        if hasChangeHooks { flags.insert(.changeHooks) }
        if provisions.contains(.navigateHooks) { flags.insert(.navigateHooks) }
        if hasCells { flags.insert(.cells) }
        if hasEvents { flags.insert(.events) }
        if !known.isEmpty || !leaving.isEmpty { flags.insert(.present) }
        if watchDescriptor != nil { flags.insert(.watched) }
        return flags
    }

    /// What each of them needs of the host.
    lazy var surroundings = PluginSurroundings(
        timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text },
        milliseconds: { Clock.monotonicMilliseconds }, revision: { [unowned self] in revision },
        stateChanged: { [unowned self] plugin in
            // Of one that may run no more it is told what it is now: untrusted, disabled, or stopped and ready to run anew.
            guard hosted.contains(where: { $0 === plugin }) else { return }
            noteChange(.state(plugin.id, plugin.life.state.rawValue, reason: plugin.life.reason))
        },
        toolsListed: { [unowned self] plugin in takeTools(of: plugin) })

    /// The zone that plugins are told; asked once, because the system's has to be looked for.
    lazy var timeZone = options.timeZone ?? TimeZones.system

    // MARK: What was trusted

    /// Takes what `plugins.json` says. Plugins of which nothing has changed go on; the others are stopped, or may run now.
    func take(_ records: PluginRecords, _ secrets: PluginSecrets, _ methods: inout MethodTable) {
        let wasLoaded = isLoaded
        isLoaded = true
        guard !settings.isOff else { return }
        let (before, secretsBefore) = (self.records, self.secrets)
        func goesOn(_ id: PluginID) -> Bool {
            records[id]?.runs(like: before[id]) == true && secretsBefore[id].text == secrets[id].text
        }
        let ids = wasLoaded ? Set((before.records + records.records).map(\.id)).sorted() : []
        let changed = ids.filter { !goesOn($0) }
        let statesBefore = changed.map { stateOfRecord($0) }
        self.records = records
        self.secrets = secrets
        for plugin in ready {
            if let record = records[plugin.id], goesOn(plugin.id) {
                if record != plugin.record { takeOver(plugin, record, &methods) }
            } else {
                remove(plugin, &methods)
            }
        }
        known = records.records.compactMap { $0.isEnabled ? ($0.id, $0.provisions) : nil }
        // A change that no AI client can see costs one more listing.
        if before != records { toolRevision += 1 }
        provisions = known.reduce(into: []) { $0.formUnion($1.provisions) }
        hasMethods = !provisions.contains(.methods)
        for (id, stateBefore) in zip(changed, statesBefore) { tellState(of: id, unless: stateBefore) }
    }

    /// Of a plugin that nobody has looked for in its folder.
    private func stateOfRecord(_ id: PluginID) -> String {
        if let plugin = ready.first(where: { $0.id == id }) { return plugin.hosted.life.state.rawValue }
        guard let record = records[id] else { return "untrusted" }
        return record.isEnabled ? PluginLife.State.stopped.rawValue : "disabled"
    }

    /// Tells what `plugin.list` says of it now.
    private func tellState(of id: PluginID, unless before: String) {
        let (state, reason) = listedState(records[id] == nil ? find(id) : nil, self[id], records[id])
        if state != before { noteChange(.state(id, state, reason: reason)) }
    }

    /// Becomes another number with each change of what AI clients can use of plugins.
    private(set) var toolRevision = 0

    private func remove(_ plugin: TrustedPlugin, _ methods: inout MethodTable) {
        prepareAnew(plugin)
        removeMethods(of: plugin, &methods)
        let state = stateOfRecord(plugin.id)
        let mayRun = state == PluginLife.State.stopped.rawValue
        plugin.hosted.withdraw(
            .unavailable(state: state, retryAfter: mayRun ? 0 : nil, isRetryable: false), because: "it may run no more")
        leaving.append(plugin.hosted)
        cells.forget(plugin.id)
        if records[plugin.id] == nil { notes[plugin.id]?.forgetError() }
    }

    private func removeMethods(of plugin: TrustedPlugin, _ methods: inout MethodTable) {
        for method in plugin.ownMethods {
            _ = methods.remove(methods.names.name("x.\(plugin.id).\(method.name)"))
        }
        hasMethods = false
    }

    /// Other tools of an MCP server are pinned, and it goes on; or somebody wants it to begin afresh, here or at another host.
    private func takeOver(_ plugin: TrustedPlugin, _ record: PluginRecords.Record, _ methods: inout MethodTable) {
        let before = plugin.record
        removeMethods(of: plugin, &methods)
        plugin.take(record)
        guard record.restarts != before.restarts else { return }
        restart(plugin, skip: record.skips != before.skips)
    }

    /// Has a plugin begin afresh; it starts when it is needed.
    func restart(_ plugin: TrustedPlugin, skip: Bool) {
        if !plugin.isUsable { return prepareAnew(plugin) }
        plugin.restart(skip: skip)
    }

    /// An MCP server has listed its tools.
    private func takeTools(of hosted: HostedPlugin) {
        guard let plugin = ready.first(where: { $0.hosted === hosted }) else { return }
        plugin.takeTools()
        haveToolsCome = true
    }

    /// Has the methods be those of the tools that MCP servers have now.
    /// - Returns: the servers whose tools nobody has pinned.
    func takeTools(_ methods: inout MethodTable) -> [TrustedPlugin] {
        guard haveToolsCome else { return [] }
        haveToolsCome = false
        for plugin in ready where plugin.toolsChanged {
            removeMethods(of: plugin, &methods)
            plugin.showTools()
        }
        return ready.filter(\.wantsPin)
    }

    /// Has the table hold the methods of all that may run. Most processes are asked for none.
    /// - Returns: whether there are some that it did not have.
    func addMethods(_ methods: inout MethodTable) -> Bool {
        if hasMethods { return false }
        hasMethods = true
        for plugin in plugins(that: .methods) {
            for method in plugin.methods(&methods.names) { _ = methods.add(method.method, method.run) }
        }
        return true
    }

    /// The plugin, if it may run.
    subscript(id: PluginID) -> TrustedPlugin? {
        if let plugin = ready.first(where: { $0.id == id }) { return plugin }
        guard known.contains(where: { $0.id == id }), let record = records[id],
            let plugin = TrustedPlugin(record, self)
        else { return nil }
        let place = ready.firstIndex { id < $0.id } ?? ready.count
        ready.insert(plugin, at: place)
        hosted.insert(plugin.hosted, at: place)
        return plugin
    }

    /// Those that bring something of these kinds, in the order of their ids: of several that have a name, the first counts.
    func plugins(that bring: Provisions) -> [TrustedPlugin] {
        guard !provisions.isDisjoint(with: bring) else { return [] }
        return known.compactMap { $0.provisions.isDisjoint(with: bring) ? nil : self[$0.id] }
    }

    /// A plugin that cannot run as it was prepared is prepared anew when it is needed.
    func prepareAnew(_ plugin: TrustedPlugin) {
        ready.removeAll { $0 === plugin }
        hosted.removeAll { $0 === plugin.hosted }
    }

    // MARK: News

    /// Has changes by other hosts noticed, where there is a store by now.
    func watchFile() {
        guard watchDescriptor == nil, let store else { return }
        watch = FileWatch(directory: store, name: PluginRecords.fileName, for: .replacement)
    }

    /// Becomes readable when another host has changed which plugins may run; nil where files cannot be watched.
    var watchDescriptor: Int32? {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: nil
        }
    }

    /// Takes what has happened in the store's directory.
    /// - Returns: whether the file may be another one.
    func takeFileNews() -> Bool {
        switch watch {
        case .some(let watch): if case .none = watch.take() { false } else { true }
        case .none: true
        }
    }

    /// Whether there is something to tell.
    var hasChanges: Bool { !changes.isEmpty }

    func noteChange(_ change: PluginChange) { changes.append(change) }

    /// What can be told of on the topic `plugin`.
    func takeChanges() -> [PluginChange] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll() }
        return changes
    }
}

/// What the way of every request depends on. A copy of it is in the core, because a member of an object costs more to ask.
struct PluginFlags: OptionSet {
    let rawValue: UInt8
    /// It is not known which plugins may run.
    static let unread = PluginFlags(rawValue: 1)
    static let changeHooks = PluginFlags(rawValue: 2)
    static let navigateHooks = PluginFlags(rawValue: 4)
    static let cells = PluginFlags(rawValue: 8)
    static let events = PluginFlags(rawValue: 16)
    /// What other hosts do about them is noticed.
    static let watched = PluginFlags(rawValue: 64)
    /// Some may run, or have not ended.
    static let present = PluginFlags(rawValue: 32)
}

/// Something of a plugin that clients can be told of.
enum PluginChange {
    case state(PluginID, String, reason: String?)
    case cells(PluginID, MoodID)
}
