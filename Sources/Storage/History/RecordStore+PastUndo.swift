/// Undoing and redoing commits of whoever, by any process, as they are read again from the files.
///
/// Each record has a version: the commit that made it what it is. An undo brings back the version before, a redo the one
/// after. A commit can be undone where all of its records are of its version; so what anybody has touched since is not.
extension RecordStore {
    /// As `planUndo`, for commits of the files. All must be durable.
    ///
    /// It stops where commits are not kept (at an accepted edit, a migration, a gap): fewer than wanted are taken then.
    public mutating func planUndo(
        _ request: UndoRequest
    ) throws(UndoFailure) -> (targets: UndoTargets, commits: [UndoneCommit]) {
        if let asked = request.revision, asked > flushedRevision { throw .refused(.unknown(revision: asked)) }
        var choice = UndoChoice(request)
        do throws(StorageError) {
            try Self.forEachNote(&files, upTo: flushedRevision) { note in
                choice.look(at: note)
                return !choice.isComplete
            }
        } catch {
            throw .storage(error)
        }
        let chosen = try choice.targets()
        guard let first = try chosen.min().map({ (first) throws(UndoFailure) in try widened(first) }) else {
            return ([], [])
        }
        let plan = try pastUndo(chosen, from: first, isRedo: request.isRedo)
        do throws(StorageError) { try beginCommit() } catch { throw .storage(error) }
        undo.notePast(revision, of: plan.commits.map(\.revision), plan.versions)
        files?.stageReversal(plan.commits.map(\.revision), isRedo: request.isRedo)
        return (plan.targets, plan.commits)
    }

    /// Most often one of the last commits is meant: so many are looked at first, then four times as many.
    private static var notesMin: Int { 256 }

    /// Hands over what the commits say, from the newest back, until `body` answers false or one is not kept.
    static func forEachNote(
        _ files: inout StoreFiles?, upTo last: Int, _ body: (CommitNote) -> Bool
    ) throws(StorageError) {
        switch files {
        case .none: return
        case .some(let files):
            let chain = try JournalChain(files, upTo: last)
            for (place, link) in chain.links.enumerated().reversed() {
                try chain.checkNext(after: place)
                var (end, count) = (link.last, notesMin)
                repeat {
                    let start = max(link.base, end - count)
                    var notes: [CommitNote] = []
                    let found = try JournalChain.forEachCommitNear(of: link, after: start, files) { line, _ in
                        if line.seq <= end { notes.append(CommitNote(line)) }
                    }
                    try chain.checkEnd(of: place, at: found, files)
                    guard found == link.last else { return }
                    for note in notes.reversed() where !body(note) { return }
                    end = start
                    count *= 4
                } while end > link.base
            }
        }
    }

    private struct PastUndo {
        var targets: UndoTargets
        var commits: [UndoneCommit]
        /// Which version each record is again that is there afterwards.
        var versions: [(RecordID, Int)]
    }

    private mutating func pastUndo(
        _ chosen: [Int], from first: Int, isRedo: Bool
    ) throws(UndoFailure) -> PastUndo {
        var touched = try touchedRecords(chosen, from: first)
        let ids = Set(touched.values.flatMap { $0.changes.map(\.id) })
        var versions = RecordVersions(of: ids)
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
            plan.versions.append((id, version == 0 ? bytes.withUnsafeBytes { extractor.revision($0) ?? 0 } : version))
        }
        for revision in chosen {
            guard let commit = touched.removeValue(forKey: revision) else { continue }
            plan.commits.append(
                UndoneCommit(revision: revision, kind: commit.kind, ids: commit.changes.map(\.id)))
        }
        return plan
    }

    /// What the chosen commits changed. One that removed all records changed those that were there.
    private mutating func touchedRecords(
        _ chosen: [Int], from first: Int
    ) throws(UndoFailure) -> [Int: TouchedRecords] {
        var touched: [Int: TouchedRecords] = [:]
        var clears: [Int] = []
        try forEachCommit(from: first, to: chosen.max() ?? first) { commit in
            guard chosen.contains(commit.seq) else { return }
            touched[commit.seq] = TouchedRecords(commit)
            if commit.isClear { clears.append(commit.seq) }
        }
        for clear in clears { touched[clear]?.addCleared(try kept(before: clear, of: nil).keys.sorted()) }
        for revision in chosen where touched[revision] == nil {
            throw .refused(.forgotten(revision: revision, isLarge: false))
        }
        return touched
    }

    /// The commit to follow the records from: what was taken back since is followed from before it was made, as far as it is
    /// kept.
    private mutating func widened(_ first: Int) throws(UndoFailure) -> Int {
        var first = first
        while true {
            var least = first
            try forEachCommit(from: first, to: flushedRevision) { least = min(least, $0.reversed.min() ?? least) }
            guard least < first else { return first }
            do throws(StorageError) {
                guard try keepsCommits(after: least - 1) else { return first }
            } catch {
                throw .storage(error)
            }
            first = least
        }
    }

    private mutating func forEachCommit(
        from first: Int, to last: Int, _ body: (Commit) -> Void
    ) throws(UndoFailure) {
        do throws(StorageError) {
            _ = try Self.commits(after: first - 1, upTo: last, .whole, &files, extractor) {
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

/// What one commit changed, each record once.
private struct TouchedRecords {
    var changes: [(kind: UndoneCommit.Kind, id: RecordID)] = []

    init(_ commit: Commit) {
        var places: [RecordID: Int] = [:]
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
        let known = Set(changes.map(\.id))
        for id in ids where !known.contains(id) { changes.append((.deleted, id)) }
    }

    var kind: UndoneCommit.Kind {
        guard let first = changes.first?.kind, changes.allSatisfy({ $0.kind == first }) else { return .updated }
        return first
    }
}

/// The versions of some records, as commits are followed from one on. 0 is what was there before that, and a version below
/// zero what an undo or redo of something older has brought back.
private struct RecordVersions {
    private let ids: Set<RecordID>
    private var present: [RecordID: Int] = [:]
    /// What each commit replaced.
    private var before: [Int: [RecordID: Int]] = [:]
    private var records: [Place: [UInt8]] = [:]

    private struct Place: Hashable {
        let id: RecordID
        let version: Int
    }

    init(of ids: Set<RecordID>) { self.ids = ids }

    func now(_ id: RecordID) -> Int { present[id] ?? 0 }

    /// What was there before all of the commits is not known here, and does not matter: nothing that is undone has touched it.
    private func mayBeThere(_ id: RecordID) -> Bool { now(id) == 0 || record(id) != nil }

    func record(_ id: RecordID) -> [UInt8]? { records[Place(id: id, version: now(id))] }

    mutating func follow(_ commit: Commit) {
        if commit.reversed.isEmpty { return change(commit, to: commit.seq) }
        guard commit.reversed.allSatisfy({ before[$0] != nil }) else { return change(commit, to: -commit.seq) }
        for revision in commit.reversed {
            for (id, version) in before[revision] ?? [:] { present[id] = commit.isRedo ? revision : version }
        }
    }

    private mutating func change(_ commit: Commit, to version: Int) {
        var replaced: [RecordID: Int] = [:]
        if commit.isClear { for id in ids where mayBeThere(id) { replaced[id] = now(id) } }
        for change in commit.changes where ids.contains(change.id) {
            if replaced[change.id] == nil { replaced[change.id] = now(change.id) }
            if let record = change.record { records[Place(id: change.id, version: version)] = Array(record) }
            if change.record == nil { records[Place(id: change.id, version: version)] = nil }
        }
        for id in replaced.keys { present[id] = version }
        before[version] = replaced
    }

    /// Takes a commit back, or makes it again, for one record.
    /// - Returns: false where the record is another version than that takes.
    mutating func reverse(_ revision: Int, _ id: RecordID, isRedo: Bool) -> Bool {
        guard let earlier = before[revision]?[id] else { return false }
        guard now(id) == (isRedo ? earlier : revision) else { return false }
        present[id] = isRedo ? revision : earlier
        return true
    }
}
