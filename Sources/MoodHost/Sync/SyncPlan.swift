import MoodSync
import Platform
import PluginHost

/// When a store is synced without anybody's asking: after changes, once it was quiet for two seconds, and every five minutes.
struct SyncPlan {
    static let quietMilliseconds = 2000
    /// Whether it is quiet is looked at so often, and not with every change.
    private static let quietStepMilliseconds = 250
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
    /// Whether this host syncs by itself.
    private(set) var isAutomatic = false
    /// Tells of what others do about the sync.
    private var watch: SyncWatch?
    /// Becomes readable when they have; -1 where nothing is watched.
    private(set) var watchDescriptor: Int32 = -1
    /// Whether there was no store yet that could be watched.
    private(set) var awaitsStore = false
    /// Whether changes of the store are of any interest. Looked at after every group of requests.
    var followsStore: Bool { isAutomatic || awaitsStore }
    /// The same, also when the host ends.
    private(set) var wasAutomatic = false
    /// When a round is due; by `Clock.monotonicMilliseconds`, like all of these.
    private var roundTime: Int?
    /// When the store is to be quiet until, after a change.
    private var quietTime: Int?
    /// When that is looked at,
    private var stepTime: Int?
    /// and whether it has changed since.
    private var hasChanged = false
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
        if roundTime == nil, lookTime == nil { return stepTime }
        return min(roundTime ?? .max, lookTime ?? .max, stepTime ?? .max)
    }

    /// Has a store watched, unless it is.
    /// - Parameter store: nil: it is not to be watched yet.
    mutating func observe(_ store: String?, isThere: Bool) {
        if watchDescriptor < 0 { watch = store.flatMap { SyncWatch(store: $0) } }
        watchDescriptor = watch?.descriptor ?? -1
        awaitsStore = watchDescriptor < 0 && !isThere
    }

    /// Takes what the watch tells.
    /// - Returns: whether it has to be looked at what is there.
    mutating func takeWatchNews() -> Bool {
        let hasNews = watch?.takeNews() ?? false
        watchDescriptor = watch?.descriptor ?? -1
        return hasNews
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

    /// Begins a round once the store has been quiet for long enough.
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

    /// A round has ended; what it brought in is no reason for another one.
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
