import JSONCodec
import MoodCore

/// The known records: for each branch of each replica, the checksums of its records from the first one on.
///
/// Invariants
/// 1. No branch is a prefix of another branch of its replica.
/// 2. `vector` has the last records of all branches.
/// 3. A checksum of 0 is unknown. It occurs only in the branch that was known first.
public struct Known: Sendable {
    /// The checksum of a record, and its commit.
    public struct Entry: Sendable, Hashable {
        public let crc: UInt32
        public let revision: Int
        /// The checksum that ends that commit's line; 0 if unknown.
        public let commit: UInt32

        public init(crc: UInt32, revision: Int = 0, commit: UInt32 = 0) {
            (self.crc, self.revision, self.commit) = (crc, revision, commit)
        }
    }

    /// The branches by replica; the one that was known first comes first.
    public private(set) var branches: [UUID: [[Entry]]] = [:]
    /// The store of each replica's commits.
    public private(set) var stores: [UUID: String] = [:]
    public private(set) var vector = Vector()
    /// Whether there may be records with unknown checksums.
    private(set) var hasUnknown = false
    /// Whether a replica has several branches.
    private var isBranched = false
    /// The records of commits of those stores that have several branches.
    private var recorded: [String: [Part: [Name]]] = [:]
    /// Whether a commit has several records.
    private var hasTwins = false

    /// A commit of a store, and the place among its records.
    private struct Part: Hashable {
        let revision: Int
        let commit: UInt32
        let place: Int
    }

    private struct Name {
        let replica: UUID
        let head: Vector.Head
    }

    public init() {}

    init(_ branches: [UUID: [[Entry]]], _ stores: [UUID: String]) {
        (self.branches, self.stores) = (branches, stores)
        for replica in branches.keys { setHeads(of: replica) }
        hasUnknown = branches.values.contains { $0.contains { $0.contains { $0.crc == 0 } } }
        for store in Set(stores.values) { setRecorded(of: store) }
    }

    /// Makes records with unknown checksums from numbers.
    init(numbers vector: Vector) {
        self.init(vector.last.mapValues { [Array(repeating: Entry(crc: 0), count: $0)] }, [:])
    }

    private static func isSame(_ a: UInt32, _ b: UInt32) -> Bool { a == b || a == 0 || b == 0 }

    private mutating func setHeads(of replica: UUID) {
        let heads = (branches[replica] ?? []).compactMap { branch in
            branch.last.map { Vector.Head(number: branch.count, crc: $0.crc) }
        }
        vector.setHeads(heads, of: replica)
        if heads.count > 1 { isBranched = true }
    }

    // MARK: Twins

    private mutating func setRecorded(of store: String) {
        let replicas = stores.filter { $0.value == store }.keys
        recorded[store] = nil
        guard replicas.reduce(0, { $0 + (branches[$1]?.count ?? 0) }) > 1 else { return }
        recorded[store] = [:]
        for replica in replicas {
            for branch in branches[replica] ?? [] {
                for number in 1...branch.count { note(number, in: branch, replica, store) }
            }
        }
    }

    private mutating func note(_ number: Int, in branch: [Entry], _ replica: UUID, _ store: String) {
        guard let part = Self.part(number, in: branch) else { return }
        let head = Vector.Head(number: number, crc: branch[number - 1].crc)
        let others = recorded[store]?[part] ?? []
        if others.contains(where: { $0.replica == replica && $0.head == head }) { return }
        recorded[store]?[part] = others + [Name(replica: replica, head: head)]
        if !others.isEmpty { hasTwins = true }
    }

    private static func part(_ number: Int, in branch: [Entry]) -> Part? {
        let last = branch[number - 1]
        if last.commit == 0 || last.crc == 0 { return nil }
        let before = branch[..<(number - 1)].reversed().prefix {
            $0.commit == last.commit && $0.revision == last.revision
        }
        return Part(revision: last.revision, commit: last.commit, place: before.count)
    }

    /// An operation's other ids: a store whose `sync/` was put back may record a commit under two names.
    func twins(of id: OperationID) -> [OperationID] {
        guard hasTwins, let store = stores[id.replica], let recorded = recorded[store] else { return [] }
        let branch = branches[id.replica]?.first { $0.count >= id.record && $0[id.record - 1].crc == id.crc }
        guard let branch, let part = Self.part(id.record, in: branch), let all = recorded[part], all.count > 1 else {
            return []
        }
        return all.compactMap { name in
            let isSelf = name.replica == id.replica && name.head.number == id.record && name.head.crc == id.crc
            return isSelf
                ? nil
                : OperationID(
                    replica: name.replica, record: name.head.number, place: id.place, crc: name.head.crc)
        }
    }

    // MARK: Questions

    /// Whether a record is known; without a checksum, whether any record of this number is.
    public func contains(_ replica: UUID, _ number: Int, _ crc: UInt32) -> Bool {
        if number == 0 { return true }
        return (branches[replica] ?? []).contains { $0.count >= number && Self.isSame($0[number - 1].crc, crc) }
    }

    /// Whether every record of another vector is known.
    public func covers(_ other: Vector) -> Bool {
        for replica in other.last.keys {
            for head in other.heads(of: replica) where !contains(replica, head.number, head.crc) { return false }
        }
        return true
    }

    /// The known records of a vector, and its other ones.
    public func parted(_ vector: Vector) -> (there: Vector, lost: Vector) {
        var (there, lost) = (Vector(), Vector())
        for replica in vector.last.keys {
            for head in vector.heads(of: replica) {
                if contains(replica, head.number, head.crc) {
                    there.add(head, of: replica)
                } else {
                    lost.add(head, of: replica)
                }
            }
        }
        return (there, lost)
    }

    func contains(_ id: OperationID) -> Bool { contains(id.replica, id.record, id.crc) }

    /// Whether a known operation belongs to the records up to others.
    func isCovered(_ id: OperationID, by saw: Vector) -> Bool {
        guard id.record <= saw[id.replica] else { return false }
        guard isBranched, let all = branches[id.replica], all.count > 1 else { return true }
        return saw.heads(of: id.replica).contains { head in
            head.number >= id.record
                && all.contains { branch in
                    branch.count >= head.number && Self.isSame(branch[head.number - 1].crc, head.crc)
                        && Self.isSame(branch[id.record - 1].crc, id.crc)
                }
        }
    }

    /// Whether a known record is among those up to others.
    public func covers(_ record: Record, by saw: Vector) -> Bool {
        isCovered(OperationID(replica: record.replica, record: record.number, place: 0, crc: record.crc), by: saw)
    }

    /// The checksum of a record by number among the records up to others; 0 if unknown.
    func crc(of number: Int, _ replica: UUID, upTo saw: Vector) -> UInt32 {
        for head in saw.heads(of: replica) where head.number >= number {
            for branch in branches[replica] ?? []
            where branch.count >= head.number && Self.isSame(branch[head.number - 1].crc, head.crc) {
                return branch[number - 1].crc
            }
        }
        return 0
    }

    /// Whether a replica has several branches.
    public func isBranched(_ replica: UUID) -> Bool { isBranched && (branches[replica]?.count ?? 0) > 1 }

    /// Whether several known records of a replica have this number.
    func isAmbiguous(_ id: OperationID) -> Bool {
        guard isBranched, let all = branches[id.replica], all.count > 1 else { return false }
        return Set(all.filter { $0.count >= id.record }.map { $0[id.record - 1].crc }).count > 1
    }

    /// The number of known records, counted per branch.
    public var count: Int { branches.values.reduce(0) { $0 + $1.reduce(0) { $0 + $1.count } } }

    /// The number of a branch's first records that are among those up to others.
    public func covered(of branch: [Entry], _ replica: UUID, by vector: Vector) -> Int {
        vector.heads(of: replica).map { head in
            (branches[replica] ?? []).filter { other in
                other.count >= head.number && Self.isSame(other[head.number - 1].crc, head.crc)
            }.map { other in
                min(head.number, zip(other, branch).prefix { Self.isSame($0.crc, $1.crc) }.count)
            }.max() ?? 0
        }.max() ?? 0
    }

    // MARK: More

    /// The branch that a record continues, or from which it branches off; nil if the previous record is unknown.
    func branch(before record: Record) -> Int? {
        let number = record.number
        guard let all = branches[record.replica] else { return number == 1 ? 0 : nil }
        if number == 1 { return 0 }
        // It continues a branch that ends there; else it begins another one.
        func follows(_ branch: [Entry]) -> Bool {
            branch.count >= number - 1 && Self.isSame(branch[number - 2].crc, record.before)
        }
        return all.firstIndex { $0.count == number - 1 && follows($0) } ?? all.firstIndex(where: follows)
    }

    /// Adds a record that continues a branch, or branches off from it.
    mutating func append(_ record: Record, to branch: Int) {
        let entry = Entry(crc: record.crc, revision: record.upTo.revision, commit: record.upTo.crc)
        let (replica, number) = (record.replica, record.number)
        if stores[replica] == nil { stores[replica] = record.upTo.storeID }
        // A second reference to the branch would make this copy it.
        let count = branches[replica]?.count ?? 0
        var place = branch
        if count > 0, branches[replica]?[branch].count == number - 1 {
            branches[replica]?[branch].append(entry)
        } else {
            let start = count > 0 ? branches[replica]?[branch].prefix(number - 1) ?? [] : []
            branches[replica, default: []].append(start + [entry])
            place = count
            if let store = stores[replica], recorded[store] == nil { setRecorded(of: store) }
        }
        if let store = stores[replica], recorded[store] != nil, let branch = branches[replica]?[place] {
            note(number, in: branch, replica, store)
        }
        if branches[replica]?.count == 1 {
            vector.setHead(.init(number: number, crc: record.crc), of: replica)
        } else {
            setHeads(of: replica)
        }
    }

    /// Adds the records of another value.
    mutating func join(_ other: Known) {
        for (replica, theirs) in other.branches {
            var mine = branches[replica] ?? []
            for branch in theirs { Self.join(branch, to: &mine) }
            branches[replica] = mine
            if stores[replica] == nil { stores[replica] = other.stores[replica] }
            setHeads(of: replica)
        }
        if hasUnknown || other.hasUnknown {
            hasUnknown = branches.values.contains { $0.contains { $0.contains { $0.crc == 0 } } }
        }
        for store in Set(other.stores.values) { setRecorded(of: store) }
    }

    private static func join(_ branch: [Entry], to mine: inout [[Entry]]) {
        var (best, common) = (0, -1)
        for (place, known) in mine.enumerated() {
            let count = zip(known, branch).prefix { isSame($0.crc, $1.crc) }.count
            if count > common { (best, common) = (place, count) }
        }
        guard common >= 0 else { return mine.append(branch) }
        // Each side may know checksums that the other does not.
        let shared = zip(mine[best], branch).prefix(common).map { $0.crc == 0 ? $1 : $0 }
        if common == mine[best].count {
            mine[best] = shared + branch[common...]
        } else {
            mine[best].replaceSubrange(..<common, with: shared)
            if common < branch.count { mine.append(shared + branch[common...]) }
        }
    }

    /// Takes over unknown checksums, and nothing else.
    mutating func fill(from other: Known) {
        for (replica, theirs) in other.branches {
            guard var mine = branches[replica], !mine.isEmpty else { continue }
            for branch in theirs {
                let common = zip(mine[0], branch).prefix { Self.isSame($0.crc, $1.crc) }.count
                guard common == min(mine[0].count, branch.count) else { continue }
                for place in 0..<common where mine[0][place].crc == 0 { mine[0][place] = branch[place] }
                break
            }
            branches[replica] = mine
            setHeads(of: replica)
        }
        hasUnknown = branches.values.contains { $0.contains { $0.contains { $0.crc == 0 } } }
    }

    /// The checksum of a record by number, from the first known branch that has it; 0 if unknown.
    public func crc(of number: Int, _ replica: UUID) -> UInt32 {
        branches[replica]?.first { $0.count >= number }.map { $0[number - 1].crc } ?? 0
    }
}

// MARK: Text

extension Known {
    /// `{"replica":{"storeId":"…","branches":["crc.revision.commit …",…]}}`: for each record its checksum and, if
    /// known, the revision of its commit in hexadecimal digits and the checksum that ends the commit's line.
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (replica, all) in branches.sorted(by: { $0.key < $1.key }) {
            writer.key(text: replica.text)
            writer.beginObject()
            if let store = stores[replica] {
                writer.key("storeId")
                writer.string(store)
            }
            writer.key("branches")
            writer.beginArray()
            for branch in all { writer.string(Self.text(of: branch)) }
            writer.endArray()
            writer.endObject()
        }
        writer.endObject()
    }

    private static func text(of branch: [Entry]) -> String {
        branch.map { entry in
            let crc = Seal.text(entry.crc)
            if entry.revision == 0 { return crc }
            return "\(crc).\(String(entry.revision, radix: 16)).\(Seal.text(entry.commit))"
        }.joined(separator: " ")
    }

    /// - Parameter vector: the last records; other replicas in the text are ignored.
    init(_ text: ValidJSON, upTo vector: Vector) {
        var (branches, stores): ([UUID: [[Entry]]], [UUID: String]) = ([:], [:])
        for member in JSONValue(text).object ?? [] {
            guard let replica = UUID(member.name), vector[replica] > 0 else { continue }
            let all = (member.value["branches"]?.array ?? []).compactMap { $0.string.flatMap { Self.branch($0) } }
            guard !all.isEmpty, all.map(\.count).max() == vector[replica] else { continue }
            branches[replica] = all
            stores[replica] = member.value["storeId"]?.string
        }
        for (replica, number) in vector.last where branches[replica] == nil {
            branches[replica] = [Array(repeating: Entry(crc: 0), count: number)]
        }
        self.init(branches, stores)
    }

    private static func branch(_ text: String) -> [Entry]? {
        var entries: [Entry] = []
        var text = text
        let isRead = text.withUTF8 { bytes in
            for word in bytes.split(separator: UInt8(ascii: " ")) {
                let parts = word.split(separator: UInt8(ascii: "."))
                guard let crc = Seal.crc(digits: parts[0]) else { return false }
                guard parts.count == 3, let revision = Int(String(decoding: parts[1], as: UTF8.self), radix: 16),
                    let commit = Seal.crc(digits: parts[2])
                else {
                    entries.append(Entry(crc: crc))
                    continue
                }
                entries.append(Entry(crc: crc, revision: revision, commit: commit))
            }
            return true
        }
        return isRead && !entries.isEmpty ? entries : nil
    }
}
