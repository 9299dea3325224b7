/// What the store must hold: plainly, and without a thought of how it does it.
struct TortureModel {
    /// The records after one commit.
    struct Snapshot: Equatable {
        var revision: Int
        /// The version in each slot; 0 where there is no record.
        var versions: [Int]

        var count: Int { versions.reduce(0) { $0 + ($1 == 0 ? 0 : 1) } }
    }

    /// The last state that was acknowledged, or shown by an opening: nothing may go behind it any more.
    private(set) var floor: Snapshot
    /// States after commits that were made and not acknowledged, ascending: each may be there, with all before it.
    private(set) var possible: [Snapshot] = []
    /// The states after every commit up to the floor, by revision. A store that may only be read may show one of them:
    /// after a power cut the published seq may be an old one, and only who holds the lock may look behind it.
    private(set) var past: [Int: Snapshot] = [:]

    init(slots: Int) {
        floor = Snapshot(revision: 0, versions: [Int](repeating: 0, count: slots))
        past[0] = floor
    }

    /// Nothing below `snapshot` may be seen from now on, and nothing that is not made after it; `commits` led to it.
    mutating func acknowledge(_ snapshot: Snapshot, after commits: [Snapshot]) {
        for commit in commits where commit.revision <= snapshot.revision { past[commit.revision] = commit }
        past[snapshot.revision] = snapshot
        floor = snapshot
        possible = []
    }

    /// Nobody was told how these ended.
    mutating func leaveOpen(_ snapshots: [Snapshot]) { possible += snapshots }

    func allowed(revision: Int) -> Snapshot? {
        revision == floor.revision ? floor : possible.last { $0.revision == revision }
    }

    /// The same for a store that can only be read.
    func known(revision: Int) -> Snapshot? { allowed(revision: revision) ?? past[revision] }
}
