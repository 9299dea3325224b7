import CPlatform
import Synchronization

/// Work that one thread does beside the others, one piece at a time.
public final class BackgroundTask: Sendable {
    /// What becomes readable when the piece that was begun last is done; -1 where none was. Only replaced, and closed, by
    /// whoever has made `isBusy` true.
    private let end = Atomic<Int32>(-1)
    private let isBusy = Atomic(false)

    public init() {}

    deinit { closeEnd() }

    public var isRunning: Bool { isBusy.load(ordering: .acquiring) }

    /// Runs `body` on a thread of its own, unless the one before is still at work or there can be no thread: then nothing
    /// happens, and the answer is false. By the thread that also waits.
    @discardableResult
    public func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        guard isBusy.compareExchange(expected: false, desired: true, ordering: .acquiringAndReleasing).exchanged else {
            return false
        }
        closeEnd()
        do throws(SystemError) {
            let (readEnd, writeEnd) = try Pipe.make()
            end.store(readEnd, ordering: .releasing)
            do throws(SystemError) {
                try Thread.startDetached { [self] in
                    body()
                    isBusy.store(false, ordering: .releasing)
                    close(writeEnd)
                }
            } catch {
                close(writeEnd)
                throw error
            }
            return true
        } catch {
            isBusy.store(false, ordering: .releasing)
            return false
        }
    }

    /// Waits until nothing is at work.
    /// - Returns: false when the time was over first.
    public func wait(milliseconds: Int) -> Bool {
        let deadline = Clock.monotonicMilliseconds + milliseconds
        while isRunning {
            let left = deadline - Clock.monotonicMilliseconds
            if left <= 0 { return false }
            var wanted = pollfd(fd: end.load(ordering: .acquiring), events: Int16(POLLIN), revents: 0)
            _ = poll(&wanted, 1, Int32(clamping: left))
        }
        return true
    }

    private func closeEnd() {
        let readEnd = end.exchange(-1, ordering: .acquiringAndReleasing)
        if readEnd >= 0 { close(readEnd) }
    }
}
