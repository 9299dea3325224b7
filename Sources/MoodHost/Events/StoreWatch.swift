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
    private var isLookSet = false
    private var isStallSet = false

    /// Before a wait: begins or ends watching, and says when to look at the latest.
    /// - Parameter isWanted: whether anything may come of it.
    mutating func prepare(_ session: inout Session, isWanted: Bool, _ sources: inout EventSources) {
        let isWanted = isWanted && session.followsStore
        if isWanted != self.isWanted || (isWanted && !isWatching) {
            self.isWanted = isWanted
            begin(session, &sources)
            // What came after the answer and before the watch has woken nobody.
            if isWatching { look(at: Clock.monotonicMilliseconds, &sources) }
        }
        guard isWanted else { return }
        if !isLookSet {
            let pause = isWatching ? Self.seldomMilliseconds : Self.pollMilliseconds
            look(at: Clock.monotonicMilliseconds + pause, &sources)
        }
        if session.isTooSlow != isStallSet {
            isStallSet.toggle()
            sources.setDeadline(.stall, at: isStallSet ? Clock.monotonicMilliseconds + Self.slowMilliseconds : nil)
        }
    }

    private mutating func look(at time: Int, _ sources: inout EventSources) {
        sources.setDeadline(.store, at: time)
        isLookSet = true
    }

    private var isWatching: Bool {
        switch watch {
        case .some: true
        case .none: false
        }
    }

    private mutating func begin(_ session: borrowing Session, _ sources: inout EventSources) {
        sources.forget(.store)
        watch = isWanted ? session.core.path.flatMap { FileWatch(directory: $0, name: "lock") } : nil
        switch watch {
        case .some(let watch): sources.listen(to: watch.descriptor, as: .store, for: .reading)
        case .none: break
        }
        guard !isWanted else { return }
        sources.setDeadline(.store, at: nil)
        sources.setDeadline(.stall, at: nil)
        (isLookSet, isStallSet) = (false, false)
    }

    /// The client takes something of what is there for it.
    mutating func clientTook(_ sources: inout EventSources) {
        guard isStallSet else { return }
        isStallSet = false
        sources.setDeadline(.stall, at: nil)
    }

    /// Sees to what the watched file has told.
    mutating func takeNews(_ session: inout Session, _ sources: inout EventSources) {
        let news: FileWatch.News
        switch watch {
        case .some(let watch): news = watch.take()
        case .none: return
        }
        switch news {
        case .none: return
        case .written: break
        case .lost:
            // The next wait begins again.
            sources.forget(.store)
            watch = nil
            isLookSet = false
        }
        see(&session)
    }

    /// It is time to look.
    mutating func look(_ session: inout Session) {
        isLookSet = false
        see(&session)
    }

    /// The client has taken nothing for too long.
    mutating func endSlowSubscriptions(_ session: inout Session) {
        isStallSet = false
        see(&session)
        if session.isTooSlow { session.endSlowSubscriptions() }
    }

    private func see(_ session: inout Session) {
        if session.isOutputFull {
            session.lookWhileFull(milliseconds: Clock.milliseconds)
        } else {
            session.expectWork()
        }
    }
}
