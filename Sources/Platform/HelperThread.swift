import CPlatform
import Synchronization

/// A thread beside the others that does one piece of work after the other, in the order in which they were given. There is
/// one while there is something to do. (Dispatch: a serial queue; Java: a single-thread executor.)
public final class HelperThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    /// A pipe that becomes readable when a piece is done, and at each `wake`; made with the first piece, and kept.
    private let readEnd = Atomic<Int32>(-1)
    private let writeEnd = Atomic<Int32>(-1)

    public init() {}

    deinit {
        for end in [readEnd.load(ordering: .acquiring), writeEnd.load(ordering: .acquiring)] where end >= 0 {
            close(end)
        }
    }

    /// What to listen to; -1 before there was any work.
    public var descriptor: Int32 { readEnd.load(ordering: .acquiring) }

    /// Whether something is at work or waits for its turn.
    public var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Does `body` after everything that was given before. By the thread that also listens.
    /// - Returns: false, and nothing is done, where there can be no thread.
    public func run(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard hasPipe() else { return false }
        let isFirst = state.withLock { state in
            state.waiting.append(body)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        guard isFirst else { return true }
        do throws(SystemError) {
            try Thread.startDetached { [self] in work() }
            return true
        } catch {
            // Nobody else has given anything meanwhile, because that is for one thread to do.
            state.withLock { $0 = State() }
            return false
        }
    }

    /// Tells the thread that listens that there is something to look at. By the work itself.
    public func wake() {
        var byte: UInt8 = 1
        // A pipe that is full is readable anyway.
        _ = retryingInterrupted { write(writeEnd.load(ordering: .acquiring), &byte, 1) }
    }

    /// Takes what has made `descriptor` readable; asked before looking at what there is, so that nothing is missed.
    public func drain() {
        if self.descriptor < 0 { return }
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let descriptor = descriptor
            while retryingInterrupted({ read(descriptor, buffer.baseAddress, buffer.count) }) == buffer.count {}
        }
    }

    /// Waits until nothing is at work. By the thread that listens.
    /// - Returns: false when the time was over first.
    public func wait(milliseconds: Int) -> Bool {
        let deadline = Clock.monotonicMilliseconds + milliseconds
        while true {
            drain()
            if !isRunning { return true }
            let left = deadline - Clock.monotonicMilliseconds
            if left <= 0 { return false }
            var wanted = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&wanted, 1, Int32(clamping: left))
        }
    }

    private func work() {
        while true {
            let body: (@Sendable () -> Void)? = state.withLock { state in
                guard !state.waiting.isEmpty else {
                    state.isRunning = false
                    return nil
                }
                return state.waiting.removeFirst()
            }
            guard let body else { return wake() }
            body()
            wake()
        }
    }

    private func hasPipe() -> Bool {
        if descriptor >= 0 { return true }
        do throws(SystemError) {
            let ends = try Pipe.make()
            for end in [ends.readEnd, ends.writeEnd] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            writeEnd.store(ends.writeEnd, ordering: .releasing)
            readEnd.store(ends.readEnd, ordering: .releasing)
            return true
        } catch {
            return false
        }
    }
}
