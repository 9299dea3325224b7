import CPlatform
import Synchronization

/// An advisory lock that is held on a file, flock(2): it goes when the value goes, or the process dies.
///
/// The lock belongs to one open of the file, so two opens in one process exclude each other as two processes do. The
/// descriptor is closed in children, so none of them can inherit the lock and keep it.
public struct FileLock: ~Copyable {
    /// The locked file, which may be read and written through this.
    public let file: File

    /// Writes to the locked file, in place.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try file.write(bytes, at: offset)
    }

    public enum Failure: Error, Sendable, Equatable {
        /// Somebody else held the lock for the whole time.
        case timedOut
        case system(SystemError)
    }

    /// Takes the lock on the file at `path`, which is made when it is not there.
    ///
    /// If the lock is held, the wait is a blocking flock on a helper thread: a process that polls is overtaken again and
    /// again by those that block. A waiter that timed out cannot be called back and stays in flock. The next attempt on the
    /// same file joins it; if none comes, it lets go of the lock as soon as it gets it.
    ///
    /// The time-out is in milliseconds of the monotonic clock; 0 does not wait.
    /// - Parameter queue: a directory that is locked while waiting, where there is one: see `TurnLock`.
    public static func acquire(
        _ path: String, behind queue: String? = nil, timeoutMilliseconds: Int, in fileSystem: FileSystem
    ) throws(Failure) -> FileLock {
        let deadline = Clock.monotonicMilliseconds + max(timeoutMilliseconds, 0)
        // A second round only if the file was removed or replaced while we waited: such a lock excludes nobody.
        for _ in 0..<8 {
            let file = try acquireOnce(path, queue, deadline: deadline, in: fileSystem)
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
        _ path: String, _ queue: String?, deadline: Int, in fileSystem: FileSystem
    ) throws(Failure) -> File {
        let attempt: Attempt
        do throws(SystemError) {
            attempt = try begin(path, queue, deadline: deadline, in: fileSystem)
        } catch {
            throw .system(SystemError(call: error.call, subject: path, code: error.code))
        }
        switch consume attempt {
        case .locked(let file): return file
        case .waiting(let ticket): return try LockWaiters.wait(ticket, until: deadline, path, fileSystem)
        case .timedOut: throw .timedOut
        }
    }

    /// Takes a lock that is free at once; else a thread begins to wait for it.
    private static func begin(
        _ path: String, _ queue: String?, deadline: Int, in fileSystem: FileSystem
    ) throws(SystemError) -> Attempt {
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        do {
            try lockNow(file.descriptor, behind: queue, in: fileSystem)
            return .locked(file)
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
        }
        guard deadline > Clock.monotonicMilliseconds else { return .timedOut }
        return .waiting(ticket: try LockWaiters.join(try file.status(), path, queue, fileSystem))
    }
}

extension FileLock {
    private static func lockNow(
        _ descriptor: Int32, behind queue: String?, in fileSystem: FileSystem
    ) throws(SystemError) {
        guard let queue else { return try fileSystem.lock(descriptor, .exclusiveNow) }
        // Held until the end of this scope: those that wait already come first.
        let turn = try File(queue, .directoryThroughLink, in: fileSystem)
        try fileSystem.lock(turn.descriptor, .exclusiveNow)
        try fileSystem.lock(descriptor, .exclusiveNow)
    }
}

/// The threads that wait in flock for this process.
///
/// Each waiter is one entry; the mutex guards all of them. An entry is made by `join`, gets its outcome from its thread,
/// and is removed by the one that sees the outcome and no need for it: `wait` when it takes the outcome, else the thread.
private enum LockWaiters {
    struct Entry {
        let device: UInt64
        let inode: UInt64
        /// Becomes readable with the outcome.
        let readEnd: Int32
        let writeEnd: Int32
        /// False while nobody waits for it: it timed out, and its thread is still in flock.
        var isWanted = true
        var outcome: Result<Int32, SystemError>?
    }

    struct Table {
        var lastTicket = 0
        var entries: [Int: Entry] = [:]
    }

    static let table = Mutex(Table())

    /// Joins the waiter that an earlier attempt left on this file, or starts one with its own open of it.
    static func join(
        _ status: FileStatus, _ path: String, _ queue: String?, _ fileSystem: FileSystem
    ) throws(SystemError) -> Int {
        let abandoned: Int? = table.withLock { table in
            let found = table.entries.first { _, entry in
                !entry.isWanted && entry.device == status.device && entry.inode == status.inode
            }
            guard let ticket = found?.key else { return nil }
            table.entries[ticket]?.isWanted = true
            return ticket
        }
        if let abandoned { return abandoned }

        let descriptor = try fileSystem.open(path, .readWriteOrCreate)
        let ends: (readEnd: Int32, writeEnd: Int32)
        do {
            ends = try Pipe.make()
        } catch {
            fileSystem.close(descriptor)
            throw error
        }
        let ticket = table.withLock { table in
            table.lastTicket += 1
            table.entries[table.lastTicket] = Entry(
                device: status.device, inode: status.inode, readEnd: ends.readEnd, writeEnd: ends.writeEnd)
            return table.lastTicket
        }
        do {
            try Thread.startDetached {
                do throws(SystemError) {
                    try lock(descriptor, behind: queue, fileSystem)
                    finish(ticket, .success(descriptor), fileSystem)
                } catch {
                    fileSystem.close(descriptor)
                    finish(ticket, .failure(error), fileSystem)
                }
            }
        } catch {
            fileSystem.close(descriptor)
            remove(ticket)
            throw error
        }
        return ticket
    }

    private static func lock(
        _ descriptor: Int32, behind queue: String?, _ fileSystem: FileSystem
    ) throws(SystemError) {
        guard let queue else { return try fileSystem.lock(descriptor, .exclusive) }
        // The first in the queue waits for the lock itself; closing the directory lets the next one come.
        let turn = try File(queue, .directoryThroughLink, in: fileSystem)
        try fileSystem.lock(turn.descriptor, .exclusive)
        try fileSystem.lock(descriptor, .exclusive)
    }

    /// Waits for the outcome; at the deadline, and when a signal asks the process to end, the waiter is left to itself.
    static func wait(
        _ ticket: Int, until deadline: Int, _ path: String, _ fileSystem: FileSystem
    ) throws(FileLock.Failure) -> File {
        guard let readEnd = table.withLock({ $0.entries[ticket]?.readEnd }) else { throw .timedOut }
        var sources = EventSources()
        let (outcomeReady, isOver) = (EventSources.Name(0), EventSources.Name(1))
        sources.listen(to: readEnd, as: outcomeReady, for: .reading)
        sources.listen(to: Interruption.descriptor, as: isOver, for: .reading)
        sources.setDeadline(isOver, at: deadline)
        _ = sources.next()

        let outcome: Result<Int32, SystemError>? = table.withLock { table in
            guard let outcome = table.entries[ticket]?.outcome else {
                table.entries[ticket]?.isWanted = false
                return nil
            }
            return outcome
        }
        guard let outcome else { throw .timedOut }
        remove(ticket)
        switch outcome {
        case .success(let descriptor): return File(descriptor: descriptor, path: path, in: fileSystem)
        case .failure(let error): throw .system(SystemError(call: error.call, subject: path, code: error.code))
        }
    }

    private static func finish(_ ticket: Int, _ outcome: Result<Int32, SystemError>, _ fileSystem: FileSystem) {
        let unwanted: Entry? = table.withLock { table in
            // Removed in the same step in which it is seen to be unwanted: nobody can join it any more.
            guard let entry = table.entries[ticket], entry.isWanted else {
                return table.entries.removeValue(forKey: ticket)
            }
            table.entries[ticket]?.outcome = outcome
            // The pipe is empty and cannot block; the byte is the signal, its value nothing.
            _ = write(entry.writeEnd, "!", 1)
            return nil
        }
        guard let unwanted else { return }
        if case .success(let descriptor) = outcome { fileSystem.close(descriptor) }
        closeEnds(of: unwanted)
    }

    private static func remove(_ ticket: Int) {
        guard let entry = table.withLock({ $0.entries.removeValue(forKey: ticket) }) else { return }
        closeEnds(of: entry)
    }

    private static func closeEnds(of entry: Entry) {
        _ = close(entry.readEnd)
        _ = close(entry.writeEnd)
    }
}
