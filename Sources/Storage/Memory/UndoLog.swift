/// What changes replaced: to take a group back whose sync failed, and to undo commits of this process later on.
///
/// Every change of a group is noted as it happens. Once the group is durable the last commits stay noted, as they are,
/// without a copy: their slots are freed later than they would be, and that is all that a commit pays. Of a record of the
/// snapshot only its row is noted, and read when another snapshot takes the place of that one. Only when somebody undoes
/// something are the commits turned into `UndoStep`s.
///
/// At least `stepsMin` commits can be undone, as long as the versions that they replaced have at most `bytesMax`.
///
/// Invariants
/// 1. Slots in `changes` own their bytes.
/// 2. `changes[..<kept]` belong to durable commits, the rest to the present group.
/// 3. `marks` has each ended commit with changes in `changes`, in order; all commits in `steps` are older.
/// 4. `redo` is empty once a commit has been settled that was no undo or redo.
struct UndoLog: ~Copyable {
    enum Change {
        case inserted(RecordID)
        case replaced(RecordSlot)
        case removed(RecordSlot)
        /// A record of the snapshot is no longer visible.
        case hidden(LayeredRecords.Hidden)
        /// Nothing of the snapshot is visible any more; this much was.
        case baseHidden(byteCount: Int)
    }

    private struct Mark {
        var revision: Int
        /// After the commit's last change.
        var end: Int
        /// Whether the commit is that of `plan`.
        var isPlanned: Bool
        /// When it was made.
        var at: TimeText
    }

    static let stepsMin = 100
    static let bytesMax = 32 << 20
    /// Of how many records it is known which version an undo or redo has brought back.
    private static let versionsMax = 1 << 16

    private var changes: [Change] = []
    private var marks: [Mark] = []
    private var kept = 0
    private var keptBytes = 0
    /// The commits that can be undone, oldest first, but for those in `marks`.
    var steps: [UndoStep] = []
    /// The commits that can be redone, the next one last.
    var redo: [UndoStep] = []
    /// What the commit of an undo or redo does to the two above, once it is durable.
    var plan: UndoPlan?
    /// The last commit that cannot be undone any more, and whether that is for its size.
    private(set) var forgotten: (revision: Int, isLarge: Bool)?
    /// The commits that undid or redid what was read from the files, what those were, and the versions that they brought back.
    private var past: [(revision: Int, of: [Int], versions: [(RecordID, Int)])] = []
    /// Which version a record that was undone or redone is again: at revision `at` it is as at revision `version`.
    private var versions: [RecordID: (at: Int, version: Int)] = [:]

    deinit { for change in changes { change.free() } }

    // MARK: Groups

    @inline(__always)
    mutating func append(_ change: Change) { changes.append(change) }

    var count: Int { changes.count }

    mutating func popLast() -> Change? { changes.popLast() }

    /// Where the present group begins.
    var groupStart: Int { kept }

    /// A commit has ended.
    @inline(__always)
    mutating func mark(_ revision: Int, at time: TimeText) {
        marks.append(
            Mark(revision: revision, end: changes.count, isPlanned: plan?.revision == revision, at: time))
    }

    /// The open commit undoes or redoes what was read from the files: it is no step of its own.
    mutating func notePast(_ revision: Int, of commits: [Int], _ versions: [(RecordID, Int)]) {
        past.append((revision, commits, versions))
    }

    /// The commits up to `end` are durable; without it, all are.
    mutating func keep(upTo end: Int? = nil) {
        // Counted from the end, because what is dropped is at the beginning, and may be of the group itself.
        let open = changes.count - (end ?? changes.count)
        dropOldest(marks.count - 2 * Self.stepsMin, atLeast: Self.stepsMin, isLarge: false)
        let last = changes.count - open
        for change in changes[kept..<last] { keptBytes += change.byteCount }
        kept = last
        while keptBytes > Self.bytesMax, let first = marks.first, first.end <= kept {
            dropOldest(1, atLeast: 1, isLarge: true)
        }
    }

    /// The commits after `revision` have been taken back.
    mutating func dropGroup(after revision: Int) {
        while let last = marks.last, last.revision > revision { marks.removeLast() }
        if let plan, plan.revision > revision { self.plan = nil }
        past.removeAll { $0.revision > revision }
    }

    /// Forgets the oldest commits when `excess` is above zero: so many, and at least `minimum`.
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
        // All that is older, and what was undone or redone before these: that one is always the first of `marks`.
        steps = []
        redo = []
        plan = nil
        if changes.isEmpty, changes.capacity > 65_536 { changes = [] }
    }

    /// Nothing can be undone from here back.
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

    /// Why one commit of those up to `revision` is none of those that can be undone, or redone.
    func refusal(of wanted: Int, upTo revision: Int, isRedo: Bool) -> UndoRefusal {
        if wanted > revision { return .unknown(revision: wanted) }
        let others = isRedo ? steps : redo
        if others.contains(where: { $0.revision == wanted }) { return .already(revision: wanted, isRedo: isRedo) }
        if let forgotten, wanted <= forgotten.revision {
            return .forgotten(revision: wanted, isLarge: forgotten.isLarge)
        }
        return .foreign(revision: wanted)
    }

    /// Puts the records in the place of what the snapshot's rows are, before another snapshot comes or steps are made.
    /// Where they cannot be read nothing can be undone any more.
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
        // Where each place of before is now, and the end.
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

    /// Turns all that is noted into steps; every commit is durable.
    /// - Parameter revision: that of a record, from its bytes.
    mutating func settle(_ revision: (UnsafeRawBufferPointer) -> Int) {
        var start = 0
        for mark in marks {
            if mark.isPlanned, let plan {
                carryOut(plan)
                self.plan = nil
            } else if let place = past.firstIndex(where: { $0.revision == mark.revision }) {
                carryOut(past.remove(at: place))
            } else {
                redo = []
                steps.append(step(mark, changes[start..<mark.end], revision))
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
        var step = UndoStep(revision: mark.revision, at: mark.at.withBytes { Array($0) }, changes: [])
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

    /// Which version a record is whose bytes have this revision.
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

    /// What was undone or redone by way of the files is none of the steps any more.
    private mutating func carryOut(_ past: (revision: Int, of: [Int], versions: [(RecordID, Int)])) {
        steps.removeAll { past.of.contains($0.revision) }
        redo.removeAll { past.of.contains($0.revision) }
        for (id, version) in past.versions { versions[id] = (past.revision, version) }
    }

    /// What is noted of durable commits.
    var byteCount: Int { (steps + redo).reduce(keptBytes) { $0 + $1.byteCount } }

    /// Holds what the steps take within bounds; the oldest go first.
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

    /// The version that was replaced; nil where there was none.
    var before: UnsafeRawBufferPointer? {
        switch self {
        case .inserted, .hidden, .baseHidden: nil
        case .replaced(let slot), .removed(let slot): slot.bytes
        }
    }

    /// Whether the record is there afterwards.
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
