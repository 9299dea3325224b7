import Synchronization

/// The way in which one thread waits for a lock: blocking, or in the background of its other work. In the background,
/// an attempt that finds the lock held begins the wait and fails at once. When `descriptor` is readable, the next
/// attempt gets the lock. (As with a non-blocking descriptor: EAGAIN, poll, and again.)
///
/// There is one wait at a time.
public final class LockWait: Sendable {
    public enum Mode: Sendable {
        /// Blocking: an attempt waits until it has the lock or its time is over.
        case here
        /// In the background: an attempt fails at once, and the wait goes on.
        case beside
        /// Never: an attempt fails at once, and nothing waits.
        case nowhere
    }

    private struct State {
        var mode = Mode.here
        var ticket: Int?
        var deadline = 0
        /// The deadline of the first wait since `end`.
        var limit: Int?
        var fileSystem = FileSystem.system
    }

    private let state = Mutex(State())

    public init() {}

    public var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// The descriptor that becomes readable with the lock; -1 without a wait.
    public var descriptor: Int32 { state.withLock { $0.ticket }.map { LockWaiters.descriptor($0) } ?? -1 }

    /// Whether there is no wait, or its outcome is there for the next attempt.
    public var isOver: Bool { state.withLock { $0.ticket }.map { LockWaiters.isDone($0) } ?? true }

    /// The deadline of the wait, by `Clock.monotonicMilliseconds`.
    public var deadline: Int { state.withLock { $0.deadline } }

    /// Ends the wait: the lock is no longer needed.
    public func end() {
        let (ticket, fileSystem) = state.withLock { state in
            defer { (state.ticket, state.limit) = (nil, nil) }
            return (state.ticket, state.fileSystem)
        }
        if let ticket { LockWaiters.leave(ticket, fileSystem) }
    }

    // MARK: Attempts

    /// Whether there is a wait that an attempt must check first. After an attempt in the background has failed, the wait goes on.
    public var isUnderWay: Bool { state.withLock { $0.ticket != nil } }

    /// Whether an attempt may wait at all.
    var isPossible: Bool { mode != .nowhere }

    /// The locked file of the wait; nil if there is no wait.
    /// - Throws: `timedOut` while it goes on.
    func take(_ path: String, _ fileSystem: FileSystem) throws(FileLock.Failure) -> File? {
        guard let ticket = state.withLock({ $0.ticket }) else { return nil }
        do throws(FileLock.Failure) {
            if let file = try LockWaiters.take(ticket, path, fileSystem) {
                state.withLock { $0.ticket = nil }
                return file
            }
        } catch {
            state.withLock { $0.ticket = nil }
            throw error
        }
        guard mode == .beside else {
            // A blocking attempt joins the thread that waits.
            end()
            return nil
        }
        throw .timedOut
    }

    /// Begins a background wait if that is the mode. A waiter that loses the lock again keeps its first deadline:
    /// otherwise two processes that take the lock from each other would wait forever.
    /// - Returns: false if the attempt must block.
    func begin(_ ticket: Int, until deadline: Int, _ fileSystem: FileSystem) -> Bool {
        state.withLock { state in
            guard state.mode == .beside else { return false }
            let limit = min(state.limit ?? deadline, deadline)
            (state.ticket, state.deadline, state.limit) = (ticket, limit, limit)
            state.fileSystem = fileSystem
            return true
        }
    }
}
