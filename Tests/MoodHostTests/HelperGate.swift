import Platform
import Synchronization

/// Stops the helper thread in a call of the file system while the gate is closed.
final class HelperGate: Sendable {
    enum Place { case reading, makingDurable, syncing }

    private let place: Place
    private let loop = pthread_self().hashValue
    private let isClosed = Mutex(true)
    private let isAwaited = Mutex(false)

    init(_ place: Place) { self.place = place }

    func open() { isClosed.withLock { $0 = false } }

    func close() {
        isClosed.withLock { $0 = true }
        isAwaited.withLock { $0 = false }
    }

    /// Waits until a thread waits at the gate.
    func awaitSomebody() { while !isAwaited.withLock({ $0 }) { usleep(500) } }

    /// The file system of the system, with the gate.
    var fileSystem: FileSystem {
        let system = FileSystem.system
        var slow = system
        switch place {
        case .makingDurable:
            slow.syncData = { [self] descriptor throws(SystemError) in
                pass()
                try system.syncData(descriptor)
            }
        case .syncing:
            slow.sync = { [self] descriptor throws(SystemError) in
                pass()
                try system.sync(descriptor)
            }
        case .reading:
            slow.read = { [self] (descriptor, buffer, offset) throws(SystemError) in
                pass()
                return try system.read(descriptor, buffer, offset)
            }
        }
        return slow
    }

    /// Waits until the gate is open, on any thread but the loop's.
    func pass() {
        while pthread_self().hashValue != loop, isClosed.withLock({ $0 }) {
            isAwaited.withLock { $0 = true }
            usleep(500)
        }
    }
}
