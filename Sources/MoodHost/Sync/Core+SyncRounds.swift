import JSONCodec
import JSONRPC
import MoodStore
import MoodSync
import Platform
import Storage

/// Automatic rounds. They never delay a request: a thread of its own runs them, from files alone.
extension Core {
    /// Determines whether this host syncs the store by itself.
    mutating func prepareSync() {
        guard !options.isSyncOff, let settings = store.settingsForSync, !settings.isReadOnly else { return sync.rest() }
        // Before the file is read, so that no change in between is missed.
        sync.observe(noticesOthers ? settings.directory : nil, isThere: store.isOpen)
        guard StoreSync.isSetUp(settings.directory, in: settings.fileSystem) else { return sync.rest() }
        if sync.isAutomatic { return }
        let looks = StoreSync.hasFolder(settings.directory, in: settings.fileSystem)
        sync.begin(revision: store.isOpen ? store.durableRevision : 0, looks: looks)
    }

    /// Plans a round after a group of requests, if `sync.followsStore`.
    mutating func planSync() {
        guard store.isOpen else { return }
        if sync.awaitsStore { prepareSync() }
        if sync.isAutomatic { sync.see(store.durableRevision) }
    }

    /// Checks the sync's file after a change of it.
    mutating func seeSyncFile() {
        guard sync.takeWatchNews() else { return }
        // It may name another journal, or another transport.
        sync.rest()
        prepareSync()
    }

    /// Begins a round if its time has come.
    mutating func syncWhenDue() {
        guard let settings = store.settingsForSync else { return }
        if sync.isLookDue() { look(settings) }
        guard sync.isDue() else { return }
        // One at a time; commits made meanwhile are seen when it ends.
        guard sync.round == nil, !sync.thread.isRunning else { return sync.wait() }
        let work = LongWork(on: sync.thread, .init(message: "Syncing", done: 0, total: 0))
        let isCancelled: @Sendable () -> Bool = { work.isCancelled }
        var rounds = StoreSync(
            settings, peer: transportPeer(isCancelled: isCancelled), patienceMilliseconds: 0, isCancelled: isCancelled)
        rounds.isAsked = false
        let store = rounds
        sync.round = work
        tellOfSync("syncing", nil)
        _ = work.begin {
            var failure: SyncError?
            do throws(SyncError) { _ = try store.now { _, _ in } } catch { failure = error }
            // Another process is running one, and may have begun before the changes to send were there.
            let isBusy = if case .busy = failure { true } else { false }
            let reason: String? =
                switch failure {
                case .busy, .cancelled, nil: nil
                case let failure?: failure.reason
                }
            return { (core, _) throws(RPCError) in
                if let reason { core.log(.warning, "sync: \(reason)") }
                core.sync.isBusy = isBusy
            }
        }
    }

    /// Checks whether others have written to the folder, if no other work is running.
    private mutating func look(_ settings: StoreSettings) {
        guard sync.round == nil, sync.look == nil, !sync.thread.isRunning else { return }
        let work = LongWork(on: sync.thread, .init(message: "Looking", done: 0, total: 0))
        sync.look = work
        _ = work.begin {
            let sight = StoreSync.sight(settings.directory, in: settings.fileSystem)
            return { (core, _) throws(RPCError) in if let sight { core.sync.saw(sight) } }
        }
    }

    /// Takes the results of the thread.
    mutating func attendSync() {
        if let conclusion = sync.look?.takeConclusion() {
            sync.look = nil
            var nobody = JSONWriter(capacity: 16)
            // It never throws.
            try? conclusion(&self, &nobody)
        }
        guard let round = sync.round, let conclusion = round.takeConclusion() else { return }
        sync.round = nil
        var nobody = JSONWriter(capacity: 16)
        do { try conclusion(&self, &nobody) } catch { log(.warning, "sync: \(RPCError(error, .read).message)") }
        syncHasEnded()
    }

    /// Handles the end of any round.
    mutating func syncHasEnded() {
        store.lookAround()
        sync.rest(revision: store.isOpen ? store.durableRevision : 0)
        guard let status = try? syncStatus(commitsMax: 1) else { return }
        // Commits made during this round, or during another process's.
        if status.pending > 0, status.state == "idle" || status.state == "syncing" { sync.wait() }
        if sync.isBusy { sync.wait() }
        sync.isBusy = false
        guard state.events.wants(.sync) else { return }
        // The notification repeats the status.
        tellOfSync(status.state, status.lastError)
    }
}
