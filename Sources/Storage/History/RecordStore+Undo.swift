/// Undoing and redoing commits, as new commits.
///
/// Each record has a version: the commit that made its present value. An undo restores the version before, a redo the
/// one after. A commit can be undone if all its records have its version, so not after a later change to one of them.
extension RecordStore {
    /// The values that an undo or redo gives the records: their bytes, or nil to remove them.
    public typealias UndoTargets = [(id: RecordID, bytes: [UInt8]?)]

    /// Records that an undo or redo gives the values of a commit with a file of its own.
    public struct UndoPart: Sendable {
        public let revision: Int
        public let count: Int
        /// Nil for all of the commit.
        let wanted: Set<RecordID>?
    }

    /// Everything that an undo or redo changes, puts first.
    public struct UndoWork: Sendable {
        public var targets: UndoTargets = []
        public var parts: [UndoPart] = []
        public var commits: [UndoneCommit] = []

        public var count: Int { parts.reduce(targets.count) { $0 + $1.count } }
    }

    /// Plans the undo or redo of commits, the newest first. Every commit must be durable.
    ///
    /// Opens the commit in which the caller then applies the targets, puts first; also if nothing differs in the end.
    /// With nothing to undo it opens none. It stops before commits that are not stored (at an accepted edit, a
    /// migration, a gap), with fewer commits than wanted.
    public mutating func planUndo(
        _ request: UndoRequest
    ) throws(UndoFailure) -> UndoWork {
        if let asked = request.revision, asked > flushedRevision { throw .refused(.unknown(revision: asked)) }
        let own: OwnCommits? = request.isOfSession || files == nil ? madeHere : nil
        var choice = UndoChoice(request, own)
        do throws(StorageError) {
            try forEachNote { note in
                choice.look(at: note)
                return !choice.isComplete
            }
        } catch {
            throw .storage(error)
        }
        if let forgotten = undo.trail?.forgotten, choice.isShort, madeHere.contains(forgotten.revision) {
            throw .refused(.forgotten(revision: forgotten.revision, isLarge: forgotten.isLarge))
        }
        let chosen = try choice.targets()
        guard let least = chosen.min() else { return UndoWork() }
        let range = try widened(least, own)
        let work = try pastUndo(chosen, range, isRedo: request.isRedo)
        do throws(StorageError) { try beginCommit() } catch { throw .storage(error) }
        let revisions = work.commits.map(\.revision)
        undo.trail?.note(revision) { ($0.reversed, $0.isRedo) = (revisions, request.isRedo) }
        if files != nil { lines.value.reverse(revisions, isRedo: request.isRedo) }
        return work
    }

    /// The records of a part, to be read while the store is changed.
    public mutating func records(of part: UndoPart) throws(StorageError) -> LongCommitRecords {
        guard let files, let commit = try LongCommit.open(part.revision, in: files.place) else {
            throw CommitFile.damaged(CommitFile.name(part.revision))
        }
        return LongCommitRecords(commit, part, extractor)
    }

    /// Forgets the commits of this process: its session cannot undo them.
    public mutating func forgetUndo() { madeHere = OwnCommits(generation: generation) }

    /// Bytes that an undo or redo of all commits of this process may read; those in memory do not count.
    public var undoableBytes: Int {
        guard let files else { return 0 }
        return files.generation == madeHere.generation ? madeHere.byteCount : max(madeHere.byteCount, byteCount)
    }

    private mutating func pastUndo(
        _ chosen: [Int], _ range: UndoRange, isRedo: Bool
    ) throws(UndoFailure) -> UndoWork {
        let first = range.first
        var touched = try touchedRecords(chosen, from: first)
        let ids = Set(touched.values.lazy.flatMap { $0.changes.lazy.map(\.id) })
        // No record is afterwards a version that an undo takes back.
        var versions = RecordVersions(
            of: ids, there: range.hasClear ? try idsThere(before: first, ids) : nil, range.reversals,
            without: isRedo ? [] : Set(chosen))
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
        var work = UndoWork()
        var ofFiles: [Int: [RecordID]] = [:]
        for id in ids.sorted() {
            let version = versions.now(id)
            let bytes = version == 0 ? base[id] : versions.record(id)
            if bytes != nil, versions.areInFile(version) {
                ofFiles[abs(version), default: []].append(id)
                continue
            }
            assert(bytes?.isEmpty != true, "no record is a version that was taken back")
            work.targets.append((id, bytes))
        }
        for (revision, ids) in ofFiles.sorted(by: { $0.key < $1.key }) {
            let isWhole = touched[revision]?.changes.count == ids.count
            work.parts.append(UndoPart(revision: revision, count: ids.count, wanted: isWhole ? nil : Set(ids)))
        }
        for revision in chosen {
            guard let commit = touched.removeValue(forKey: revision) else { continue }
            work.commits.append(
                UndoneCommit(revision: revision, kind: commit.kind, ids: commit.changes.map(\.id)))
        }
        return work
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
        for revision in touched.keys where !clears.contains(revision) { touched[revision]?.forgetPlaces() }
        for clear in clears { touched[clear]?.addCleared(try kept(before: clear, of: nil).keys.sorted()) }
        for revision in chosen where touched[revision] == nil {
            throw .refused(.forgotten(revision: revision, isLarge: false))
        }
        return touched
    }

    /// The commit to follow the records from: what was taken back since is followed from before it was made, as far as it is
    /// kept. And which commits took back which from there on.
    /// - Parameter own: the commits whose reversals count; one by another process is a change like any other.
    private mutating func widened(
        _ first: Int, _ own: OwnCommits?
    ) throws(UndoFailure) -> UndoRange {
        var range = UndoRange(first: first)
        while true {
            var least = range.first
            range = UndoRange(first: range.first)
            try forEachCommit(from: range.first, to: flushedRevision) { commit in
                range.hasClear = range.hasClear || commit.isClear
                guard let reversed = commit.reversed.min(), own?.contains(commit.seq) ?? true else { return }
                least = min(least, reversed)
                range.reversals[commit.seq] = (commit.reversed, commit.isRedo)
            }
            guard least < range.first else { return range }
            do throws(StorageError) {
                guard try isKept(after: least - 1) else { return range }
            } catch {
                throw .storage(error)
            }
            range.first = least
        }
    }

    /// Those of the records that were there before a commit; nil if that is not stored.
    private mutating func idsThere(
        before revision: Int, _ ids: Set<RecordID>
    ) throws(UndoFailure) -> Set<RecordID>? {
        var there: Set<RecordID> = []
        do throws(StorageError) {
            let isKept = try forEachID(before: revision) { _, id in
                if ids.contains(id) { there.insert(id) }
            }
            return isKept ? there : nil
        } catch {
            throw .storage(error)
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

/// The commits to follow the records through, up to the last one.
private struct UndoRange {
    var first: Int
    var reversals: ReversalsByCommit = [:]
    /// Whether one of them removed all records.
    var hasClear = false

    init(first: Int) { self.first = first }
}

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

    /// Frees what only further changes need.
    mutating func forgetPlaces() { places = [:] }

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
    /// Those that were there before the first commit; nil if unknown.
    private let there: Set<RecordID>?
    private let reversals: ReversalsByCommit
    /// Versions of which is kept only that they were there.
    private let unwanted: Set<Int>
    /// The commit of which all or a piece was followed last.
    private var last = 0
    private var present: [RecordID: Int] = [:]
    /// The versions that each commit replaced.
    private var before: [Int: [RecordID: Int]] = [:]
    private var records: [Place: [UInt8]] = [:]
    /// Versions whose records are read again from the files of their commits, and the records that those removed.
    private var inFiles: Set<Int> = []
    private var removed: Set<Place> = []

    private struct Place: Hashable {
        let id: RecordID
        let version: Int
    }

    init(
        of ids: Set<RecordID>, there: Set<RecordID>?, _ reversals: ReversalsByCommit, without unwanted: Set<Int>
    ) {
        (self.ids, self.there, self.reversals, self.unwanted) = (ids, there, reversals, unwanted)
    }

    func now(_ id: RecordID) -> Int { present[id] ?? 0 }

    private func mayBeThere(_ id: RecordID) -> Bool {
        now(id) == 0 ? there?.contains(id) ?? true : record(id) != nil
    }

    /// The value; empty if it is not needed, or in the file of a commit.
    func record(_ id: RecordID) -> [UInt8]? {
        let place = Place(id: id, version: now(id))
        return inFiles.contains(place.version) ? (removed.contains(place) ? nil : []) : records[place]
    }

    func areInFile(_ version: Int) -> Bool { inFiles.contains(version) }

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
            if commit.isInFile { for id in replaced.keys { removed.insert(Place(id: id, version: version)) } }
        }
        if commit.isInFile { inFiles.insert(version) }
        for change in commit.changes where ids.contains(change.id) {
            if replaced[change.id] == nil { replaced[change.id] = now(change.id) }
            present[change.id] = version
            let place = Place(id: change.id, version: version)
            if commit.isInFile {
                if change.record == nil { removed.insert(place) } else if !removed.isEmpty { removed.remove(place) }
            } else {
                records[place] = change.record.map { unwanted.contains(version) ? [] : Array($0) }
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
