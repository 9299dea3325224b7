import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Platform
import Storage

/// All state of the host: the store, the client's session, and constants. One loop owns it, so nothing in it is shared
/// or locked. (Redux: the store; Elm: the model; here with a disk below it.)
struct Core: ~Copyable {
    /// The bytes around a mood in an answer: its id, the actions of a row, a cursor with a label.
    private static let bytesAroundMood = 4 * 1024

    var store: MoodRecords
    /// The session of the client. Only `changeState` changes it.
    private(set) var state = SessionState() {
        didSet {
            chooseSummaries()
        }
    }

    /// Updates flags after a change of subscriptions or plugins. Commits keep a summary only if a subscriber or a hook
    /// needs it.
    mutating func chooseSummaries() {
        if let listedTools, listedTools != plugins.toolRevision { tellModelsOfTools() }
        pluginFlags = plugins.flags
        isWatching = state.followsStore || plugins.hasEvents
        let wanted =
            isWatching && (state.events.wants(.mood) || state.models.followsStore || plugins.hasEvents && path == nil)
            || plugins.hasChangeHooks
        if store.keepsSummary != wanted { store.keepsSummary = wanted }
    }

    /// Whether a subscriber or plugin follows changes of moods.
    private(set) var isWatching = false
    /// The state before the present request, once that has changed it.
    private var stateBeforeRequest: SessionState?
    /// The state before the present group of requests, once one of them has changed it.
    private var stateBeforeGroup: SessionState?
    var phrases = Phrases()
    /// The `PluginRegistry.toolRevision` that AI clients know; nil: they never asked for tools.
    var listedTools: Int?
    /// The bytes of one mood while other moods are read.
    var record = ByteBuffer(capacity: 16)
    /// The time of the requests that are handled now.
    private(set) var now = Timestamp.minimum
    /// Guards of routes, asked before a route is shown.
    var guards: [NavigationGuard] = []
    /// The methods that callers can call.
    var methods = MethodTable()
    let options: HostOptions
    let path: String?
    /// Set by `host.shutdown`: the loop reads no more requests.
    var isShuttingDown = false
    /// Notifications that the present request has caused; the session sends them before its answer.
    let notices = NoticeQueue()
    /// The thread that looks at many moods with the store, whatever the helper thread does.
    let reader = HelperThread()
    /// The work for which another thread has the store. A read-only second view of its files stands in for it.
    var storeAbsence: StoreAbsence?
    var isStoreAway: Bool { storeAbsence != nil }
    /// The user's settings.
    var kept = KeptSettings()
    /// The known plugins.
    let plugins: PluginRegistry
    /// Whether this host watches for changes by other hosts to plugins and sync.
    private(set) var noticesOthers = false
    /// The needs of the plugins, which every request checks.
    private(set) var pluginFlags = PluginFlags.unread
    /// The schedule of the sync.
    var sync = SyncPlan(thread: HelperThread())
    /// The exports that are under way, the one used last at the end.
    var exports: [RunningExport] = []
    private let random = RandomWords()

    init(_ options: HostOptions, _ location: MoodRecords.Location) {
        self.options = options
        plugins = PluginRegistry(options, location)
        store = MoodRecords(location)
        let messageBytes = options.limits[.messageBytes]
        store.moodBytesMax = min(store.moodBytesMax, messageBytes - min(Self.bytesAroundMood, messageBytes / 16))
        if case .directory(let path) = options.place { self.path = path } else { path = nil }
    }

    /// Begins to watch for changes by other hosts to plugins and sync, and reads the present state.
    mutating func noticeOthers() {
        noticesOthers = true
        reloadPlugins()
        sync.rest()
        prepareSync()
    }

    /// Sets the time of the next requests.
    mutating func setTime(_ milliseconds: Int64) {
        now = Timestamp(milliseconds: milliseconds) ?? .minimum
        if kept.isFresh { kept.isFresh = false }
        store.setTime(now)
    }

    mutating func makeID(for request: borrowing Request) -> MoodID { makeID(request.round) }

    /// - Parameter round: the hooks of a request that is carried out again; it gets the ids of its first run.
    mutating func makeID(_ round: HookRound? = nil) -> MoodID {
        if let id = round?.nextID() { return id }
        // With a seed, a host that is started again on its store must not repeat the ids of its moods. The revision
        // changes all bits, because users see only the last digits.
        let more = options.testSeed == nil ? 0 : RandomWords.mix(UInt64(truncatingIfNeeded: store.revision))
        return MoodID(version7At: now, random: (random.next(), random.next() ^ more))
    }
}

// MARK: - The session's state

extension Core {
    /// Changes the session's state. The old state is kept until the request has succeeded and its group is durable.
    mutating func changeState<Failure: Error>(
        _ body: (inout SessionState) throws(Failure) -> Void
    ) throws(Failure) {
        let before = state
        try body(&state)
        if stateBeforeRequest == nil { stateBeforeRequest = before }
        if stateBeforeGroup == nil { stateBeforeGroup = before }
    }

    /// Forgets the state before the previous group.
    mutating func beginStateOfGroup() {
        if stateBeforeGroup != nil { stateBeforeGroup = nil }
    }

    /// Ends a request that succeeded. Only methods that are declared as `write` change the state.
    @inline(__always)
    mutating func keepStateOfRequest() {
        if stateBeforeRequest != nil { stateBeforeRequest = nil }
    }

    /// Restores the state from before a request that failed.
    mutating func revertStateOfRequest() {
        if let before = stateBeforeRequest.take() { state = before }
    }

    /// Undoes everything that the present request has done.
    mutating func takeBack() {
        store.abandonCommit()
        revertStateOfRequest()
        notices.drop()
    }

    /// Restores the state from before a group whose changes did not become durable: its requests are answered again.
    mutating func revertStateOfGroup() {
        if let before = stateBeforeGroup.take() { state = before }
        notices.dropForPlugins()
        stateBeforeRequest = nil
    }
}
