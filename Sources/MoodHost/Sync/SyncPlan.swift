import Platform

/// When a store is synced without anybody's asking: after changes, once it was quiet for two seconds, and every five minutes.
struct SyncPlan {
    static let quietMilliseconds = 2000
    static let intervalMilliseconds = 300_000

    /// Does what needs the other side.
    let thread: HelperThread
    /// Whether this host syncs by itself. Looked at after every group of requests.
    var isAutomatic = false
    /// The same, also when the host ends.
    private(set) var wasAutomatic = false
    /// By `Clock.monotonicMilliseconds`.
    private(set) var deadline: Int?
    /// The last commit that was seen.
    private(set) var seen = 0
    /// The round that nobody asked for, while it is at work.
    var round: LongWork?

    init(thread: HelperThread) { self.thread = thread }

    /// There may be something to do now.
    mutating func begin(revision: Int) {
        isAutomatic = true
        wasAutomatic = true
        seen = revision
        deadline = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// It is too early for another round.
    mutating func wait() { deadline = Clock.monotonicMilliseconds + Self.quietMilliseconds }

    mutating func end() {
        isAutomatic = false
        deadline = nil
    }

    mutating func see(_ revision: Int) {
        guard revision != seen else { return }
        seen = revision
        deadline = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// A round has ended; what it brought in is no reason for another one.
    mutating func rest(revision: Int) {
        seen = revision
        deadline = isAutomatic ? Clock.monotonicMilliseconds + Self.intervalMilliseconds : nil
    }

    mutating func isDue() -> Bool {
        guard let time = deadline, Clock.monotonicMilliseconds >= time else { return false }
        deadline = nil
        return true
    }
}
