import Platform

/// How serving a client came to its end.
enum HostEnding {
    /// The client is done, and has taken all answers.
    case complete
    /// Somebody wants the process to be gone; no answer is left.
    case dismissed
    /// Answers were not taken.
    case unread
}

/// The loop that owns everything: it waits for one event after the other and sees to it. Nothing else in the process
/// touches the session. (Redis: `ae.c`; Node: the event loop.)
///
/// A request in flight costs one poll, one read and one write.
struct HostLoop: ~Copyable {
    private enum Phase: Equatable {
        /// What the client sends is read.
        case serving
        /// The input has ended. What was sent is answered, and the client is waited for as long as its end is open.
        case ending
        /// What was read is answered, as far as the client takes it in time. `isAsked`: it has asked for that itself.
        case leaving(isAsked: Bool)
        /// The time is over. Only the message that has begun to leave is sent to its end.
        case cutting
    }

    /// How long a client is waited for that has asked for the end, or that somebody else wants to be gone,
    private static let farewellMilliseconds = Interruption.patienceMilliseconds
    /// and then for the rest of a message. With what comes after, the process ends within a second.
    private static let cuttingMilliseconds = 300
    /// A host that has had a store for so long stays, and notices from then on what others do. The end of a watch (inotify) takes
    /// the kernel 15 ms: more than all the rest, if a host answers one question and ends.
    private static let stayingMilliseconds = 200
    private static let readBytes = 256 * 1024
    /// While changes come whose sync takes longer than their handling: the more of them it is for, the better.
    private static let sharedReadBytes = 1024 * 1024

    private let streams: PeerStreams
    private var sources = EventSources()
    private var watch = StoreWatch()
    private var plugins = PluginWatch()
    /// What was known of plugins when their descriptors were last looked at, and whether there were any.
    private var seenFlags = PluginFlags.unread
    private var arePluginsListened = false
    private var phase = Phase.serving
    private var isWide = false
    private var isStayingSet = false
    /// When the store is to be synced, as the sources know it.
    private var syncTime: Int?
    /// What tells of the sync's file, as the sources know it.
    private var syncFile: Int32 = -1
    private var isLockAwaited = false
    private var isClientGone = false

    init(_ streams: consuming PeerStreams, interruption: Int32) {
        self.streams = streams
        sources.listen(to: interruption, as: .interruption, for: .reading)
    }

    /// Serves until the client is done, or somebody wants the process to be gone.
    mutating func run(_ session: inout Session) -> HostEnding {
        while true {
            if let ending = advance(&session) { return ending }
            switch next(&session) {
            case .input: receive(&session)
            case .output: watch.clientTook(&sources)
            case .outputClosed: if !staysWithoutClient(&session) { return lose(session) }
            case .interrupted: leave(&session, isAsked: false)
            case .storeChanged: watch.takeNews(&session, &sources)
            case .lockReady: session.endLockWait(isTimeOver: false)
            case .workAdvanced: session.attendWork(milliseconds: Clock.milliseconds)
            case .plugin(let slot, let end): attend(slot, end, &session)
            case .pluginsChanged: session.seePluginFile()
            case .syncChanged: session.core.seeSyncFile()
            case .timer(.plugins):
                session.attendPlugins(heardUntil: sources.pollTime, milliseconds: Clock.milliseconds)
            case .timer(.sync):
                syncTime = nil
                session.syncWhenDue(milliseconds: Clock.milliseconds)
            case .timer(.lock): session.endLockWait(isTimeOver: true)
            case .timer(.look): watch.look(&session)
            case .timer(.stall): watch.endSlowSubscriptions(&session)
            case .timer(.staying): session.noticeOthers()
            case .timer(.farewell): if let ending = cut(&session) { return ending }
            }
        }
    }

    /// Handles what is there and sends what is taken.
    /// - Returns: how all ended, where it has.
    private mutating func advance(_ session: inout Session) -> HostEnding? {
        repeat {
            if session.hasWork, !session.isFull, !Interruption.isOverdue { process(&session) }
            guard send(&session) else { return lose(session) }
        } while session.hasWork && !session.isFull && !Interruption.isOverdue
        guard session.sendable.isEmpty, !session.hasWork || phase == .cutting else { return nil }
        switch phase {
        case .serving: return nil
        case .ending: return session.hasPending || session.isDeliveringLate ? nil : .complete
        case .leaving(let isAsked): return isAsked ? .complete : .dismissed
        case .cutting: return .unread
        }
    }

    private mutating func process(_ session: inout Session) {
        session.process(milliseconds: Clock.milliseconds)
        // The lock that a plugin waits for may have come to a request of the client.
        if !session.parkedPluginRequests.isEmpty { session.resumePluginRequests() }
        if session.core.pluginFlags.contains(.events) { session.core.deliverEvents() }
        if session.core.sync.followsStore { session.core.planSync() }
        if session.core.isShuttingDown { leave(&session, isAsked: true) }
        if session.hasSharedSync, !isWide {
            streams.widen()
            isWide = true
        }
    }

    /// Sends what the client can take.
    /// - Returns: false when it is gone.
    private func send(_ session: inout Session) -> Bool {
        while !session.sendable.isEmpty {
            do throws(SystemError) {
                let count = try streams.write(session.sendable)
                if count == 0 { return true }
                session.didSend(count)
            } catch {
                // Why it is gone is its own concern.
                return false
            }
        }
        return true
    }

    // MARK: Waiting

    private mutating func next(_ session: inout Session) -> Event {
        listen(&session)
        while true {
            if let event = Event(sources.next()) { return event }
        }
    }

    /// Listens to what can be seen to now: a client that does not take its answers is not read from.
    private mutating func listen(_ session: inout Session) {
        if phase == .serving, !session.isFull, !session.isInputFull {
            sources.listen(to: streams.input, as: .input, for: .reading)
        } else {
            sources.forget(.input)
        }
        if !isClientGone {
            sources.listen(to: streams.output, as: .output, for: session.sendable.isEmpty ? [] : .writing)
        }
        let helper = session.core.store.helper.descriptor
        if helper >= 0 { sources.listen(to: helper, as: .helper, for: .reading) }
        let sync = session.core.sync.thread.descriptor
        if sync >= 0 { sources.listen(to: sync, as: .sync, for: .reading) }
        let file = session.core.sync.watchDescriptor
        if file != syncFile {
            if file >= 0 { sources.listen(to: file, as: .syncFile, for: .reading) } else { sources.forget(.syncFile) }
            syncFile = file
        }
        if session.core.sync.isAutomatic || syncTime != nil {
            // Every request comes by here, and most change nothing about it.
            let time = phase == .serving ? session.core.sync.deadline : nil
            if time != syncTime { sources.setDeadline(.sync, at: time) }
            syncTime = time
        }
        if session.isParked || isLockAwaited || !session.parkedPluginRequests.isEmpty { awaitLock(&session) }
        watch.prepare(&session, isWanted: phase == .serving, &sources)
        let flags = session.core.pluginFlags
        if flags.contains(.present) || flags != seenFlags || arePluginsListened { listenToPlugins(&session) }
    }

    @inline(never)
    private mutating func listenToPlugins(_ session: inout Session) {
        let registry = session.core.plugins
        seenFlags = session.core.pluginFlags
        if !seenFlags.contains(.unread), !isStayingSet {
            isStayingSet = true
            if session.core.path != nil {
                sources.setDeadline(.staying, at: Clock.monotonicMilliseconds + Self.stayingMilliseconds)
            }
        }
        if let descriptor = registry.watchDescriptor {
            sources.listen(to: descriptor, as: .plugins, for: .reading)
        } else {
            sources.forget(.plugins)
        }
        // Where there are no plugins, nobody waits for one.
        arePluginsListened = !registry.all.isEmpty || !plugins.isEmpty || registry.hasChanges || registry.hasNotes
        guard arePluginsListened else { return sources.setDeadline(.plugins, at: nil) }
        plugins.prepare(registry.all, isFull: session.isFull, &sources)
        sources.setDeadline(.plugins, at: session.pluginDeadline)
    }

    private mutating func attend(_ slot: Int, _ end: PluginWatch.End, _ session: inout Session) {
        plugins.attend(slot, end)
        session.attendPlugins(heardUntil: sources.pollTime, milliseconds: Clock.milliseconds)
    }

    private mutating func awaitLock(_ session: inout Session) {
        let descriptor = session.core.store.lockWait.descriptor
        isLockAwaited = (session.isParked || session.isPluginAwaitingLock) && descriptor >= 0
        guard isLockAwaited else {
            sources.forget(.lock)
            return sources.setDeadline(.lock, at: nil)
        }
        sources.listen(to: descriptor, as: .lock, for: .reading)
        sources.setDeadline(.lock, at: session.core.store.lockWait.deadline)
    }

    private mutating func receive(_ session: inout Session) {
        let limit = session.hasSharedSync ? Self.sharedReadBytes : Self.readBytes
        if session.receive(upTo: limit, { streams.read(into: $0) }) == 0 {
            session.endInput()
            phase = .ending
        }
    }

    // MARK: The end

    private mutating func leave(_ session: inout Session, isAsked: Bool) {
        switch phase {
        case .leaving, .cutting: return
        case .serving, .ending: phase = .leaving(isAsked: isAsked)
        }
        session.core.plugins.stopAll()
        session.refuseWork()
        sources.forget(.interruption)
        let begin = isAsked ? nil : Interruption.time
        sources.setDeadline(.farewell, at: (begin ?? Clock.monotonicMilliseconds) + Self.farewellMilliseconds)
    }

    /// The client has not taken everything in time.
    private mutating func cut(_ session: inout Session) -> HostEnding? {
        guard case .leaving = phase else { return .unread }
        phase = .cutting
        session.dropUnbegunMessages()
        streams.makeRoom()
        sources.setDeadline(.farewell, at: Clock.monotonicMilliseconds + Self.cuttingMilliseconds)
        return nil
    }

    /// A client that has all its answers need not wait while plugins are told of what it has changed.
    private mutating func staysWithoutClient(_ session: inout Session) -> Bool {
        guard phase == .ending, session.sendable.isEmpty, !session.hasWork, !session.hasPending,
            session.isDeliveringLate
        else { return false }
        isClientGone = true
        sources.forget(.output)
        return true
    }

    /// Nobody reads any more.
    private func lose(_ session: borrowing Session) -> HostEnding {
        session.sendable.isEmpty && !session.hasWork && !session.hasPending ? .dismissed : .unread
    }
}
