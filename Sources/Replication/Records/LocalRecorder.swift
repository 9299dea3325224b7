import JSONCodec
import MoodCore

/// Makes records of a store's journal, in its order. A record names its commit by the checksum that ends the commit's
/// line, not by a count, so moods that were put back to an earlier state lose nothing.
///
/// It skips a commit with a known record. Any other commit becomes a record of the replica that the store was, with the
/// records that the journal says were in the store. If the store was put back, the record belongs to a replica whose id
/// is derived from the former one and the first such commit, so all copies of one store make identical records.
/// Whatever follows a mark waits for the records that the mark names, unless the commits before it make them again.
public struct LocalRecorder: Sendable {
    public enum Step: Sendable {
        /// A commit of a user or a client.
        case local(revision: Int, crc: UInt32, [LocalChange])
        /// The difference of a store to the fold where no commits say it: at a setup, and over a gap of the history. Its
        /// record names commit 0, because the store's last commit may have a record that says what it did.
        case state(revision: Int, [LocalChange])
        /// A mark after a commit: the records that are in the store from there on, and its replica, if the line names
        /// it.
        case seen(Vector, UUID?, after: Int)
        /// The moods of a commit that was brought in, if the fold may show something else.
        case shown([UUID: MoodDocument?])

        /// The records that the journal's mark names.
        public var vector: Vector? { if case .seen(let vector, _, _) = self { vector } else { nil } }
        /// The replica that the journal's mark names.
        public var replica: UUID? { if case .seen(_, let replica, _) = self { replica } else { nil } }
    }

    /// The most operations of a record, unless a commit has a single larger one.
    private static let operationsMax = 500
    private static let recordBytesMax = 256 << 10

    private let journal: UUID
    private let storeID: String
    /// Whether commits without a record may differ from those of the records after the last known one.
    public var isPutBack = false
    /// Every present and former id of the store.
    private var ids: Set<UUID>
    /// The ids among them from `sync/` and from the journal up to this place.
    private var said: Set<UUID>
    /// The store's replica at this place of the journal.
    private var marked: UUID?
    /// The records in the store at this place of the journal.
    public private(set) var seen: Vector
    /// The records for which the further steps wait; nil if none do.
    public private(set) var awaited: Vector?
    /// The records in the store before the first step.
    private let start: Vector
    /// The last record made here under each id.
    private var own: [UUID: Vector.Head]
    /// The last record of the commits up to this place of the journal, by id.
    private var past: [UUID: Vector.Head] = [:]
    /// The records of these commits.
    private var line: [OperationID] = []
    /// The replica of commits from here on, whatever the journal says.
    private var renamed: UUID?
    /// The ids that were taken, with the last commit before each.
    public private(set) var taken: [(replica: UUID, after: Int)] = []
    public private(set) var made: [UUID: [Record]] = [:]
    /// The known records by their commit.
    private var tellers: [Int: [Teller]]?
    private var names: [UUID: String]
    /// Records that are known and not applied yet. They are applied where the journal says that the store has them, so
    /// records are made again from the store's moods at that time, byte by byte.
    public var waiting = Inbox()
    /// Records by an older host that do not name their commits: their contents identify these.
    public var unnamed: [UUID: [Int: Record]] = [:]
    /// A number that the simulation mixes into the ids of stores that were put back, to plant a mistake. Then records do
    /// not name their commits.
    package var planted: UInt32 = 0

    private struct Teller {
        let replica: UUID
        let commit: UInt32
        let head: Vector.Head
    }

    public init(
        journal: UUID, storeID: String, ids: Set<UUID>, seen: Vector, own: [UUID: Vector.Head], names: [UUID: String]
    ) {
        (self.journal, self.storeID, self.ids, self.said) = (journal, storeID, ids, ids)
        (self.seen, self.start, self.own, self.names) = (seen, seen, own, names)
    }

    /// Adds former ids of the store from the journal.
    /// - Parameter name: this machine's name. A first record that is made again has its former name, except under a
    ///   derived id, where it is identical on all copies.
    public mutating func add(ids more: Set<UUID>, name: String? = nil) {
        for id in more where names[id] == nil && !ids.contains(id) && !id.isDerived { names[id] = name }
        ids.formUnion(more)
    }

    public mutating func takeMade() -> [UUID: [Record]] {
        let taken = made
        made = [:]
        return taken
    }

    /// Notes that the known records are in the store.
    public mutating func see(_ vector: Vector) {
        seen = vector
        tellers = nil
    }

    /// - Parameters:
    ///   - maker: the replica that the store was when it made a commit.
    ///   - shown: the store's moods that differ from the fold's.
    /// - Returns: the moods that may have changed.
    public mutating func take(
        _ step: Step, in fold: inout Fold, shown: inout [UUID: MoodDocument?], maker: (Int) -> UUID
    ) -> Set<UUID> {
        if awaited != nil { return [] }
        switch step {
        case .seen(let vector, let replica, let revision):
            applyWaiting(to: &fold) { $0.number <= vector[$0.replica] }
            guard let there = named(vector, fold.known) else {
                awaited = vector
                return []
            }
            if let replica { mark(replica, after: revision) }
            seen = fold.known.resolved(there)
            for (replica, head) in own where fold.known.contains(replica, head.number, head.crc) {
                if renamed == replica { seen = fold.known.adding(head, of: replica, to: seen) }
            }
            // The commits up to here are in the store, whatever name the mark has for their records.
            for (replica, head) in past { seen = fold.known.adding(head, of: replica, to: seen) }
            return []
        case .shown(let moods):
            shown.merge(moods) { $1 }
            return []
        case .local(let revision, let crc, let changes):
            let storeID = storeID
            applyWaiting(to: &fold) { $0.upTo.storeID == storeID && $0.upTo.revision <= revision }
            if let teller = teller(of: revision, crc, changes, fold.known, maker) {
                seen = fold.known.adding(teller.head, of: teller.replica, to: seen)
                add(teller.head, of: teller.replica)
                for change in changes { change.show(in: &shown) }
                return []
            }
            return record(revision, crc, changes, in: &fold, shown: &shown, maker)
        case .state(let revision, let changes):
            return record(revision, nil, changes, in: &fold, shown: &shown, maker)
        }
    }

    private mutating func applyWaiting(to fold: inout Fold, _ isDue: (Record) -> Bool) {
        if waiting.isEmpty { return }
        var isMore = false
        while let record = waiting.next(after: fold, where: isDue) {
            fold.apply(record)
            isMore = true
        }
        if isMore { tellers = nil }
    }

    /// Whether the fold may show something else than the store did before a commit without a known record: others'
    /// records follow the commit, or a record is known that the journal neither made nor saw before it.
    /// - Parameter records: the records in the fold that its base lacks.
    public mutating func makesAgain(
        _ steps: [Step], _ records: Inbox, _ known: Known, maker: (Int) -> UUID
    ) -> Bool {
        defer { tellers = nil }
        var isOpen = false
        var seen = seen
        var commits: [Int: UInt32] = [:]
        for step in steps {
            switch step {
            case .local(let revision, let crc, let changes):
                commits[revision] = crc
                if teller(of: revision, crc, changes, known, maker) == nil { isOpen = true }
            case .seen(let vector, _, _):
                if isOpen { return true }
                seen = vector
            case .shown, .state: break
            }
        }
        if !isOpen { return false }
        var isAhead = false
        records.forEach { record in
            if isAhead || !known.contains(record.replica, record.number, record.crc) { return }
            let id = OperationID(replica: record.replica, record: record.number, place: 0, crc: record.crc)
            if known.isCovered(id, by: seen) { return }
            let made = record.upTo.storeID == storeID ? commits[record.upTo.revision] : nil
            isAhead = made.map { $0 != record.upTo.crc && $0 != 0 && record.upTo.crc != 0 } ?? true
        }
        return isAhead
    }

    /// The known records that a mark names; nil if the store has others that the commits before it did not make again. Such
    /// a record may differ from the lost one, and have another name.
    private func named(_ mark: Vector, _ known: Known) -> Vector? {
        let (there, lost) = known.parted(mark)
        if lost.last.isEmpty { return there }
        guard lost.last.keys.allSatisfy({ ids.contains($0) }) else { return nil }
        var made = line.filter { id in ([id] + known.twins(of: id)).allSatisfy { !known.isCovered($0, by: there) } }
        var count = 0
        for replica in lost.last.keys {
            for head in lost.heads(of: replica) {
                if made.last(where: { $0.replica == replica })?.record == head.number {
                    made.removeAll { $0.replica == replica }
                } else {
                    count += max(head.number - max(there[replica], start[replica]), 1)
                }
            }
        }
        return count <= made.count ? there : nil
    }

    /// The operations of each record of a commit.
    private static func pieces(of changes: [LocalChange]) -> [Range<Int>] {
        var pieces: [Range<Int>] = []
        repeat {
            let start = pieces.last?.upperBound ?? 0
            var (end, bytes) = (start, 0)
            while end < changes.count, end - start < operationsMax, bytes < recordBytesMax {
                if case .put(_, let document, _) = changes[end] { bytes += document.bytes.count }
                end += 1
            }
            pieces.append(start..<end)
        } while pieces.last?.upperBound ?? 0 < changes.count
        return pieces
    }

    private mutating func teller(
        of revision: Int, _ crc: UInt32, _ changes: [LocalChange], _ known: Known, _ maker: (Int) -> UUID
    ) -> Teller? {
        if tellers == nil {
            var all: [Int: [Teller]] = [:]
            known.forEach(of: storeID) { replica, head, entry in
                all[entry.revision, default: []].append(Teller(replica: replica, commit: entry.commit, head: head))
            }
            tellers = all
        }
        let found = tellers?[revision]?.filter { teller in
            if teller.commit != 0, crc != 0 { return teller.commit == crc }
            // An older host recorded only the number.
            guard maker(revision) == teller.replica else { return false }
            guard isPutBack, let record = unnamed[teller.replica]?[teller.head.number] else { return true }
            return record.tells(of: changes)
        }
        return found?.max { $0.head.number < $1.head.number }
    }

    private mutating func record(
        _ revision: Int, _ crc: UInt32?, _ changes: [LocalChange], in fold: inout Fold,
        shown: inout [UUID: MoodDocument?], _ maker: (Int) -> UUID
    ) -> Set<UUID> {
        // It was made so before, and the record was lost.
        if let crc, let known = ids.lazy.map({ $0.derived(by: crc) }).first(where: { ids.contains($0) }) {
            take(known, after: revision - 1)
        } else if isPutBack, renamed == nil {
            take((marked ?? maker(revision)).derived(by: (crc ?? 0) ^ planted), after: revision - 1)
        }
        let replica = renamed ?? maker(revision)
        if let last = own[replica], !fold.known.contains(replica, last.number, last.crc) {
            awaited = Vector()
            awaited?.add(last, of: replica)
            return []
        }
        let upTo = Record.Commit(
            storeID: storeID, revision: crc == nil ? 0 : revision, crc: planted == 0 ? crc ?? 0 : 0)
        var touched: Set<UUID> = []
        for piece in Self.pieces(of: changes) {
            let last = last(of: replica, fold.known)
            let (record, changed) = fold.record(
                Array(changes[piece]), of: replica, in: journal, saw: seen,
                after: last ?? Vector.Head(number: 0, crc: 0), upTo: upTo, shownBefore: &shown,
                isContinued: piece.upperBound < changes.count, name: last == nil ? names[replica] : nil)
            touched.formUnion(changed)
            made[replica, default: []].append(record)
            waiting.note(record)
            let head = Vector.Head(number: record.number, crc: record.crc)
            own[replica] = head
            add(head, of: replica)
            seen = fold.known.adding(head, of: replica, to: seen)
        }
        return touched
    }

    /// Notes a record of a commit.
    private mutating func add(_ head: Vector.Head, of replica: UUID) {
        past[replica] = head
        line.append(OperationID(replica: replica, record: head.number, place: 0, crc: head.crc))
    }

    /// The record before the next one of a replica: the last one made here, or a later one of its branch that the journal
    /// names. A branch of another machine is neither.
    private func last(of replica: UUID, _ known: Known) -> Vector.Head? {
        let heads = seen.heads(of: replica)
        guard let own = own[replica] else { return heads.first }
        let id = OperationID(replica: replica, record: own.number, place: 0, crc: own.crc)
        let later = heads.first { head in
            var only = Vector()
            only.setHead(head, of: replica)
            return head.number > own.number && known.isCovered(id, by: only)
        }
        return later ?? own
    }

    /// Handles the journal's mark of the store's replica. If `sync/` does not know that id, `sync/` was put back; later
    /// changes still belong to that replica.
    private mutating func mark(_ replica: UUID, after revision: Int) {
        if marked == replica { return }
        marked = replica
        if renamed != replica { renamed = nil }
        if said.insert(replica).inserted {
            ids.insert(replica)
            taken.append((replica, revision))
            if !isPutBack { renamed = replica }
        }
    }

    private mutating func take(_ replica: UUID, after revision: Int) {
        if renamed == replica { return }
        renamed = replica
        ids.insert(replica)
        taken.append((replica, revision))
    }
}

extension Known {
    /// Passes each record of a commit of a store to `body`.
    func forEach(of storeID: String, _ body: (UUID, Vector.Head, Entry) -> Void) {
        for (replica, all) in branches where stores[replica] == storeID {
            for branch in all {
                for (place, entry) in branch.enumerated() where entry.revision > 0 {
                    body(replica, Vector.Head(number: place + 1, crc: entry.crc), entry)
                }
            }
        }
    }

    /// A vector with the known checksums, up to the known records.
    public func resolved(_ vector: Vector) -> Vector {
        var result = Vector()
        for replica in vector.last.keys {
            for head in vector.heads(of: replica) {
                let longest = branches[replica]?.map(\.count).max() ?? 0
                let number = min(head.number, longest)
                if number == 0 { continue }
                let isTold = head.crc != 0 && head.number == number && contains(replica, number, head.crc)
                result = adding(
                    Vector.Head(number: number, crc: isTold ? head.crc : crc(of: number, replica)), of: replica,
                    to: result)
            }
        }
        return result
    }

    /// A vector that covers one more record, which is known.
    public func adding(_ head: Vector.Head, of replica: UUID, to vector: Vector) -> Vector {
        var result = vector
        let id = OperationID(replica: replica, record: head.number, place: 0, crc: head.crc)
        if isCovered(id, by: vector) { return vector }
        var only = Vector()
        only.setHead(head, of: replica)
        let rest = vector.heads(of: replica).filter { other in
            !isCovered(OperationID(replica: replica, record: other.number, place: 0, crc: other.crc), by: only)
        }
        result.setHeads(rest + [head], of: replica)
        return result
    }
}

extension Record {
    /// Whether it describes these changes.
    func tells(of changes: [LocalChange]) -> Bool {
        if isContinued || changes.count != operations.count { return isContinued }
        return zip(changes, operations).allSatisfy { change, operation in
            switch (change, operation) {
            case (.put(_, let document, _), .set(let set)): document.bytes == set.document.bytes
            case (.delete(_, let ids), .delete(_, let gone)): ids == gone
            case (.clear, .clear): true
            default: false
            }
        }
    }
}

extension UUID {
    /// Whether `derived` made it.
    var isDerived: Bool { high & 0xf000 == 0x8000 }

    /// A replica's id derived from another one and a checksum, equal on all machines.
    public func derived(by crc: UInt32) -> UUID {
        // (Steele, Lea, Flood: SplitMix64.)
        func mixed(_ value: UInt64) -> UInt64 {
            var z = value &+ 0x9e37_79b9_7f4a_7c15
            z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
            z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
            return z ^ z >> 31
        }
        let first = mixed(high ^ mixed(UInt64(crc)))
        let second = mixed(low ^ mixed(first ^ UInt64(crc) << 32))
        // RFC 9562: version 8, whose other bits are free.
        return UUID(
            high: first & ~0xf000 | 0x8000, low: second & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
    }
}
