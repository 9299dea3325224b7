import Platform

/// The schedule of looks for changes of the store by other processes. The host looks only while a subscriber needs it.
///
/// Every writer publishes in the file `lock` after its sync and before its answers, so the host watches that file. If
/// files cannot be watched, it polls. Even a watched file is polled at long intervals: a file system may not report
/// changes by another machine, and another directory may replace the watched one.
struct StoreWatch: ~Copyable {
    /// The longest delay until a change is seen, if files cannot be watched.
    private static let pollMilliseconds = 100
    private static let seldomMilliseconds = 1000
    /// The time after which a client that reads nothing loses its subscriptions, while its queue is full and other
    /// processes go on.
    private static let slowMilliseconds = 250

    private var watch: FileWatch?
    private var isWanted = false
    private var isLookSet = false
    private var isStallSet = false

    /// Begins or ends watching before a wait, and sets the next look.
    /// - Parameter isWanted: whether the host can act on changes.
    mutating func prepare(_ session: inout Session, isWanted: Bool, _ sources: inout EventSources) {
        let isWanted = isWanted && session.followsStore
        if isWanted != self.isWanted || (isWanted && !isWatching) {
            self.isWanted = isWanted
            begin(session, &sources)
            // Changes after the answer and before the watch did not wake the loop, so look now.
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

    /// Notes that the client reads its output.
    mutating func clientTook(_ sources: inout EventSources) {
        guard isStallSet else { return }
        isStallSet = false
        sources.setDeadline(.stall, at: nil)
    }

    /// Handles the events of the watched file.
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
            // The next wait begins a new watch.
            sources.forget(.store)
            watch = nil
            isLookSet = false
        }
        see(&session)
    }

    /// Looks because the interval is over.
    mutating func look(_ session: inout Session) {
        isLookSet = false
        see(&session)
    }

    /// Ends the subscriptions of a client that has read nothing for too long.
    mutating func endSlowSubscriptions(_ session: inout Session) {
        isStallSet = false
        see(&session)
        if session.isTooSlow { session.endSlowSubscriptions() }
    }

    private func see(_ session: inout Session) {
        if session.isOutputFull {
            session.lookWhileFull(milliseconds: Clock.milliseconds)
        } else {
            session.hasWork = true
        }
    }
}
