/// Undoing and redoing the commits made through this store, as new commits.
///
/// A step is valid for certain versions: a record has the version of the revision in its bytes; after an undo or redo,
/// the restored version. So an undone record has the version that the step before left, and a record that any later
/// commit has changed has another.
extension RecordStore {
    /// The values that an undo or redo gives the records: their bytes, or nil to remove them.
    public typealias UndoTargets = [(id: RecordID, bytes: [UInt8]?)]

    /// Plans the undo or redo of `count` commits, the newest first. Every commit must be durable.
    ///
    /// Opens the commit in which the caller then applies the targets, puts first; also if nothing differs in the end.
    /// With nothing to undo it opens none. It takes fewer commits than wanted if there are no more.
    /// - Parameter revision: the only commit to undo or redo.
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
        if files != nil { lines.value.reverse(commits.map(\.revision), isRedo: isRedo) }
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

    /// Forgets all steps: nothing up to here can be undone.
    public mutating func forgetUndo() {
        if isInMemory { _ = trail() }
        undo.forget()
    }

    /// Bytes that an undo or redo of all commits of this process may read and write.
    public var undoableBytes: Int { mutating get { undo.byteCount } }
}

/// One commit of this process, with the data to undo or redo it.
struct UndoStep {
    struct Change {
        let id: RecordID
        /// The bytes before the commit; nil if there was no record.
        let before: [UInt8]?
        /// The version of those: the revision that first made them.
        let beforeVersion: Int
        /// The bytes after it; set once it is undone.
        var after: [UInt8]?
        /// Whether the record exists after it.
        var isThere: Bool
    }

    let revision: Int
    /// The time of the commit: 24 bytes of RFC 3339.
    let at: [UInt8]
    /// The author, if no client made the commit.
    var origin: String?
    var changes: [Change]
    /// The commits that it undid or redid, in order.
    var reversed: [Int] = []
    var isRedo = false
    /// The newest records of all that it first removed; nil if it did not.
    var newestCleared: [RecordID]?

    var byteCount: Int {
        changes.reduce(64) { $0 + 128 + ($1.before?.count ?? 0) + ($1.after?.count ?? 0) }
    }

    var kind: UndoneCommit.Kind {
        if changes.isEmpty { return .updated }
        if changes.allSatisfy({ $0.before == nil && $0.isThere }) { return .created }
        if changes.allSatisfy({ !$0.isThere }) { return .deleted }
        return .updated
    }
}

/// The effect of an undo's or redo's commit on the log.
struct UndoPlan {
    /// The commit's revision.
    let revision: Int
    let isRedo: Bool
    /// The undone or redone steps, in order.
    let steps: [UndoStep]
    /// The restored version of each record that exists afterwards.
    let versions: [(RecordID, Int)]
}

/// A commit that was undone or redone.
public struct UndoneCommit: Sendable {
    public enum Kind: String, Sendable { case created, updated, deleted }

    public let revision: Int
    /// The kind of the commit's changes; `updated` if they are of several kinds.
    public let kind: Kind
    public let ids: [RecordID]
}

/// The reason why nothing was undone.
public enum UndoFailure: Error, Sendable {
    case refused(UndoRefusal)
    case storage(StorageError)
}

/// The reason why a commit is not undone or redone; nothing was done.
public enum UndoRefusal: Error, Sendable {
    /// Another commit has changed the same record since.
    case touched(RecordID, revision: Int)
    /// The values before the commit are no longer stored.
    case forgotten(revision: Int, isLarge: Bool)
    /// There is no such commit.
    case unknown(revision: Int)
    /// It is an undo or redo itself.
    case reversal(revision: Int)
    /// It came by sync, or from another origin than the request.
    case foreign(revision: Int)
    /// It is already undone, or already redone.
    case already(revision: Int, isRedo: Bool)
}
