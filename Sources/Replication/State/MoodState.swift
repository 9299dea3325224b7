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
        alive.removeAll { record.knew($0.id, at: set.id.place, set.id.crc, known) }
        alive.append(set)
        for change in set.changes {
            heads.removeAll { head in
                head.member == change.member && change.replaced.contains { $0.isSame(as: head.operation.id) }
            }
            heads.append(Head(member: change.member, operation: set))
        }
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
    func joined(with other: MoodState, _ mine: Known, _ theirs: Known) -> MoodState {
        func isKept(_ id: OperationID, here: Bool, there: Bool) -> Bool {
            (here || !mine.contains(id)) && (there || !theirs.contains(id))
        }
        var result = MoodState()
        let (here, there) = (Set(alive.map(\.id)), Set(other.alive.map(\.id)))
        for set in alive where isKept(set.id, here: true, there: there.contains(set.id)) { result.alive.append(set) }
        for set in other.alive where !here.contains(set.id) && isKept(set.id, here: false, there: true) {
            result.alive.append(set)
        }
        if result.isGone { return result }
        for head in heads where isKept(head.operation.id, here: true, there: other.has(head)) {
            result.heads.append(head)
        }
        for head in other.heads where !has(head) && isKept(head.operation.id, here: false, there: true) {
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

    private func has(_ head: Head) -> Bool {
        heads.contains { $0.operation.id == head.operation.id && $0.member == head.member }
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
