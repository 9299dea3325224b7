import MoodCore
import Storage

/// Tells others what was committed, as a sequence of revisions without a gap. (SwiftData: `ModelContext.didSave`;
/// Room: `InvalidationTracker`; here with what changed, and with what other processes did.)
extension MoodRecords {
    /// What the open commit of the present request has done so far, or the one that ended last; only kept where
    /// `keepsSummary` is set.
    public var summary: CommitSummary { records.summary }

    /// The ids of the last moods in time, the newest first; fewer where the store cannot be read.
    public mutating func newestIDs(_ limit: Int) -> [MoodID] { records.newestIDs(limit) }

    /// Who the commits are marked with that come now, where no client asks for them.
    public var origin: String? {
        get { records.origin }
        set { records.origin = newValue }
    }

    /// Whether the present request has changed something.
    public var isCommitOpen: Bool { records.isCommitOpen }

    /// The last commit that is durable.
    public var durableRevision: Int { records.durableRevision }

    /// Whether the store is open and has durable commits after `revision`.
    public func hasCommits(after revision: Int) -> Bool { records.isOpen && revision < records.durableRevision }

    /// Which store this is, and how often it has been compacted; nil in memory, and where it is not open.
    public var identity: StoreIdentity? {
        isOpen ? records.storeID.map { StoreIdentity(id: $0, generation: records.generation) } : nil
    }

    /// Passes every durable commit after `revision` to `body`, in order, until it answers false.
    /// - Returns: false if one of them is no longer kept, or cannot be read: the subscriber must load the moods again.
    public mutating func commits(
        after revision: Int, _ extent: LongCommits = .whole, _ body: (Commit) -> Bool
    ) -> Bool {
        // A subscriber is told to begin anew either way; what is wrong is told by the request with which it does.
        do throws(StorageError) { return try records.commits(after: revision, extent, body) } catch { return false }
    }

    /// Whether every commit after `revision` can be read again. Commits of the present group are made durable first.
    public mutating func keepsCommits(after revision: Int) throws(MoodStoreError) -> Bool {
        do throws(StorageError) {
            try flushEarly()
            return try records.keepsCommits(after: revision)
        } catch {
            throw .storage(error)
        }
    }

    /// Sees what other processes have committed, outside of any request. A store that was closed for a fault is opened
    /// again where that is possible; where it is not, the next request says why.
    public mutating func lookAround() {
        if !isOpen, isOpeningBeside() { return }
        let (mode, before) = (lockWait.mode, obstacle)
        // Nobody attends to a wait for the lock that is begun here: it would be kept from everybody once it is there.
        let isOnlyLook = mode == .beside && lockWait.descriptor < 0
        if isOnlyLook { lockWait.mode = .nowhere }
        // The next request looks again, and is told why it cannot.
        do throws(MoodStoreError) { try open() } catch {}
        if isOnlyLook { (lockWait.mode, obstacle) = (mode, before) }
    }
}

/// The identity of the open store.
public struct StoreIdentity: Sendable, Equatable {
    public let id: String
    /// That of the snapshot.
    public let generation: Int
}
