/// A lock that several processes take and release all the time, each for a short while, in fair turns.
///
/// flock(2) alone is not fair: a process that releases and retakes a lock at once is faster than one that must first
/// wake up. So a process holds the lock of the directory while it waits for the lock itself; a returning process finds
/// the directory locked, and waits behind it. (A turnstile: E. W. Dijkstra's baton, two locks instead of one
/// semaphore.)
///
/// Without recent contention the turnstile is skipped: it is checked once in `overtakingMax` turns, and after
/// contention each time until it is free. The file stays open between the turns: taking a free lock usually costs one
/// system call, sometimes three.
public struct TurnLock: ~Copyable {
    /// The locked file, for reading and writing.
    public private(set) var file: File
    public private(set) var isHeld = false

    /// Turns of this process that may precede a waiting one. Counted, because times differ from run to run.
    private static let overtakingMax = 32

    private let path: String
    private let queue: File
    /// The turns since the last look at a free turnstile.
    private var overtakings = 0
    private var status: FileStatus
    /// The lock, if a waiting thread has taken it.
    private var waited: FileLock?
    private let fileSystem: FileSystem

    /// Opens or makes the file, in an existing directory.
    public init(_ path: String, directory: String, in fileSystem: FileSystem) throws(SystemError) {
        let file = try File(path, .readWriteOrCreate, in: fileSystem)
        let status = try file.status()
        queue = try File(directory, .directoryThroughLink, in: fileSystem)
        self.file = file
        self.status = status
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Takes the lock; does nothing if it is held.
    /// - Parameters:
    ///   - timeoutMilliseconds: how long to wait; 0 does not wait.
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
        // There is contention.
        overtakings = Self.overtakingMax
        waited = try FileLock.acquire(
            path, behind: queue.path, timeoutMilliseconds: timeoutMilliseconds, wait, in: fileSystem)
        isHeld = true
    }

    /// Releases the lock; does nothing if it is not held.
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

    /// Whether the file still has its name: a lock on a removed or replaced file excludes no process. Call it after
    /// taking the lock, unless no name in the directory has certainly changed since the last time. If it is false,
    /// `reopen` and take the lock again.
    public func isFileOfItsName() throws(SystemError) -> Bool {
        do throws(SystemError) {
            return try fileSystem.statusOfPath(path).isSameFile(as: status)
        } catch {
            guard error.code == ENOENT else { throw error }
            return false
        }
    }

    /// Releases the lock, and opens the file of that name again.
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

    /// If even this fails, closing releases it, at the latest when the process ends.
    private func unlock(_ descriptor: Int32) {
        do throws(SystemError) { try fileSystem.lock(descriptor, .none) } catch {
            // flock fails only for an invalid descriptor, and then there is nothing to release.
        }
    }
}
