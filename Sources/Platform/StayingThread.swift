import Synchronization

/// A thread that is there until the process ends, and does one piece of work after the other: for what the kernel ties to the
/// thread that asked for it (prctl(2), PR_SET_PDEATHSIG).
final class StayingThread: Sendable {
    /// The one that starts keepers; nil where there could be none when it was first asked for.
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

    /// Does `body` after everything that was given before.
    func run(_ body: @escaping @Sendable () -> Void) {
        waiting.withLock { $0.append(body) }
        bell.ring()
    }

    private func work() {
        bell.wait()
        for body in waiting.withLock({ exchange(&$0, with: []) }) { body() }
    }
}
