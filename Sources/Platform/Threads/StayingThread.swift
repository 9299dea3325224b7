import Synchronization

/// A thread that lasts until the process ends, and runs one work item after the other: for settings that the kernel
/// ties to the calling thread (prctl(2), PR_SET_PDEATHSIG).
final class StayingThread: Sendable {
    /// The thread that starts keepers; nil if it could not be started at first.
    static let starter = StayingThread()

    private let waiting = Mutex<[@Sendable () -> Void]>([])
    private let bell: Bell

    private init?() {
        guard let bell = Bell() else { return nil }
        self.bell = bell
        do throws(SystemError) {
            try Thread.startDetached { [self] in
                while true { work() }
            }
        } catch {
            return nil
        }
    }

    /// Runs `body` after all earlier items.
    func run(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
        bell.ring()
    }

    private func work() {
        bell.wait()
        for body in waiting.withLock({ exchange(&$0, with: []) }) { body() }
    }
}
