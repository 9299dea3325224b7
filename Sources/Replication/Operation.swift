import JSONCodec
import MoodCore

/// One thing that a record says was done.
public enum Operation: Sendable {
    /// `{"at","mood":{…},"set":{member:[replaced …]}}`
    case set(SetOperation)
    /// `{"at","delete":[ids]}`
    case delete(at: Timestamp, [UUID])
    /// `{"at","clear":true}`
    case clear(at: Timestamp)
}

/// Members of a mood were set. A class, because a mood and its heads refer to the same one.
public final class SetOperation: Sendable {
    public struct Change: Sendable {
        public let member: Member
        /// The operations whose values were shown then, or that are settled by this.
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
    /// The whole mood; of one that was replaced, what is still referred to.
    public let document: MoodDocument
    public let changes: [Change]

    init(_ id: OperationID, mood: UUID, at: Timestamp, _ document: MoodDocument, _ changes: [Change]) {
        self.id = id
        self.mood = mood
        self.at = at
        self.document = document
        self.changes = changes
    }

    /// The same set under the name that its record's checksum gives it; what it says of that record itself too.
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

    /// The same set with other names of what it replaced.
    func renamed(_ name: (OperationID) -> OperationID) -> SetOperation {
        SetOperation(
            name(id), mood: mood, at: at, document,
            changes.map { Change($0.member, replaced: $0.replaced.map(name)) })
    }

    /// Whether its value is shown, and not the other's: the later one's; of the same time, that of the greater replica.
    func isShown(before other: SetOperation) -> Bool {
        if at != other.at { return at > other.at }
        return id > other.id
    }
}
