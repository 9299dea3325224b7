import CPlatform

/// An advisory lock on a file, flock(2); it ends with the value or the process.
///
/// The lock belongs to one open of the file, so two opens in one process exclude each other as two processes do. The
/// descriptor is close-on-exec, so no child can inherit the lock and keep it.
public struct FileLock: ~Copyable {
    /// The locked file, for reading and writing.
    public let file: File

    /// Writes to the locked file, in place.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try file.write(bytes, at: offset)
    }

    public enum Failure: Error, Sendable, Equatable {
        /// Another holder had the lock for the whole time.
        case timedOut
        case system(SystemError)

        /// Nil after a time-out.
        public var cause: SystemError? {
            switch self {
            case .timedOut: nil
            case .system(let error): error
            }
        }
    }

    /// Limit of attempts to take a lock whose file was removed or replaced meanwhile.
    public static let roundsMax = 8

    /// Takes the lock on the file at `path`, and creates a missing file.
    ///
    /// If the lock is held, the wait is a blocking flock on a helper thread: blocking waiters would overtake a polling
    /// process again and again. A waiter that timed out cannot be called back and stays in flock. The next attempt on
    /// the same file joins it; without one, it releases the lock as soon as it gets it.
    ///
    /// The time-out is in milliseconds of the monotonic clock; 0 does not wait.
    /// - Parameters:
    ///   - queue: an optional directory to lock while waiting: see `TurnLock`.
    ///   - wait: how this thread waits.
    public static func acquire(
        _ path: String, behind queue: String? = nil, timeoutMilliseconds: Int, _ wait: LockWait? = nil,
        in fileSystem: FileSystem
    ) throws(Failure) -> FileLock {
        let deadline = Clock.monotonicMilliseconds + max(timeoutMilliseconds, 0)
        // Another round only if the file was removed or replaced during the wait: such a lock excludes no process.
        for _ in 0..<roundsMax {
            let file = try acquireOnce(path, queue, deadline: deadline, wait, in: fileSystem)
            do {
                let held = try file.status()
                let named = try fileSystem.statusOfPath(path)
                if held.isSameFile(as: named) { return FileLock(file: file) }
            } catch {
                guard error.code == ENOENT else { throw .system(error) }
            }
        }
        throw .system(SystemError(call: "flock", subject: path, code: ESTALE))
    }

    private enum Attempt: ~Copyable {
        case locked(File)
        case waiting(ticket: Int)
        case timedOut
    }

    private static func acquireOnce(
        _ path: String, _ queue: String?, deadline: Int, _ wait: LockWait?, in fileSystem: FileSystem
    ) throws(Failure) -> File {
        if let file = try wait?.take(path, fileSystem) { return file }
        let attempt: Attempt
        do throws(SystemError) {
            attempt = try begin(path, queue, deadline: deadline, wait, in: fileSystem)
        } catch {
            throw .system(SystemError(call: error.call, subject: path, code: error.code))
        }
        switch consume attempt {
        case .locked(let file): return file
        case .waiting(let ticket):
            if wait?.begin(ticket, until: deadline, fileSystem) == true { throw .timedOut }
            return try LockWaiters.wait(ticket, until: deadline, path, fileSystem)
        case .timedOut: throw .timedOut
        }
    }

    /// Takes a free lock at once; otherwise lets a thread begin to wait for it.
    private static func begin(
        _ path: String, _ queue: String?, deadline: Int, _ wait: LockWait?, in fileSystem: FileSystem
    ) throws(SystemError) -> Attempt {
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        do {
            try lockNow(file.descriptor, behind: queue, in: fileSystem)
            return .locked(file)
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
        }
        guard deadline > Clock.monotonicMilliseconds, wait?.isPossible ?? true else { return .timedOut }
        return .waiting(ticket: try LockWaiters.join(try file.status(), path, queue, fileSystem))
    }
}

extension FileLock {
    private static func lockNow(
        _ descriptor: Int32, behind queue: String?, in fileSystem: FileSystem
    ) throws(SystemError) {
        guard let queue else { return try fileSystem.lock(descriptor, .exclusiveNow) }
        // Held until the end of this scope: earlier waiters come first.
        let turn = try File(queue, .directoryThroughLink, in: fileSystem)
        try fileSystem.lock(turn.descriptor, .exclusiveNow)
        try fileSystem.lock(descriptor, .exclusiveNow)
    }
}

extension FileSystem {
    /// Takes a lock that others hold for moments only, by repeated attempts.
    /// - Returns: false if it was not free until the deadline (by `Clock.monotonicMilliseconds`), or a signal asks the
    ///   process to end.
    public func lock(_ descriptor: Int32, _ lock: Lock, until deadline: Int) throws(SystemError) -> Bool {
        while true {
            do {
                try self.lock(descriptor, lock)
                return true
            } catch {
                guard error.code == EWOULDBLOCK else { throw error }
            }
            let now = Clock.monotonicMilliseconds
            guard now < deadline else { return false }
            var sources = EventSources()
            let (isOver, again) = (EventSources.Name(0), EventSources.Name(1))
            sources.listen(to: Interruption.descriptor, as: isOver, for: .reading)
            sources.setDeadline(again, at: now + 1)
            if sources.next() != .due(again) { return false }
        }
    }
}
