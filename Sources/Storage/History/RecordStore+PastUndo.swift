/// Undoing and redoing commits of any client and process, read again from the files.
///
/// Each record has a version: the commit that made its present value. An undo restores the version before, a redo the
/// one after. A commit can be undone if all its records have its version, so not after a later change to one of them.
extension RecordStore {
    /// Plans an undo as `planUndo` does, for commits of the files. All must be durable.
    ///
    /// It stops before commits that are not stored (at an accepted edit, a migration, a gap), with fewer commits than
    /// wanted.
    public mutating func planUndo(
        _ request: UndoRequest
    ) throws(UndoFailure) -> (targets: UndoTargets, commits: [UndoneCommit]) {
        if let asked = request.revision, asked > flushedRevision { throw .refused(.unknown(revision: asked)) }
        var choice = UndoChoice(request)
        do throws(StorageError) {
            if let files {
                try JournalChain(files, upTo: flushedRevision).forEachNote(files) { note in
                    choice.look(at: note)
                    return !choice.isComplete
                }
            }
        } catch {
            throw .storage(error)
        }
        let chosen = try choice.targets()
        guard let least = chosen.min() else { return ([], []) }
        let (first, reversals) = try widened(least)
        let plan = try pastUndo(chosen, from: first, reversals, isRedo: request.isRedo)
        do throws(StorageError) { try beginCommit() } catch { throw .storage(error) }
        undo.notePast(revision, of: plan.commits.map(\.revision), plan.versions)
        if files != nil { lines.value.reverse(plan.commits.map(\.revision), isRedo: request.isRedo) }
        return (plan.targets, plan.commits)
    }

    private struct PastUndo {
        var targets: UndoTargets
        var commits: [UndoneCommit]
        /// The restored version of each record that exists afterwards.
        var versions: [(RecordID, Int)]
    }

    private mutating func pastUndo(
        _ chosen: [Int], from first: Int, _ reversals: ReversalsByCommit, isRedo: Bool
    ) throws(UndoFailure) -> PastUndo {
        var touched = try touchedRecords(chosen, from: first)
        let ids = Set(touched.values.lazy.flatMap { $0.changes.lazy.map(\.id) })
        // No record is afterwards a version that an undo takes back.
        var versions = RecordVersions(of: ids, reversals, without: isRedo ? [] : Set(chosen))
        try forEachCommit(from: first, to: flushedRevision) { versions.follow($0) }
        for revision in chosen {
            for change in touched[revision]?.changes ?? [] {
                guard versions.reverse(revision, change.id, isRedo: isRedo) else {
                    throw .refused(.touched(change.id, revision: revision))
                }
            }
        }
        let unknown = ids.filter { versions.now($0) == 0 }
        var base: [RecordID: [UInt8]] = [:]
        if !unknown.isEmpty {
            base = try kept(before: first, of: unknown)
        }
        var plan = PastUndo(targets: [], commits: [], versions: [])
        for id in ids.sorted() {
            let version = versions.now(id)
            let bytes = version == 0 ? base[id] : versions.record(id)
            plan.targets.append((id, bytes))
            guard let bytes else { continue }
            assert(!bytes.isEmpty, "no record is a version that was taken back")
            plan.versions.append((id, version == 0 ? bytes.withUnsafeBytes { extractor.revision($0) ?? 0 } : version))
        }
        for revision in chosen {
            guard let commit = touched.removeValue(forKey: revision) else { continue }
            plan.commits.append(
                UndoneCommit(revision: revision, kind: commit.kind, ids: commit.changes.map(\.id)))
        }
        return plan
    }

    /// The changes of the chosen commits. One that removed all records changed those that were there.
    private mutating func touchedRecords(
        _ chosen: [Int], from first: Int
    ) throws(UndoFailure) -> [Int: TouchedRecords] {
        var touched: [Int: TouchedRecords] = [:]
        var clears: [Int] = []
        try forEachCommit(from: first, to: chosen.max() ?? first) { commit in
            guard chosen.contains(commit.seq) else { return }
            touched[commit.seq, default: TouchedRecords()].add(commit)
            if commit.isClear { clears.append(commit.seq) }
        }
        for clear in clears { touched[clear]?.addCleared(try kept(before: clear, of: nil).keys.sorted()) }
        for revision in chosen where touched[revision] == nil {
            throw .refused(.forgotten(revision: revision, isLarge: false))
        }
        return touched
    }

    /// The commit to follow the records from: what was taken back since is followed from before it was made, as far as it is
    /// kept. And which commits took back which from there on.
    private mutating func widened(_ first: Int) throws(UndoFailure) -> (first: Int, ReversalsByCommit) {
        var first = first
        while true {
            var least = first
            var reversals: ReversalsByCommit = [:]
            try forEachCommit(from: first, to: flushedRevision) { commit in
                guard let reversed = commit.reversed.min() else { return }
                least = min(least, reversed)
                reversals[commit.seq] = (commit.reversed, commit.isRedo)
            }
            guard least < first else { return (first, reversals) }
            do throws(StorageError) {
                guard try keepsCommits(after: least - 1) else { return (first, reversals) }
            } catch {
                throw .storage(error)
            }
            first = least
        }
    }

    /// Hands over commits; one with a file of its own comes in pieces.
    private mutating func forEachCommit(
        from first: Int, to last: Int, _ body: (Commit) -> Void
    ) throws(UndoFailure) {
        do throws(StorageError) {
            _ = try commits(after: first - 1, upTo: last, .inPieces) {
                body($0)
                return true
            }
        } catch {
            throw .storage(error)
        }
    }

    private mutating func kept(
        before revision: Int, of wanted: Set<RecordID>?
    ) throws(UndoFailure) -> [RecordID: [UInt8]] {
        let known: [RecordID: [UInt8]]?
        do throws(StorageError) { known = try records(before: revision, of: wanted) } catch { throw .storage(error) }
        guard let known else { throw .refused(.forgotten(revision: revision, isLarge: false)) }
        return known
    }
}

/// By revision: the commits that it took back, or made again.
private typealias ReversalsByCommit = [Int: (revisions: [Int], isRedo: Bool)]

/// The changes of one commit, each record once.
private struct TouchedRecords {
    private(set) var changes: [(kind: UndoneCommit.Kind, id: RecordID)] = []
    private var places: [RecordID: Int] = [:]

    /// Adds those of a commit, or of a piece of it.
    mutating func add(_ commit: Commit) {
        for change in commit.changes {
            if let place = places[change.id] {
                changes[place].kind = change.kind
            } else {
                places[change.id] = changes.count
                changes.append((change.kind, change.id))
            }
        }
    }

    mutating func addCleared(_ ids: [RecordID]) {
        for id in ids where places[id] == nil { changes.append((.deleted, id)) }
    }

    var kind: UndoneCommit.Kind {
        guard let first = changes.first?.kind, changes.allSatisfy({ $0.kind == first }) else { return .updated }
        return first
    }
}

/// The versions of some records, while commits are followed from one on. 0 is the value before that; a negative version
/// is one that an undo or redo of something older has restored.
private struct RecordVersions {
    private let ids: Set<RecordID>
    private let reversals: ReversalsByCommit
    /// Versions of which is kept only that they were there.
    private let unwanted: Set<Int>
    /// The commit of which all or a piece was followed last.
    private var last = 0
    private var present: [RecordID: Int] = [:]
    /// The versions that each commit replaced.
    private var before: [Int: [RecordID: Int]] = [:]
    private var records: [Place: [UInt8]] = [:]

    private struct Place: Hashable {
        let id: RecordID
        let version: Int
    }

    init(of ids: Set<RecordID>, _ reversals: ReversalsByCommit, without unwanted: Set<Int>) {
        (self.ids, self.reversals, self.unwanted) = (ids, reversals, unwanted)
    }

    func now(_ id: RecordID) -> Int { present[id] ?? 0 }

    /// A record from before all these commits may exist; it does not matter, because no undone commit has changed it.
    private func mayBeThere(_ id: RecordID) -> Bool { now(id) == 0 || record(id) != nil }

    func record(_ id: RecordID) -> [UInt8]? { records[Place(id: id, version: now(id))] }

    /// Follows a commit, or the next piece of it.
    mutating func follow(_ commit: Commit) {
        guard let reversal = reversals[commit.seq] else { return change(commit, to: commit.seq) }
        guard reversal.revisions.allSatisfy({ before[$0] != nil }) else { return change(commit, to: -commit.seq) }
        if last == commit.seq { return }
        last = commit.seq
        for revision in reversal.revisions {
            for (id, version) in before[revision] ?? [:] { present[id] = reversal.isRedo ? revision : version }
        }
    }

    private mutating func change(_ commit: Commit, to version: Int) {
        // Taken out, so that it is not copied; there is one where this is not the first piece.
        var replaced = before.removeValue(forKey: version) ?? [:]
        if commit.isClear {
            for id in ids where mayBeThere(id) { replaced[id] = now(id) }
            for id in replaced.keys { present[id] = version }
        }
        for change in commit.changes where ids.contains(change.id) {
            if replaced[change.id] == nil { replaced[change.id] = now(change.id) }
            present[change.id] = version
            records[Place(id: change.id, version: version)] = change.record.map {
                unwanted.contains(version) ? [] : Array($0)
            }
        }
        before[version] = replaced
    }

    /// Undoes or redoes a commit for one record.
    /// - Returns: false if the record has another version than that requires.
    mutating func reverse(_ revision: Int, _ id: RecordID, isRedo: Bool) -> Bool {
        guard let earlier = before[revision]?[id] else { return false }
        guard now(id) == (isRedo ? earlier : revision) else { return false }
        present[id] = isRedo ? revision : earlier
        return true
    }
}
