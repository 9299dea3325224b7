import JSONCodec
import MoodCore

/// All moods as a set of records says: a function of that set and of nothing else. No clock, no order of arrival and no
/// machine has a say in it. (CRDT: an observed-remove map of multi-value registers, by operations.)
///
///     var fold = Fold()
///     for record in inbox.takeApplicable(to: fold.vector) { touched.formUnion(fold.apply(record)) }
///     fold.shown(id)
public struct Fold: Sendable {
    /// The records that were applied.
    public private(set) var known = Known()
    /// What replicas are called that have said so.
    public private(set) var names: [UUID: String] = [:]
    private var moods: [UUID: MoodState] = [:]

    public init() {}

    init(_ known: Known, _ names: [UUID: String], _ moods: [UUID: MoodState]) {
        self.known = known
        self.names = names
        self.moods = moods
    }

    public var count: Int { moods.count }

    /// The last of them.
    public var vector: Vector { known.vector }

    // MARK: Records

    /// Whether it is a record's turn: what came before it in its replica is applied, and all that it saw.
    func isTurn(of record: Record) -> Bool {
        !known.contains(record.replica, record.number, record.crc) && known.branch(before: record) != nil
            && known.covers(record.saw)
    }

    /// Applies a record, if it is its turn.
    /// - Returns: the moods that it may have changed; nil where it is not its turn, and nothing is done.
    @discardableResult
    public mutating func apply(_ record: Record) -> Set<UUID>? {
        isTurn(of: record) ? perform(record) : nil
    }

    /// Applies a record whose turn it is.
    package mutating func perform(_ record: Record) -> Set<UUID> {
        known.append(record, to: known.branch(before: record) ?? 0)
        if let name = record.name { names[record.replica] = name }
        let knowledge = record.knowledge
        var touched: Set<UUID> = []
        for (place, operation) in record.operations.enumerated() {
            switch operation {
            case .set(let set):
                moods[set.mood, default: MoodState()].apply(resolved(set, of: record), of: knowledge, known)
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

    /// Where a replica has branches, a number means the record that was seen.
    private func resolved(_ set: SetOperation, of record: Record) -> SetOperation {
        func isOpen(_ id: OperationID) -> Bool { id.crc == 0 && known.isBranched(id.replica) }
        guard set.changes.contains(where: { $0.replaced.contains(where: isOpen) }) else { return set }
        return set.renamed { id in
            guard isOpen(id) else { return id }
            if id.replica == record.replica, id.record == record.number { return id.with(crc: record.crc) }
            return id.with(crc: known.crc(of: id.record, id.replica, upTo: record.needs))
        }
    }

    /// Takes in what another one knows.
    /// - Returns: the moods that may have changed.
    public mutating func join(_ other: Fold) -> Set<UUID> {
        if vector.last.isEmpty {
            self = other
            return Set(moods.keys)
        }
        var other = other
        if known.hasUnknown || other.known.hasUnknown {
            // What one of them does not tell the checksums of, the other may.
            let (mine, theirs) = (known, other.known)
            known.fill(from: theirs)
            other.known.fill(from: mine)
            nameAll()
            other.nameAll()
        }
        var touched: Set<UUID> = []
        for (id, state) in moods where other.moods[id] == nil {
            let joined = state.joined(with: MoodState(), known, other.known)
            if joined.isSame(as: state) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        for (id, state) in other.moods {
            let mine = moods[id] ?? MoodState()
            let joined = mine.joined(with: state, known, other.known)
            if joined.isSame(as: mine) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        // The one that knows more of a replica knows the later name.
        for (id, name) in other.names where names[id] == nil || other.vector[id] > vector[id] { names[id] = name }
        known.join(other.known)
        return touched
    }

    /// Gives each operation the checksum of its record, as far as that is known by now.
    private mutating func nameAll() {
        for (id, state) in moods where state.hasUnknown {
            moods[id] = state.renamed { $0.crc == 0 ? $0.with(crc: known.crc(of: $0.record, $0.replica)) : $0 }
        }
    }

    // MARK: What is shown

    /// A mood as it is shown; nil where it is not there.
    public func shown(_ id: UUID) -> MoodDocument? { moods[id]?.shown }

    public func contains(_ id: UUID) -> Bool { moods[id] != nil }

    /// Passes every mood's id to `body`.
    public func forEachID(_ body: (UUID) -> Void) { for id in moods.keys { body(id) } }

    func state(_ id: UUID) -> MoodState? { moods[id] }

    /// The states in the order of their ids, as a snapshot has them.
    var states: [(id: UUID, state: MoodState)] {
        moods.sorted { $0.key < $1.key }.map { (id: $0.key, state: $0.value) }
    }
}
