import JSONCodec
import MoodCore

/// What a commit of the store did, as far as replicas are told of it.
public enum LocalChange: Sendable {
    /// A mood was made or changed.
    case put(at: Timestamp, MoodDocument, Put)
    case delete(at: Timestamp, [UUID])
    case clear(at: Timestamp)

    public enum Put: Sendable {
        case usual
        /// A deletion was taken back: the mood is there again, and no member was set.
        case restored
        /// The conflicts of this member were settled.
        case settling(Member)
    }

    /// Says what the store shows once this was done.
    public func show(in shown: inout [UUID: MoodDocument?]) {
        switch self {
        case .put(_, let document, _): if let id = document.id { shown.updateValue(document, forKey: id) }
        case .delete(_, let ids): for id in ids { shown.updateValue(nil, forKey: id) }
        case .clear: for id in Array(shown.keys) { shown.updateValue(nil, forKey: id) }
        }
    }
}

extension Fold {
    /// Makes a record of what this replica did, and applies it.
    ///
    /// What a change replaces is what was shown before it. That is what the fold shows, but for moods that the store has
    /// shown otherwise (`shownBefore`), and for those that were changed since: the store shows them as they were changed, where
    /// the fold may show a value that remains and has a later time.
    /// - Parameters:
    ///   - saw: what was in the store then, where that is less than what is known.
    ///   - own: the record that it goes on after, where the replica has branches; number 0: after none.
    ///   - upTo: the last commit that is among the changes.
    ///   - shownBefore: moods that the store showed, or that were not there, where the fold shows something else; then also
    ///     those that were changed.
    ///   - isContinued: whether the next record tells of the same commit.
    ///   - name: what the replica is called, for its first record.
    /// - Returns: the record, and the moods that it may have changed.
    public mutating func record(
        _ changes: [LocalChange], of replica: UUID, in journal: UUID, saw: Vector? = nil, after own: Vector.Head? = nil,
        upTo: Record.Commit, shownBefore shown: inout [UUID: MoodDocument?], isContinued: Bool = false,
        name: String? = nil
    ) -> (record: Record, touched: Set<UUID>) {
        // What the operations before it in this record did has to be seen by the next one, so each is applied to a copy of
        // its mood's state.
        var saw = saw ?? vector
        let own = own.map { $0.number > 0 ? $0 : nil } ?? saw.heads(of: replica).first
        let number = (own?.number ?? 0) + 1
        // Of its own there is one branch.
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
                // Everything is ended, also what is only known by the fold.
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
