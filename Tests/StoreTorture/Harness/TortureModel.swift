/// The required contents of the store, in the plainest form.
struct TortureModel {
    /// The records after one commit.
    struct Snapshot: Equatable {
        var revision: Int
        /// The version in each slot; 0 for no record.
        var versions: [Int]

        var count: Int { versions.reduce(0) { $0 + ($1 == 0 ? 0 : 1) } }
    }

    /// The last state that the store acknowledged, or that an opening showed: the store must never fall behind it.
    private(set) var floor: Snapshot
    /// The states after unacknowledged commits, ascending: the store may hold each of them, with all before it.
    private(set) var possible: [Snapshot] = []
    /// The states after all commits up to the floor, by revision. A store open only to read may show one of them: after
    /// a power cut the published seq may be old, and only the holder of the lock may look behind it.
    private(set) var past: [Int: Snapshot] = [:]

    init(slots: Int) {
        floor = Snapshot(revision: 0, versions: [Int](repeating: 0, count: slots))
        past[0] = floor
    }

    /// Moves the floor to `snapshot`, which `commits` led to; states below it and states not made after it are out.
    mutating func acknowledge(_ snapshot: Snapshot, after commits: [Snapshot]) {
        for commit in commits where commit.revision <= snapshot.revision { past[commit.revision] = commit }
        past[snapshot.revision] = snapshot
        floor = snapshot
        possible = []
    }

    /// Adds states with open outcomes.
    mutating func leaveOpen(_ snapshots: [Snapshot]) { possible += snapshots }

    func allowed(revision: Int) -> Snapshot? {
        revision == floor.revision ? floor : possible.last { $0.revision == revision }
    }

    /// The allowed state at a revision of a store open only to read.
    func known(revision: Int) -> Snapshot? { allowed(revision: revision) ?? past[revision] }
}
