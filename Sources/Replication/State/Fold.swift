import JSONCodec
import MoodCore

/// The state of all moods as a function of a set of records and nothing else: clocks, order of arrival and machines
/// have no influence. (CRDT: an observed-remove map of multi-value registers, by operations.)
///
///     var fold = Fold()
///     for record in inbox.takeApplicable(to: fold.vector) { touched.formUnion(fold.apply(record)) }
///     fold.shown(id)
public struct Fold: Sendable {
    /// The applied records.
    public private(set) var known = Known()
    /// The names of replicas that have one.
    public private(set) var names: [UUID: String] = [:]
    private var moods: [UUID: MoodState] = [:]

    public init() {}

    init(_ known: Known, _ names: [UUID: String], _ moods: [UUID: MoodState]) {
        self.known = known
        self.names = names
        self.moods = moods
    }

    public var count: Int { moods.count }

    /// The last applied records.
    public var vector: Vector { known.vector }

    // MARK: Records

    /// Whether a record is applicable: the previous record of its replica and all records that it saw are applied.
    func isTurn(of record: Record) -> Bool {
        !known.contains(record.replica, record.number, record.crc) && known.branch(before: record) != nil
            && known.covers(record.saw)
    }

    /// Applies a record if it is applicable.
    /// - Returns: the moods that it may have changed; nil if it was not applied.
    @discardableResult
    public mutating func apply(_ record: Record) -> Set<UUID>? {
        isTurn(of: record) ? perform(record) : nil
    }

    /// Applies an applicable record.
    package mutating func perform(_ record: Record) -> Set<UUID> {
        known.append(record, to: known.branch(before: record) ?? 0)
        if let name = record.name { names[record.replica] = name }
        let knowledge = record.knowledge
        var touched: Set<UUID> = []
        for (place, operation) in record.operations.enumerated() {
            switch operation {
            case .set(let set):
                moods[set.mood, default: MoodState()].apply(resolved(set, of: record), of: knowledge, known)
                if moods[set.mood]?.isGone == true { moods[set.mood] = nil }
                touched.insert(set.mood)
            case .delete(_, let ids):
                for id in ids { end(id, record, knowledge, place) }
                touched.formUnion(ids)
            case .clear:
                touched.formUnion(moods.keys)
                for id in Array(moods.keys) { end(id, record, knowledge, place) }
            }
        }
        return touched
    }

    private mutating func end(_ id: UUID, _ record: Record, _ knowledge: Record.Knowledge, _ place: Int) {
        moods[id]?.end(by: knowledge, at: place, record.crc, known)
        if moods[id]?.isGone == true { moods[id] = nil }
    }

    /// Adds checksums to the operations that a set replaced: if a replica has branches, a number means the record that
    /// was seen.
    private func resolved(_ set: SetOperation, of record: Record) -> SetOperation {
        func isOpen(_ id: OperationID) -> Bool { id.crc == 0 && known.isBranched(id.replica) }
        guard set.changes.contains(where: { $0.replaced.contains(where: isOpen) }) else { return set }
        return set.renamed { id in
            guard isOpen(id) else { return id }
            if id.replica == record.replica, id.record == record.number { return id.with(crc: record.crc) }
            return id.with(crc: known.crc(of: id.record, id.replica, upTo: record.needs))
        }
    }

    /// Joins another fold.
    /// - Returns: the moods that may have changed.
    public mutating func join(_ other: Fold) -> Set<UUID> {
        if vector.last.isEmpty {
            self = other
            return Set(moods.keys)
        }
        var other = other
        if known.hasUnknown || other.known.hasUnknown {
            // Each side may know checksums that the other does not.
            let (mine, theirs) = (known, other.known)
            known.fill(from: theirs)
            other.known.fill(from: mine)
            nameAll()
            other.nameAll()
        }
        var all = known
        all.join(other.known)
        var touched: Set<UUID> = []
        for (id, state) in moods where other.moods[id] == nil {
            let joined = state.joined(with: MoodState(), known, other.known, all)
            if joined.isSame(as: state) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        for (id, state) in other.moods {
            let mine = moods[id] ?? MoodState()
            let joined = mine.joined(with: state, known, other.known, all)
            if joined.isSame(as: mine) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        // The side that knows more of a replica has the later name.
        for (id, name) in other.names where names[id] == nil || other.vector[id] > vector[id] { names[id] = name }
        known = all
        return touched
    }

    /// Gives each operation the checksum of its record, if that is known by now.
    private mutating func nameAll() {
        for (id, state) in moods where state.hasUnknown {
            moods[id] = state.renamed { $0.crc == 0 ? $0.with(crc: known.crc(of: $0.record, $0.replica)) : $0 }
        }
    }

    // MARK: Shown moods

    /// A mood as shown; nil if it does not exist.
    public func shown(_ id: UUID) -> MoodDocument? { moods[id]?.shown }

    public func contains(_ id: UUID) -> Bool { moods[id] != nil }

    /// Passes every mood's id to `body`.
    public func forEachID(_ body: (UUID) -> Void) { for id in moods.keys { body(id) } }

    func state(_ id: UUID) -> MoodState? { moods[id] }

    /// The states in the order of their ids, as in a snapshot.
    var states: [(id: UUID, state: MoodState)] {
        moods.sorted { $0.key < $1.key }.map { (id: $0.key, state: $0.value) }
    }
}
