import CPlatform
import Synchronization

/// The threads of this process that wait in flock.
///
/// Each waiter is one entry; the mutex guards all of them. `join` makes an entry and its thread sets the outcome.
/// `take` or `leave` removes an entry with an outcome; the thread removes an entry that an attempt left before.
enum LockWaiters {
    struct Entry {
        let device: UInt64
        let inode: UInt64
        /// Becomes readable with the outcome.
        let readEnd: Int32
        let writeEnd: Int32
        /// False after a time-out, while its thread is still in flock.
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
        // The first in the queue waits for the lock itself; closing the directory admits the next one.
        let turn = try File(queue, .directoryThroughLink, in: fileSystem)
        try fileSystem.lock(turn.descriptor, .exclusive)
        try fileSystem.lock(descriptor, .exclusive)
    }

    /// Waits for the outcome; at the deadline, and when a signal asks the process to end, abandons the waiter.
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
        if let file = try take(ticket, path, fileSystem) { return file }
        leave(ticket, fileSystem)
        throw .timedOut
    }

    /// The descriptor that becomes readable with the outcome; -1 for an invalid ticket.
    static func descriptor(_ ticket: Int) -> Int32 { table.withLock { $0.entries[ticket]?.readEnd ?? -1 } }

    /// Whether the outcome is there.
    static func isDone(_ ticket: Int) -> Bool { table.withLock { $0.entries[ticket]?.outcome != nil } }

    /// The locked file; nil while the wait goes on. An outcome invalidates the ticket.
    static func take(
        _ ticket: Int, _ path: String, _ fileSystem: FileSystem
    ) throws(FileLock.Failure) -> File? {
        guard let outcome = table.withLock({ $0.entries[ticket]?.outcome }) else { return nil }
        remove(ticket)
        switch outcome {
        case .success(let descriptor): return File(descriptor: descriptor, path: path, in: fileSystem)
        case .failure(let error): throw .system(SystemError(call: error.call, subject: path, code: error.code))
        }
    }

    /// Abandons a waiter: it releases the lock, now or when it gets it.
    static func leave(_ ticket: Int, _ fileSystem: FileSystem) {
        let outcome = table.withLock { table in
            table.entries[ticket]?.isWanted = false
            return table.entries[ticket]?.outcome
        }
        guard let outcome else { return }
        remove(ticket)
        if case .success(let descriptor) = outcome { fileSystem.close(descriptor) }
    }

    private static func finish(_ ticket: Int, _ outcome: Result<Int32, SystemError>, _ fileSystem: FileSystem) {
        let unwanted: Entry? = table.withLock { table in
            // The check and the removal are one step, so that no attempt can join in between.
            guard let entry = table.entries[ticket], entry.isWanted else {
                return table.entries.removeValue(forKey: ticket)
            }
            table.entries[ticket]?.outcome = outcome
            // The pipe is empty and cannot block; the byte's value has no meaning.
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
