/// Undoing and redoing the commits that were made through this store, as new commits.
///
/// What a step expects is told by versions: a record has the version of the revision that its bytes name, or, where an
/// undo or redo brought it back, the version that it was then. So a record that was undone is again what the step before
/// left, and one that anybody else has touched is not.
extension RecordStore {
    /// What an undo or redo has to make of the records: their bytes, or nothing.
    public typealias UndoTargets = [(id: RecordID, bytes: [UInt8]?)]

    /// Finds out what undoing, or redoing, so many commits takes, the newest first. Every commit must be durable.
    ///
    /// Opens the commit in which the caller then makes the records what they have to be, puts first; also where in the end
    /// nothing differs. None is opened where there is nothing to undo.
    ///
    /// Fewer commits than wanted are taken where there are no more.
    /// - Parameter revision: that commit alone.
    public mutating func planUndo(
        steps count: Int, only revision: Int? = nil, isRedo: Bool
    ) throws(UndoFailure) -> (targets: UndoTargets, commits: [UndoneCommit]) {
        undo.preserve(&layers)
        let revisionOf = { [extractor] record in extractor.revision(record) ?? 0 }
        undo.settle(revisionOf)
        let available = isRedo ? undo.redo : undo.steps
        if revision == nil, available.count < count, !isRedo, let forgotten = undo.forgotten {
            throw .refused(.forgotten(revision: forgotten.revision, isLarge: forgotten.isLarge))
        }
        var steps = Array(available.suffix(count).reversed())
        if let wanted = revision {
            steps = available.filter { $0.revision == wanted }
            if steps.isEmpty { throw .refused(undo.refusal(of: wanted, upTo: self.revision, isRedo: isRedo)) }
        }
        var order: [RecordID] = []
        var present: [RecordID: Present] = [:]
        for number in steps.indices {
            for place in steps[number].changes.indices {
                let change = steps[number].changes[place]
                let state: Present
                if let known = present[change.id] {
                    state = known
                } else {
                    state = try self.state(change.id, revisionOf)
                    order.append(change.id)
                }
                let left = isRedo ? change.before != nil : change.isThere
                let version = isRedo ? change.beforeVersion : steps[number].revision
                guard (state.bytes != nil) == left, !left || state.version == version else {
                    throw .refused(.touched(change.id, revision: steps[number].revision))
                }
                if !isRedo { steps[number].changes[place].after = state.bytes }
                present[change.id] =
                    isRedo
                    ? Present(bytes: change.after, version: steps[number].revision)
                    : Present(bytes: change.before, version: change.beforeVersion)
            }
        }
        let commits = steps.map { UndoneCommit(revision: $0.revision, kind: $0.kind, ids: $0.changes.map(\.id)) }
        guard !steps.isEmpty else { return ([], []) }
        let versions = order.compactMap { id in present[id].flatMap { $0.bytes == nil ? nil : (id, $0.version) } }
        do throws(StorageError) { try beginCommit() } catch { throw .storage(error) }
        undo.plan = UndoPlan(revision: self.revision, isRedo: isRedo, steps: steps, versions: versions)
        files?.stageReversal(commits.map(\.revision), isRedo: isRedo)
        return (order.map { ($0, present[$0]?.bytes) }, commits)
    }

    private struct Present {
        var bytes: [UInt8]?
        var version: Int
    }

    private mutating func state(
        _ id: RecordID, _ revision: (UnsafeRawBufferPointer) -> Int
    ) throws(UndoFailure) -> Present {
        do throws(StorageError) {
            guard let bytes = try bytes(id) else { return Present(bytes: nil, version: 0) }
            return Present(bytes: Array(bytes), version: undo.version(id, revision(bytes)))
        } catch {
            throw .storage(error)
        }
    }

    /// Nothing up to here can be undone.
    public mutating func forgetUndo() { undo.forget() }

    /// What undo and redo of all commits of this process may have to read and write, in bytes.
    public var undoableBytes: Int { mutating get { undo.byteCount } }
}

/// One commit of this process, and what it takes to undo it, or to redo it.
struct UndoStep {
    struct Change {
        let id: RecordID
        /// The bytes before the commit; nil where there was no record.
        let before: [UInt8]?
        /// The version that those are: the revision at which they were first made.
        let beforeVersion: Int
        /// The bytes after it; kept once it is undone.
        var after: [UInt8]?
        /// Whether the record is there after it.
        var isThere: Bool
    }

    let revision: Int
    /// When it was made: 24 bytes of RFC 3339.
    let at: [UInt8]
    var changes: [Change]

    var byteCount: Int {
        changes.reduce(64) { $0 + 128 + ($1.before?.count ?? 0) + ($1.after?.count ?? 0) }
    }

    var kind: UndoneCommit.Kind {
        if changes.allSatisfy({ $0.before == nil && $0.isThere }) { return .created }
        if changes.allSatisfy({ !$0.isThere }) { return .deleted }
        return .updated
    }
}

/// What the commit of an undo or redo does to the log.
struct UndoPlan {
    /// The commit's revision.
    let revision: Int
    let isRedo: Bool
    /// In the order in which they are undone, or redone.
    let steps: [UndoStep]
    /// Which version each record is again that is there afterwards.
    let versions: [(RecordID, Int)]
}

/// A commit that was undone or redone.
public struct UndoneCommit: Sendable {
    public enum Kind: String, Sendable { case created, updated, deleted }

    public let revision: Int
    /// What the commit did; `updated` also where it did several things.
    public let kind: Kind
    public let ids: [RecordID]
}

/// Why nothing was undone.
public enum UndoFailure: Error, Sendable {
    case refused(UndoRefusal)
    case storage(StorageError)
}

/// Why a commit is not undone or redone; nothing was done.
public enum UndoRefusal: Error, Sendable {
    /// Another commit has changed the same record since.
    case touched(RecordID, revision: Int)
    /// What the commit replaced is not kept any more.
    case forgotten(revision: Int, isLarge: Bool)
    /// There has been no such commit.
    case unknown(revision: Int)
    /// It is an undo or redo itself.
    case reversal(revision: Int)
    /// It came by sync, or it is not of whoever asks.
    case foreign(revision: Int)
    /// It is undone, or not undone, already.
    case already(revision: Int, isRedo: Bool)
}
