/// Undoing and redoing commits, as new commits.
///
/// Each record has a version: the commit that made its present value. An undo restores the version before, a redo the
/// one after. A commit can be undone if all its records have its version, so not after a later change to one of them.
extension RecordStore {
    /// Records that an undo or redo gives the values in a file: all may be more than memory should hold.
    public struct UndoPart: Sendable {
        enum Source: Equatable {
            /// A commit with a file of its own.
            case commit(Int)
            /// The snapshot, or a backup.
            case snapshot(name: String)
        }

        let source: Source
        public let count: Int
        /// In order; nil for all of the file.
        let wanted: [RecordID]?
    }

    /// Everything that an undo or redo changes, in this order.
    public struct UndoWork: Sendable {
        /// Records to put.
        public var targets: [(id: RecordID, bytes: [UInt8])] = []
        /// More of them.
        public var parts: [UndoPart] = []
        public var removed: [RecordID] = []
        public var commits: [UndoneCommit] = []

        public var count: Int { parts.reduce(targets.count + removed.count) { $0 + $1.count } }
    }

    /// Plans the undo or redo of commits, the newest first. Every commit must be durable.
    ///
    /// Opens the commit in which the caller then applies the work; also if nothing differs in the end.
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
        if !isInMemory { lines.value.reverse(revisions, isRedo: request.isRedo) }
        return work
    }

    /// The records of a part, to be read while the store is changed.
    public func records(of part: UndoPart) throws(StorageError) -> UndoRecords {
        guard let files else { throw .cancelled }
        return UndoRecords(part, files, extractor)
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
        var records = NumberedRecords()
        let touched = try touchedRecords(chosen, from: range.first, &records)
        let there = range.hasClear ? try areThere(before: range.first, records) : nil
        // No record is afterwards a version that an undo takes back.
        var versions = RecordVersions(of: records, there: there, range.reversals, without: isRedo ? [] : Set(chosen))
        let first = range.first
        func extent(_ revision: Int) -> LongCommits {
            // The changes of one that takes back what is followed are not asked for.
            range.reversals[revision]?.revisions.allSatisfy { $0 >= first } == true ? .bare : .ids
        }
        try forEachCommit(from: first, to: flushedRevision, extent) { versions.follow($0) }
        for revision in chosen {
            if let id = versions.reverse(revision, touched[revision]?.numbers ?? [], isRedo: isRedo) {
                throw .refused(.touched(id, revision: revision))
            }
        }
        var work = UndoWork()
        var ofFiles: [Int: [RecordID]] = [:]
        var unknown: [RecordID] = []
        for (number, id) in versions.ids.enumerated() {
            switch versions.value(number) {
            case .unknown: unknown.append(id)
            case .none: work.removed.append(id)
            case .record(let bytes):
                assert(!bytes.isEmpty, "no record is a version that was taken back")
                work.targets.append((id, bytes))
            case .inFile(let revision): ofFiles[revision, default: []].append(id)
            }
        }
        for (revision, ids) in ofFiles.sorted(by: { $0.key < $1.key }) {
            let isWhole = touched[revision]?.numbers.count == ids.count
            work.parts.append(
                UndoPart(source: .commit(revision), count: ids.count, wanted: isWhole ? nil : ids.sorted()))
        }
        if !unknown.isEmpty { try restore(unknown.sorted(), before: range.first, to: &work) }
        work.targets.sort { $0.id < $1.id }
        work.removed.sort()
        for revision in chosen {
            guard let commit = touched[revision] else { continue }
            let ids = commit.numbers.prefix(UndoneCommit.idsMax).map { versions.ids[Int($0)] }
            work.commits.append(
                UndoneCommit(revision: revision, kind: commit.kind, ids: ids, count: commit.numbers.count))
        }
        return work
    }

    /// Adds the values before a commit.
    private mutating func restore(
        _ ids: [RecordID], before revision: Int, to work: inout UndoWork
    ) throws(UndoFailure) {
        if files != nil, ids.count > Self.restoredSinglyMax {
            let isKept: Bool
            do throws(StorageError) { isKept = try restoreMany(ids, before: revision, to: &work) } catch {
                throw .storage(error)
            }
            guard isKept else { throw .refused(.forgotten(revision: revision, isLarge: false)) }
            return
        }
        let known: [RecordID: [UInt8]]?
        do throws(StorageError) { known = try self.records(before: revision, of: Set(ids)) } catch {
            throw .storage(error)
        }
        guard let known else { throw .refused(.forgotten(revision: revision, isLarge: false)) }
        for id in ids {
            if let bytes = known[id] { work.targets.append((id, bytes)) } else { work.removed.append(id) }
        }
    }

    /// Number of records that are looked up in the snapshot one by one.
    private static var restoredSinglyMax: Int { 4096 }

    /// The changes of the chosen commits. One that removed all records changed those that were there.
    private mutating func touchedRecords(
        _ chosen: [Int], from first: Int, _ records: inout NumberedRecords
    ) throws(UndoFailure) -> [Int: TouchedRecords] {
        var touched: [Int: TouchedRecords] = [:]
        var clears: Set<Int> = []
        var last = 0
        // Taken out, because a closure cannot change both.
        var numbered = NumberedRecords()
        swap(&numbered, &records)
        try forEachCommit(from: first, to: chosen.max() ?? first, { chosen.contains($0) ? .ids : .bare }) { commit in
            guard chosen.contains(commit.seq) else { return }
            if commit.seq != last { touched[last]?.forgetPlaces() }
            last = commit.seq
            touched[commit.seq, default: TouchedRecords()].add(commit, &numbered)
            if commit.isClear { clears.insert(commit.seq) }
        }
        touched[last]?.forgetPlaces()
        for clear in clears {
            var ids: [RecordID] = []
            let isKept: Bool
            do throws(StorageError) { isKept = try forEachID(before: clear) { ids.append($1) } } catch {
                throw .storage(error)
            }
            guard isKept else { throw .refused(.forgotten(revision: clear, isLarge: false)) }
            touched[clear]?.addCleared(ids.sorted(), &numbered)
        }
        swap(&numbered, &records)
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
            try forEachCommit(from: range.first, to: flushedRevision, { _ in .bare }) { commit in
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

    /// Tells for each record whether it was there before a commit; nil if that is not stored.
    private mutating func areThere(
        before revision: Int, _ records: borrowing NumberedRecords
    ) throws(UndoFailure) -> [Bool]? {
        var there = [Bool](repeating: false, count: records.ids.count)
        do throws(StorageError) {
            let isKept = try forEachID(before: revision) { _, id in
                if let number = records.number(of: id) { there[number] = true }
            }
            return isKept ? there : nil
        } catch {
            throw .storage(error)
        }
    }

    private mutating func forEachCommit(
        from first: Int, to last: Int, _ extent: (Int) -> LongCommits, _ body: (Commit) -> Void
    ) throws(UndoFailure) {
        do throws(StorageError) {
            _ = try commits(after: first - 1, upTo: last, extent) {
                body($0)
                return true
            }
        } catch {
            throw .storage(error)
        }
    }
}

/// The commits to follow the records through, up to the last one.
private struct UndoRange {
    var first: Int
    var reversals: ReversalsByCommit = [:]
    /// Whether one of them removed all records.
    var hasClear = false

    init(first: Int) { self.first = first }
}

/// Records that an undo or redo gives back from a file, read one by one.
public struct UndoRecords {
    private let part: RecordStore.UndoPart
    private let files: StoreFiles
    private let extractor: RecordExtractor

    init(_ part: RecordStore.UndoPart, _ files: StoreFiles, _ extractor: RecordExtractor) {
        (self.part, self.files, self.extractor) = (part, files, extractor)
    }

    /// Passes on each record, in the order of the file.
    /// - Throws: also after records were passed on, if the file is not as it was written.
    public func forEach(_ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void) throws(StorageError) {
        func hand(_ record: UnsafeRawBufferPointer) throws(StorageError) {
            // The plan has looked at the ids alone.
            guard let id = extractor.head(record)?.id else { return }
            if part.wanted.map({ $0.place(of: id) != nil }) ?? true { try body(record) }
        }
        switch part.source {
        case .commit(let revision):
            guard let commit = try LongCommit.open(revision, in: files.place) else {
                throw CommitFile.damaged(CommitFile.name(revision))
            }
            try commit.forEachChange { (change) throws(StorageError) in
                if case .record(let record, _) = change { try hand(record) }
            }
        case .snapshot(let name):
            try files.forEachRecord(name, extractor) { (_, record) throws(StorageError) in try hand(record) }
        }
    }
}
