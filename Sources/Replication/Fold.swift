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
    public private(set) var vector = Vector()
    /// What replicas are called that have said so.
    public private(set) var names: [UUID: String] = [:]
    private var moods: [UUID: MoodState] = [:]

    public init() {}

    init(_ vector: Vector, _ names: [UUID: String], _ moods: [UUID: MoodState]) {
        self.vector = vector
        self.names = names
        self.moods = moods
    }

    public var count: Int { moods.count }

    // MARK: Records

    /// Applies a record, if it is the next of its replica and all that it saw is applied.
    /// - Returns: the moods that it may have changed; nil where it is not its turn, and nothing is done.
    @discardableResult
    public mutating func apply(_ record: Record) -> Set<UUID>? {
        record.follows(vector) ? perform(record) : nil
    }

    /// Applies a record whose turn it is.
    package mutating func perform(_ record: Record) -> Set<UUID> {
        vector[record.replica] = record.number
        if let name = record.name { names[record.replica] = name }
        let knowledge = record.knowledge
        var touched: Set<UUID> = []
        for (place, operation) in record.operations.enumerated() {
            switch operation {
            case .set(let set):
                moods[set.mood, default: MoodState()].apply(set, of: knowledge)
                touched.insert(set.mood)
            case .delete(_, let ids):
                for id in ids { end(id, knowledge, place) }
                touched.formUnion(ids)
            case .clear:
                touched.formUnion(moods.keys)
                for id in Array(moods.keys) { end(id, knowledge, place) }
            }
        }
        return touched
    }

    private mutating func end(_ id: UUID, _ record: Record.Knowledge, _ place: Int) {
        moods[id]?.end(by: record, at: place)
        if moods[id]?.isGone == true { moods[id] = nil }
    }

    /// Takes in what another one knows.
    /// - Returns: the moods that may have changed.
    public mutating func join(_ other: Fold) -> Set<UUID> {
        if vector.last.isEmpty {
            self = other
            return Set(moods.keys)
        }
        var touched: Set<UUID> = []
        for (id, state) in moods where other.moods[id] == nil {
            let joined = state.joined(with: MoodState(), vector, other.vector)
            if joined.isSame(as: state) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        for (id, state) in other.moods {
            let mine = moods[id] ?? MoodState()
            let joined = mine.joined(with: state, vector, other.vector)
            if joined.isSame(as: mine) { continue }
            moods[id] = joined.isGone ? nil : joined
            touched.insert(id)
        }
        // The one that knows more of a replica knows the later name.
        for (id, name) in other.names where names[id] == nil || other.vector[id] > vector[id] { names[id] = name }
        vector = vector.joined(with: other.vector)
        return touched
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
