import JSONCodec
import MoodCore
import MoodStore
import Platform
import Storage

/// The host process: claims its streams, serves one client, ends in good order.
public enum Host {
    /// How long a peer that has asked us to end, or has stopped reading, is waited for.
    private static let farewellMilliseconds = 500
    /// How long the store is put in order when the client is done, after its last answer. With what comes before, the
    /// process ends within a second.
    private static let partingMilliseconds = 600
    private static let readBytes = 256 * 1024
    /// While changes come whose sync takes longer than their handling: the more of them it is for, the better.
    private static let sharedReadBytes = 1024 * 1024

    /// Serves until the client is done.
    /// - Returns: the exit code, which is 0 whatever the client did.
    public static func run(_ options: HostOptions) -> Int32 {
        do throws(SystemError) {
            let streams = try StandardStreams.claim()
            let interruption = try Interruption.install()
            var session = Session(core: Core(options, location(options)))
            session.core.notices.send = streams.interimWriter
            if options.insertsSamples { session.insertSamplesIfEmpty() }
            let isClientDone = serve(&session, streams, interruption)
            if isClientDone { session.core.store.part(withinMilliseconds: partingMilliseconds) }
            return 0
        } catch {
            StandardStreams.writeError("moodboard: \(error)\n")
            return 1
        }
    }

    private static func location(_ options: HostOptions) -> MoodRecords.Location {
        guard case .directory(let path) = options.place else { return .memory(isReadOnly: options.isReadOnly) }
        let level = options.logLevel
        return .directory(
            StoreSettings(
                directory: path, durability: options.durability, isReadOnly: options.isReadOnly,
                trustsDirectory: options.trustsDirectory, lockTimeoutMilliseconds: options.lockTimeoutMilliseconds,
                schemaVersion: MoodRecords.schemaVersion, fileSystem: .system,
                log: { line in
                    if level >= .warning { StandardStreams.writeError("moodboard: \(line)\n") }
                },
                makeIdentifier: {
                    var random = SystemRandomNumberGenerator()
                    let now = Timestamp(milliseconds: Clock.milliseconds) ?? .minimum
                    return MoodID(version7At: now, random: (random.next(), random.next())).text
                },
                timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text }))
    }

    /// The loop: wait, read, handle, write. Nothing else in the process touches the session.
    /// - Returns: whether the client was done; false where it, or somebody else, wants the process to be gone.
    private static func serve(
        _ session: inout Session, _ streams: consuming PeerStreams, _ interruption: Int32
    ) -> Bool {
        // The streams are closed behind this.
        defer { session.core.notices.send = { _ in 0 } }
        var isAtEnd = false
        // The client has closed its end, but what it wrote has not all been read, because it takes no answers.
        var isLeaving = false
        var isHandled = true
        var isWide = false
        var watch = StoreWatch()
        while true {
            let hasOutput = !session.sendable.isEmpty
            if isAtEnd && isHandled && !hasOutput { return true }
            // Input that is already here comes before new input; and a client that does not read is not read from.
            if isHandled || session.isOutputFull {
                let mayRead = isHandled && !isAtEnd && !session.isOutputFull
                let isFarewell = isAtEnd || (isLeaving && !mayRead)
                let pause = watch.prepare(&session, isWanted: !isAtEnd && !isLeaving && session.followsStore)
                let readiness = streams.wait(
                    toRead: mayRead, noticesEnd: !isAtEnd && !isLeaving, toWrite: hasOutput, interruption,
                    watch: watch.descriptor, milliseconds: isFarewell ? farewellMilliseconds : pause)
                if readiness.isOutputClosed { return false }
                if readiness.isInterrupted {
                    finish(&session, streams)
                    return false
                }
                if readiness.canRead {
                    let limit = session.hasSharedSync ? sharedReadBytes : readBytes
                    let count = session.receive(upTo: limit) { streams.read(into: $0) }
                    if count == 0 { isAtEnd = true }
                    isHandled = false
                } else if isFarewell && !readiness.canWrite {
                    session.core.log(.warning, "the client did not read its last answers")
                    return false
                }
                if readiness.isInputClosed { isLeaving = true }
                if watch.attend(&session, readiness) { isHandled = false }
            }
            if !isHandled, !session.isOutputFull {
                isHandled = session.process(isAtEnd: isAtEnd, milliseconds: Clock.milliseconds)
                if session.core.isShuttingDown {
                    isAtEnd = true
                    isHandled = true
                }
                if session.hasSharedSync, !isWide {
                    streams.widen()
                    isWide = true
                }
            }
            if !send(&session, streams) { return false }
        }
    }

    /// Sends what the peer can take.
    /// - Returns: false when the peer is gone.
    private static func send(_ session: inout Session, _ streams: borrowing PeerStreams) -> Bool {
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

    /// Answers what was read, and waits a little for the peer to take it.
    private static func finish(_ session: inout Session, _ streams: borrowing PeerStreams) {
        let deadline = Clock.monotonicMilliseconds + farewellMilliseconds
        var isHandled = false
        while true {
            if !isHandled, !session.isOutputFull {
                isHandled = session.process(isAtEnd: false, milliseconds: Clock.milliseconds)
            }
            guard send(&session, streams) else { return }
            if isHandled && session.sendable.isEmpty { return }
            let rest = deadline - Clock.monotonicMilliseconds
            guard rest > 0 else { return }
            let readiness = streams.wait(
                toRead: false, noticesEnd: false, toWrite: true, -1, milliseconds: rest)
            if readiness.isOutputClosed { return }
        }
    }
}

extension Session {
    /// What `--samples` asks for: never a second time.
    fileprivate mutating func insertSamplesIfEmpty() {
        core.setTime(Clock.milliseconds)
        defer { core.store.endGroup() }
        do {
            try core.makeStore()
            guard core.store.count == 0 else { return }
            _ = try core.insertSamples()
            try core.store.endCommit()
            try core.store.flush()
            core.store.forgetUndo()
        } catch {
            core.log(.error, "the samples could not be added: \(error)")
        }
    }
}

extension Core {
    /// Says something to people, on stderr.
    func log(_ level: LogLevel, _ text: String) {
        if level <= options.logLevel { StandardStreams.writeError("moodboard: \(text)\n") }
    }
}
