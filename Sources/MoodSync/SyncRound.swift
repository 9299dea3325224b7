import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// What a round has done, in records.
public struct SyncCounts: Sendable, Equatable {
    public var pushed = 0
    public var pulled = 0
    public var applied = 0
    public var conflicts = 0
}

/// One exchange with the other side: what was done here goes there, and what is there comes here.
///
/// The store's lock is held while commits become records and records commits, and never while the other side is waited for.
struct SyncRound: ~Copyable {
    /// Who knows so many records more than every snapshot puts one.
    private static let recordsBeyondSnapshots = 10_000
    /// A commit that takes several records weighs as much as it has operations.
    private static let operationsBeyondSnapshots = 10_000

    private var replica: StoreReplica
    private var transport: any Transport
    private let isCancelled: @Sendable () -> Bool
    private(set) var counts = SyncCounts()
    private(set) var pushed = Vector()
    private(set) var last = Vector()

    init(
        _ replica: consuming StoreReplica, _ transport: any Transport, isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.replica = replica
        self.transport = transport
        self.isCancelled = isCancelled
    }

    var vector: Vector { replica.fold.vector }
    var recorded: Int { replica.recorded }

    /// - Parameter tell: what is done, how far it is, and how much there is.
    mutating func run(_ tell: (Int, Int) -> Void) throws(SyncError) {
        _ = try transport.open()
        try check()
        try push()
        try joinSnapshots()
        try pull(tell)
        // What was done here meanwhile.
        try push()
        try putSnapshotWhenDue()
        try transport.finish()
        try replica.rest()
        counts.conflicts = replica.fold.conflicts.count
    }

    private func check() throws(SyncError) { if isCancelled() { throw .cancelled } }

    private mutating func push() throws(SyncError) {
        for id in Array(replica.own.keys).sorted() {
            guard let records = replica.own[id]?.records, let end = records.last?.number, end > pushed[id] else {
                continue
            }
            let before = pushed[id]
            let last = try transport.push(records, of: id)
            if id == replica.file.replica, last > end {
                throw .diverged(
                    reason: "Somebody else writes as this replica: it has made \(end) records, \(last) are there.")
            }
            pushed[id] = last
            counts.pushed += max(min(last, end) - max(before, known(id)), 0)
            try check()
        }
    }

    /// What the other side was known to have before this round.
    private func known(_ id: UUID) -> Int { before[id] }
    var before = Vector()

    private mutating func joinSnapshots() throws(SyncError) {
        for (id, vector) in try transport.snapshots() where !replica.fold.vector.covers(vector) {
            // One that is still being copied is taken the next time.
            guard let text = try transport.snapshot(of: id), let snapshot = SnapshotText.fold(text),
                snapshot.journal == replica.file.journal, !replica.fold.vector.covers(snapshot.fold.vector)
            else { continue }
            let before = replica.fold.vector
            try replica.join(snapshot.fold)
            counts.applied += replica.fold.vector.recordCount(beyond: before)
            try check()
        }
    }

    private mutating func pull(_ tell: (Int, Int) -> Void) throws(SyncError) {
        let pulled = try transport.pull(replica.fold.vector)
        last = pulled.last
        for record in pulled.records { replica.inbox.add(record) }
        counts.pulled += pulled.records.count
        let (done, total) = (counts.applied, pulled.records.count)
        tell(0, total)
        counts.applied = done + (try replica.apply { tell($0, total) })
        try check()
        if let problem = pulled.problems.first { throw .refused(reason: "A record cannot be read: \(problem)") }
    }

    /// Who knows much more than all snapshots puts one, and the records below it can go.
    private mutating func putSnapshotWhenDue() throws(SyncError) {
        let vector = replica.fold.vector
        let snapshots = try transport.snapshots()
        let beyond =
            snapshots.map { vector.recordCount(beyond: $0.vector) }.min() ?? vector.recordCount(beyond: Vector())
        guard beyond >= Self.recordsBeyondSnapshots else { return }
        let id = replica.file.replica
        try transport.putSnapshot(SnapshotText.text(replica.fold, journal: replica.file.journal), of: id)
        // Only what was read back counts.
        guard let text = try transport.snapshot(of: id), let snapshot = SnapshotText.fold(text),
            snapshot.fold.vector == vector
        else { return }
        try replica.forgetOwn(coveredBy: vector)
        try transport.drop(id, upTo: vector[id])
    }
}
