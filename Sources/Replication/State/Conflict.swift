import JSONCodec
import MoodCore

/// A value of a member that differs from the shown one and was set without knowledge of it. It is kept until a user
/// settles it, or replaces it knowingly.
public struct Conflict: Sendable {
    /// `mood/member/replica/n/i`: the mood, the member, and the operation that set the value.
    public struct ID: Sendable, Equatable {
        public let mood: UUID
        public let member: Member
        public let operation: OperationID

        public init(mood: UUID, member: Member, operation: OperationID) {
            self.mood = mood
            self.member = member
            self.operation = operation
        }

        /// Whether it names the same value; an id from a user has no checksum.
        public func isSame(as other: ID) -> Bool {
            mood == other.mood && member == other.member && operation.isSame(as: other.operation)
        }

        public var text: String { "\(mood.text)/\(member.text)/\(operation.text)" }

        public init?(_ text: String) {
            let bytes = Array(text.utf8)
            let parts = bytes.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            guard parts.count >= 5, let mood = Array(parts[0]).withUnsafeBytes({ UUID($0) }) else { return nil }
            let place = Array(parts.suffix(3).joined(separator: [UInt8(ascii: "/")]))
            let member = Array(parts[1..<(parts.count - 3)].joined(separator: [UInt8(ascii: "/")]))
            guard let operation = place.withUnsafeBytes({ OperationID(utf8: $0) }), !member.isEmpty else { return nil }
            self.init(mood: mood, member: Member(name: member), operation: operation)
        }
    }

    public let id: ID
    /// The shown value, as JSON; nil if the member is absent.
    public let shown: [UInt8]?
    /// The hidden value.
    public let other: [UInt8]?
    /// The time at which the hidden value was set, by the clock of its replica.
    public let at: Timestamp
}

extension Fold {
    /// All conflicts, by mood and member.
    public var conflicts: [Conflict] {
        var all: [Conflict] = []
        forEachID { all += conflicts(of: $0) }
        return all.sorted { a, b in
            if a.id.mood != b.id.mood { return a.id.mood < b.id.mood }
            if a.id.member != b.id.member { return a.id.member < b.id.member }
            return a.id.operation < b.id.operation
        }
    }

    public func conflicts(of mood: UUID) -> [Conflict] {
        guard let state = state(mood) else { return [] }
        return state.conflicts.map { head in
            Conflict(
                id: .init(mood: mood, member: head.member, operation: head.operation.id),
                shown: state.shownValue(of: head.member) ?? nil, other: head.value, at: head.operation.at)
        }
    }

    /// A mood with the chosen value of a conflict.
    /// - Parameter takesOther: whether to choose the hidden value.
    public func settled(_ conflict: Conflict, takesOther: Bool) -> MoodDocument? {
        guard let mood = shown(conflict.id.mood), takesOther else { return shown(conflict.id.mood) }
        return mood.with(conflict.id.member, conflict.other)
    }
}

extension MoodDocument {
    /// The mood with this time of update.
    public func updated(at now: Timestamp) -> MoodDocument? {
        guard let id, let createdAt else { return nil }
        return MoodDocument(id: id, createdAt: createdAt, updatedAt: now, members)
    }

    /// The mood with another value of one member.
    func with(_ member: Member, _ value: [UInt8]?) -> MoodDocument? {
        guard let id, let createdAt, let updatedAt else { return nil }
        var members = members
        if let place = members.firstIndex(where: { $0.member == member }) {
            if let value { members[place].value = value } else { members.remove(at: place) }
        } else if let value {
            members.append((member, value))
        }
        return MoodDocument(id: id, createdAt: createdAt, updatedAt: updatedAt, members)
    }
}
