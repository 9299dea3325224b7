import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// The results of a round, in records.
public struct SyncCounts: Sendable, Equatable {
    public var pushed = 0
    public var pulled = 0
    public var applied = 0
    public var conflicts = 0
}

/// One exchange with the other side: its records come here, and local records go there.
///
/// The round holds the store's lock while commits become records and records commits, and never while it waits for the
/// other side.
struct SyncRound: ~Copyable {
    /// A replica that is this many records behind reads a snapshot first.
    private static let recordsBehindSnapshot = 1000
    /// The most refused lines that are named.
    private static let refusedMax = 20

    let replica: StoreReplica
    var transport: any Transport
    let coder: LineCoder
    private let isCancelled: @Sendable () -> Bool
    var counts = SyncCounts()
    /// The status of the sync, with the notes of earlier rounds.
    var state: SyncState
    /// The last record of each replica that is there.
    private(set) var last = Vector()
    /// Whether the user waits for the round.
    let isAsked: Bool
    private let operationsBeyondSnapshots: Int
    /// The snapshots that are there, as listed last.
    private(set) var there: [TransportSnapshot] = []
    /// The last record of each replica that was read there and is known here.
    private(set) var tips: [UUID: Vector.Head] = [:]
    /// The last record of each replica that was read there.
    private var ends: [UUID: Vector.Head] = [:]
    /// An unreadable line, with the reason; the lines after it wait.
    private(set) var problem: String?
    private(set) var refused: [String] = []
    /// The error of the first record or snapshot that the filter could not open.
    private var unopened: SyncError?
    /// Whether the filter has opened any.
    private var hasOpened = false
    /// Whether there are own records that the place cannot hold.
    private var mustPut = false

    init(
        _ replica: StoreReplica, _ transport: any Transport, _ coder: LineCoder, _ state: SyncState, isAsked: Bool,
        operationsBeyondSnapshots: Int, isCancelled: @escaping @Sendable () -> Bool
    ) {
        self.replica = replica
        self.transport = transport
        self.coder = coder
        self.state = state
        self.isAsked = isAsked
        self.operationsBeyondSnapshots = operationsBeyondSnapshots
        self.isCancelled = isCancelled
    }

    var vector: Vector { replica.fold.vector }

    /// - Parameter tell: reports progress: done and total.
    mutating func run(_ tell: (Int, Int) -> Void) throws(SyncError) {
        _ = try transport.open()
        try check()
        try listSnapshots()
        try joinSnapshots { vector, snapshot in
            vector.last.isEmpty || snapshot.recordCount(beyond: vector) >= Self.recordsBehindSnapshot
        }
        try pull(tell)
        // Snapshots bring what records do not, and branches that a number does not show.
        let before = replica.fold.known.count
        try joinSnapshots { _, _ in true }
        if replica.fold.known.count != before { try pull(tell) }
        // With a wrong filter nothing is sent; in a journal that is known, single lines are forged or spoiled.
        if let unopened, !hasOpened, state.lastSync == nil { throw unopened }
        let pushed = state.pushed
        try push()
        if replica.isWhole { try putSnapshotWhenDue() }
        do throws(SyncError) { try transport.finish() } catch {
            // The exchange failed, so nothing new is there.
            (counts.pushed, state.pushed) = (0, pushed)
            throw error
        }
        guard replica.isWhole else { throw .missing(replica.lacking) }
        try replica.rest()
        counts.conflicts = replica.fold.conflicts.count
        tellMissing()
    }

    func check() throws(SyncError) { if isCancelled() { throw .cancelled } }

    // MARK: Receiving

    mutating func listSnapshots() throws(SyncError) {
        there = try transport.snapshots()
        let ids = Set(there.map(\.noteID))
        state.snapshots = state.snapshots.filter { ids.contains($0.key) }
    }

    /// The records that a snapshot covers: its own vector if it was read, else the listed one.
    func vector(of snapshot: TransportSnapshot) -> Vector {
        replica.fold.known.resolved(state.snapshots[snapshot.noteID] ?? snapshot.vector)
    }

    /// Whether it was read, or its listed vector covers nothing new.
    func isKnown(_ snapshot: TransportSnapshot) -> Bool {
        if let read = state.snapshots[snapshot.noteID] { return replica.fold.known.covers(read) }
        return snapshot.vector.hasAllCrcs && replica.fold.known.covers(snapshot.vector)
    }

    /// - Parameter isWanted: gets the local and the snapshot's vector.
    private mutating func joinSnapshots(_ isWanted: (Vector, Vector) -> Bool) throws(SyncError) {
        for snapshot in there where replica.isWhole && !isKnown(snapshot) && isWanted(vector, snapshot.vector) {
            // A snapshot that is still being copied is taken the next time.
            guard let text = try transport.text(of: snapshot) else { continue }
            let read: (fold: Fold, text: [UInt8])?
            do throws(SyncError) { read = try coder.snapshot(text) } catch {
                try pass(over: "snapshot \(snapshot.id)", error)
                continue
            }
            guard let (fold, plain) = read else {
                if coder.isPlain(text), coder.filter != nil { refuse("snapshot \(snapshot.id)") }
                continue
            }
            hasOpened = true
            state.snapshots[snapshot.noteID] = fold.vector
            if replica.fold.known.covers(fold.vector) { continue }
            let before = replica.fold.known.count
            try replica.join(fold, plain)
            counts.applied += max(replica.fold.known.count - before, 0)
            try check()
        }
    }

    /// Asks for records from the last known ones on. If another record or none is there, it asks from the beginning:
    /// there may be a branch.
    private mutating func pull(_ tell: (Int, Int) -> Void) throws(SyncError) {
        var have = Vector()
        for (id, number) in vector.last {
            let own = replica.own[id] == nil ? number : min(number, max(state.pushed[id], 1))
            have[id] = own - 1
        }
        (tips, ends) = ([:], [:])
        try read(&have, tell)
        let suspects = last.last.keys.filter { id in
            guard vector[id] > 0, let tip = tips[id] else { return vector[id] > 0 }
            return tip.number < min(last[id], vector[id])
        }
        for id in suspects.sorted() where problem == nil {
            // If the first records were dropped, the others begin after a snapshot.
            for start in Set([0, vector[id]] + there.map { $0.vector[id] }).sorted() where start < last[id] {
                var have = last
                have[id] = start
                try read(&have, tell, of: id)
            }
        }
    }

    private mutating func read(
        _ have: inout Vector, _ tell: (Int, Int) -> Void, of only: UUID? = nil
    ) throws(SyncError) {
        while true {
            let pulled = try transport.pull(have)
            last = pulled.last
            var lines = pulled.lines
            if let only { lines.removeAll { $0.replica != only } }
            for line in lines { have[line.replica] = max(have[line.replica], line.number) }
            try take(lines)
            let (done, total) = (counts.applied, have.recordCount(beyond: vector) + counts.applied)
            tell(done, total)
            counts.applied = done + (try replica.apply { tell(done + $0, total) })
            try check()
            if !pulled.hasMore || problem != nil { return }
        }
    }

    private mutating func take(_ lines: [TransportLine]) throws(SyncError) {
        var stopped: Set<UUID> = []
        for line in lines where !stopped.contains(line.replica) {
            if coder.filter == nil, let crc = Seal.crc(of: line.text),
                replica.fold.known.contains(line.replica, line.number, crc)
            {
                note(line.replica, .init(number: line.number, crc: crc))
                continue
            }
            let read: LineCoder.Read
            do throws(SyncError) { read = try coder.record(line) } catch {
                try pass(over: "record \(line.number) of \(line.replica.text)", error)
                stopped.insert(line.replica)
                continue
            }
            switch read {
            case .record(let record):
                hasOpened = true
                if replica.fold.known.contains(record.replica, record.number, record.crc) {
                    note(line.replica, .init(number: record.number, crc: record.crc))
                } else {
                    if replica.isWhole {
                        replica.inbox.add(record)
                        counts.pulled += 1
                    }
                    note(line.replica, .init(number: record.number, crc: record.crc), isKnown: false)
                }
            case .unsealed:
                // Records that were known before the filter was set stay valid.
                let crc = Seal.crc(of: line.text) ?? 0
                if crc != 0, replica.fold.known.contains(line.replica, line.number, crc) {
                    note(line.replica, .init(number: line.number, crc: crc))
                } else {
                    stopped.insert(line.replica)
                    refuse("record \(line.number) of \(line.replica.text)")
                }
            case .fault(let fault):
                stopped.insert(line.replica)
                if fault == .broken, transport.copiesInParts { continue }
                problem = problem ?? "\(line.replica.text), \(line.number): \(fault.reason)"
            }
        }
    }

    private mutating func note(_ id: UUID, _ head: Vector.Head, isKnown: Bool = true) {
        if head.number >= ends[id]?.number ?? 0 { ends[id] = head }
        if isKnown, head.number >= tips[id]?.number ?? 0 { tips[id] = head }
    }

    /// Refuses what the filter could not open.
    private mutating func pass(over what: String, _ error: SyncError) throws(SyncError) {
        guard case .unopened = error else { throw error }
        if unopened == nil { unopened = error }
        refuse(what)
    }

    private mutating func refuse(_ what: String) {
        if refused.count < Self.refusedMax, !refused.contains(what) { refused.append(what) }
    }

    // MARK: Sending

    private mutating func push() throws(SyncError) {
        for id in Array(replica.own.keys).sorted() {
            guard let records = replica.own[id]?.records, let end = records.last?.number else { continue }
            let there = last[id]
            guard mayPush(id, after: there) else {
                // The place keeps another branch for good.
                if replica.fold.known.isBranched(id), !isCovered(id) { mustPut = true }
                continue
            }
            if transport.sendsLater { counts.pushed += max(min(there, end) - state.pushed[id], 0) }
            state.pushed[id] = min(there, end)
            guard end > there else { continue }
            var lines: [TransportLine] = []
            for record in records where record.number > there { lines.append(try coder.line(record)) }
            let now = try transport.push(lines, of: id)
            state.pushed[id] = min(now, end)
            counts.pushed += max(min(now, end) - there, 0)
            last[id] = now
            if now == end, let record = records.last { note(id, .init(number: now, crc: record.crc)) }
            try check()
        }
    }

    /// Whether the last record there is its own. If another branch is there, a snapshot brings the records that the
    /// place cannot hold.
    private func mayPush(_ id: UUID, after number: Int) -> Bool {
        guard number > 0, let mine = replica.own[id]?.last else { return true }
        guard number <= mine.number else { return false }
        let branch = replica.fold.known.branches[id]?.first {
            $0.count >= mine.number && $0[mine.number - 1].crc == mine.crc
        }
        guard let branch else { return false }
        if let end = ends[id] {
            let crc = end.number <= branch.count ? branch[end.number - 1].crc : nil
            guard let crc, crc == end.crc || crc == 0 else { return false }
            if end.number == number { return true }
        }
        // The records there are dropped, and a snapshot of this replica replaces them.
        return self.there.contains { snapshot in
            snapshot.replica == id
                && replica.fold.known.covered(of: branch, id, by: vector(of: snapshot)) >= number
        }
    }

    /// Whether a snapshot there has the last own record.
    private func isCovered(_ id: UUID) -> Bool {
        guard let mine = replica.own[id]?.last else { return true }
        let branch = replica.fold.known.branches[id]?.first {
            $0.count >= mine.number && $0[mine.number - 1].crc == mine.crc
        }
        guard let branch else { return true }
        return there.contains { snapshot in
            guard state.snapshots[snapshot.noteID] != nil || isKnown(snapshot) else { return false }
            return replica.fold.known.covered(of: branch, id, by: vector(of: snapshot)) >= mine.number
        }
    }

    /// Uploads a snapshot if this replica is far ahead of all snapshots; records below it can then be dropped. A place
    /// that lacks known records gets one too, and then nothing is dropped.
    private mutating func putSnapshotWhenDue() throws(SyncError) {
        let readable = there.filter { state.snapshots[$0.noteID] != nil || isKnown($0) }
        let beyond =
            readable.map { replica.operationCount(beyond: vector(of: $0)) }.min()
            ?? replica.operationCount(beyond: Vector())
        if state.wantsSnapshot || beyond >= operationsBeyondSnapshots {
            if let covered = try putSnapshot() {
                state.wantsSnapshot = false
                try replica.forgetOwn(coveredBy: covered.vector, covered.plain)
                for own in Array(replica.own.keys).sorted() {
                    let mine = there.filter {
                        $0.replica == own && covered.vector.covers($0.vector) && $0.id != covered.id
                            && replica.fold.known.covers(vector(of: $0))
                    }
                    try transport.drop(own, upTo: min(covered.vector[own], state.pushed[own]), snapshots: mine)
                }
                state.lacking = nil
            }
        } else if mustPut {
            _ = try putSnapshot()
        } else if try isLacking(), state.lacks(asked: isAsked) {
            if try putSnapshot() != nil { state.lacking = nil }
        }
        try dropForgotten(there)
    }

    /// - Returns: the covered vector, the text and the id; nil if it cannot be read back.
    private mutating func putSnapshot() throws(SyncError) -> (vector: Vector, plain: [UInt8], id: String)? {
        let snapshot = TransportSnapshot(of: replica.file.replica, vector, replica.fold.known)
        let covered = vector
        let plain = SnapshotText.text(replica.fold, journal: coder.journal)
        let text = try coder.sealed(plain)
        try transport.put(text, as: snapshot)
        // Only a snapshot that can be read back counts.
        try listSnapshots()
        guard let listed = there.first(where: { $0.id == snapshot.id }),
            let back = try transport.text(of: listed), SnapshotText.isSame(back, text)
        else { return nil }
        state.snapshots[listed.noteID] = covered
        // The snapshot has the records that the place cannot hold.
        for id in replica.own.keys { state.pushed[id] = replica.own[id]?.last?.number ?? 0 }
        return (covered, plain, snapshot.id)
    }

    /// Drops the records and snapshots of forgotten replicas that a snapshot covers.
    private mutating func dropForgotten(_ there: [TransportSnapshot]) throws(SyncError) {
        for id in state.forgotten {
            guard let covering = there.filter({ $0.replica != id }).max(by: { $0.vector[id] < $1.vector[id] }),
                covering.vector[id] > 0
            else { continue }
            let left = there.filter { $0.replica == id && covering.vector.covers($0.vector) }
            guard !left.isEmpty || last[id] > 0 && covering.vector[id] >= last[id] else { continue }
            try transport.drop(id, upTo: covering.vector[id], snapshots: left)
        }
    }

    // MARK: Missing records

    /// Sets the state `incomplete` if known records could not be fetched.
    private mutating func tellMissing() {
        let known = replica.fold.known
        var missing: [UUID: ClosedRange<Int>] = [:]
        func add(_ id: UUID, _ number: Int, _ crc: UInt32) {
            if known.contains(id, number, crc) { return }
            let range = min(vector[id] + 1, number)...number
            let before = missing[id] ?? range
            missing[id] = min(before.lowerBound, range.lowerBound)...max(before.upperBound, range.upperBound)
        }
        for (id, number) in last.last where number > vector[id] { add(id, number, 0) }
        for snapshot in there {
            let told = state.snapshots[snapshot.noteID] ?? snapshot.vector
            for id in told.last.keys { for head in told.heads(of: id) { add(id, head.number, head.crc) } }
        }
        replica.inbox.forEach { record in
            for id in record.needs.last.keys {
                for head in record.needs.heads(of: id) { add(id, head.number, head.crc) }
            }
        }
        state.missing = missing.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        state.refused = refused
        state.passedOver = transport.passedOver
        state.problem = words
    }
}
