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

    /// Whether its value is shown, and not the other's: the later one's; of the same time, that of the greater replica.
    func isShown(before other: SetOperation) -> Bool {
        if at != other.at { return at > other.at }
        return id > other.id
    }
}
