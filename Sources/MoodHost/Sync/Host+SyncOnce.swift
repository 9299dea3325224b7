import JSONCodec
import JSONRPC
import MoodCore
import MoodStore
import MoodSync
import Platform
import PluginHost
import Storage
import Synchronization

/// `--sync-once`: one round as a process of its own, for hosts that end too soon for one.
extension Host {
    /// At most one is started in this time.
    fileprivate static let intervalMilliseconds = 60_000

    /// - Returns: the exit code: 0 if the store was synced, if another process is syncing it, and if the other side is
    ///   offline.
    static func syncOnce(_ options: HostOptions) -> Int32 {
        ProcessFacts.beginSession()
        Terminal.ignoreBrokenPipes()
        guard case .directory(let settings) = location(options) else { return 1 }
        var core = Core(options, location(options))
        core.setTime(Clock.milliseconds)
        StoreSync.waitWhenNoted(settings, everyMilliseconds: intervalMilliseconds)
        // A signal cancels the round, so that git and filters end with it.
        guard (try? Interruption.install(lastWords: "moodboard: the sync did not end in time.\n", code: 1)) != nil
        else { return 1 }
        defer { Interruption.settle() }
        let isCancelled: @Sendable () -> Bool = { Interruption.time != nil }
        let peer = core.transportPeer(isCancelled: isCancelled)
        var rounds = StoreSync(settings, peer: peer, patienceMilliseconds: 0, isCancelled: isCancelled)
        rounds.isAsked = false
        let sync = rounds
        let work = LongWork(on: core.sync.thread, .init(message: "Syncing", done: 0, total: 0))
        let failure = Mutex<SyncError?>(nil)
        let isDone = work.begin {
            do throws(SyncError) { _ = try sync.now { _, _ in } } catch { failure.withLock { $0 = error } }
            return { (_, _) throws(RPCError) in }
        }
        if !isDone { core.serveTransports(work) }
        core.plugins.part()
        switch failure.withLock({ $0 }) {
        case nil, .busy: return 0
        case let error?:
            StandardStreams.writeError("moodboard: \(error.reason)\n")
            return 1
        }
    }
}

extension Core {
    /// Serves plugins until the round is over.
    fileprivate mutating func serveTransports(_ work: LongWork) {
        var sources = EventSources()
        var watch = PluginWatch()
        sources.listen(to: sync.thread.descriptor, as: .sync, for: .reading)
        while work.takeConclusion() == nil {
            sync.thread.drain()
            attendTransport()
            watch.prepare(plugins.all, isFull: false, &sources)
            sources.setDeadline(.plugins, at: plugins.deadline)
            switch sources.next() {
            case .readable(.sync): continue
            case .readable(let name), .writable(let name), .closed(let name):
                if let (slot, end) = PluginWatch.place(of: name) { watch.attend(slot, end) }
            case .due: plugins.tick(at: sources.pollTime)
            }
            if plugins.takeNews() { refusePluginRequests() }
        }
    }

    /// Refuses requests of plugins, because there is no session to answer them.
    private func refusePluginRequests() {
        for plugin in plugins.hosted {
            for message in plugin.takeRequests() {
                var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
                let id = message.withUnsafeBytes { bytes in
                    Envelope.read(bytes, &validator)?.id.map { Array($0) }
                }
                guard let id else { continue }
                var out = JSONWriter(capacity: 128)
                id.withUnsafeBytes { id in
                    out.errorResponse(id: id, RPCError(.permissionDenied, "This host only syncs."))
                }
                plugin.reply(out.buffer.bytes)
            }
        }
    }
}

extension Core {
    /// Starts a process for the round of a host that ends too soon for one, in the background. It sends the host's
    /// changes, and brings in those of others if moods were only read. If it is too early, another process waits and
    /// sends them.
    mutating func leaveSyncToOthers() {
        guard sync.wasAutomatic, store.isOpen, let settings = store.settingsForSync else { return }
        store.lookAround()
        guard let program = Terminal.executablePath(), let status = try? syncStatus(commitsMax: 1) else { return }
        let last = status.lastSync.flatMap { text in
            Array(text.utf8).withUnsafeBytes { Timestamp(rfc3339: $0) }
        }
        if status.pending == 0, let last, Clock.milliseconds - last.milliseconds < Host.intervalMilliseconds { return }
        if !StoreSync.mayBegin(settings, everyMilliseconds: Host.intervalMilliseconds) {
            guard status.pending > 0,
                StoreSync.mayWait(settings, everyMilliseconds: Host.intervalMilliseconds)
            else { return }
        }
        var arguments = ["--sync-once", "--store", settings.directory]
        if settings.trustsDirectory { arguments.append("--trust-directory") }
        if settings.durability == .none { arguments += ["--durability", "none"] }
        for place in options.plugins.places { arguments += ["--plugins", place] }
        if options.plugins.isOff { arguments.append("--no-plugins") }
        if options.plugins.requiresIsolation { arguments.append("--require-isolation") }
        // The output is dropped: this process ends, and with it the pipe.
        do throws(SystemError) {
            _ = try ChildProcess.start(path: program, arguments: arguments, output: .pipeWithErrors)
        } catch {
            log(.warning, "sync: moodboard --sync-once could not be started: \(error)")
        }
    }
}
