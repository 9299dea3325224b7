import Platform

/// When to look whether other processes have changed the store: only while somebody wants to be told.
///
/// Every writer publishes in the file `lock` behind its sync and before its answers, so that is the file to watch. Where
/// files cannot be watched it is looked at now and then; and seldom where they can, because a file system may not tell of
/// what another machine does, and a directory may be put in the place of the one that is watched.
struct StoreWatch: ~Copyable {
    /// How long it takes at most to see what others did where files cannot be watched.
    private static let pollMilliseconds = 100
    private static let seldomMilliseconds = 1000
    /// A client that takes nothing for so long while its queue is full and others go on is told no more.
    private static let slowMilliseconds = 250

    private var watch: FileWatch?
    private var isWanted = false

    /// Since when a client that is to be told takes nothing of what is there for it.
    private var stalledSince: Int?

    /// What to wait for besides the client; -1: nothing.
    var descriptor: Int32 {
        switch watch {
        case .some(let watch): watch.descriptor
        case .none: -1
        }
    }

    /// Begins or ends watching, before a wait.
    /// - Returns: after how long the wait must end, nil where it need not.
    mutating func prepare(_ session: inout Session, isWanted: Bool) -> Int? {
        if isWanted != self.isWanted || (isWanted && descriptor < 0) {
            self.isWanted = isWanted
            watch = isWanted ? session.core.path.flatMap { FileWatch(directory: $0, name: "lock") } : nil
        }
        guard isWanted else { return nil }
        let pause = descriptor < 0 ? Self.pollMilliseconds : Self.seldomMilliseconds
        guard session.isTooSlow else {
            stalledSince = nil
            return pause
        }
        let now = Clock.monotonicMilliseconds
        if stalledSince == nil { stalledSince = now }
        return min(pause, max(0, Self.slowMilliseconds - (now - (stalledSince ?? now))))
    }

    /// Sees to what a wait has found.
    /// - Returns: whether the session has something to handle.
    mutating func attend(_ session: inout Session, _ readiness: PeerStreams.Readiness) -> Bool {
        guard isWanted else { return false }
        if readiness.canWrite { stalledSince = nil }
        let isTimeOut = !(readiness.hasNews || readiness.canRead || readiness.canWrite)
        guard readiness.hasNews ? takeNews() : isTimeOut else { return false }
        guard session.isOutputFull else { return true }
        session.lookWhileFull(milliseconds: Clock.milliseconds)
        if let stalledSince, Clock.monotonicMilliseconds - stalledSince >= Self.slowMilliseconds, session.isTooSlow {
            session.endSlowSubscriptions()
        }
        return false
    }

    private mutating func takeNews() -> Bool {
        let news: FileWatch.News
        switch watch {
        case .some(let watch): news = watch.take()
        case .none: return true
        }
        switch news {
        case .none: return false
        case .written: return true
        case .lost:
            watch = nil
            return true
        }
    }
}
