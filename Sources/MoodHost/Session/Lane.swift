import PluginHost

/// The requests of one caller, which keep their order: while the first of them waits, the later ones wait with it.
///
/// The client has a lane, each plugin that asks has one, and each finished work that changes moods. A request that waits
/// has not begun, none of its effects remain, and no other lane waits with it.
struct Lane {
    /// The wait of the first remaining request.
    private(set) var wait: Wait?
    /// The hooks that were or are asked about it.
    private(set) var round: HookRound?
    /// The ways to carry it out.
    var ways: Ways
    /// The end of the time for its hooks.
    var deadline: Int?
    /// The place at which it continues, if it is a batch.
    var place: BatchPlace?
    /// The number of requests, that one first, that were checked meanwhile whether they may overtake it.
    var lookedAt = 0
    /// Whether a request waits that others of its kind may not overtake.
    var isLineHeldUp = false

    init(_ ways: Ways) { self.ways = ways }

    /// Whether a hook of the lane's first request is asked at this plugin now.
    func isAsking(_ plugin: HostedPlugin) -> Bool { round?.asked === plugin }

    /// Whether the first request waits for the lock.
    var awaitsLock: Bool { if case .lock = wait { true } else { false } }

    /// Ends the time to wait for the lock.
    mutating func endLockTime() { if awaitsLock { ways.remove(.mayWait) } }

    /// Makes the first request wait.
    mutating func stop(for wait: Wait) {
        self.wait = wait
        guard case .hooks(let next) = wait else { return }
        if let round, round !== next { round.abandon() }
        round = next
    }

    /// Whether the first request may be tried: its wait is over, or its time.
    func isOver(_ core: borrowing Core) -> Bool {
        guard let wait, ways.contains(.mayWait) else { return true }
        if core.isStoreAway { return false }
        if case .hooks = wait, !ways.contains(.mayAskHooks) { return true }
        return wait.isOver(core)
    }

    /// Takes the wait, which is over.
    mutating func takeWait() -> Wait? { wait.take() }

    /// Takes the hooks of the first request, so that no other gets them.
    mutating func takeRound() -> HookRound? { round.take() }

    mutating func giveBack(_ round: HookRound?) { self.round = round }

    /// Gives up the hooks: the request is answered, or its caller is gone.
    mutating func endRound() { round.take()?.abandon() }
}
