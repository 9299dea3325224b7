/// The last commits of a store in memory, oldest first: what the journals are to a store on disk.
///
/// They are at least 100 and at most 200, as long as the values that they replaced have at most 32 MiB.
struct Trail {
    private(set) var steps: [UndoStep] = []
    private var byteCount = 0
    /// Facts of commits in no step yet that few commits have, so that the undo log notes less of each.
    private var notes: [Int: Note] = [:]

    struct Note {
        var origin: String?
        var newestCleared: [RecordID]?
    }

    mutating func noteOrigin(_ revision: Int, _ origin: String) { notes[revision, default: Note()].origin = origin }

    mutating func noteClear(_ revision: Int, newest: [RecordID]) {
        notes[revision, default: Note()].newestCleared = newest
    }

    func note(_ revision: Int) -> Note? { notes[revision] }

    /// Drops the notes of commits that were taken back.
    mutating func dropNotes(after revision: Int) {
        if !notes.isEmpty { notes = notes.filter { $0.key <= revision } }
    }

    mutating func append(_ step: UndoStep) {
        notes[step.revision] = nil
        steps.append(step)
        byteCount += step.byteCount
        var excess = steps.count > 2 * UndoLog.stepsMin ? UndoLog.stepsMin : 0
        var rest = byteCount - steps.prefix(excess).reduce(0) { $0 + $1.byteCount }
        while rest > UndoLog.bytesMax, excess < steps.count {
            rest -= steps[excess].byteCount
            excess += 1
        }
        byteCount = rest
        steps.removeFirst(excess)
    }

    /// Forgets the commits up to `revision`, and all steps, which are older.
    mutating func drop(upTo revision: Int) {
        (steps, byteCount) = ([], 0)
        notes = notes.filter { $0.key > revision }
    }

    /// Whether a commit was an undo or a redo.
    func isReversal(_ revision: Int) -> Bool {
        steps.contains { $0.revision == revision && !$0.reversed.isEmpty }
    }
}

/// The past of a store in memory, with the answers that a store on disk reads from its journals.
extension RecordStore {
    mutating func trail() -> [UndoStep] {
        undo.preserve(&layers)
        undo.settle { [extractor] in extractor.revision($0) ?? 0 }
        return undo.trail?.steps ?? []
    }

    mutating func logInMemory(
        before end: Int, limit: Int
    ) throws(StorageError) -> (items: [CommitLogItem], next: Int?) {
        let steps = trail()
        let named = Set(steps.compactMap { CommitLogItem($0).ids.first })
        // A commit left what the next one of that record replaced.
        var replaced: [RecordID: [UInt8]?] = [:]
        var reversals = Reversals()
        var items: [CommitLogItem] = []
        for step in steps.reversed() {
            if step.revision < end {
                if items.count == limit { return (items, items.last?.revision) }
                var item = CommitLogItem(step)
                item.isUndone = reversals.isUndone(step.revision)
                if let change = step.changes.first(where: { $0.id == item.ids.first }) {
                    item.record = try left(by: change, replaced) ?? []
                }
                items.append(item)
            }
            reversals.look(atReversalOf: step.reversed, isRedo: step.isRedo)
            for change in step.changes where named.contains(change.id) {
                replaced.updateValue(change.before, forKey: change.id)
            }
        }
        return (items, nil)
    }

    /// The record after a change, or before it if the change deleted the record.
    private mutating func left(
        by change: UndoStep.Change, _ replaced: [RecordID: [UInt8]?]
    ) throws(StorageError) -> [UInt8]? {
        if !change.isThere { return change.before }
        if let known = replaced[change.id] { return known }
        return try copy(change.id)
    }

    private mutating func copy(_ id: RecordID) throws(StorageError) -> [UInt8]? {
        guard let bytes = try bytes(id) else { return nil }
        return Array(bytes)
    }

    mutating func historyInMemory(_ history: inout RecordHistory, of id: RecordID) throws(StorageError) {
        var present = try copy(id)
        for step in trail().reversed() {
            guard let change = step.changes.first(where: { $0.id == id }) else { continue }
            history.add(step, change, leaving: present)
            present = change.before
        }
        present?.withUnsafeBytes { history.add($0) }
    }
}
