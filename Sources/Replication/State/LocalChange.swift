import JSONCodec
import MoodCore

/// A change of a commit in the form for records.
public enum LocalChange: Sendable {
    /// A mood was made or changed.
    case put(at: Timestamp, MoodDocument, Put)
    case delete(at: Timestamp, [UUID])
    case clear(at: Timestamp)

    public enum Put: Sendable {
        case usual
        /// A deletion was undone: the mood exists again, and no member was set.
        case restored
        /// The conflicts of this member were settled.
        case settling(Member)
    }

    /// Updates the store's moods with this change.
    public func show(in shown: inout [UUID: MoodDocument?]) {
        switch self {
        case .put(_, let document, _): if let id = document.id { shown.updateValue(document, forKey: id) }
        case .delete(_, let ids): for id in ids { shown.updateValue(nil, forKey: id) }
        case .clear: for id in Array(shown.keys) { shown.updateValue(nil, forKey: id) }
        }
    }
}

extension Fold {
    /// Makes a record of changes of this replica, and applies it.
    ///
    /// A change replaces the values that were shown before it. Usually these are the fold's values. They differ for
    /// moods in `shownBefore` and for moods changed since then: the store shows such a mood as changed, while the fold
    /// may show a remaining value with a later time.
    /// - Parameters:
    ///   - saw: the records in the store at that time, if fewer than the known ones.
    ///   - own: the record that it continues, if the replica has branches; number 0: none.
    ///   - upTo: the last commit of the changes.
    ///   - shownBefore: moods that the store showed, or lacked, if the fold shows something else; afterwards also the
    ///     changed ones.
    ///   - isContinued: whether the next record describes the same commit.
    ///   - name: the name of the replica, for its first record.
    /// - Returns: the record, and the moods that it may have changed.
    public mutating func record(
        _ changes: [LocalChange], of replica: UUID, in journal: UUID, saw: Vector? = nil, after own: Vector.Head? = nil,
        upTo: Record.Commit, shownBefore shown: inout [UUID: MoodDocument?], isContinued: Bool = false,
        name: String? = nil
    ) -> (record: Record, touched: Set<UUID>) {
        // The next operation must see the earlier ones of this record, so each is applied to a copy of its mood's
        // state.
        var saw = saw ?? vector
        let own = own.map { $0.number > 0 ? $0 : nil } ?? saw.heads(of: replica).first
        let number = (own?.number ?? 0) + 1
        // A record sees one branch of its own replica.
        if let own { saw.setHead(own, of: replica) } else { saw.setHeads([], of: replica) }
        let knowledge = Record.Knowledge(replica: replica, number: number, saw: saw)
        func isKnown(_ id: OperationID) -> Bool { knowledge.knew(id, at: .max, 0, known) }
        var states: [UUID: MoodState] = [:]
        var operations: [Operation] = []
        var isCleared = false
        for change in changes {
            let id = OperationID(replica: replica, record: number, place: operations.count)
            switch change {
            case .put(let at, let document, let put):
                guard let mood = document.id else { continue }
                var state = states[mood] ?? (isCleared ? nil : self.state(mood)) ?? MoodState()
                let before = shown[mood, default: state.shown]
                let set = SetOperation(
                    id, mood: mood, at: at, document,
                    Self.changes(from: before, to: document, put, state, isKnown))
                state.apply(set, of: knowledge, known)
                states[mood] = state
                operations.append(.set(set))
            case .delete(let at, let ids):
                for mood in ids {
                    guard var state = states[mood] ?? self.state(mood) else { continue }
                    state.end(by: knowledge, at: id.place, 0, known)
                    states[mood] = state
                }
                operations.append(.delete(at: at, ids))
            case .clear(let at):
                // Ends everything, including moods that only the fold has.
                for mood in Set(states.keys) {
                    states[mood]?.end(by: knowledge, at: id.place, 0, known)
                }
                isCleared = true
                operations.append(.clear(at: at))
            }
            change.show(in: &shown)
        }
        let record = Record(
            journal: journal, replica: replica, number: number, saw: saw, before: own?.crc ?? 0, upTo: upTo, operations,
            isContinued: isContinued, name: name, known: known)
        return (record, apply(record) ?? [])
    }

    private static func changes(
        from before: MoodDocument?, to after: MoodDocument, _ put: LocalChange.Put, _ state: MoodState,
        _ isKnown: (OperationID) -> Bool
    ) -> [SetOperation.Change] {
        if case .restored = put, before == nil { return [] }
        let (old, new) = (before?.members ?? [], after.members)
        var changes: [SetOperation.Change] = []
        func add(_ member: Member, settles: Bool = false) {
            let value = old.first { $0.member == member }?.value
            changes.append(
                .init(member, replaced: state.replaced(by: member, showing: value, settles: settles, knowing: isKnown)))
        }
        for (member, value) in new {
            let same = old.contains { $0.member == member && $0.value == value }
            if case .settling(member) = put { add(member, settles: true) } else if !same { add(member) }
        }
        for (member, _) in old where !new.contains(where: { $0.member == member }) {
            if case .settling(member) = put { add(member, settles: true) } else { add(member) }
        }
        // A member that is settled to be absent, and was not shown before.
        if case .settling(let member) = put, !changes.contains(where: { $0.member == member }) {
            add(member, settles: true)
        }
        return changes
    }
}
