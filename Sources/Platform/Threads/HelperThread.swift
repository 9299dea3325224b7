import CPlatform
import Synchronization

/// A background thread that runs work items one after the other, in the order of their submission. It exists while
/// there is work. (Dispatch: a serial queue; Java: a single-thread executor.)
public final class HelperThread: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isRunning = false
    }

    private let state = Mutex(State())
    /// A pipe that becomes readable when an item is done, and at each `wake`; made for the first item, and kept.
    private let readEnd = Atomic<Int32>(-1)
    private let writeEnd = Atomic<Int32>(-1)

    public init() {}

    deinit {
        for end in [readEnd.load(ordering: .acquiring), writeEnd.load(ordering: .acquiring)] where end >= 0 {
            close(end)
        }
    }

    /// The descriptor to poll; -1 before the first item.
    public var descriptor: Int32 { readEnd.load(ordering: .acquiring) }

    /// Whether an item is running or waiting.
    public var isRunning: Bool { state.withLock { $0.isRunning } }

    /// Runs `body` after all earlier items. Only the polling thread may call this.
    /// - Returns: false if no thread can be started; then nothing is done.
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
            // No other item was added meanwhile, because only one thread may do that.
            state.withLock { $0 = State() }
            return false
        }
    }

    /// Wakes the polling thread. The work item calls this.
    public func wake() {
        var byte: UInt8 = 1
        // A full pipe is readable anyway.
        _ = retryingInterrupted { write(writeEnd.load(ordering: .acquiring), &byte, 1) }
    }

    /// Empties the pipe of `descriptor`; call it before checking for results, so that none is missed.
    public func drain() {
        if self.descriptor < 0 { return }
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { buffer in
            let descriptor = descriptor
            while retryingInterrupted({ read(descriptor, buffer.baseAddress, buffer.count) }) == buffer.count {}
        }
    }

    /// Waits until no item is running. Only the polling thread may call this.
    /// - Returns: false after a time-out.
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
