import JSONCodec
import JSONRPC
import MoodCore
import MoodStore
import Storage

/// The recipients and the order of notifications.
///
/// The host reports a request's own commit when it has ended, before its answer, from the summary that the store keeps;
/// both leave the process when the commit is durable. Commits of other processes, and those that a subscription
/// requested with `since`, are read from the journals, as many at a time as there is room for.
///
/// Invariants
/// 1. A subscription to moods gets every commit after `told`, once, in order; if that is impossible it gets `lagged`
/// and ends.
/// 2. All notifications are in the output when the group's changes become durable, so a failed sync reverts them too.
extension Core {
    /// Whether a subscription lacks durable commits.
    var hasUntold: Bool {
        guard isWatching, let told = state.toldToAll else { return false }
        return store.hasCommits(after: told)
    }

    /// Notifies subscribers of the present request's commit, which has ended.
    mutating func tellOfRequest() {
        tellOfStore()
        if plugins.hasEvents, path == nil { keepForDelivery() }
        if let told = state.toldToAll, told < store.revision {
            if told < min(store.durableRevision, store.revision - 1) {
                _ = tellOfCommits(bytesMax: options.limits[.queuedOutputBytes])
            }
            tellOfOwnCommit()
        }
        pruneRoutes()
    }

    /// Looks for changes of the store by other processes, between requests.
    mutating func lookAround() {
        store.lookAround()
        tellOfStore()
        lookAtSettings()
    }

    // MARK: Commits

    /// Reports durable commits, until their notifications have this many bytes.
    /// - Returns: false if commits are left.
    mutating func tellOfCommits(bytesMax: Int) -> Bool {
        guard hasUntold, let told = state.toldToAll else { return true }
        let notices = notices
        let start = notices.byteCount
        let messageBytes = options.limits[.messageBytes]
        var subscriptions = state.events.subscriptions
        var toldToModels = state.models.told
        var touched = TouchedMoods()
        let isWhole = store.commits(after: told, .beginning) { commit in
            if toldToModels == commit.seq - 1 {
                for change in commit.changes { touched.add(change.id) }
                if commit.count > commit.changes.count { touched.addAll() }
                toldToModels = commit.seq
            }
            var changes = EventChanges(bytesMax: messageBytes)
            for change in commit.changes.prefix(EventChanges.changesMax) {
                changes.add(change.kind, change.id, change.record)
            }
            changes.finish(total: commit.count)
            for place in subscriptions.indices where subscriptions[place].awaits(commit.seq) {
                // The next call reports this commit to the other subscriptions.
                if notices.byteCount - start >= bytesMax { break }
                notices.addEvent(
                    subscriptions[place], "mood", seq: commit.seq, at: { $0.string(utf8: commit.at) },
                    {
                        $0.origin(commit.origin)
                        changes.write(to: &$0)
                    })
                subscriptions[place].told = commit.seq
            }
            return notices.byteCount - start < bytesMax
        }
        changeState { state in
            state.events.subscriptions = subscriptions
            state.models.told = toldToModels
        }
        tellModels(of: touched)
        if !isWhole { endSubscriptions { $0.told < $1 } }
        return !hasUntold
    }

    private mutating func tellOfOwnCommit() {
        let summary = store.summary
        guard summary.revision == store.revision else { return }
        if state.models.awaits(summary.revision) {
            var touched = TouchedMoods()
            for change in summary.changes { touched.add(change.id) }
            if summary.count > summary.changes.count { touched.addAll() }
            changeState { $0.models.told = summary.revision }
            tellModels(of: touched)
        }
        var subscriptions = state.events.subscriptions
        guard subscriptions.contains(where: { $0.awaits(summary.revision) }) else { return }
        var changes = EventChanges(bytesMax: options.limits[.messageBytes])
        for change in summary.changes.prefix(EventChanges.changesMax) {
            // The commit has just ended, so the present mood is the mood after it. If it cannot be read, the change is
            // reported without it.
            let record = change.kind == .deleted ? nil : try? store.record(change.id)
            changes.add(change.kind, change.id, record?.bytes)
        }
        changes.finish(total: summary.count)
        let time = now.text
        let bytesMax = options.limits[.queuedOutputBytes]
        let origin = store.origin
        for place in subscriptions.indices where subscriptions[place].awaits(summary.revision) {
            // A batch can change more than may wait for sending; the rest is reported from the journal after its
            // answer.
            if notices.byteCount >= bytesMax { break }
            notices.addEvent(
                subscriptions[place], "mood", seq: summary.revision, at: { $0.string(time) },
                {
                    $0.origin(origin)
                    changes.write(to: &$0)
                })
            subscriptions[place].told = summary.revision
        }
        changeState { $0.events.subscriptions = subscriptions }
        // A store in memory has no journal.
        if store.identity == nil { endSubscriptions { $0.told < $1 } }
    }

    /// Ends the subscriptions to moods of a client that does not read while other processes change the store. Commits
    /// requested with `since` wait in the journals at no cost, so these subscriptions stay.
    mutating func endSlowSubscriptions() {
        endSubscriptions { $0.told < $1 && $0.told >= $0.begun }
    }

    /// - Parameter isOver: gets a subscription to moods and the last durable revision.
    private mutating func endSubscriptions(
        isAnotherStore: Bool = false, where isOver: (Subscription, Int) -> Bool
    ) {
        let last = store.durableRevision
        if let told = state.models.told, isAnotherStore || told != last && isOver(.ofModels(told), last) {
            // The changes are unknown, so all moods may have changed; the subscription of AI clients goes on.
            changeState { $0.models.told = last }
            var touched = TouchedMoods()
            touched.addAll()
            tellModels(of: touched)
        }
        let ended = state.events.subscriptions.filter { $0.topics.contains(.mood) && isOver($0, last) }
        guard !ended.isEmpty else { return }
        for subscription in ended { notices.addLag(subscription, isAnotherStore: isAnotherStore, at: now) }
        changeState { state in
            state.events.subscriptions.removeAll { candidate in
                ended.contains { $0.number == candidate.number }
            }
        }
    }

    // MARK: The store

    /// Reports a change of the store itself. The revisions of another store continue no sequence, so a client must
    /// begin again from 0.
    private mutating func tellOfStore() {
        guard let identity = store.identity, identity != state.events.store else { return }
        guard let known = state.events.store else {
            // There was no store when the first subscription began.
            return changeState { $0.events.store = identity }
        }
        let isAnother = identity.id != known.id
        let last = store.revision
        changeState { $0.events.store = identity }
        tell(.store, "store", seq: \.lastStoreSeq) { writer in
            writer.member("type", literal: isAnother ? "replaced" : "rewritten")
            writer.member("revision", last)
        }
        endSubscriptions(isAnotherStore: isAnother) { subscription, _ in isAnother || subscription.told > last }
    }

    /// Reports the beginning or end of a sync.
    mutating func tellOfSync(_ name: String, _ reason: String?) {
        tell(.sync, "sync", seq: \.lastSyncSeq) { writer in
            writer.member("state", name)
            writer.member("lastError", reason)
        }
    }

    /// Reports a change of the settings.
    mutating func tellOfChosenSettings() {
        let revision = store.revision
        tell(.store, "store", seq: \.lastStoreSeq) { writer in
            writer.member("type", literal: "settings")
            writer.member("revision", revision)
        }
    }

    /// Reports a new state of a plugin, or new cells.
    mutating func tell(of change: PluginChange) {
        tell(.plugin, "plugin", seq: \.lastPluginSeq) { writer in
            writer.key("type")
            switch change {
            case .state(let id, let state, let reason):
                writer.string("state" as StaticString)
                writer.member("plugin", id.text)
                writer.member("state", state)
                writer.member("reason", reason)
            case .cells(let id, let mood):
                writer.string("cells" as StaticString)
                writer.member("plugin", id.text)
                writer.member("moodId", mood.text)
            }
        }
    }

    // MARK: Routers

    /// Reports that a router has moved.
    mutating func tellOfNavigation(_ name: String) {
        guard isWatching else { return }
        let router = state.navigation.router(name)
        tell(.nav, "nav", seq: \.lastNavigationSeq) { writer in
            writer.member("router", name)
            writer.key("state")
            router.write(name: name, to: &writer)
        }
    }

    /// Reports an event that the session counts.
    private mutating func tell(
        _ topic: EventTopics, _ name: StaticString, seq: WritableKeyPath<EventState, Int>,
        _ members: (inout JSONWriter) -> Void
    ) {
        guard state.events.wants(topic) else { return }
        changeState { $0.events[keyPath: seq] += 1 }
        let (number, time) = (state.events[keyPath: seq], now.text)
        for subscription in state.events.subscriptions where subscription.topics.contains(topic) {
            notices.addEvent(subscription, name, seq: number, at: { $0.string(time) }, members)
        }
    }

    /// Removes the routes of deleted moods from all routers. A recording that plays goes on: only the client can stop
    /// it.
    mutating func pruneRoutes() {
        guard state.navigation.hasMoods, store.isOpen, store.revision != state.prunedRevision else { return }
        let (revision, now) = (store.revision, now)
        changeState { $0.prunedRevision = revision }
        // If the store cannot be read, nothing is known to be missing, so every route stays.
        let missing = state.navigation.moods.filter { (try? store.contains($0)) == false }
        guard !missing.isEmpty else { return }
        var moved: [String] = []
        changeState { moved = $0.navigation.remove(missing, at: now) }
        for name in moved { tellOfNavigation(name) }
    }
}

extension Subscription {
    /// The progress of AI clients as a subscription to moods.
    fileprivate static func ofModels(_ told: Int) -> Subscription {
        Subscription(number: 0, session: 0, topics: .mood, told: told, begun: told)
    }

    fileprivate func awaits(_ revision: Int) -> Bool { topics.contains(.mood) && told == revision - 1 }
}

extension JSONWriter {
    /// Writes the origin of a commit that no client made.
    mutating func origin(_ origin: String?) {
        guard let origin else { return }
        key("origin")
        string(origin)
    }
}
