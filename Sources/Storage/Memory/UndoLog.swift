/// Replaced values: to take back a group whose sync failed, and to undo commits of this process later.
///
/// The store notes every change of a group as it happens. Once the group is durable, the log keeps the slots of the
/// last commits without a copy: their memory is freed later, and that is all a commit pays. Of a record of the snapshot
/// it notes only the row, and reads it when another snapshot replaces that one. Only an undo turns the commits into
/// `UndoStep`s.
///
/// At least `stepsMin` commits can be undone, as long as the versions before them have at most `bytesMax`.
///
/// Invariants
/// 1. Slots in `changes` own their bytes.
/// 2. `changes[..<kept]` belong to durable commits, the rest to the present group.
/// 3. `marks` has each ended commit with changes in `changes`, in order; all commits in `steps` are older.
/// 4. `redo` is empty after settling a commit that was no undo or redo.
struct UndoLog: ~Copyable {
    enum Change {
        case inserted(RecordID)
        case replaced(RecordSlot)
        case removed(RecordSlot)
        /// A record of the snapshot became hidden.
        case hidden(LayeredRecords.Hidden)
        /// The whole snapshot became hidden; it had this many visible bytes.
        case baseHidden(byteCount: Int)
    }

    private struct Mark {
        var revision: Int
        /// The index after the commit's last change.
        var end: Int
        /// Whether `plan` describes the commit.
        var isPlanned: Bool
        /// The time of the commit.
        var at: TimeText
    }

    static let stepsMin = 100
    static let bytesMax = 32 << 20
    /// Maximum number of records with a restored version.
    private static let versionsMax = 1 << 16

    private var changes: [Change] = []
    private var marks: [Mark] = []
    private var kept = 0
    private var keptBytes = 0
    /// The commits that can be undone, oldest first, without those in `marks`.
    var steps: [UndoStep] = []
    /// The commits that can be redone, the next one last.
    var redo: [UndoStep] = []
    /// All last commits, undos and redos among them; nil for a store whose journals have them.
    var trail: Trail?
    /// The effect of an undo's or redo's commit on `steps` and `redo`, once it is durable.
    var plan: UndoPlan?
    /// The last commit that can no longer be undone, and whether its size is the reason.
    private(set) var forgotten: (revision: Int, isLarge: Bool)?
    /// The commits that undid or redid commits from the files, with those commits and the restored versions.
    private var past: [(revision: Int, of: [Int], versions: [(RecordID, Int)])] = []
    /// The version of a record that was undone or redone: at revision `at` it is as at revision `version`.
    private var versions: [RecordID: (at: Int, version: Int)] = [:]

    deinit { for change in changes { change.free() } }

    // MARK: Groups

    @inline(__always)
    mutating func append(_ change: Change) { changes.append(change) }

    var count: Int { changes.count }

    mutating func popLast() -> Change? { changes.popLast() }

    /// Start of the present group.
    var groupStart: Int { kept }

    /// Marks the end of a commit.
    @inline(__always)
    mutating func mark(_ revision: Int, at time: TimeText) {
        marks.append(
            Mark(revision: revision, end: changes.count, isPlanned: plan?.revision == revision, at: time))
    }

    /// Notes that the open commit undoes or redoes commits from the files: it is no step of its own.
    mutating func notePast(_ revision: Int, of commits: [Int], _ versions: [(RecordID, Int)]) {
        past.append((revision, commits, versions))
    }

    /// Keeps the commits up to `end` as durable; without it, all.
    mutating func keep(upTo end: Int? = nil) {
        // Counted from the end, because dropping removes from the beginning, perhaps commits of the group itself.
        let open = changes.count - (end ?? changes.count)
        dropOldest(marks.count - 2 * Self.stepsMin, atLeast: Self.stepsMin, isLarge: false)
        let last = changes.count - open
        for change in changes[kept..<last] { keptBytes += change.byteCount }
        kept = last
        while keptBytes > Self.bytesMax, let first = marks.first, first.end <= kept {
            dropOldest(1, atLeast: 1, isLarge: true)
        }
    }

    /// Drops the marks of commits after `revision`, which were taken back.
    mutating func dropGroup(after revision: Int) {
        while let last = marks.last, last.revision > revision { marks.removeLast() }
        if let plan, plan.revision > revision { self.plan = nil }
        trail?.dropNotes(after: revision)
        past.removeAll { $0.revision > revision }
    }

    /// Forgets `excess` of the oldest commits, if above zero, and at least `minimum`.
    private mutating func dropOldest(_ excess: Int, atLeast minimum: Int, isLarge: Bool) {
        guard excess > 0 else { return }
        let dropped = min(max(excess, minimum), marks.count)
        let end = marks[dropped - 1].end
        for (index, change) in changes[..<end].enumerated() {
            if index < kept { keptBytes -= change.byteCount }
            change.free()
        }
        forgotten = (marks[dropped - 1].revision, isLarge)
        changes.removeFirst(end)
        marks.removeFirst(dropped)
        for index in marks.indices { marks[index].end -= end }
        kept = max(kept - end, 0)
        // Everything older goes too: the steps, and the plan, whose commit is always the first of `marks`.
        steps = []
        redo = []
        trail?.drop(upTo: forgotten?.revision ?? 0)
        plan = nil
        if changes.isEmpty, changes.capacity > 65_536 { changes = [] }
    }

    /// Forgets everything: no commit up to here can be undone.
    mutating func forget() {
        for change in changes { change.free() }
        changes = []
        marks = []
        kept = 0
        keptBytes = 0
        steps = []
        redo = []
        plan = nil
        forgotten = nil
        versions = [:]
        past = []
    }

    // MARK: Steps

    /// The reason why one commit of those up to `revision` cannot be undone, or redone.
    func refusal(of wanted: Int, upTo revision: Int, isRedo: Bool) -> UndoRefusal {
        if wanted > revision { return .unknown(revision: wanted) }
        if trail?.isReversal(wanted) ?? false { return .reversal(revision: wanted) }
        let others = isRedo ? steps : redo
        if others.contains(where: { $0.revision == wanted }) { return .already(revision: wanted, isRedo: isRedo) }
        if let forgotten, wanted <= forgotten.revision {
            return .forgotten(revision: wanted, isLarge: forgotten.isLarge)
        }
        return .foreign(revision: wanted)
    }

    /// Reads the noted rows of the snapshot into records, before another snapshot comes or steps are made. If they
    /// cannot be read, nothing can be undone any more.
    mutating func preserve(_ layers: inout LayeredRecords) {
        let isPreserved = changes.allSatisfy {
            switch $0 {
            case .hidden, .baseHidden: false
            default: true
            }
        }
        if isPreserved { return }
        do throws(IndexFault) {
            try readRows(&layers)
        } catch {
            let last = marks.last?.revision ?? 0
            forget()
            forgotten = (last, false)
        }
    }

    private mutating func readRows(_ layers: inout LayeredRecords) throws(IndexFault) {
        var fresh: [Change] = []
        var read: [RecordSlot] = []
        // The new index of each change, and the end.
        var places: [Int] = []
        do throws(IndexFault) {
            for change in changes {
                places.append(fresh.count)
                let start = read.count
                switch change {
                case .hidden(let hidden): read.append(try layers.slot(ofRow: hidden.row))
                case .baseHidden: try layers.forEachVisibleRow { read.append($0) }
                default: fresh.append(change)
                }
                fresh += read[start...].map { .removed($0) }
            }
        } catch {
            for slot in read { slot.deallocate() }
            throw error
        }
        places.append(fresh.count)
        changes = fresh
        kept = places[kept]
        for index in marks.indices { marks[index].end = places[marks[index].end] }
        keptBytes = changes[..<kept].reduce(0) { $0 + $1.byteCount }
    }

    /// Turns all noted commits into steps; every commit is durable.
    /// - Parameter revision: the revision of a record, from its bytes.
    mutating func settle(_ revision: (UnsafeRawBufferPointer) -> Int) {
        var start = 0
        for mark in marks {
            if mark.isPlanned, let plan {
                if trail != nil {
                    var step = step(mark, changes[start..<mark.end], revision)
                    step.reversed = plan.steps.map(\.revision)
                    step.isRedo = plan.isRedo
                    trail?.append(step)
                }
                carryOut(plan)
                self.plan = nil
            } else if let place = past.firstIndex(where: { $0.revision == mark.revision }) {
                carryOut(past.remove(at: place))
            } else {
                let step = step(mark, changes[start..<mark.end], revision)
                trail?.append(step)
                redo = []
                steps.append(step)
            }
            start = mark.end
        }
        for change in changes { change.free() }
        changes = []
        marks = []
        kept = 0
        keptBytes = 0
        limit()
    }

    private func step(
        _ mark: Mark, _ changes: ArraySlice<Change>, _ revisionOf: (UnsafeRawBufferPointer) -> Int
    ) -> UndoStep {
        let note = trail?.note(mark.revision)
        var step = UndoStep(
            revision: mark.revision, at: mark.at.withBytes { Array($0) }, origin: note?.origin, changes: [],
            newestCleared: note?.newestCleared)
        var places: [RecordID: Int] = [:]
        for change in changes {
            guard let id = change.id else { continue }
            let before = change.before
            if let place = places[id] {
                step.changes[place].isThere = change.isThere
                continue
            }
            places[id] = step.changes.count
            let version = before.map { self.version(id, revisionOf($0)) } ?? 0
            step.changes.append(
                UndoStep.Change(
                    id: id, before: before.map { Array($0) }, beforeVersion: version, after: nil,
                    isThere: change.isThere))
        }
        return step
    }

    /// The version of a record whose bytes have this revision.
    func version(_ id: RecordID, _ revision: Int) -> Int {
        guard let known = versions[id], known.at == revision else { return revision }
        return known.version
    }

    private mutating func carryOut(_ plan: UndoPlan) {
        let done = Set(plan.steps.map(\.revision))
        if plan.isRedo {
            redo.removeAll { done.contains($0.revision) }
            steps += plan.steps
        } else {
            steps.removeAll { done.contains($0.revision) }
            redo += plan.steps
        }
        for (id, version) in plan.versions { versions[id] = (plan.revision, version) }
    }

    /// Removes the steps that were undone or redone from the files.
    private mutating func carryOut(_ past: (revision: Int, of: [Int], versions: [(RecordID, Int)])) {
        steps.removeAll { past.of.contains($0.revision) }
        redo.removeAll { past.of.contains($0.revision) }
        for (id, version) in past.versions { versions[id] = (past.revision, version) }
    }

    /// The bytes kept for durable commits.
    var byteCount: Int { (steps + redo).reduce(keptBytes) { $0 + $1.byteCount } }

    /// Drops the oldest steps beyond the limits.
    private mutating func limit() {
        var bytes = redo.reduce(0) { $0 + $1.byteCount } + versions.count * 64
        var first = steps.count
        while first > 0, steps.count - first < 2 * Self.stepsMin {
            bytes += steps[first - 1].byteCount
            if bytes > Self.bytesMax { break }
            first -= 1
        }
        if versions.count > Self.versionsMax {
            versions = [:]
            redo = []
            first = steps.count
        }
        guard first > 0 else { return }
        forgotten = (steps[first - 1].revision, bytes > Self.bytesMax)
        steps.removeFirst(first)
    }
}

extension UndoLog.Change {
    /// Nil for rows of the snapshot, which `preserve` turns into records.
    var id: RecordID? {
        switch self {
        case .inserted(let id): id
        case .replaced(let slot), .removed(let slot): slot.head.id
        case .hidden, .baseHidden: nil
        }
    }

    /// The replaced version; nil if there was none.
    var before: UnsafeRawBufferPointer? {
        switch self {
        case .inserted, .hidden, .baseHidden: nil
        case .replaced(let slot), .removed(let slot): slot.bytes
        }
    }

    /// Whether the record exists afterwards.
    var isThere: Bool {
        if case .removed = self { false } else { true }
    }

    var byteCount: Int {
        switch self {
        case .inserted: 64
        case .hidden(let hidden): hidden.byteCount + 64
        case .baseHidden(let byteCount): byteCount + 64
        case .replaced(let slot), .removed(let slot): slot.count + 64
        }
    }

    func free() {
        switch self {
        case .inserted, .hidden, .baseHidden: break
        case .replaced(let slot), .removed(let slot): slot.deallocate()
        }
    }
}
