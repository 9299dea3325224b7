import JSONCodec
import MoodCore

/// One change in a record.
public enum Operation: Sendable {
    /// `{"at","mood":{…},"set":{member:[replaced …]}}`
    case set(SetOperation)
    /// `{"at","delete":[ids]}`
    case delete(at: Timestamp, [UUID])
    /// `{"at","clear":true}`
    case clear(at: Timestamp)
}

/// A set of members of a mood. A class, because a mood and its heads refer to one object.
public final class SetOperation: Sendable {
    public struct Change: Sendable {
        public let member: Member
        /// The operations whose values were shown then, or that it settles.
        public let replaced: [OperationID]

        public init(_ member: Member, replaced: [OperationID]) {
            self.member = member
            self.replaced = replaced
        }
    }

    public let id: OperationID
    public let mood: UUID
    /// The commit's time. It only chooses among values that remain.
    public let at: Timestamp
    /// The whole mood; of a replaced one, the members still in use.
    public let document: MoodDocument
    public let changes: [Change]

    init(_ id: OperationID, mood: UUID, at: Timestamp, _ document: MoodDocument, _ changes: [Change]) {
        self.id = id
        self.mood = mood
        self.at = at
        self.document = document
        self.changes = changes
    }

    /// The set with its record's checksum in its id, and in its references to that record.
    func named(_ crc: UInt32) -> SetOperation {
        SetOperation(
            id.with(crc: crc), mood: mood, at: at, document,
            changes.map { change in
                let isOwn = change.replaced.contains {
                    $0.replica == id.replica && $0.record == id.record && $0.crc == 0
                }
                guard isOwn else { return change }
                return Change(
                    change.member,
                    replaced: change.replaced.map {
                        $0.replica == id.replica && $0.record == id.record && $0.crc == 0 ? $0.with(crc: crc) : $0
                    })
            })
    }

    /// The set with other ids of itself and of what it replaced.
    func renamed(_ name: (OperationID) -> OperationID) -> SetOperation {
        SetOperation(
            name(id), mood: mood, at: at, document,
            changes.map { Change($0.member, replaced: $0.replaced.map(name)) })
    }

    /// Whether its value is shown rather than the other's: the later one wins; at equal times, the greater id.
    func isShown(before other: SetOperation) -> Bool {
        if at != other.at { return at > other.at }
        return id > other.id
    }
}
