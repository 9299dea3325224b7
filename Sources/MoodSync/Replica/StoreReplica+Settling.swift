import JSONCodec
import MoodCore
import Replication

/// The effect of settling a conflict on its mood.
public struct Settlement: Sendable {
    public let mood: UUID
    /// The member that was in conflict.
    public let member: String
    /// The mood after settling.
    public let document: MoodDocument
}

extension StoreReplica {
    func settlement(_ id: Conflict.ID, takesOther: Bool) throws(SyncError) -> Settlement {
        guard let conflict = fold.conflicts(of: id.mood).first(where: { $0.id.isSame(as: id) }),
            let settled = fold.settled(conflict, takesOther: takesOther),
            let document = settled.updated(at: moods.now)
        else { throw .notFound(id.text, reason: "There is no conflict \(id.text). See sync.conflicts.") }
        return Settlement(mood: id.mood, member: id.member.text, document: document)
    }
}
