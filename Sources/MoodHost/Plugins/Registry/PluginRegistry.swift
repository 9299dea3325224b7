import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Platform
import PluginHost

/// The plugins that may run, and those that do. It reads nothing before a request needs plugins or the store is opened,
/// and no more than the record of a plugin before that plugin is needed.
///
/// A class, because calls of plugins return to it from wherever they began, always on the loop's thread.
final class PluginRegistry {
    let settings: PluginSettings
    let options: HostOptions
    let location: MoodRecords.Location
    /// The store's directory; nil in memory. Absolute, because plugins start in another directory.
    let store: String?
    /// The trusted plugins, as in `plugins.json`.
    private(set) var records = PluginRecords()
    private(set) var secrets = PluginSecrets()
    /// The text of the records; nil if it is not known.
    var text: PluginText?
    /// Whether the records were read.
    private(set) var isLoaded = false
    /// The reason why the records cannot be read.
    var problem: String?
    /// The plugins that may run, in the order of their ids.
    private var known: [(id: PluginID, provisions: ContributionKinds)] = []
    /// The contributions of all of them together.
    private(set) var provisions: ContributionKinds = []
    /// The plugins among them that were needed, in the order of their ids.
    private(set) var ready: [TrustedPlugin] = []
    /// The processes of `ready`.
    private(set) var hosted: [HostedPlugin] = []
    /// The plugins that may no longer run and have not ended.
    var leaving: [HostedPlugin] = []
    /// Whether the table has the methods of all plugins.
    private var hasMethods = true
    /// The revision for the greeting; set by the loop.
    var revision = 0
    /// Whether an MCP server has listed tools that were not handled yet.
    private(set) var haveToolsCome = false
    private var changes: [PluginChange] = []
    private var watch: FileWatch?
    /// The session numbers of plugins, by id.
    var sessions: [String: Int] = [:]
    var cells = PluginCells()
    /// The next deadline of deliveries.
    var deliveryDeadline: Int?
    /// The plugins with outdated copies.
    var outdated: Set<PluginID> = []
    /// The digests of the folders that requests asked about.
    var digests = DigestCache()
    /// The removal of such copies that is under way; its result are the plugins whose copies stay for now.
    var removal: FolderWork<Set<PluginID>>?
    /// The time of the next attempt.
    var removalTime = 0
    /// The folders that the helper thread reads.
    var reading: FolderWork<[DigestCache.Reading]>?
    var copying: FolderCopying?
    let temporary = TemporaryFolder("moodboard-plugins")
    /// Notes on plugins that have run here or were asked about, by id.
    var notes: [PluginID: PluginNotes] = [:]
    /// For work on the files of plugins that no request waits for.
    let helper = HelperThread()

    init(_ options: HostOptions, _ location: MoodRecords.Location) {
        self.options = options
        settings = options.plugins
        store = if case .directory(let path) = options.place { Terminal.absolute(path) } else { nil }
        self.location = location
    }

    var hasChangeHooks: Bool { provisions.contains(.changeHooks) }
    var hasCells: Bool { provisions.contains(.cells) }
    /// Whether any plugin follows changes.
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

    /// The services of the host for each plugin.
    lazy var surroundings = PluginSurroundings(
        timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text },
        milliseconds: { Clock.monotonicMilliseconds }, revision: { [unowned self] in revision },
        stateChanged: { [unowned self] plugin in
            // A removed plugin is reported in its new state: untrusted, disabled, or stopped and ready to run again.
            guard hosted.contains(where: { $0 === plugin }) else { return }
            noteChange(.state(plugin.id, plugin.life.state.rawValue, reason: plugin.life.reason))
        },
        toolsListed: { [unowned self] plugin in takeTools(of: plugin) })

    /// The zone for plugins; found once, because finding the system's takes time.
    lazy var timeZone = options.timeZone ?? TimeZones.system

    // MARK: Trust

    /// Takes the contents of `plugins.json`. Unchanged plugins go on; the others are stopped, or may run now.
    func take(_ records: PluginRecords, _ secrets: PluginSecrets, _ methods: inout MethodTable) {
        let wasLoaded = isLoaded
        isLoaded = true
        text = nil
        guard !settings.isOff else { return }
        let (before, secretsBefore) = (self.records, self.secrets)
        let isChanged = records != before
        if wasLoaded, !isChanged, secrets.write() == secretsBefore.write() { return }
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
        if isChanged { toolRevision += 1 }
        provisions = known.reduce(into: []) { $0.formUnion($1.provisions) }
        hasMethods = !provisions.contains(.methods)
        for (id, stateBefore) in zip(changed, statesBefore) { tellState(of: id, unless: stateBefore) }
    }

    /// Whether anything is kept of a plugin that ends with its trust: its record, or its secrets.
    func isKept(_ id: PluginID) -> Bool { records[id] != nil || secrets[id].object?.isEmpty == false }

    /// The state of a plugin from its record, without reading its folder.
    private func stateOfRecord(_ id: PluginID) -> String {
        if let plugin = ready.first(where: { $0.id == id }) { return plugin.hosted.life.state.rawValue }
        guard let record = records[id] else { return "untrusted" }
        return record.isEnabled ? PluginLife.State.stopped.rawValue : "disabled"
    }

    /// Reports the state in `plugin.list`, if it has changed.
    private func tellState(of id: PluginID, unless before: String) {
        let (state, reason) = listedState(records[id] == nil ? find(id) : nil, self[id], records[id])
        if state != before { noteChange(.state(id, state, reason: reason)) }
    }

    /// A number that changes with the tools of plugins.
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

    /// Takes over a changed record of a plugin that goes on: other tools are pinned, or a user restarted it, here or at
    /// another host.
    private func takeOver(_ plugin: TrustedPlugin, _ record: PluginRecords.Record, _ methods: inout MethodTable) {
        let before = plugin.record
        removeMethods(of: plugin, &methods)
        plugin.take(record)
        guard record.restarts != before.restarts else { return }
        restart(plugin, skip: record.skips != before.skips)
    }

    /// Restarts a plugin; it starts when it is needed.
    func restart(_ plugin: TrustedPlugin, skip: Bool) {
        if !plugin.isUsable { return prepareAnew(plugin) }
        plugin.restart(skip: skip)
    }

    /// Takes the listed tools of an MCP server.
    private func takeTools(of hosted: HostedPlugin) {
        guard let plugin = ready.first(where: { $0.hosted === hosted }) else { return }
        plugin.takeTools()
        haveToolsCome = true
    }

    /// Updates the methods to the tools that MCP servers have now.
    /// - Returns: the servers with unpinned tools.
    func takeTools(_ methods: inout MethodTable) -> [TrustedPlugin] {
        guard haveToolsCome else { return [] }
        haveToolsCome = false
        for plugin in ready where plugin.toolsChanged {
            removeMethods(of: plugin, &methods)
            plugin.showTools()
        }
        return ready.filter(\.wantsPin)
    }

    /// Adds the methods of all plugins that may run. Most processes never need them.
    /// - Returns: whether the table lacked some.
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

    /// The plugins that contribute any of these kinds, in the order of their ids: the first of several with one name
    /// counts.
    func plugins(that bring: ContributionKinds) -> [TrustedPlugin] {
        guard !provisions.isDisjoint(with: bring) else { return [] }
        return known.compactMap { $0.provisions.isDisjoint(with: bring) ? nil : self[$0.id] }
    }

    /// Drops a plugin that cannot run as it was prepared; it is prepared again when it is needed.
    func prepareAnew(_ plugin: TrustedPlugin) {
        ready.removeAll { $0 === plugin }
        hosted.removeAll { $0 === plugin.hosted }
    }

    // MARK: News

    /// Watches the file for changes by other hosts, if there is a store.
    func watchFile() {
        guard watchDescriptor == nil, let store else { return }
        watch = FileWatch(directory: store, name: PluginRecords.fileName, for: .replacement)
    }

    /// Becomes readable when another host has changed which plugins may run; nil if files cannot be watched.
    var watchDescriptor: Int32? {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: nil
        }
    }

    /// Takes the events of the store's directory.
    /// - Returns: whether the file may have changed.
    func takeFileNews() -> Bool {
        switch watch {
        case .some(let watch): if case .none = watch.take() { false } else { true }
        case .none: true
        }
    }

    /// Whether there are changes to report.
    var hasChanges: Bool { !changes.isEmpty }

    func noteChange(_ change: PluginChange) { changes.append(change) }

    /// Takes the changes to report on the topic `plugin`.
    func takeChanges() -> [PluginChange] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll() }
        return changes
    }
}

/// The flags that every request checks. The core has a copy, because reading a member of an object costs more.
struct PluginFlags: OptionSet {
    let rawValue: UInt8
    /// The records were not read.
    static let unread = PluginFlags(rawValue: 1)
    static let changeHooks = PluginFlags(rawValue: 2)
    static let navigateHooks = PluginFlags(rawValue: 4)
    static let cells = PluginFlags(rawValue: 8)
    static let events = PluginFlags(rawValue: 16)
    /// This host watches for changes by other hosts.
    static let watched = PluginFlags(rawValue: 64)
    /// Some plugins may run, or have not ended.
    static let present = PluginFlags(rawValue: 32)
}

/// A change of a plugin that is reported to clients.
enum PluginChange {
    case state(PluginID, String, reason: String?)
    case cells(PluginID, MoodID)
}
