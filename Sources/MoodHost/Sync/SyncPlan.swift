import MoodSync
import Platform
import PluginHost

/// When a store is synced without anybody's asking: after changes, once it was quiet for two seconds, and every five minutes.
struct SyncPlan {
    static let quietMilliseconds = 2000
    static let intervalMilliseconds = 300_000
    /// What others tell of in quick succession is one round.
    static let hurryMilliseconds = 10
    /// A folder tells of nothing, so it is looked at.
    static let lookMilliseconds = 3000

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
    /// When a round is due; by `Clock.monotonicMilliseconds`, like all of these.
    private var roundTime: Int?
    /// When the folder is looked at; nil where nothing has to be looked at.
    private var lookTime: Int?
    /// The look that is under way.
    var look: LongWork?
    /// How it was there at the last look.
    var sight: SyncSight?
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

    /// When there is something to do.
    var deadline: Int? {
        guard let lookTime else { return roundTime }
        return min(roundTime ?? .max, lookTime)
    }

    /// There may be something to do now.
    /// - Parameter looks: whether nobody tells of changes.
    mutating func begin(revision: Int, looks: Bool) {
        isAutomatic = true
        if looks { setLook() }
        wasAutomatic = true
        seen = revision
        roundTime = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// It is too early for another round.
    mutating func wait() {
        guard isAutomatic else { return }
        roundTime = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// Somebody has told that there is something new.
    mutating func hurry() {
        guard isAutomatic else { return }
        if round != nil { isHurried = true }
        roundTime = min(roundTime ?? .max, Clock.monotonicMilliseconds + Self.hurryMilliseconds)
    }

    /// Nothing is done by itself here.
    mutating func rest() { (isAutomatic, wasAutomatic, roundTime, lookTime) = (false, false, nil, nil) }

    mutating func end() {
        isAutomatic = false
        (roundTime, lookTime) = (nil, nil)
    }

    mutating func see(_ revision: Int) {
        guard revision != seen else { return }
        seen = revision
        roundTime = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// A round has ended; what it brought in is no reason for another one.
    mutating func rest(revision: Int) {
        seen = revision
        let pause = isHurried ? Self.hurryMilliseconds : Self.intervalMilliseconds
        isHurried = false
        roundTime = isAutomatic ? Clock.monotonicMilliseconds + pause : nil
    }

    /// Whether a round is due.
    mutating func isDue() -> Bool {
        guard let time = roundTime, Clock.monotonicMilliseconds >= time else { return false }
        roundTime = nil
        return true
    }

    /// Whether the folder is to be looked at; then it is said when that is next.
    mutating func isLookDue() -> Bool {
        guard let time = lookTime, Clock.monotonicMilliseconds >= time else { return false }
        setLook()
        return true
    }

    private mutating func setLook() { lookTime = Clock.monotonicMilliseconds + Self.lookMilliseconds }

    /// What was seen in the folder.
    mutating func saw(_ now: SyncSight) {
        if now != sight { hurry() }
        sight = now
    }
}
