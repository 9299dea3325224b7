import CPlatform

/// A started program, with an optional pipe to its stdin and one from its stdout; its stderr is ours.
///
/// Made for peers with a protocol over stdio. `posix_spawn` starts it, so no code of ours runs between fork and exec;
/// Foundation's `Process` misses exits and leaks descriptors.
///
/// Invariants
/// 1. The child gets descriptors 0, 1 and 2 and no other; our ends are close-on-exec and numbered 3 or higher.
/// 2. It is reaped at most once: `status` records that, and no signal goes to a reaped id.
/// 3. Dropping the value closes our ends, which a well-behaved peer takes as the end; `finish` also waits for it.
public struct ChildProcess: ~Copyable {
    /// The destination of the child's stdout.
    public enum Output: Sendable {
        /// To us, for `read`.
        case pipe
        /// To us, and its stderr too.
        case pipeWithErrors
        /// The destination of our stdout.
        case inherited
    }

    /// The source of the child's stdin.
    public enum Input: Sendable {
        /// From us, by `write`.
        case pipe
        /// The source of our stdin.
        case inherited
    }

    /// The destination of the child's stderr.
    public enum Errors: Sendable {
        /// The destination of our stderr.
        case inherited
        /// Nowhere.
        case discarded
    }

    /// A signal that asks a program to end.
    public enum EndingSignal: String, Sendable, CaseIterable {
        case termination = "SIGTERM"
        case interruption = "SIGINT"
        case hangup = "SIGHUP"

        fileprivate var number: Int32 {
            switch self {
            case .termination: SIGTERM
            case .interruption: SIGINT
            case .hangup: SIGHUP
            }
        }
    }

    /// How the child ended.
    public enum Status: Sendable, Equatable, CustomStringConvertible {
        case exited(Int32)
        case signalled(Int32)

        /// A clause for people.
        public var description: String {
            switch self {
            case .exited(let code): "exit status \(code)"
            case .signalled(let signal): "killed by signal \(signal)"
            }
        }

        /// Decodes the word of `waitpid`, whose layout is equal on Linux and Darwin.
        fileprivate init(word: Int32) {
            self = word & 0x7f == 0 ? .exited(word >> 8 & 0xff) : .signalled(word & 0x7f)
        }
    }

    public let id: pid_t
    /// Our end of the child's stdin; -1 once closed.
    public private(set) var input: Int32
    /// Our end of the child's stdout; -1 once closed, or if it is not ours.
    public private(set) var output: Int32
    /// How it ended; nil until its end has been seen.
    public private(set) var status: Status?

    /// Whether it leads a session of its own: signals reach its children too, and none of them can ask at a terminal.
    private let isLeader: Bool

    /// Starts the program at `path`.
    /// - Parameters:
    ///   - arguments: the arguments after the program's own name, which is `path`.
    ///   - isDeafened: whether it starts with the signals blocked that ask a program to end.
    /// - Throws: the system's error for the pipe or the start: no such file, no permission, not a program.
    public static func start(
        path: String, arguments: [String], input: Input = .pipe, output: Output, errors: Errors = .inherited,
        isLeader: Bool = false, isDeafened: Bool = false
    ) throws(SystemError) -> ChildProcess {
        var pipes = Pipes()
        defer { pipes.closeAll() }
        if case .pipe = input { (pipes.childInput, pipes.input) = try pipeEnds() }
        switch output {
        case .pipe, .pipeWithErrors: (pipes.output, pipes.childOutput) = try pipeEnds()
        case .inherited: break
        }
        if case .pipeWithErrors = output { pipes.hasErrors = true }
        let id = try spawn(path, arguments, pipes, errors, isLeader: isLeader, isDeafened: isDeafened)
        return ChildProcess(
            id: id, input: exchange(&pipes.input, with: -1), output: exchange(&pipes.output, with: -1),
            isLeader: isLeader)
    }

    private init(id: pid_t, input: Int32, output: Int32, isLeader: Bool) {
        self.id = id
        self.input = input
        self.output = output
        self.isLeader = isLeader
    }

    deinit {
        if input >= 0 { close(input) }
        if output >= 0 { close(output) }
    }

    /// Writes everything; the calling thread waits while the child does not read.
    /// - Throws: `EPIPE` when the child stops reading, if SIGPIPE is ignored (`Terminal.ignoreBrokenPipes`).
    public func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try StandardStream.writeAll(bytes, to: input)
    }

    /// Reads the available bytes, waiting for the first; 0 when the child has closed its stdout.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        try StandardStream.read(from: output, into: buffer)
    }

    /// Our end of the child's stdout, to poll; nil if there is none.
    public var outputDescriptor: Int32? { output >= 0 ? output : nil }

    /// Closes the child's stdin, so that the child reads its end.
    public mutating func closeInput() {
        if input >= 0 { close(exchange(&input, with: -1)) }
    }

    /// Closes our end of the child's stdout, so that a child that writes without end does not stay forever.
    public mutating func closeOutput() {
        if output >= 0 { close(exchange(&output, with: -1)) }
    }

    /// Copies a descriptor to the child's stdin until the descriptor ends or the child stops reading.
    ///
    /// It also notices the child's end while it waits for input: a pipe without a reader reports an error.
    /// - Throws: if the descriptor cannot be read.
    public func copyInput(from source: Int32) throws(SystemError) {
        let size = 1 << 18
        _ = cplatform_set_pipe_size(input, Int32(size))
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            var waits = [
                pollfd(fd: source, events: Int16(POLLIN), revents: 0), pollfd(fd: input, events: 0, revents: 0),
            ]
            guard retryingInterrupted({ Int(poll(&waits, 2, -1)) }) >= 0 else {
                throw SystemError(call: "poll", code: cplatform_errno())
            }
            if waits[1].revents & Int16(POLLERR | POLLHUP | POLLNVAL) != 0 { return }
            guard waits[0].revents != 0 else { continue }
            let count = try StandardStream.read(from: source, into: buffer)
            guard count > 0 else { return }
            do throws(SystemError) {
                try write(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            } catch {
                if error.code == EPIPE { return }
                throw error
            }
        }
    }

    /// Makes both ends non-blocking, for an event loop (`PipeEnd`).
    public func stopWaiting() {
        for end in [input, output] where end >= 0 { _ = fcntl(end, F_SETFL, O_NONBLOCK | fcntl(end, F_GETFL)) }
    }

    /// Sends SIGTERM.
    public func terminate() { send(.termination) }

    /// Sends a signal that asks it to end.
    public func send(_ signal: EndingSignal) { send(signal.number) }

    /// Sends SIGKILL.
    public func kill() { send(SIGKILL) }

    private func send(_ signal: Int32) { if status == nil { _ = sendSignal(isLeader ? -id : id, signal) } }

    /// Whether it has ended; never waits.
    public mutating func hasEnded() -> Bool { status != nil || reap(until: 0) }

    /// Waits for the end of the child without limit.
    public mutating func wait() -> Status? {
        if status != nil { return status }
        var word: Int32 = 0
        let id = id
        if retryingInterrupted({ Int(waitpid(id, &word, 0)) }) == Int(id) { status = Status(word: word) }
        return status
    }

    /// Ends the conversation: closes the child's stdin, and waits at most `milliseconds` for its end.
    public mutating func leave(after milliseconds: Int) {
        closeInput()
        if !drain(until: Clock.monotonicMilliseconds + milliseconds) { closeOutput() }
    }

    /// Ends the conversation: closes the child's stdin, gives it `milliseconds` to end, as long again after SIGTERM,
    /// and then kills it. Its further output is dropped.
    /// - Returns: how it ended; nil if the system does not tell, because another part of the process has reaped it.
    public mutating func finish(within milliseconds: Int) -> Status? {
        closeInput()
        if drain(until: Clock.monotonicMilliseconds + milliseconds) { return status }
        closeOutput()
        terminate()
        if reap(until: Clock.monotonicMilliseconds + milliseconds) { return status }
        kill()
        return wait()
    }

    /// Reads to the end of the child's stdout, which is nearly always its end too; returns whether it has been reaped.
    private mutating func drain(until deadline: Int) -> Bool {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while output >= 0 {
            let rest = deadline - Clock.monotonicMilliseconds
            guard rest > 0 else { return false }
            var waits = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
            let ready = poll(&waits, 1, Int32(clamping: rest))
            if ready < 0, cplatform_errno() != EINTR { break }
            guard ready > 0 else { continue }
            // The output is dropped anyway; only the child's end matters.
            guard let count = try? read(into: buffer), count > 0 else { break }
        }
        return reap(until: deadline)
    }

    /// Waits for the child's end until the deadline; returns whether it has been reaped.
    ///
    /// Linux reports the end by a descriptor (pidfd_open(2), since 5.3). Elsewhere this polls at growing intervals.
    private mutating func reap(until deadline: Int) -> Bool {
        var pause = 50_000
        var end = pollfd(fd: -1, events: Int16(POLLIN), revents: 0)
        defer { if end.fd >= 0 { close(end.fd) } }
        while status == nil {
            var word: Int32 = 0
            let id = id
            let answer = retryingInterrupted { Int(waitpid(id, &word, WNOHANG)) }
            if answer < 0 { return true }
            if answer == Int(id) {
                status = Status(word: word)
                break
            }
            let rest = deadline - Clock.monotonicMilliseconds
            guard rest > 0 else { return false }
            if end.fd < 0 { end.fd = cplatform_process_descriptor(id) }
            if end.fd >= 0 {
                _ = poll(&end, 1, Int32(clamping: rest))
                continue
            }
            var interval = timespec(tv_sec: 0, tv_nsec: pause)
            nanosleep(&interval, nil)
            pause = min(pause * 2, 10_000_000)
        }
        return true
    }
}

extension ChildProcess {
    /// Both pipes during the start; -1 for none.
    private struct Pipes {
        var childInput: Int32 = -1
        var input: Int32 = -1
        var output: Int32 = -1
        var childOutput: Int32 = -1
        /// Whether the child's stderr goes to its stdout.
        var hasErrors = false

        mutating func closeAll() {
            for end in [childInput, input, output, childOutput] where end >= 0 { close(end) }
        }
    }

    /// Makes a pipe whose ends are close-on-exec and above descriptors 0 to 2, which may be closed in this process.
    private static func pipeEnds() throws(SystemError) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw SystemError(call: "pipe", code: cplatform_errno()) }
        defer { for end in ends { close(end) } }
        let read = fcntl(ends[0], F_DUPFD_CLOEXEC, 3)
        guard read >= 0 else { throw SystemError(call: "fcntl", code: cplatform_errno()) }
        let write = fcntl(ends[1], F_DUPFD_CLOEXEC, 3)
        guard write >= 0 else {
            let code = cplatform_errno()
            close(read)
            throw SystemError(call: "fcntl", code: code)
        }
        return (read, write)
    }

    private static func spawn(
        _ path: String, _ arguments: [String], _ pipes: Pipes, _ errors: Errors, isLeader: Bool, isDeafened: Bool
    ) throws(SystemError) -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if pipes.childInput >= 0 {
            posix_spawn_file_actions_adddup2(&actions, pipes.childInput, STDIN_FILENO)
        }
        if pipes.childOutput >= 0 {
            posix_spawn_file_actions_adddup2(&actions, pipes.childOutput, STDOUT_FILENO)
            if pipes.hasErrors { posix_spawn_file_actions_adddup2(&actions, pipes.childOutput, STDERR_FILENO) }
        }
        if case .discarded = errors {
            posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        }
        _ = cplatform_spawn_close_from(&actions, 3)

        // A program expects the default for SIGPIPE and SIGXFSZ, and no blocked signals.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        if isDeafened { for signal in EndingSignal.allCases { sigaddset(&signals, signal.number) } }
        posix_spawnattr_setsigmask(&attributes, &signals)
        sigemptyset(&signals)
        for number in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        let session = isLeader ? cplatform_spawn_session : 0
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK) | session)

        var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
        defer { for word in words { free(word) } }
        words.append(nil)
        var id: pid_t = 0
        let code = posix_spawn(&id, path, &actions, &attributes, words, cplatform_environ())
        guard code == 0 else { throw SystemError(call: "posix_spawn", subject: path, code: code) }
        return id
    }
}
