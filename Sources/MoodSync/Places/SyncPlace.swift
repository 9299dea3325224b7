import JSONCodec
import MoodStore
import Platform
import Replication
import Storage

/// The files of `sync/` in a store's directory:
///
///     replica.json             the store's replica (`ReplicaFile`)
///     lock                     held by the process that syncs
///     own-<replica>.jsonl      the records that it made, under each of its ids
///     others.jsonl             records of others, since the base
///     earlier.jsonl            the checksums of the commits before the setup (`EarlierCommits`)
///     base.jsonl               a snapshot of the store at a revision, so that not all records are read again
///     joined.jsonl             the next base, until the journal refers to it
///     status.json              the contents of `sync.status`
///     status-lock              held by the process that changes them
///     begun                    the last start of a process that only syncs
///     due                      the start of the next one, which waits
///     waits                    held by that one
///     git/                     the working copy of the git transport
///
/// All but `replica.json` and the unsent records can be recovered.
struct SyncPlace: Sendable {
    let store: String
    let fileSystem: FileSystem

    var path: String { store + "/" + ReplicaFile.folder }
    var others: String { path + "/others.jsonl" }
    var earlier: String { path + "/earlier.jsonl" }
    var base: String { path + "/base.jsonl" }
    var joined: String { path + "/joined.jsonl" }
    var status: String { path + "/status.json" }
    var git: String { path + "/git" }
    var begun: String { path + "/begun" }
    var due: String { path + "/due" }
    var waits: String { path + "/waits" }
    var lock: String { path + "/lock" }
    var statusLock: String { path + "/status-lock" }

    func own(_ replica: UUID) -> String { "\(path)/own-\(replica.text).jsonl" }
    var temporary: String { path + "/temporary-sync" }

    /// The store's replica; nil if it takes no part in sync.
    func fileIfThere() throws(SyncError) -> ReplicaFile? {
        do throws(StorageError) { return try ReplicaFile.read(store, in: fileSystem)?.file } catch {
            throw .store(.storage(error))
        }
    }

    func file() throws(SyncError) -> ReplicaFile {
        guard let file = try fileIfThere() else {
            throw .refused(reason: "This store takes no part in sync. Set it up with sync.setup.")
        }
        return file
    }

    /// Takes the lock for syncing.
    func acquireLock(timeoutMilliseconds: Int, isCancelled: () -> Bool) throws(SyncError) -> FileLock {
        let deadline = Clock.monotonicMilliseconds + timeoutMilliseconds
        while true {
            if isCancelled() { throw .cancelled }
            let left = max(deadline - Clock.monotonicMilliseconds, 0)
            do throws(SyncError) {
                return try acquireLock(lock, timeoutMilliseconds: min(left, AwaitedProgram.lookMilliseconds))
            } catch {
                guard case .busy = error, left > 0 else { throw error }
            }
        }
    }

    func acquireLock(_ lock: String, timeoutMilliseconds: Int) throws(SyncError) -> FileLock {
        do throws(SystemError) { try fileSystem.makeDirectoryIfMissing(path) } catch { throw Self.error(error) }
        do throws(FileLock.Failure) {
            return try FileLock.acquire(lock, timeoutMilliseconds: timeoutMilliseconds, in: fileSystem)
        } catch {
            switch error {
            case .timedOut: throw .busy
            case .system(let error): throw Self.error(error)
            }
        }
    }

    static func error(_ error: SystemError) -> SyncError {
        switch StorageError.writing(error, "the folder sync of the store") {
        case let error where error.isOnlyOfWriting: .store(.storage(error))
        default: .refused(reason: "The folder sync of the store cannot be used: \(error).")
        }
    }

    func removeIfThere(_ path: String) throws(SyncError) {
        do throws(SystemError) {
            if try fileSystem.readWhole(path, bytesMax: 0) != nil { try fileSystem.unlink(path) }
        } catch {
            throw Self.error(error)
        }
    }
}
