import JSONCodec
import MoodCore

/// The remains of all operations on one mood.
///
/// Invariants
/// 1. It is a function of the set of records, in whatever order they came.
/// 2. A mood without a set that keeps it alive has no heads either, and does not exist.
struct MoodState: Sendable {
    /// A value of a member that was not replaced.
    struct Head: Sendable {
        let member: Member
        let operation: SetOperation

        var value: [UInt8]? { operation.document.value(of: member) }
    }

    /// The sets that no later set saw and no delete ended; each with its whole mood.
    private(set) var alive: [SetOperation] = []
    private(set) var heads: [Head] = []

    var isGone: Bool { alive.isEmpty }

    init() {}

    init(alive: [SetOperation], heads: [Head]) {
        self.alive = alive
        self.heads = heads
    }

    // MARK: Operations

    mutating func apply(_ set: SetOperation, of record: Record.Knowledge, _ known: Known) {
        // A record that ended or replaced it under another name has ended or replaced it.
        let twins = known.twins(of: set.id)
        let isAlive = twins.isEmpty || alive.contains { twins.contains($0.id) }
        alive.removeAll { record.knew($0.id, at: set.id.place, set.id.crc, known) }
        if isAlive { alive.append(set) }
        for change in set.changes {
            let isHead =
                twins.isEmpty || heads.contains { $0.member == change.member && twins.contains($0.operation.id) }
            heads.removeAll { head in
                head.member == change.member
                    && change.replaced.contains { id in
                        id.isSame(as: head.operation.id)
                            || known.twins(of: head.operation.id).contains { id.isSame(as: $0) }
                    }
            }
            if isHead { heads.append(Head(member: change.member, operation: set)) }
        }
        if isGone { heads = [] }
    }

    /// Applies a delete or a clear at this place of a record.
    mutating func end(by record: Record.Knowledge, at place: Int, _ crc: UInt32, _ known: Known) {
        alive.removeAll { record.knew($0.id, at: place, crc, known) }
        heads.removeAll { record.knew($0.operation.id, at: place, crc, known) }
    }

    /// The state with other ids of operations.
    func renamed(_ name: (OperationID) -> OperationID) -> MoodState {
        var named: [OperationID: SetOperation] = [:]
        func renamed(_ set: SetOperation) -> SetOperation {
            if let known = named[set.id] { return known }
            let new = set.renamed(name)
            named[set.id] = new
            return new
        }
        return MoodState(
            alive: alive.map(renamed),
            heads: heads.map { Head(member: $0.member, operation: renamed($0.operation)) })
    }

    /// Whether an operation's record has no checksum.
    var hasUnknown: Bool { alive.contains { $0.id.crc == 0 } || heads.contains { $0.operation.id.crc == 0 } }

    // MARK: Joining

    /// Keeps the operations that both have, and those of one side that the other does not know.
    /// - Parameter all: the records that either side knows.
    func joined(with other: MoodState, _ mine: Known, _ theirs: Known, _ all: Known) -> MoodState {
        var result = MoodState()
        func isIn(_ state: MoodState, _ id: OperationID) -> Bool { state.alive.contains { $0.id == id } }
        func isKept(_ id: OperationID, by state: MoodState, _ known: Known, _ isIn: (MoodState, OperationID) -> Bool)
            -> Bool
        {
            let names = [id] + all.twins(of: id)
            return names.contains { isIn(state, $0) } || !names.contains { known.contains($0) }
        }
        for set in alive where isKept(set.id, by: other, theirs, isIn) { result.alive.append(set) }
        for set in other.alive where !isIn(self, set.id) && isKept(set.id, by: self, mine, isIn) {
            result.alive.append(set)
        }
        if result.isGone { return result }
        func isKept(_ head: Head, by state: MoodState, _ known: Known) -> Bool {
            isKept(head.operation.id, by: state, known) { $0.has($1, of: head.member) }
        }
        for head in heads where isKept(head, by: other, theirs) { result.heads.append(head) }
        for head in other.heads where !has(head.operation.id, of: head.member) && isKept(head, by: self, mine) {
            result.heads.append(head)
        }
        return result
    }

    /// Whether this, joined from `earlier` and another state, equals `earlier`. The operations of `earlier` come first,
    /// in its order.
    func isSame(as earlier: MoodState) -> Bool {
        alive.count == earlier.alive.count && heads.count == earlier.heads.count
            && zip(alive, earlier.alive).allSatisfy { $0.id == $1.id }
            && zip(heads, earlier.heads).allSatisfy { $0.operation.id == $1.operation.id && $0.member == $1.member }
    }

    private func has(_ id: OperationID, of member: Member) -> Bool {
        heads.contains { $0.operation.id == id && $0.member == member }
    }

    // MARK: The shown mood

    /// The mood as shown; nil if it does not exist.
    var shown: MoodDocument? {
        guard var base = alive.first else { return nil }
        for set in alive where set.isShown(before: base) { base = set }
        if alive.count == 1, !heads.contains(where: { $0.operation !== base }) { return base.document }
        let createdAt = alive.compactMap(\.document.createdAt).min()
        let updatedAt = alive.compactMap(\.document.updatedAt).max()
        guard let createdAt, let updatedAt else { return base.document }
        var rest = shownHeads()
        var members: [(member: Member, value: [UInt8])] = []
        for (member, value) in base.document.members {
            guard let place = rest.firstIndex(where: { $0.member == member }) else {
                members.append((member, value))
                continue
            }
            if let value = rest.remove(at: place).value { members.append((member, value)) }
        }
        for (member, value) in rest.sorted(by: { $0.member < $1.member }) {
            if let value { members.append((member, value)) }
        }
        // Single members from a peer may make no mood.
        return MoodDocument(id: base.mood, createdAt: createdAt, updatedAt: updatedAt, members) ?? base.document
    }

    private func shownHeads() -> [(member: Member, value: [UInt8]?)] {
        var shown: [(member: Member, value: [UInt8]?)] = []
        for head in heads where !shown.contains(where: { $0.member == head.member }) {
            shown.append((head.member, shownValue(of: head.member) ?? nil))
        }
        return shown
    }

    /// The value that the heads of a member show; nil if it has none. A tag that was added and removed concurrently
    /// stays.
    func shownValue(of member: Member) -> [UInt8]?? {
        var best: Head?
        for head in heads where head.member == member {
            if member.isTag, head.value != nil { return .some(MoodDocument.there) }
            if best.map({ head.operation.isShown(before: $0.operation) }) ?? true { best = head }
        }
        return best.map(\.value)
    }

    /// The operations that a change of a member replaces: of the known values the shown ones; for a tag or a settled
    /// conflict, all.
    func replaced(
        by member: Member, showing value: [UInt8]?, settles: Bool, knowing isKnown: (OperationID) -> Bool
    ) -> [OperationID] {
        heads.filter { head in
            head.member == member && (settles || member.isTag || head.value == value) && isKnown(head.operation.id)
        }.map(\.operation.id).sorted()
    }

    /// The hidden heads whose value differs from the shown one; of equal ones the latest.
    var conflicts: [Head] {
        guard let first = heads.first, heads.contains(where: { $0.operation !== first.operation }) else { return [] }
        var found: [(head: Head, value: [UInt8]?)] = []
        for head in heads where !head.member.isTag {
            guard heads.contains(where: { $0.member == head.member && $0.operation !== head.operation }) else {
                continue
            }
            let value = head.value
            if value == shownValue(of: head.member) ?? nil { continue }
            if let place = found.firstIndex(where: { $0.head.member == head.member && $0.value == value }) {
                if head.operation.isShown(before: found[place].head.operation) { found[place].head = head }
            } else {
                found.append((head, value))
            }
        }
        return found.map(\.head)
    }
}
