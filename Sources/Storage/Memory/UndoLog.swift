/// Replaced values: to take back a group whose sync failed.
///
/// The store notes every change of a group as it happens. Once the group is durable, the values are freed. A store in
/// memory keeps those of its last commits without a copy, and that is all a commit pays there; only a look at the past
/// turns them into steps of the `Trail`.
///
/// Invariants
/// 1. Slots in `changes` own their bytes.
/// 2. `changes[..<groupStart]` belong to ended commits of a store in memory, the rest to the present group.
/// 3. `marks` has each of those commits, in order; all commits in the trail are older.
struct UndoLog: ~Copyable {
    enum Change {
        case inserted(RecordID)
        /// Many inserted and hidden records one after the other: their place in `runs`.
        case many(Int)
        case replaced(RecordSlot)
        case removed(RecordSlot)
        /// A record of the snapshot became hidden.
        case hidden(LayeredRecords.Hidden)
        /// The whole snapshot became hidden.
        case baseHidden
    }

    /// Records of which each was inserted or hidden, or hidden and then inserted: a long commit may have a million.
    struct Run {
        fileprivate(set) var inserted: [RecordID] = []
        fileprivate(set) var hidden: [LayeredRecords.Hidden] = []
    }

    private struct Mark {
        var revision: Int
        /// The index after the commit's last change.
        var end: Int
        /// The time of the commit.
        var at: TimeText
    }

    private var changes: [Change] = []
    private var runs: [Run] = []
    private var marks: [Mark] = []
    /// Start of the present group.
    private(set) var groupStart = 0
    private var keptBytes = 0
    /// The last commits; nil for a store whose journals have them.
    var trail: Trail?

    deinit { for change in changes { change.free() } }

    @inline(__always)
    mutating func append(_ change: Change) { changes.append(change) }

    /// Notes an insertion, by a commit with a draft whose first change has the index `start`.
    mutating func append(inserted id: RecordID, _ hidden: LayeredRecords.Hidden?, since start: Int) {
        let run = run(since: start)
        if let hidden { runs[run].hidden.append(hidden) }
        runs[run].inserted.append(id)
    }

    /// Notes a removal from the snapshot, by a commit whose first change has the index `start`.
    mutating func append(hidden: LayeredRecords.Hidden, since start: Int) {
        guard changes.count > start else { return changes.append(.hidden(hidden)) }
        switch changes[changes.count - 1] {
        case .many(let run): runs[run].hidden.append(hidden)
        case .hidden(let first):
            changes[changes.count - 1] = .many(runs.count)
            runs.append(Run(hidden: [first, hidden]))
        default: changes.append(.hidden(hidden))
        }
    }

    private mutating func run(since start: Int) -> Int {
        if changes.count > start, case .many(let run) = changes[changes.count - 1] { return run }
        changes.append(.many(runs.count))
        runs.append(Run())
        return runs.count - 1
    }

    var count: Int { changes.count }

    mutating func popLast() -> Change? { changes.popLast() }

    /// Takes the last run, which belongs to the change that was just popped.
    mutating func takeRun() -> Run { runs.popLast() ?? Run() }

    /// Frees the values that durable commits have replaced: up to the change `end`; without it, all.
    mutating func free(upTo end: Int? = nil) {
        let end = end ?? changes.count
        for change in changes[..<end] { change.free() }
        changes.removeSubrange(..<end)
        if changes.isEmpty {
            runs = []
            if changes.capacity > 65_536 { changes = [] }
        }
    }

    // MARK: In memory

    /// Keeps the values that a commit has replaced, as long as they fit the limits of the trail.
    @inline(__always)
    mutating func keep(_ revision: Int, at time: TimeText) {
        marks.append(Mark(revision: revision, end: changes.count, at: time))
        for place in groupStart..<changes.count { keptBytes += changes[place].byteCount }
        groupStart = changes.count
        if marks.count > 2 * Trail.commitsMin || keptBytes > Trail.bytesMax { dropOldest() }
    }

    @inline(never)
    private mutating func dropOldest() {
        var dropped = marks.count > 2 * Trail.commitsMin ? Trail.commitsMin : 0
        var (isLarge, start) = (false, 0)
        for place in marks.indices {
            if place >= dropped {
                guard keptBytes > Trail.bytesMax else { break }
                (dropped, isLarge) = (place + 1, true)
            }
            for place in start..<marks[place].end {
                keptBytes -= changes[place].byteCount
                changes[place].free()
            }
            start = marks[place].end
        }
        trail?.drop(upTo: marks[dropped - 1].revision, isLarge: isLarge)
        changes.removeSubrange(..<start)
        marks.removeFirst(dropped)
        for place in marks.indices { marks[place].end -= start }
        groupStart -= start
    }

    /// Turns all kept commits into steps of the trail.
    mutating func settle() {
        var start = 0
        for mark in marks {
            trail?.append(mark.revision, at: mark.at.withBytes { Array($0) }, Self.changes(changes[start..<mark.end]))
            start = mark.end
        }
        marks = []
        free(upTo: start)
        (groupStart, keptBytes) = (0, 0)
    }

    /// The changes of one commit, each record once.
    private static func changes(_ changes: ArraySlice<Change>) -> [Trail.Change] {
        var merged: [Trail.Change] = []
        var places: [RecordID: Int] = [:]
        for change in changes {
            guard let id = change.id else { continue }
            if let place = places[id] {
                merged[place].isThere = change.isThere
            } else {
                places[id] = merged.count
                merged.append(
                    Trail.Change(id: id, before: change.before.map { Array($0) }, isThere: change.isThere))
            }
        }
        return merged
    }
}

extension UndoLog.Change {
    /// Nil for rows of the snapshot and records of a draft, which a store in memory does not have.
    fileprivate var id: RecordID? {
        switch self {
        case .inserted(let id): id
        case .replaced(let slot), .removed(let slot): slot.head.id
        case .many, .hidden, .baseHidden: nil
        }
    }

    /// The replaced version; nil if there was none.
    fileprivate var before: UnsafeRawBufferPointer? {
        switch self {
        case .inserted, .many, .hidden, .baseHidden: nil
        case .replaced(let slot), .removed(let slot): slot.bytes
        }
    }

    /// Whether the record exists afterwards.
    fileprivate var isThere: Bool {
        if case .removed = self { false } else { true }
    }

    fileprivate var byteCount: Int { (before?.count ?? 0) + 64 }

    fileprivate func free() {
        switch self {
        case .inserted, .many, .hidden, .baseHidden: break
        case .replaced(let slot), .removed(let slot): slot.deallocate()
        }
    }
}
