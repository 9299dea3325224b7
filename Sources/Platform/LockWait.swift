import Synchronization

/// How one thread waits for a lock: there, or beside its other work. Beside it the attempt that finds the lock held begins the
/// wait and fails at once. When `descriptor` is readable, the next attempt gets the lock. (As with a descriptor that does not
/// block: EAGAIN, poll, and again.)
///
/// There is one wait at a time.
public final class LockWait: Sendable {
    public enum Mode: Sendable {
        /// An attempt blocks until it has the lock or its time is over.
        case here
        /// It fails at once, and the wait goes on.
        case beside
        /// It fails at once, and nothing is waited for.
        case nowhere
    }

    private struct State {
        var mode = Mode.here
        var ticket: Int?
        var deadline = 0
        /// The deadline of the first of the waits since `end`.
        var limit: Int?
        var fileSystem = FileSystem.system
        var isAsked = false
    }

    private let state = Mutex(State())

    public init() {}

    public var mode: Mode {
        get { state.withLock { $0.mode } }
        set { state.withLock { $0.mode = newValue } }
    }

    /// What becomes readable when the lock is there; -1 where nothing waits.
    public var descriptor: Int32 { state.withLock { $0.ticket }.map { LockWaiters.descriptor($0) } ?? -1 }

    /// Until when the lock is waited for, by `Clock.monotonicMilliseconds`.
    public var deadline: Int { state.withLock { $0.deadline } }

    /// Whether an attempt failed because the wait goes on, since `takeAsked`.
    public var isAsked: Bool { state.withLock { $0.isAsked } }

    /// The same, and no more.
    public func takeAsked() -> Bool {
        state.withLock { state in
            defer { state.isAsked = false }
            return state.isAsked
        }
    }

    /// Nobody wants the lock any more.
    public func end() {
        let (ticket, fileSystem) = state.withLock { state in
            defer { (state.ticket, state.isAsked, state.limit) = (nil, false, nil) }
            return (state.ticket, state.fileSystem)
        }
        if let ticket { LockWaiters.leave(ticket, fileSystem) }
    }

    // MARK: Attempts

    /// Whether there is a wait that an attempt has to look at first.
    var isUnderWay: Bool { state.withLock { $0.ticket != nil } }

    /// Whether an attempt may wait at all.
    var isPossible: Bool { mode != .nowhere }

    /// What the wait has brought; nil where there is none.
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
            // The attempt waits itself, and joins the thread that does.
            end()
            return nil
        }
        state.withLock { $0.isAsked = true }
        throw .timedOut
    }

    /// Goes on beside, where that is the mode. Who has the lock and loses it again, waits on until its first deadline: else two
    /// processes that take it from each other would wait for ever.
    /// - Returns: false where the attempt waits itself.
    func begin(_ ticket: Int, until deadline: Int, _ fileSystem: FileSystem) -> Bool {
        state.withLock { state in
            guard state.mode == .beside else { return false }
            let limit = min(state.limit ?? deadline, deadline)
            (state.ticket, state.deadline, state.limit) = (ticket, limit, limit)
            (state.fileSystem, state.isAsked) = (fileSystem, true)
            return true
        }
    }
}
