import Synchronization

/// Work that one thread does beside the others, one piece at a time.
public final class BackgroundTask: Sendable {
    private let isBusy = Atomic(false)

    public init() {}

    public var isRunning: Bool { isBusy.load(ordering: .acquiring) }

    /// Runs `body` on a thread of its own, unless the one before is still at work or there can be no thread: then nothing
    /// happens, and the answer is false.
    @discardableResult
    public func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return false
        }
        do throws(SystemError) {
            try Thread.startDetached { [self] in
                body()
                isBusy.store(false, ordering: .releasing)
            }
            return true
        } catch {
            isBusy.store(false, ordering: .releasing)
            return false
        }
    }
}
