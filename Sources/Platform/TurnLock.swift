/// A lock that several processes take and leave all the time, each for a short while, and in turns.
///
/// flock(2) alone is not fair: a process that lets go and takes again at once is faster than the one that must first wake
/// up. So a process holds the lock of the directory while it waits for the lock itself; a process that comes back finds
/// that one held, and waits after it. (A turnstile: E. W. Dijkstra's baton, two locks instead of one semaphore.)
///
/// Where nobody was met lately the turnstile is passed by: it is looked at once in `overtakingMax` turns, and from then on each
/// time while there are others. The file stays open between the turns: to take a free lock costs one system call, now and then
/// three.
public struct TurnLock: ~Copyable {
    /// The locked file, which may be read and written through this.
    public private(set) var file: File
    public private(set) var isHeld = false

    /// So many turns of this process may come before one that waits. Counted, because time is not the same in each run.
    private static let overtakingMax = 32

    private let path: String
    private let queue: File
    /// The turns since the turnstile was found free.
    private var overtakings = 0
    private var status: FileStatus
    /// The lock where it came from a thread that waited for it.
    private var waited: FileLock?
    private let fileSystem: FileSystem

    /// Opens the file, which is made when it is not there, in a directory that is there.
    public init(_ path: String, directory: String, in fileSystem: FileSystem) throws(SystemError) {
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        let status = try file.status()
        queue = try File(directory, .directoryThroughLink, in: fileSystem)
        self.file = file
        self.status = status
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Takes the lock; nothing happens when it is held.
    /// - Parameters:
    ///   - timeoutMilliseconds: how long to wait for it; 0 does not wait.
    ///   - wait: how this thread waits.
    public mutating func acquire(timeoutMilliseconds: Int, _ wait: LockWait? = nil) throws(FileLock.Failure) {
        if isHeld { return }
        if wait?.isUnderWay != true {
            do throws(SystemError) {
                isHeld = try takeNow()
            } catch {
                throw .system(SystemError(call: error.call, subject: path, code: error.code))
            }
            if isHeld { return }
        }
        guard timeoutMilliseconds > 0 else { throw .timedOut }
        // There are others.
        overtakings = Self.overtakingMax
        waited = try FileLock.acquire(
            path, behind: queue.path, timeoutMilliseconds: timeoutMilliseconds, wait, in: fileSystem)
        isHeld = true
    }

    /// Lets go of the lock; nothing happens when it is not held.
    public mutating func release() {
        guard isHeld else { return }
        isHeld = false
        if waited != nil {
            waited = nil
        } else {
            unlock(file.descriptor)
        }
    }

    private mutating func takeNow() throws(SystemError) -> Bool {
        overtakings += 1
        if overtakings < Self.overtakingMax { return try lockNow(file.descriptor) }
        guard try lockNow(queue.descriptor) else { return false }
        defer { unlock(queue.descriptor) }
        overtakings = 0
        return try lockNow(file.descriptor)
    }

    /// Whether the file is still the one of its name: a lock on a file that somebody removed or replaced excludes nobody.
    /// To be asked after the lock was taken, unless it is certain that no name in the directory has changed since the last
    /// time. If it is false, `reopen` and take the lock again.
    public func isFileOfItsName() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try fileSystem.statusOfPath(path).isSameFile(as: status)
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }

    /// Lets go, and opens the file of that name again.
    public mutating func reopen() throws(SystemError) {
        release()
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        status = try file.status()
        self.file = file
    }

    private func lockNow(_ descriptor: Int32) throws(SystemError) -> Bool {
        do throws(SystemError) {
            try fileSystem.lock(descriptor, .exclusiveNow)
            return true
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return false
        }
    }

    /// Where even this fails, closing does it: at the latest when the process ends.
    private func unlock(_ descriptor: Int32) {
        do throws(SystemError) { try fileSystem.lock(descriptor, .none) } catch {
            // flock says nothing but that the descriptor is none, and then there is nothing to let go of.
        }
    }
}
