import Platform
import PluginHost

/// When a store is synced without anybody's asking: after changes, once it was quiet for two seconds, and every five minutes.
struct SyncPlan {
    static let quietMilliseconds = 2000
    static let intervalMilliseconds = 300_000
    /// What others tell of in quick succession is one round.
    static let hurryMilliseconds = 10

    /// Does what needs the other side.
    let thread: HelperThread
    /// Its way to plugins.
    let bridge: TransportBridge
    /// What a plugin was asked for a round, and has not answered.
    var asked: (plugin: String, call: PluginCall)?
    /// Whether this host syncs by itself. Looked at after every group of requests.
    var isAutomatic = false
    /// The same, also when the host ends.
    private(set) var wasAutomatic = false
    /// By `Clock.monotonicMilliseconds`.
    private(set) var deadline: Int?
    /// The last commit that was seen.
    private(set) var seen = 0
    /// Whether there was something new while a round was at work, which may have come too late for that.
    private var isHurried = false
    /// Whether the last round found another process at work.
    var isBusy = false
    /// The round that nobody asked for, while it is at work.
    var round: LongWork?

    init(thread: HelperThread) {
        self.thread = thread
        bridge = TransportBridge(thread)
    }

    /// There may be something to do now.
    mutating func begin(revision: Int) {
        isAutomatic = true
        wasAutomatic = true
        seen = revision
        deadline = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// It is too early for another round.
    mutating func wait() {
        guard isAutomatic else { return }
        deadline = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// Somebody has told that there is something new.
    mutating func hurry() {
        guard isAutomatic else { return }
        if round != nil { isHurried = true }
        deadline = min(deadline ?? .max, Clock.monotonicMilliseconds + Self.hurryMilliseconds)
    }

    /// Nothing is done by itself here.
    mutating func rest() { (isAutomatic, wasAutomatic, deadline) = (false, false, nil) }

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
        let pause = isHurried ? Self.hurryMilliseconds : Self.intervalMilliseconds
        isHurried = false
        deadline = isAutomatic ? Clock.monotonicMilliseconds + pause : nil
    }

    mutating func isDue() -> Bool {
        guard let time = deadline, Clock.monotonicMilliseconds >= time else { return false }
        deadline = nil
        return true
    }
}
