import CPlatform

/// A plugin's process and everything that it starts, held by a keeper.
///
/// The keeper is a process between the host and the plugin (Keeper.c says what it does). Where the kernel has namespaces it is
/// process 1 of one of its own, so that nothing escapes from it: not a session of its own, not a double fork. The data
/// does not pass through it: `input`, `output` and `errors` are the plugin's own pipes.
///
/// Invariants
/// 1. The plugin gets descriptors 0, 1 and 2 and no other; ours are close-on-exec and numbered 4 or higher.
/// 2. The keeper is reaped at most once, and no signal is sent to an id that was reaped.
/// 3. All is gone when the keeper is, and when the host is.
public struct KeptProcess: ~Copyable {
    private let keeper: KeeperStart
    /// The way to the plugin's stdin; -1 once closed. Nothing here waits: what has no room is `EAGAIN`.
    public private(set) var input: Int32
    /// What the plugin writes on its stdout; -1 once closed.
    public private(set) var output: Int32
    /// What the plugin writes on its stderr; -1 once closed.
    public private(set) var errors: Int32
    /// Readable when `readReport` has something to say, and at the keeper's end.
    public let reports: Int32
    private var line: [UInt8] = []
    private var hasSaidEnd = false

    /// Has a keeper started, which starts the program. It does not wait for either: what becomes of them is said by `readReport`.
    /// - Throws: `EINVAL` for a text with a NUL, `E2BIG` for a plan over 64 KiB, and what the system says of pipes.
    public static func start(_ plan: borrowing Plan) throws(SystemError) -> KeptProcess {
        let message = try plan.message()
        var ends = Ends()
        defer { ends.closeAll() }
        (ends.theirs.0, ends.ours.0) = try makeEnds("pipe", cplatform_keeper_pipe)
        (ends.ours.1, ends.theirs.1) = try makeEnds("pipe", cplatform_keeper_pipe)
        (ends.ours.2, ends.theirs.2) = try makeEnds("pipe", cplatform_keeper_pipe)
        (ends.ours.3, ends.theirs.3) = try makeEnds("socketpair", cplatform_keeper_sockets)
        for end in [ends.ours.0, ends.ours.1, ends.ours.2] {
            guard fcntl(end, F_SETFL, O_NONBLOCK | fcntl(end, F_GETFL)) == 0 else {
                throw SystemError(call: "fcntl", code: cplatform_errno())
            }
        }
        // It has room before anybody reads.
        guard cplatform_keeper_send(ends.ours.3, message, message.count) == message.count else {
            throw SystemError(call: "send", subject: "plan", code: cplatform_errno())
        }
        let (ours, theirs) = (exchange(&ends.ours, with: Ends.none), exchange(&ends.theirs, with: Ends.none))
        let keeper = KeeperStart(
            plan.keeper, processes: plan.processes, theirs: [theirs.0, theirs.1, theirs.2, theirs.3], reports: ours.3)
        return KeptProcess(keeper: keeper, input: ours.0, output: ours.1, errors: ours.2, reports: ours.3)
    }

    private init(keeper: KeeperStart, input: Int32, output: Int32, errors: Int32, reports: Int32) {
        self.keeper = keeper
        self.input = input
        self.output = output
        self.errors = errors
        self.reports = reports
    }

    /// The keeper, from its start until it has been reaped.
    public var keeperID: pid_t? { keeper.id }

    /// Kills, waits two seconds at most, and closes everything.
    deinit {
        keeper.kill()
        var pause = 50_000
        let deadline = Clock.monotonicMilliseconds + 2000
        while !keeper.reap(), Clock.monotonicMilliseconds < deadline {
            var interval = timespec(tv_sec: 0, tv_nsec: pause)
            nanosleep(&interval, nil)
            pause = min(pause * 2, 10_000_000)
        }
        keeper.leave()
        for end in [input, output, errors, reports] where end >= 0 { close(end) }
    }

    /// Tells the plugin that nothing more will come.
    public mutating func closeInput() { Self.closeEnd(&input) }
    public mutating func closeOutput() { Self.closeEnd(&output) }
    public mutating func closeErrors() { Self.closeEnd(&errors) }

    private static func closeEnd(_ end: inout Int32) {
        if end >= 0 { close(exchange(&end, with: -1)) }
    }

    /// What the keeper says next; nil: nothing yet, or nothing any more. It never waits.
    ///
    /// First comes `started` or `refused`. After `refused` and `ended` nothing comes. A keeper that was killed says no end, so
    /// the end of its stream is one.
    public mutating func readReport() -> Report? {
        while !hasSaidEnd {
            if let end = line.firstIndex(of: UInt8(ascii: "\n")) {
                let report = Report(line: line[..<end])
                line.removeFirst(end + 1)
                guard let report else { continue }
                if case .started = report { return report }
                hasSaidEnd = true
                return report
            }
            var count = 0
            withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
                count = retryingInterrupted { cplatform_keeper_receive(reports, buffer.baseAddress, buffer.count) }
                if count > 0 { line.append(contentsOf: buffer[..<count]) }
            }
            if count < 0, cplatform_errno() == EAGAIN { return nil }
            guard count > 0 else {
                hasSaidEnd = true
                return .ended(.signalled(SIGKILL))
            }
        }
        return nil
    }

    /// Sends SIGTERM to the plugin and to all that it started.
    public func terminate() { _ = cplatform_keeper_send(reports, "t", 1) }

    /// Kills the plugin and all that it started.
    public func kill() { keeper.kill() }

    /// Whether everything is gone. It never waits; to be asked again until it is so.
    public func reap() -> Bool { keeper.reap() }
}

extension KeptProcess {
    /// Both sides' ends while a keeper is being started: stdin, stdout, stderr and the socket; -1 is none.
    private struct Ends {
        typealias Four = (Int32, Int32, Int32, Int32)
        static let none: Four = (-1, -1, -1, -1)
        var ours = Ends.none
        var theirs = Ends.none

        mutating func closeAll() {
            for four in [ours, theirs] {
                for end in [four.0, four.1, four.2, four.3] where end >= 0 { close(end) }
            }
        }
    }

    private static func makeEnds(
        _ call: String, _ make: (UnsafeMutablePointer<Int32>) -> Int32
    ) throws(SystemError) -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        guard make(&ends) == 0 else { throw SystemError(call: call, code: cplatform_errno()) }
        return (ends[0], ends[1])
    }
}
