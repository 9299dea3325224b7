import CPlatform

/// A plugin's process and all its descendants, supervised by a keeper.
///
/// The keeper is a process between the host and the plugin (see Keeper.c). If the kernel has namespaces, it is process
/// 1 of its own, so that no descendant escapes by a session of its own or a double fork. The data does not pass through
/// it: `input`, `output` and `errors` are the plugin's own pipes.
///
/// Invariants
/// 1. The plugin gets descriptors 0, 1 and 2 and no other; ours are close-on-exec and numbered 4 or higher.
/// 2. The keeper is reaped at most once, and no signal goes to a reaped id.
/// 3. All its processes end with the keeper, and with the host.
public struct KeptProcess: ~Copyable {
    private let keeper: KeeperStart
    /// Our end of the plugin's stdin; -1 once closed. It never blocks: without room a write gives `EAGAIN`.
    public private(set) var input: Int32
    /// Our end of the plugin's stdout; -1 once closed.
    public private(set) var output: Int32
    /// Our end of the plugin's stderr; -1 once closed.
    public private(set) var errors: Int32
    /// Readable when there is a report, and at the keeper's end.
    public let reports: Int32
    private var line: [UInt8] = []
    private var hasSaidEnd = false

    /// Starts a keeper, which starts the program. Does not wait for either: `readReport` tells the outcome.
    /// - Throws: `EINVAL` for a text with a NUL, `E2BIG` for a plan over 64 KiB, and the system's errors for pipes.
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
        // The socket has room for it without a reader.
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

    /// The keeper's id, from its start until `reap`.
    public var keeperID: pid_t? { keeper.id }

    /// Kills the processes, waits two seconds at most, and closes everything.
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

    /// Closes the plugin's stdin, so that the plugin reads its end.
    public mutating func closeInput() { Self.closeEnd(&input) }
    public mutating func closeOutput() { Self.closeEnd(&output) }
    public mutating func closeErrors() { Self.closeEnd(&errors) }

    private static func closeEnd(_ end: inout Int32) {
        if end >= 0 { close(exchange(&end, with: -1)) }
    }

    /// The keeper's next report; nil if there is none yet, or none any more. Never waits.
    ///
    /// The first is `started` or `refused`. Nothing follows `refused` and `ended`. A killed keeper reports no end, so
    /// the end of its stream counts as one.
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

    /// Sends SIGTERM to the plugin and all its descendants.
    public func terminate() { _ = cplatform_keeper_send(reports, "t", 1) }

    /// Kills the plugin and all its descendants.
    public func kill() { keeper.kill() }

    /// Whether all its processes are gone. Never waits; call it until it returns true.
    public func reap() -> Bool { keeper.reap() }
}

extension KeptProcess {
    /// Both sides' ends during the start of a keeper: stdin, stdout, stderr and the socket; -1 for none.
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
