import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodText
import Platform
import PluginHost

/// Which plugins may run, and those that do. Nothing of it is touched before somebody needs plugins or opens the store.
///
/// A class, because calls of plugins come back to it from wherever they were begun; all of them are in the loop.
final class PluginRegistry {
    let settings: PluginSettings
    private let options: HostOptions
    /// What was trusted, as it stands in `plugins.json`.
    private(set) var records = PluginRecords()
    private(set) var secrets = PluginSecrets()
    /// Whether the records were read.
    private(set) var isLoaded = false
    /// Why what was trusted cannot be read.
    var problem: String?
    /// The plugins that may run, in the order of their ids.
    private(set) var hosted: [HostedPlugin] = []
    private var trusted: [String: TrustedPlugin] = [:]
    /// For the greeting; set by the loop's side.
    var revision = 0
    private var changes: [PluginChange] = []
    private var watch: FileWatch?
    private var nextSession = 1
    private var sessions: [String: Int] = [:]
    private(set) var hasChangeHooks = false
    private(set) var hasNavigateHooks = false
    private(set) var hasCells = false
    /// Whether some of them are told of changes.
    private(set) var hasEvents = false
    var cells = PluginCells()
    private let temporary = TemporaryFolder("moodboard-plugins")

    init(_ options: HostOptions) {
        self.options = options
        settings = options.plugins
    }

    var flags: PluginFlags {
        var flags: PluginFlags = isLoaded ? [] : .unread
        if hasChangeHooks { flags.insert(.changeHooks) }
        if hasNavigateHooks { flags.insert(.navigateHooks) }
        if hasCells { flags.insert(.cells) }
        if hasEvents { flags.insert(.events) }
        if !all.isEmpty { flags.insert(.present) }
        if watchDescriptor != nil { flags.insert(.watched) }
        return flags
    }

    /// What each of them needs of the host.
    lazy var surroundings = PluginSurroundings(
        timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text },
        milliseconds: { Clock.monotonicMilliseconds }, revision: { [unowned self] in revision },
        stateChanged: { [unowned self] plugin in
            noteChange(.state(plugin.id, plugin.life.state.rawValue, reason: plugin.life.reason))
        })

    // MARK: Places

    /// The store's directory; nil in memory.
    var store: String? {
        if case .directory(let path) = options.place { path } else { nil }
    }

    var places: [String] { PluginPlace.all(storeDirectory: store, others: settings.places) }

    /// Where the copies are that run.
    func runFolder() throws(SystemError) -> String {
        if let store { return "\(store)/\(PluginPlace.copies)" }
        return try temporary.path()
    }

    func dataFolder(_ id: PluginID) -> String? { store.map { "\($0)/\(PluginPlace.data)/\(id)" } }

    /// Makes the folder that the plugin may write to; none in memory.
    func makeDataFolder(_ id: PluginID) throws(SystemError) {
        guard let store, let own = dataFolder(id) else { return }
        for path in ["\(store)/\(PluginPlace.data)", own] {
            do throws(SystemError) { try FileSystem.system.makeDirectory(path) } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
    }

    /// All plugins that are found now.
    func scan(only id: PluginID? = nil) -> [FoundPlugin] {
        if settings.isOff { return [] }
        return Catalogue.scan(
            places: places, storeDirectory: store,
            builtInFormats: Set(MoodCore.ShareFormat.all.map { "\($0.name)" }),
            builtInCells: Set(CellType.all.map { "\($0.type)" }), only: id)
    }

    // MARK: What was trusted

    /// Takes what `plugins.json` says. Plugins of which nothing has changed go on; the others are stopped, or may run now.
    func take(_ records: PluginRecords, _ secrets: PluginSecrets, _ methods: inout MethodTable) {
        isLoaded = true
        watchFile()
        guard !settings.isOff else { return }
        let (before, secretsBefore, toolsBefore) = (self.records, self.secrets, tools.map(\.name))
        self.records = records
        self.secrets = secrets
        for id in trusted.values.map(\.id)
        where before[id] != records[id] || secretsBefore[id].text != secrets[id].text {
            remove(id, &methods)
        }
        for record in records.records where record.isEnabled && trusted[record.id.text] == nil {
            add(record, &methods)
        }
        note()
        if tools.map(\.name) != toolsBefore { toolRevision += 1 }
    }

    /// Becomes another number with each change of what AI clients can use of plugins.
    private(set) var toolRevision = 0

    private func add(_ record: PluginRecords.Record, _ methods: inout MethodTable) {
        guard let plugin = TrustedPlugin(record, self, options) else { return }
        trusted[record.id.text] = plugin
        hosted.append(plugin.hosted)
        hosted.sort { $0.id < $1.id }
        for method in plugin.methods(&methods.names) { _ = methods.add(method.method, method.run) }
    }

    private func remove(_ id: PluginID, _ methods: inout MethodTable) {
        guard let plugin = trusted.removeValue(forKey: id.text) else { return }
        for method in plugin.manifest.provides.methods {
            _ = methods.remove(methods.names.name("x.\(id).\(method.name)"))
        }
        plugin.hosted.stop(because: "it may run no more")
        hosted.removeAll { $0 === plugin.hosted }
        if !plugin.hosted.isGone { leaving.append(plugin.hosted) }
        cells.forget(id)
    }

    /// Those that may run no more and have not ended.
    private var leaving: [HostedPlugin] = []

    /// All that have a process, or may have one.
    var all: [HostedPlugin] { leaving.isEmpty ? hosted : hosted + leaving }

    private func note() {
        let manifests = hosted.compactMap { trusted[$0.id.text]?.manifest }
        hasChangeHooks = manifests.contains { $0.provides.hook(on: .change) != nil }
        hasNavigateHooks = manifests.contains { $0.provides.hook(on: .navigate) != nil }
        hasEvents = manifests.contains { $0.provides.events.contains(.mood) }
        hasCells = manifests.contains { !$0.provides.cells.isEmpty }
    }

    subscript(id: PluginID) -> TrustedPlugin? { trusted[id.text] }

    /// In the order of their ids, for which the first that has a name counts.
    var plugins: [TrustedPlugin] { hosted.compactMap { trusted[$0.id.text] } }

    // MARK: What they bring

    func shareFormat(_ name: String) -> (plugin: TrustedPlugin, format: Manifest.ShareFormat)? {
        for plugin in plugins {
            for format in plugin.manifest.provides.shareFormats where format.name.utf8.elementsEqual(name.utf8) {
                return (plugin, format)
            }
        }
        return nil
    }

    /// What they bring for the menu.
    var menu: [Menu.PluginItem] {
        plugins.flatMap { plugin in
            plugin.manifest.provides.menu.map { item in
                Menu.PluginItem(
                    title: item.title,
                    description: plugin.manifest.provides.method(named: item.method)?.summary ?? plugin.manifest.name,
                    icon: item.icon, color: item.color, action: "x.\(plugin.id).\(item.method)")
            }
        }
    }

    func changeHooks(besides id: String?, vetoOnly: Bool) -> [HookRound.Hook] {
        hooks(on: .change, besides: id, vetoOnly)
    }

    func navigateHooks(besides id: String?) -> [HookRound.Hook] { hooks(on: .navigate, besides: id, true) }

    private func hooks(on occasion: Manifest.Hook.Occasion, besides id: String?, _ vetoOnly: Bool) -> [HookRound.Hook] {
        plugins.compactMap { plugin in
            guard plugin.id.text != id, let hook = plugin.manifest.provides.hook(on: occasion) else { return nil }
            return HookRound.Hook(
                plugin: plugin.hosted, name: "x.\(plugin.id)", timeoutMilliseconds: hook.timeoutMilliseconds,
                isClosed: hook.failure == .closed, vetoOnly: vetoOnly)
        }
    }

    // MARK: In the loop

    var deadline: Int? {
        var earliest = all.lazy.compactMap(\.deadline).min()
        for plugin in trusted.values {
            if let time = plugin.diskDeadline { earliest = min(earliest ?? time, time) }
        }
        guard let deliveryDeadline else { return earliest }
        return min(earliest ?? deliveryDeadline, deliveryDeadline)
    }
    /// When somebody is told of changes again.
    var deliveryDeadline: Int?
    /// Has changes by other hosts noticed, where there is a store by now.
    func watchFile() {
        guard watchDescriptor == nil, isLoaded, let store else { return }
        watch = FileWatch(directory: store, name: PluginRecords.fileName, isReplaced: true)
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

    func tick() {
        let now = Clock.monotonicMilliseconds
        for plugin in all where plugin.deadline.map({ $0 <= now }) ?? false { plugin.tick() }
        for plugin in trusted.values { plugin.checkDisk(at: now) }
        leaving.removeAll(where: \.isGone)
    }

    /// Whether something of them has come that nobody has looked at.
    func takeNews() -> Bool {
        var hasNews = false
        for plugin in all where plugin.hasNews {
            plugin.hasNews = false
            hasNews = true
        }
        return hasNews
    }

    func noteChange(_ change: PluginChange) { changes.append(change) }

    /// What can be told of on the topic `plugin`.
    func takeChanges() -> [PluginChange] {
        if changes.isEmpty { return [] }
        defer { changes.removeAll() }
        return changes
    }

    /// Who asks, when a plugin does.
    func caller(_ plugin: HostedPlugin) -> Caller {
        let id = plugin.id.text
        let session = sessions[id] ?? nextSession
        if sessions[id] == nil {
            sessions[id] = session
            nextSession += 1
        }
        var permissions: Permissions = []
        switch trusted[id]?.manifest.permissions.moods {
        case .read: permissions.insert(.readMoods)
        case .write: permissions.formUnion([.readMoods, .writeMoods])
        case .some(.none), nil: break
        }
        if trusted[id]?.manifest.permissions.navigation == true { permissions.insert(.navigation) }
        return Caller(session: session, permissions: permissions)
    }

    /// The plugin that asks in this session; nil where it may run no more.
    func hosted(session: Int) -> HostedPlugin? { hosted.first { sessions[$0.id.text] == session } }

    /// Why a plugin may not ask this; nil where it may try.
    /// - Parameter isAsked: whether its own hook is asked now.
    func refusal(of name: JSONText, by plugin: HostedPlugin, isAsked: Bool, in methods: borrowing MethodTable)
        -> RPCError?
    {
        if name.withDecoded({ $0.starts(with: "x.".utf8) }) {
            return RPCError(
                .permissionDenied, "What a plugin asks is not served by a plugin.", [.init("permission", "owner")])
        }
        guard let method = methods.find(name)?.method, method.effect == .write, method.permission == .writeMoods else {
            return nil
        }
        if isAsked {
            let reason = "A plugin may change nothing while its own hook is asked."
            return RPCError(
                .refused, reason, [.init("by", .string("x.\(plugin.id)")), .init("reason", .string(reason))])
        }
        guard trusted[plugin.id.text]?.mayChange(at: Clock.monotonicMilliseconds) == false else { return nil }
        return RPCError(
            .limitExceeded, "The plugin has made 600 changes in a minute, and is told of changes: that may be a loop.",
            [.init("limit", "pluginChanges"), .init("value", 600)])
    }

    /// Waits until plugins have come so far, and hears nobody else.
    /// - Parameter isOver: whether it is waited no more.
    func wait(unless isOver: () -> Bool, _ isDone: () -> Bool) {
        var sources = EventSources()
        var watch = PluginWatch()
        while !isDone(), !isOver() {
            watch.prepare(all, isFull: false, &sources)
            let look = Clock.monotonicMilliseconds + 50
            sources.setDeadline(.plugins, at: min(deadline ?? look, look))
            switch sources.next() {
            case .readable(let name), .writable(let name), .closed(let name):
                if let (slot, end) = PluginWatch.place(of: name) { watch.attend(slot, end) }
            case .due: tick()
            }
        }
    }

    /// The host ends: all of them are told so at the same time.
    func stopAll() {
        for plugin in all { plugin.stop(because: "the host ends") }
    }

    /// Nothing is left of them when this returns.
    func part() {
        guard isLoaded else { return }
        stopAll()
        let deadline = Clock.monotonicMilliseconds + Self.partingMilliseconds
        wait(unless: { Clock.monotonicMilliseconds >= deadline }) { all.allSatisfy(\.isGone) }
        for plugin in all { plugin.end() }
        if let folder = temporary.made {
            for record in records.records { TrustedCopy.removeOthers(of: record.id, in: folder, keeping: nil) }
            temporary.remove(folders: records.records.map(\.id.text))
        }
    }

    /// A goodbye, SIGTERM, SIGKILL, and a little more.
    private static let partingMilliseconds = 1500
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
