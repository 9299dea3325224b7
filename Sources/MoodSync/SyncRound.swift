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

/// One exchange with the other side: what is there comes here, and what was done here goes there.
///
/// The store's lock is held while commits become records and records commits, and never while the other side is waited for.
struct SyncRound: ~Copyable {
    /// Who lacks so many records reads a snapshot first.
    private static let recordsBehindSnapshot = 1000

    private let replica: StoreReplica
    private var transport: any Transport
    private let coder: LineCoder
    private let isCancelled: @Sendable () -> Bool
    private(set) var counts = SyncCounts()
    private(set) var pushed = Vector()
    private(set) var last = Vector()
    /// What the other side was known to have before this round.
    private let before: Vector
    private let forgotten: [UUID]
    private let operationsBeyondSnapshots: Int
    /// The snapshots that are there, as they were last listed.
    private var there: [TransportSnapshot] = []
    /// A line that cannot be read, and why; what comes after it waits.
    private var problem: String?

    init(
        _ replica: StoreReplica, _ transport: any Transport, _ coder: LineCoder, before: Vector,
        forgotten: [UUID], operationsBeyondSnapshots: Int, isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.replica = replica
        self.transport = transport
        self.coder = coder
        self.before = before
        self.forgotten = forgotten
        self.operationsBeyondSnapshots = operationsBeyondSnapshots
        self.isCancelled = isCancelled
    }

    var vector: Vector { replica.fold.vector }
    var names: [UUID: String] { replica.fold.names }
    var recorded: Int { replica.recorded }

    /// - Parameter tell: what is done, how far it is, and how much there is.
    mutating func run(_ tell: (Int, Int) -> Void) throws(SyncError) {
        _ = try transport.open()
        try check()
        try joinSnapshots { vector, snapshot in
            vector.last.isEmpty || snapshot.recordCount(beyond: vector) >= Self.recordsBehindSnapshot
        }
        try pull(tell)
        // Those whose records are there no more.
        if !vector.covers(last) {
            let before = vector
            try joinSnapshots { _, _ in true }
            if vector != before { try pull(tell) }
        }
        try push()
        try putSnapshotWhenDue()
        try transport.finish()
        try replica.rest()
        counts.conflicts = replica.fold.conflicts.count
        if let problem { throw .refused(reason: "A record cannot be read: \(problem)") }
    }

    private func check() throws(SyncError) { if isCancelled() { throw .cancelled } }

    // MARK: Receiving

    /// - Parameter isWanted: given what is known here and there.
    private mutating func joinSnapshots(_ isWanted: (Vector, Vector) -> Bool) throws(SyncError) {
        there = try transport.snapshots()
        for snapshot in there
        where !vector.covers(snapshot.vector) && isWanted(vector, snapshot.vector) {
            // One that is still being copied is taken the next time.
            guard let text = try transport.text(of: snapshot), let (fold, plain) = try coder.snapshot(text),
                !vector.covers(fold.vector)
            else { continue }
            let before = vector
            try replica.join(fold, plain)
            counts.applied += vector.recordCount(beyond: before)
            try check()
        }
    }

    private mutating func pull(_ tell: (Int, Int) -> Void) throws(SyncError) {
        var have = vector
        let own = replica.file.replica
        // The last own record that is known to be there is read back: it shows whether somebody else writes as this replica.
        have[own] = min(before[own], replica.own[own]?.last?.number ?? 0) - 1
        while true {
            let pulled = try transport.pull(have)
            last = pulled.last
            guard take(pulled, &have) else {
                throw .diverged(reason: "Somebody else writes as this replica.")
            }
            try read(pulled)
            let (done, total) = (counts.applied, have.recordCount(beyond: vector) + counts.applied)
            tell(done, total)
            counts.applied = done + (try replica.apply { tell(done + $0, total) })
            try check()
            if !pulled.hasMore || problem != nil { return }
        }
    }

    /// Notes how far the records go.
    /// - Returns: false where one of them is said to be of this replica, and is not.
    private mutating func take(_ pulled: Pulled, _ have: inout Vector) -> Bool {
        for line in pulled.lines { have[line.replica] = max(have[line.replica], line.number) }
        let own = replica.file.replica
        return pulled.last[own] <= replica.own[own]?.last?.number ?? vector[own]
    }

    private mutating func read(_ pulled: Pulled) throws(SyncError) {
        let own = replica.file.replica
        var stopped: Set<UUID> = []
        for line in pulled.lines where !stopped.contains(line.replica) {
            switch try coder.record(line) {
            case .record(let record):
                if record.replica == own {
                    if let mine = replica.own[own]?.record(record.number), mine.line != record.line {
                        throw .diverged(reason: "Somebody else wrote record \(record.number) of this replica.")
                    }
                } else {
                    replica.inbox.add(record)
                    counts.pulled += 1
                }
            case .fault(let fault):
                stopped.insert(line.replica)
                if fault == .broken, transport.copiesInParts { continue }
                problem = problem ?? "\(line.replica.text), \(line.number): \(fault.reason)"
            }
        }
    }

    // MARK: Sending

    private mutating func push() throws(SyncError) {
        for id in Array(replica.own.keys).sorted() {
            guard let records = replica.own[id]?.records, let end = records.last?.number, end > last[id] else {
                pushed[id] = last[id]
                continue
            }
            var lines: [TransportLine] = []
            for record in records where record.number > last[id] { lines.append(try coder.line(record)) }
            let now = try transport.push(lines, of: id)
            if id == replica.file.replica, now > end {
                throw .diverged(
                    reason: "Somebody else writes as this replica: it has made \(end) records, \(now) are there.")
            }
            pushed[id] = now
            counts.pushed += max(min(now, end) - max(last[id], before[id]), 0)
            try check()
        }
    }

    /// Who knows much more than all snapshots puts one, and the records below it can go.
    private mutating func putSnapshotWhenDue() throws(SyncError) {
        let beyond =
            there.map { replica.operationCount(beyond: $0.vector) }.min() ?? replica.operationCount(beyond: Vector())
        guard beyond >= operationsBeyondSnapshots else { return try dropForgotten(there) }
        let id = replica.file.replica
        let (covered, snapshot) = (vector, TransportSnapshot(of: id, vector))
        let plain = SnapshotText.text(replica.fold, journal: coder.journal)
        let text = try coder.sealed(plain)
        try transport.put(text, as: snapshot)
        // Only what was read back counts.
        guard let listed = try transport.snapshots().first(where: { $0.id == snapshot.id }),
            let back = try transport.text(of: listed), SnapshotText.isSame(back, text)
        else { return }
        try replica.forgetOwn(coveredBy: covered, plain)
        for own in Array(replica.own.keys).sorted() {
            let mine = there.filter { $0.replica == own && covered.covers($0.vector) && $0.id != snapshot.id }
            try transport.drop(own, upTo: min(covered[own], pushed[own]), snapshots: mine)
        }
        try dropForgotten(there)
    }

    /// What replicas have left that will not come back, as far as a snapshot covers it.
    private mutating func dropForgotten(_ there: [TransportSnapshot]) throws(SyncError) {
        for id in forgotten {
            guard let covering = there.filter({ $0.replica != id }).max(by: { $0.vector[id] < $1.vector[id] }),
                covering.vector[id] > 0
            else { continue }
            let left = there.filter { $0.replica == id && covering.vector.covers($0.vector) }
            guard !left.isEmpty || last[id] > 0 && covering.vector[id] >= last[id] else { continue }
            try transport.drop(id, upTo: covering.vector[id], snapshots: left)
        }
    }
}

extension StoreReplica {
    /// How many operations are known here that another vector does not cover; records of others that the base has swallowed
    /// count as one each.
    fileprivate func operationCount(beyond other: Vector) -> Int {
        var count = 0
        for (id, file) in own {
            for record in file.records where record.number > other[id] { count += record.operations.count }
        }
        for record in others.records where record.number > other[record.replica] { count += record.operations.count }
        return max(count, fold.vector.recordCount(beyond: other))
    }
}
