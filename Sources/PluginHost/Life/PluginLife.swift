/// The states of a plugin's process, and the transitions between them.
///
///     stopped ── needed ──► starting ── greeted ──► running ── idle, asked ──► stopping ── gone ──► stopped
///                              │                       │
///                              └────── a crash ────────┴──► backingOff ── time ──► stopped
///                                                      └──► failed, after five crashes in three minutes
///
/// It knows no process and no clock: the caller passes events with their times, and carries out its orders. Tests can
/// therefore try every order of starts, crashes, deadlines and clocks without a process. (Erlang/OTP: a supervisor's
/// restart intensity; systemd: `StartLimitBurst`.)
public struct PluginLife: Sendable {
    public enum State: String, Sendable {
        case stopped, starting, running, stopping, backingOff, failed
    }

    /// An order for the process.
    public enum Order: Sendable, Equatable {
        /// Start it, and greet it.
        case start
        /// Say goodbye and close its input.
        case farewell
        case terminate
        /// Kill it and all processes that it has started.
        case kill
    }

    /// A fault of the plugin.
    public struct Fault: Error, Sendable, Equatable {
        public enum Kind: String, Sendable, CaseIterable {
            case start, exit, hello, timeout, limit, lines, disk
        }

        public let kind: Kind
        /// A clause for users.
        public let reason: String

        public init(_ kind: Kind, _ reason: String) {
            self.kind = kind
            self.reason = reason
        }
    }

    /// Times in milliseconds.
    public struct Times: Sendable {
        /// The time until its process runs, which on a busy machine may have to wait.
        public var start = 30_000
        /// The time from there until it has answered the greeting.
        public var hello = 15_000
        public var backOff = 1_000
        public var backOffMax = 60_000
        public var idle = 60_000
        public var goodbye = 700
        public var terminate = 500
        /// The times of a withdrawn plugin: it is gone within a second.
        public var withdrawnGoodbye = 400
        public var withdrawnTerminate = 250
        /// The number of crashes within `crashWindow` that are too many.
        public var crashesMax = 5
        public var crashWindow = 180_000

        public init() {}
    }

    static let rubbishMax = 10
    static let timeOutsMax = 3

    public let times: Times
    public private(set) var state = State.stopped
    /// The reason for its state, as a clause for users.
    public private(set) var reason: String?
    /// The time of the next transition, by the caller's clock.
    public private(set) var deadline: Int?
    public private(set) var starts = 0
    public private(set) var crashes = 0

    private var recentCrashes: [Int] = []
    /// The number of crashes without a long time in between.
    private var crashesInARow = 0
    private var rubbish = 0
    private var timeOuts = 0
    private var isNeededAgain = false
    private var isTerminating = false
    private var isWithdrawn = false
    private var newFault: Fault?
    private var hasProcess = false

    public init(_ times: Times = Times()) { self.times = times }

    /// Whether it may have a process.
    public var isAlive: Bool { state == .starting || state == .running || state == .stopping }

    /// The last fault since the previous call.
    public mutating func takeFault() -> Fault? { newFault.take() }

    // MARK: Requests

    /// Starts it because a call needs it.
    public mutating func need(at now: Int) -> Order? {
        if isWithdrawn { return nil }
        switch state {
        case .stopped: return start(at: now)
        case .stopping:
            isNeededAgain = true
            return nil
        case .starting, .running, .backingOff, .failed: return nil
        }
    }

    private mutating func start(at now: Int) -> Order {
        state = .starting
        reason = nil
        hasProcess = false
        deadline = now + times.start
        starts += 1
        rubbish = 0
        timeOuts = 0
        isNeededAgain = false
        return .start
    }

    /// Stops it.
    public mutating func stop(at now: Int, because reason: String?) -> Order? {
        isNeededAgain = false
        switch state {
        case .starting, .running:
            state = .stopping
            self.reason = reason
            isTerminating = false
            deadline = now + (isWithdrawn ? times.withdrawnGoodbye : times.goodbye)
            return .farewell
        case .backingOff:
            rest()
            return nil
        case .stopped, .stopping, .failed: return nil
        }
    }

    /// Ends it for good: sooner than `stop`, and nothing starts it again.
    public mutating func withdraw(at now: Int, because reason: String) -> Order? {
        isWithdrawn = true
        if state == .stopping {
            let rest = isTerminating ? times.withdrawnTerminate : times.withdrawnGoodbye
            deadline = deadline.map { min($0, now + rest) }
        }
        return stop(at: now, because: reason)
    }

    /// Fails it until the user starts it again, because it exceeded its limits.
    public mutating func condemn(_ fault: Fault) -> Order? {
        let wasAlive = isAlive
        state = .failed
        reason = fault.reason
        newFault = fault
        deadline = nil
        return wasAlive ? .kill : nil
    }

    /// Forgets its crashes, for the user.
    public mutating func pardon() {
        recentCrashes.removeAll()
        crashesInARow = 0
        if state == .failed || state == .backingOff { rest() }
    }

    private mutating func rest() {
        state = .stopped
        deadline = nil
    }

    // MARK: Events

    /// Notes that its process runs.
    public mutating func started(at now: Int) {
        guard state == .starting, !hasProcess else { return }
        hasProcess = true
        deadline = now + times.hello
    }

    /// Notes that it has answered the greeting.
    public mutating func greeted(at now: Int) {
        guard state == .starting else { return }
        state = .running
        deadline = now + times.idle
    }

    /// Notes that it has got or done work.
    public mutating func worked(at now: Int) {
        if state == .running { deadline = now + times.idle }
    }

    /// Notes that it has printed a message.
    public mutating func spoke(at now: Int) {
        rubbish = 0
        worked(at: now)
    }

    /// Notes that it has answered in time.
    public mutating func answered(at now: Int) {
        timeOuts = 0
        spoke(at: now)
    }

    /// Notes a line that is no message.
    public mutating func printedRubbish(at now: Int) -> Order? {
        rubbish += 1
        guard rubbish >= Self.rubbishMax else { return nil }
        return crash(at: now, .init(.lines, "it printed \(rubbish) lines in a row that are no JSON-RPC"))
    }

    /// Notes that it has not answered in time.
    /// - Parameter what: a clause.
    public mutating func timedOut(at now: Int, _ what: String = "it did not answer in time") -> Order? {
        timeOuts += 1
        newFault = Fault(.timeout, what)
        guard timeOuts >= Self.timeOutsMax else { return nil }
        return crash(at: now, .init(.timeout, "\(what), the last of \(timeOuts) times in a row"))
    }

    /// Fails it after a failed start, a breach of the protocol or of a limit.
    public mutating func crash(at now: Int, _ fault: Fault) -> Order? {
        guard isAlive else { return nil }
        note(fault, at: now)
        return .kill
    }

    /// Starts it again after its process ended because of the greeting.
    public mutating func greetAnew(at now: Int) -> Order? {
        guard state == .starting else { return nil }
        return start(at: now)
    }

    /// Notes that its process and all that this had started have ended.
    public mutating func ended(at now: Int, _ status: String) -> Order? {
        switch state {
        case .stopping:
            rest()
            return isNeededAgain ? start(at: now) : nil
        case .starting, .running:
            note(.init(.exit, "it ended by itself (\(status))"), at: now)
            return nil
        case .stopped, .backingOff, .failed: return nil
        }
    }

    private mutating func note(_ fault: Fault, at now: Int) {
        crashes += 1
        reason = fault.reason
        newFault = fault
        isNeededAgain = false
        if let last = recentCrashes.last, now - last >= times.crashWindow { crashesInARow = 0 }
        recentCrashes.removeAll { now - $0 >= times.crashWindow }
        recentCrashes.append(now)
        crashesInARow += 1
        guard recentCrashes.count < times.crashesMax else {
            state = .failed
            deadline = nil
            return
        }
        state = .backingOff
        let doubled = crashesInARow < 16 ? times.backOff << (crashesInARow - 1) : times.backOffMax
        deadline = now + min(doubled, times.backOffMax)
    }

    // MARK: Time

    /// Handles its deadline, if that has passed.
    /// - Parameter isBusy: whether it has something to do.
    public mutating func tick(at now: Int, isBusy: Bool) -> Order? {
        guard let deadline, now >= deadline else { return nil }
        switch state {
        case .starting:
            let fault =
                hasProcess
                ? Fault(.hello, "it did not answer plugin.hello within \(times.hello) ms")
                : Fault(.start, "it did not run within \(times.start) ms")
            return crash(at: now, fault)
        case .running:
            guard !isBusy else {
                self.deadline = now + times.idle
                return nil
            }
            return stop(at: now, because: nil)
        case .stopping:
            if isTerminating {
                self.deadline = nil
                return .kill
            }
            isTerminating = true
            self.deadline = now + (isWithdrawn ? times.withdrawnTerminate : times.terminate)
            return .terminate
        case .backingOff:
            rest()
            return nil
        case .stopped, .failed:
            self.deadline = nil
            return nil
        }
    }
}
