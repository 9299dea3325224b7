import Platform

/// The outcome of serving a client.
enum HostEnding {
    /// The client is done, and has read all answers.
    case complete
    /// A signal ended the process; no answer is left.
    case dismissed
    /// The client has not read all answers.
    case unread
}

/// The loop that owns everything: it waits for one event after the other and handles it. Nothing else in the process
/// uses the session. (Redis: `ae.c`; Node: the event loop.)
///
/// A request in flight costs one poll, one read and one write.
struct HostLoop: ~Copyable {
    private enum Phase: Equatable {
        /// The loop reads requests.
        case serving
        /// The input has ended. The loop answers all requests, and waits for the client as long as its end is open.
        case ending
        /// The loop answers the requests it has read, as far as the client reads the answers in time. `isAsked`: the
        /// client asked for the end.
        case leaving(isAsked: Bool)
        /// The time is over. The loop sends only the rest of a message that it has begun to send.
        case cutting
    }

    /// The time for a client to read its last answers after a shutdown began.
    private static let farewellMilliseconds = Interruption.patienceMilliseconds
    /// The time for the rest of a message after that. The process ends within a second in all.
    private static let cuttingMilliseconds = 300
    /// The age at which a host with a store begins to watch other hosts. Ending a watch (inotify) takes the kernel 15
    /// ms, more than all the rest of a host that answers one question and ends.
    private static let stayingMilliseconds = 200
    private static let readBytes = 256 * 1024
    /// The size of a read while syncs take longer than handling: the more changes share a sync, the better.
    private static let sharedReadBytes = 1024 * 1024

    private let streams: PeerStreams
    private var sources = EventSources()
    private var watch = StoreWatch()
    private var plugins = PluginWatch()
    /// The plugin flags when the loop last looked at the descriptors, and whether there were any plugins.
    private var seenFlags = PluginFlags.unread
    private var arePluginsListened = false
    private var phase = Phase.serving
    private var isWide = false
    private var isStayingSet = false
    /// The deadline of the sync that the sources have.
    private var syncTime: Int?
    /// The descriptor of the sync's file that the sources have.
    private var syncFile: Int32 = -1
    private var isLockAwaited = false
    private var isClientGone = false

    init(_ streams: consuming PeerStreams, interruption: Int32) {
        self.streams = streams
        sources.listen(to: interruption, as: .interruption, for: .reading)
    }

    /// Serves until the client is done, or a signal ends the process.
    mutating func run(_ session: inout Session) -> HostEnding {
        while true {
            if let ending = advance(&session) { return ending }
            switch next(&session) {
            case .input: receive(&session)
            case .output: watch.clientTook(&sources)
            case .outputClosed: if !staysWithoutClient(&session) { return lose(session) }
            case .interrupted: leave(&session, isAsked: false)
            case .storeChanged: watch.takeNews(&session, &sources)
            case .lockReady: session.wake(milliseconds: Clock.milliseconds)
            case .workAdvanced: session.attendWork(milliseconds: Clock.milliseconds)
            case .plugin(let slot, let end): attend(slot, end, &session)
            case .pluginsChanged: session.seePluginFile()
            case .syncChanged: session.core.seeSyncFile()
            case .timer(.plugins):
                session.attendPlugins(heardUntil: sources.pollTime, milliseconds: Clock.milliseconds)
            case .timer(.sync):
                syncTime = nil
                session.syncWhenDue(milliseconds: Clock.milliseconds)
            case .timer(.lock): session.endLockTime(milliseconds: Clock.milliseconds)
            case .timer(.look): watch.look(&session)
            case .timer(.stall): watch.endSlowSubscriptions(&session)
            case .timer(.staying): session.noticeOthers()
            case .timer(.farewell): if let ending = cut(&session) { return ending }
            }
        }
    }

    /// Handles the input and sends the output.
    /// - Returns: the outcome, if serving has ended.
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
        // A request of the client may have brought the lock that others wait for.
        if isLockAwaited { session.wake(milliseconds: Clock.milliseconds) }
        if session.core.pluginFlags.contains(.events) { session.core.deliverEvents() }
        if session.core.sync.followsStore { session.core.planSync() }
        if session.core.isShuttingDown { leave(&session, isAsked: true) }
        if session.hasSharedSync, !isWide {
            streams.widen()
            isWide = true
        }
    }

    /// Sends as much as the client reads.
    /// - Returns: false if the client is gone.
    private func send(_ session: inout Session) -> Bool {
        while !session.sendable.isEmpty {
            do throws(SystemError) {
                let count = try streams.write(session.sendable)
                if count == 0 { return true }
                session.didSend(count)
            } catch {
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

    /// Listens to the sources that the loop can handle now. It reads nothing from a client that does not read its
    /// answers.
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
        let reader = session.core.reader.descriptor
        if reader >= 0 { sources.listen(to: reader, as: .reader, for: .reading) }
        let sync = session.core.sync.thread.descriptor
        if sync >= 0 { sources.listen(to: sync, as: .sync, for: .reading) }
        let file = session.core.sync.watchDescriptor
        if file != syncFile {
            if file >= 0 { sources.listen(to: file, as: .syncFile, for: .reading) } else { sources.forget(.syncFile) }
            syncFile = file
        }
        if session.core.sync.isAutomatic || syncTime != nil {
            // Every request passes here, and most leave the deadline unchanged.
            let time = phase == .serving ? session.core.sync.deadline : nil
            if time != syncTime { sources.setDeadline(.sync, at: time) }
            syncTime = time
        }
        if session.isParked || isLockAwaited || !session.pluginLanes.isEmpty || !session.dispatcher.pending.isEmpty {
            awaitLock(&session)
        }
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
        // Without plugins no request waits for one.
        arePluginsListened =
            !registry.all.isEmpty || !plugins.isEmpty || registry.hasChanges || registry.hasNotes || registry.isRemoving
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
        isLockAwaited = session.isLockAwaited && descriptor >= 0
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

    /// Gives up the answers that the client has not read in time.
    private mutating func cut(_ session: inout Session) -> HostEnding? {
        guard case .leaving = phase else { return .unread }
        phase = .cutting
        session.dropUnbegunMessages()
        streams.makeRoom()
        sources.setDeadline(.farewell, at: Clock.monotonicMilliseconds + Self.cuttingMilliseconds)
        return nil
    }

    /// Lets a client that has all its answers go while plugins are still notified of its changes.
    private mutating func staysWithoutClient(_ session: inout Session) -> Bool {
        guard phase == .ending, session.sendable.isEmpty, !session.hasWork, !session.hasPending,
            session.isDeliveringLate
        else { return false }
        isClientGone = true
        sources.forget(.output)
        return true
    }

    /// The outcome after the client has closed its end.
    private func lose(_ session: borrowing Session) -> HostEnding {
        session.sendable.isEmpty && !session.hasWork && !session.hasPending ? .dismissed : .unread
    }
}
