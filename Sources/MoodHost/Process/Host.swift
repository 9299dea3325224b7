import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import Platform
import Storage

/// The host process: it claims its streams, serves one client, and ends in good order.
enum Host {
    /// The time to tidy the store after the client's last answer. The process ends within a second in all.
    private static let partingMilliseconds = 400
    /// The time for a round to end.
    private static let syncMilliseconds = 200

    /// Serves until the client is done, or a signal ends the process.
    static func run(_ options: HostOptions) throws(SystemError) -> HostEnding {
        let streams = try StandardStreams.claim()
        let interruption = try Interruption.install(
            lastWords: "moodboard: it was still at work when its time to end was over; answers are missing.\n",
            code: Program.exitUnread)
        if let path = TimeZoneSetting.replaceUnreadable() {
            StandardStreams.writeError("moodboard: TZ names \(path), which is no file of a zone; the zone is UTC.\n")
        }
        if let time = options.testTime { Clock.set(milliseconds: time.milliseconds) }
        if let seed = options.testSeed { RandomWords.seed(seed) }
        var session = Session(core: Core(options, location(options)))
        if options.insertsSamples { session.insertSamplesIfEmpty() }
        session.core.store.lockWait.mode = .beside
        var loop = HostLoop(streams, interruption: interruption)
        let ending = loop.run(&session)
        Interruption.settle()
        session.core.sync.bridge.close()
        session.core.plugins.stopAll()
        session.core.store.part(withinMilliseconds: ending == .complete ? partingMilliseconds : 0)
        session.core.plugins.part()
        session.core.sync.stop(withinMilliseconds: syncMilliseconds)
        session.core.leaveSyncToOthers()
        return ending
    }

    static func location(_ options: HostOptions) -> MoodRecords.Location {
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
                    let random = RandomWords()
                    let now = Timestamp(milliseconds: Clock.milliseconds) ?? .minimum
                    return MoodID(version7At: now, random: (random.next(), random.next())).text
                },
                timestamp: { (Timestamp(milliseconds: Clock.milliseconds) ?? .minimum).text }))
    }
}

extension Session {
    /// Inserts samples for `--samples`, unless the store has moods.
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
            core.log(.error, "the samples could not be added: \(RPCError(error, .write).message)")
        }
    }
}

extension Core {
    /// Writes a message for the user to stderr.
    func log(_ level: LogLevel, _ text: String) {
        if level <= options.logLevel { StandardStreams.writeError("moodboard: \(text)\n") }
    }
}
