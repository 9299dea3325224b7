import MoodCore
import Storage

/// The sequence of commits without a gap, for subscribers. (SwiftData: `ModelContext.didSave`; Room:
/// `InvalidationTracker`; here with the changes, and with the commits of other processes.)
extension MoodRecords {
    /// The changes of the present request's open commit, or of the last one that ended. Empty unless `keepsSummary` is
    /// set.
    public var summary: CommitSummary { records.summary }

    /// The ids of the last moods by time, the newest first; fewer if the store cannot be read.
    public mutating func newestIDs(_ limit: Int) -> [MoodID] { records.newestIDs(limit) }

    /// The origin to record in commits that no client requested.
    public var origin: String? {
        get { records.origin }
        set { records.origin = newValue }
    }

    /// Whether the present request has changed something.
    public var isCommitOpen: Bool { records.isCommitOpen }

    /// The revision of the last durable commit.
    public var durableRevision: Int { records.durableRevision }

    /// Whether the store is open and has durable commits after `revision`.
    public func hasCommits(after revision: Int) -> Bool { records.isOpen && revision < records.durableRevision }

    /// The store's id and its number of compactions; nil in memory, or if the store is not open.
    public var identity: StoreIdentity? {
        isOpen ? records.storeID.map { StoreIdentity(id: $0, generation: records.generation) } : nil
    }

    /// Passes every durable commit after `revision` to `body`, in order, until it returns false.
    /// - Returns: false if a commit is no longer kept, or cannot be read: the subscriber must load the moods again.
    public mutating func commits(
        after revision: Int, _ extent: LongCommits = .whole, _ body: (Commit) -> Bool
    ) -> Bool {
        // The subscriber starts again in either case, and its next request reports the error.
        do throws(StorageError) { return try records.commits(after: revision, extent, body) } catch { return false }
    }

    /// Whether every commit after `revision` can be read again. Makes the commits of the present group durable first.
    public mutating func keepsCommits(after revision: Int) throws(MoodStoreError) -> Bool {
        do throws(StorageError) {
            try flushEarly()
            return try records.keepsCommits(after: revision)
        } catch {
            throw .storage(error)
        }
    }

    /// Takes in the commits of other processes, outside of any request. It tries to open a store that was closed for a
    /// fault; if that fails, the next request reports why.
    public mutating func lookAround() {
        if !isOpen, isOpeningBeside() { return }
        let (mode, before) = (lockWait.mode, obstacle)
        // No code would end a wait that began here: once the lock is taken, it would stay taken.
        let isOnlyLook = mode == .beside && lockWait.descriptor < 0
        if isOnlyLook { lockWait.mode = .nowhere }
        // The next request catches up again, and reports the error.
        do throws(MoodStoreError) { try open() } catch {}
        if isOnlyLook { (lockWait.mode, obstacle) = (mode, before) }
    }
}

/// The identity of the open store.
public struct StoreIdentity: Sendable, Equatable {
    public let id: String
    /// The generation of the snapshot.
    public let generation: Int
}
