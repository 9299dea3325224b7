import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Platform
import Storage

/// All state of the host: the store, the client's session, and what does not change. One loop owns it, so nothing in it
/// is shared or locked. (Redux: the store; Elm: the model; here with a disk below it.)
struct Core: ~Copyable {
    /// What may stand around a mood in an answer: its id, the actions of a row, a cursor with a label.
    private static let bytesAroundMood = 4 * 1024

    var store: MoodRecords
    /// The session of the client; changed by `changeState` alone.
    private(set) var state = SessionState() {
        didSet {
            chooseSummaries()
        }
    }

    /// What each commit does is noted where somebody is told of it, or asked about it.
    mutating func chooseSummaries() {
        if let listedTools, listedTools != plugins.toolRevision { tellModelsOfTools() }
        pluginFlags = plugins.flags
        isWatching = state.followsStore || plugins.hasEvents
        let wanted =
            isWatching && (state.events.wants(.mood) || state.models.followsStore || plugins.hasEvents && path == nil)
            || plugins.hasChangeHooks
        if store.keepsSummary != wanted { store.keepsSummary = wanted }
    }

    /// Whether something has to happen when moods change.
    private(set) var isWatching = false
    /// The state before the present request, once that has changed it.
    private var stateBeforeRequest: SessionState?
    /// The state before the present group of requests, once one of them has changed it.
    private var stateBeforeGroup: SessionState?
    var phrases = Phrases()
    /// What `PluginRegistry.toolRevision` was when AI clients were last told of the tools; nil: they never asked.
    var listedTools: Int?
    /// The bytes of a mood that is looked at while others are read.
    var record = ByteBuffer(capacity: 16)
    /// The moment of the requests that are handled now.
    private(set) var now = Timestamp.minimum
    /// They are asked before a route is shown.
    var guards: [NavigationGuard] = []
    /// What can be asked for.
    var methods = MethodTable()
    let options: HostOptions
    let path: String?
    /// Set by `host.shutdown`: nothing more is read.
    var isShuttingDown = false
    /// Notifications that the present request has caused; they are sent before its answer.
    let notices = NoticeQueue()
    /// Whether the helper thread has the store, and another opening of its files stands in for it.
    var isStoreAway = false
    /// What a person has chosen.
    var kept = KeptSettings()
    /// The plugins that are there.
    let plugins: PluginRegistry
    /// Whether it is noticed what other hosts do about plugins and sync.
    private(set) var noticesOthers = false
    /// What every request asks of them.
    private(set) var pluginFlags = PluginFlags.unread
    /// When the store is synced.
    var sync = SyncPlan(thread: HelperThread())
    /// The exports that are under way; the one that was asked for last comes last.
    var exports: [RunningExport] = []
    /// Set by a request that cannot be carried out twice, or is answered later: the group of requests ends with it.
    var endsGroup = false
    private let random = RandomWords()

    init(_ options: HostOptions, _ location: MoodRecords.Location) {
        self.options = options
        plugins = PluginRegistry(options)
        store = MoodRecords(location)
        let messageBytes = options.limits[.messageBytes]
        store.moodBytesMax = min(store.moodBytesMax, messageBytes - min(Self.bytesAroundMood, messageBytes / 16))
        if case .directory(let path) = options.place { self.path = path } else { path = nil }
    }

    /// Notices from now on what other hosts do about plugins and sync, and what they have done.
    mutating func noticeOthers() {
        noticesOthers = true
        reloadPlugins()
        sync.rest()
        prepareSync()
    }

    /// Takes the time for the requests to come.
    mutating func setTime(_ milliseconds: Int64) {
        now = Timestamp(milliseconds: milliseconds) ?? .minimum
        if kept.isFresh { kept.isFresh = false }
        store.setTime(now)
    }

    mutating func makeID(for request: borrowing Request) -> MoodID { makeID(request.round) }

    /// - Parameter round: of a request that is carried out again after its hooks: it makes what it made then.
    mutating func makeID(_ round: HookRound? = nil) -> MoodID {
        if let id = round?.nextID() { return id }
        // With a seed, a host that is started anew on its store must not make the ids of the moods that are there. The revision
        // changes all bits, because people see the last digits alone.
        let more = options.testSeed == nil ? 0 : RandomWords.mix(UInt64(truncatingIfNeeded: store.revision))
        return MoodID(version7At: now, random: (random.next(), random.next() ^ more))
    }
}

// MARK: - The session's state

extension Core {
    /// The only way to change the state: the old one is kept until the request has succeeded and its group is durable.
    mutating func changeState<Failure: Error>(
        _ body: (inout SessionState) throws(Failure) -> Void
    ) throws(Failure) {
        let before = state
        try body(&state)
        if stateBeforeRequest == nil { stateBeforeRequest = before }
        if stateBeforeGroup == nil { stateBeforeGroup = before }
    }

    /// Before a group of requests.
    mutating func beginStateOfGroup() {
        if stateBeforeGroup != nil { stateBeforeGroup = nil }
    }

    /// The request has succeeded. Only methods that are declared as `write` change the state.
    @inline(__always)
    mutating func keepStateOfRequest() {
        if stateBeforeRequest != nil { stateBeforeRequest = nil }
    }

    /// The request has failed.
    mutating func revertStateOfRequest() {
        if let before = stateBeforeRequest.take() { state = before }
    }

    /// Takes back all that the present request has done.
    mutating func takeBack() {
        store.abandonCommit()
        revertStateOfRequest()
        notices.drop()
    }

    /// The group's changes have not become durable: its requests are answered again.
    mutating func revertStateOfGroup() {
        if let before = stateBeforeGroup.take() { state = before }
        notices.dropForPlugins()
        stateBeforeRequest = nil
    }
}
