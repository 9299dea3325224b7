import MoodSync
import Platform
import PluginHost

/// The times of automatic syncs: after changes, once it was quiet for two seconds, and every five minutes.
struct SyncPlan {
    static let quietMilliseconds = 2000
    /// Interval of checks for quiet, instead of one per change.
    private static let quietStepMilliseconds = 250
    static let intervalMilliseconds = 300_000
    /// Changes reported in quick succession share one round.
    static let hurryMilliseconds = 10
    /// A folder sends no notifications, so it is polled.
    static let lookMilliseconds = 3000

    /// The thread for work that needs the other side.
    let thread: HelperThread
    /// The thread's connection to plugins.
    let bridge: TransportBridge
    /// The pending call of a plugin for a round.
    var asked: (plugin: TrustedPlugin, call: PluginCall)?
    /// Whether this host syncs by itself.
    private(set) var isAutomatic = false
    /// Watches the setup of the sync by other processes.
    private var watch: SyncWatch?
    /// Becomes readable on such a change; -1 without a watch.
    private(set) var watchDescriptor: Int32 = -1
    /// Whether there was no store yet to watch.
    private(set) var awaitsStore = false
    /// Whether changes of the store matter. Read after every group of requests.
    var followsStore: Bool { isAutomatic || awaitsStore }
    /// `isAutomatic`, kept until the host ends.
    private(set) var wasAutomatic = false
    /// Time of the next round; by `Clock.monotonicMilliseconds`, like all times here.
    private var roundTime: Int?
    /// Time until which the store must be quiet, after a change.
    private var quietTime: Int?
    /// Time of the next check for quiet.
    private var stepTime: Int?
    /// Whether the store has changed since the last check.
    private var hasChanged = false
    /// Time of the next check of the folder; nil for none.
    private var lookTime: Int?
    /// The running check of the folder.
    var look: LongWork?
    /// The folder's state at the last check.
    var sight: SyncSight?
    /// The last commit that was seen.
    private(set) var seen = 0
    /// Whether news arrived during a round, perhaps too late for it.
    private var isHurried = false
    /// Whether the last round found another process at work.
    var isBusy = false
    /// The running automatic round.
    var round: LongWork?
    /// The works that requests asked for.
    let requests = AskedSyncs()

    init(thread: HelperThread) {
        self.thread = thread
        bridge = TransportBridge(thread)
    }

    /// Ends the thread's work, so that no program that it waits for stays.
    mutating func stop(withinMilliseconds limit: Int) {
        round?.cancel()
        _ = thread.wait(milliseconds: limit)
    }

    /// Time of the next action.
    var deadline: Int? {
        if roundTime == nil, lookTime == nil { return stepTime }
        return min(roundTime ?? .max, lookTime ?? .max, stepTime ?? .max)
    }

    /// Begins to watch a store, unless it is watched.
    /// - Parameter store: nil while it must not be watched yet.
    mutating func observe(_ store: String?, isThere: Bool) {
        if watchDescriptor < 0 { watch = store.flatMap { SyncWatch(store: $0) } }
        watchDescriptor = watch?.descriptor ?? -1
        awaitsStore = watchDescriptor < 0 && !isThere
    }

    /// Takes the events of the watch.
    /// - Returns: whether the file has to be checked.
    mutating func takeWatchNews() -> Bool {
        let hasNews = watch?.takeNews() ?? false
        watchDescriptor = watch?.descriptor ?? -1
        return hasNews
    }

    /// Begins automatic syncs, the first one soon.
    /// - Parameter looks: whether to poll for changes.
    mutating func begin(revision: Int, looks: Bool) {
        isAutomatic = true
        if looks { setLook() }
        wasAutomatic = true
        seen = revision
        roundTime = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// Postpones the next round.
    mutating func wait() {
        guard isAutomatic else { return }
        roundTime = Clock.monotonicMilliseconds + Self.quietMilliseconds
    }

    /// Hurries the next round after a notification of news.
    mutating func hurry() {
        guard isAutomatic else { return }
        if round != nil { isHurried = true }
        roundTime = min(roundTime ?? .max, Clock.monotonicMilliseconds + Self.hurryMilliseconds)
    }

    /// Stops automatic syncs.
    mutating func rest() {
        wasAutomatic = false
        end()
    }

    mutating func end() {
        isAutomatic = false
        (roundTime, lookTime, quietTime, stepTime) = (nil, nil, nil, nil)
    }

    mutating func see(_ revision: Int) {
        guard revision != seen else { return }
        seen = revision
        hasChanged = true
        guard quietTime == nil else { return }
        hasChanged = false
        setQuiet(from: Clock.monotonicMilliseconds)
    }

    private mutating func setQuiet(from time: Int) {
        quietTime = time + Self.quietMilliseconds
        stepTime = time + Self.quietStepMilliseconds
    }

    /// Schedules a round once the store has been quiet for long enough.
    private mutating func attendQuiet(_ now: Int) {
        guard let step = stepTime, let end = quietTime, now >= step else { return }
        if exchange(&hasChanged, with: false) {
            setQuiet(from: now)
        } else if now >= end {
            roundTime = now
        } else {
            stepTime = min(now + Self.quietStepMilliseconds, end)
        }
    }

    /// Schedules the next round after one has ended; its own commits are no reason for another.
    mutating func rest(revision: Int) {
        seen = revision
        let pause = isHurried ? Self.hurryMilliseconds : Self.intervalMilliseconds
        isHurried = false
        (quietTime, stepTime) = (nil, nil)
        roundTime = isAutomatic ? Clock.monotonicMilliseconds + pause : nil
    }

    /// Whether a round is due.
    mutating func isDue() -> Bool {
        let now = Clock.monotonicMilliseconds
        attendQuiet(now)
        guard let time = roundTime, now >= time else { return false }
        (roundTime, quietTime, stepTime) = (nil, nil, nil)
        return true
    }

    /// Whether to check the folder now; schedules the next check.
    mutating func isLookDue() -> Bool {
        guard let time = lookTime, Clock.monotonicMilliseconds >= time else { return false }
        setLook()
        return true
    }

    private mutating func setLook() { lookTime = Clock.monotonicMilliseconds + Self.lookMilliseconds }

    /// Compares the folder's state with the last one.
    mutating func saw(_ now: SyncSight) {
        if now != sight { hurry() }
        sight = now
    }
}
