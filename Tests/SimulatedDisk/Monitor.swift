import Platform

/// State behind a lock, with a condition to wait for, which `Mutex` lacks.
///
/// `@unchecked Sendable`, with this proof: only code between lock and unlock touches `state`, and the two C objects
/// keep their addresses for the life of the monitor.
final class Monitor<State>: @unchecked Sendable {
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State
    /// The number of `wakeAll` calls.
    private var turns = 0

    init(_ state: sending State) {
        mutex = .allocate(capacity: 1)
        mutex.initialize(to: pthread_mutex_t())
        pthread_mutex_init(mutex, nil)
        condition = .allocate(capacity: 1)
        condition.initialize(to: pthread_cond_t())
        pthread_cond_init(condition, nil)
        self.state = state
    }

    deinit {
        pthread_cond_destroy(condition)
        pthread_mutex_destroy(mutex)
        condition.deallocate()
        mutex.deallocate()
    }

    func withLock<Answer, Failure: Error>(
        _ body: (inout State) throws(Failure) -> Answer
    ) throws(Failure) -> Answer {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// The turn to pass to `wait`; callers read it before they check their condition.
    var turn: Int {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return turns
    }

    /// Waits until a `wakeAll` ends the turn `turn`.
    func wait(behind turn: Int) {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        while turns == turn { pthread_cond_wait(condition, mutex) }
    }

    func wakeAll() {
        pthread_mutex_lock(mutex)
        turns += 1
        pthread_cond_broadcast(condition)
        pthread_mutex_unlock(mutex)
    }
}
