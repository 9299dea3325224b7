import Platform

/// When to look whether other processes have changed the store: only while somebody wants to be told.
///
/// Every writer publishes in the file `lock` after its sync and before its answers, so that is the file to watch. If files
/// cannot be watched, it is looked at now and then; if they can, seldom, because a file system may not tell of what another
/// machine does, and another directory may take the place of the watched one.
struct StoreWatch: ~Copyable {
    /// How long it takes at most to see what others did, if files cannot be watched.
    private static let pollMilliseconds = 100
    private static let seldomMilliseconds = 1000
    /// A client that takes nothing for so long, while its queue is full and others go on, is told no more.
    private static let slowMilliseconds = 250

    private var watch: FileWatch?
    private var isWanted = false

    /// Since when a subscribed client has taken nothing of what waits for it.
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
