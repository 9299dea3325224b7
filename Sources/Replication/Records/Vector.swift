import JSONCodec
import MoodCore

/// The last known record of each replica: its number and checksum. (Lamport, Fidge, Mattern: a vector clock, in which
/// each replica counts for itself.)
///
/// A machine that was put back or cloned with all of its ids makes other records under numbers that it has used. Then a
/// replica has branches, each identified by its last record: the one with the greatest number in `last` and `crcs`, the
/// others in `branches`. Older hosts write numbers only; such a number stands for the branch that was known first.
public struct Vector: Sendable, Equatable {
    /// The last record of a branch.
    public struct Head: Sendable, Hashable {
        public let number: Int
        /// The checksum; 0 if unknown.
        public let crc: UInt32

        public init(number: Int, crc: UInt32) { (self.number, self.crc) = (number, crc) }
    }

    public private(set) var last: [UUID: Int]
    private var crcs: [UUID: UInt32] = [:]
    private var branches: [UUID: [Head]] = [:]

    public init(_ last: [UUID: Int] = [:]) { self.last = last.filter { $0.value > 0 } }

    /// The number of a replica's last record; 0 if none is known. Setting it removes checksum and other branches.
    public subscript(replica: UUID) -> Int {
        get { last[replica] ?? 0 }
        set { setHeads(newValue > 0 ? [Head(number: newValue, crc: 0)] : [], of: replica) }
    }

    /// The last records of all branches of a replica, the greatest number first.
    public func heads(of replica: UUID) -> [Head] {
        guard let number = last[replica] else { return [] }
        let first = Head(number: number, crc: crcs[replica] ?? 0)
        guard !branches.isEmpty, let others = branches[replica] else { return [first] }
        return [first] + others
    }

    mutating func setHead(_ head: Head, of replica: UUID) {
        last[replica] = head.number
        crcs[replica] = head.crc == 0 ? nil : head.crc
        if !branches.isEmpty { branches[replica] = nil }
    }

    public mutating func setHeads(_ heads: [Head], of replica: UUID) {
        let sorted = heads.sorted { ($0.number, $0.crc) > ($1.number, $1.crc) }
        guard let first = sorted.first else {
            last[replica] = nil
            crcs[replica] = nil
            branches[replica] = nil
            return
        }
        setHead(first, of: replica)
        if sorted.count > 1 { branches[replica] = Array(sorted.dropFirst()) }
    }

    /// Adds the last record of a branch, which may be a known one.
    public mutating func add(_ head: Head, of replica: UUID) {
        let known = heads(of: replica)
        if !known.contains(head) { setHeads(known + [head], of: replica) }
    }

    /// Whether it has the checksum of each record that it names.
    public var hasAllCrcs: Bool { crcs.count == last.count }

    /// Whether it covers every number of the other one.
    public func covers(_ other: Vector) -> Bool {
        for (replica, number) in other.last where number > self[replica] { return false }
        return true
    }

    /// Whether it names every last record of another vector; a number without a checksum names all up to it.
    public func names(_ other: Vector) -> Bool {
        other.last.keys.allSatisfy { replica in
            let mine = heads(of: replica)
            return other.heads(of: replica).allSatisfy { head in
                mine.contains { $0 == head || $0.number >= head.number && ($0.crc == 0 || head.crc == 0) }
            }
        }
    }

    /// The greater number of each replica.
    public func joined(with other: Vector) -> Vector {
        Vector(last.merging(other.last) { max($0, $1) })
    }

    /// The number of records of all replicas here that the other lacks, by numbers.
    public func recordCount(beyond other: Vector) -> Int {
        var count = 0
        for (replica, number) in last { count += max(number - other[replica], 0) }
        return count
    }

    // MARK: JSON

    /// `{"replica":n,…}`, by replica.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        for (replica, number) in last.sorted(by: { $0.key < $1.key }) {
            writer.key(text: replica.text)
            writer.integer(number)
        }
        writer.endObject()
    }

    /// Adds `"sawCrc":{replica:crc}`, and for branches `"sawAlso":{replica:["n/crc"]}`, to an object; nothing without
    /// known checksums.
    public func writeCrcs(to writer: inout JSONWriter) {
        if !crcs.isEmpty {
            writer.key("sawCrc")
            writer.beginObject()
            for (replica, crc) in crcs.sorted(by: { $0.key < $1.key }) {
                writer.key(text: replica.text)
                writer.string(Seal.text(crc))
            }
            writer.endObject()
        }
        if branches.isEmpty { return }
        writer.key("sawAlso")
        writer.beginObject()
        for (replica, heads) in branches.sorted(by: { $0.key < $1.key }) {
            writer.key(text: replica.text)
            writer.beginArray()
            for head in heads { writer.string("\(head.number)/\(Seal.text(head.crc))") }
            writer.endArray()
        }
        writer.endObject()
    }

    /// Reads the next value; nil if it is no vector.
    init?(_ reader: inout JSONReader) {
        var last: [UUID: Int] = [:]
        guard reader.enterObject() else { return nil }
        while let key = reader.nextKey() {
            guard let replica = key.withDecoded({ UUID($0) }), let number = reader.number()?.integer, number >= 0,
                number <= Record.numberMax
            else { return nil }
            last[replica] = number
        }
        self.init(last)
    }

    /// Reads a validated text.
    public init?(_ text: ValidJSON) {
        var reader = JSONReader(text)
        self.init(&reader)
    }

    /// Reads the member `sawCrc`. Invalid values are ignored, as if an older host had written them.
    mutating func readCrcs(_ reader: inout JSONReader) {
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            let value = JSONValue(reader.skip()).string.flatMap { Seal.crc($0) }
            guard let replica = key.withDecoded({ UUID($0) }), let value, last[replica] != nil else { continue }
            crcs[replica] = value
        }
    }

    /// Reads the member `sawAlso`.
    mutating func readBranches(_ reader: inout JSONReader) {
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            let value = JSONValue(reader.skip())
            guard let replica = key.withDecoded({ UUID($0) }) else { continue }
            for text in value.array ?? [] {
                let parts = (text.string ?? "").split(separator: "/")
                guard parts.count == 2, let number = Int(parts[0]), number > 0, number <= Record.numberMax,
                    let crc = Seal.crc(String(parts[1]))
                else { continue }
                add(Head(number: number, crc: crc), of: replica)
            }
        }
    }

    /// Reads the members `saw`, `sawCrc` and `sawAlso` of a validated object, in any place.
    public init(members text: ValidJSON, _ name: StaticString = "saw") {
        self.init()
        var (crcs, branches): (ValidJSON?, ValidJSON?)
        var reader = JSONReader(text)
        guard reader.enterObject() else { return }
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals(name) {
                if let vector = Vector(value) { self = vector }
            } else if key.equals("sawCrc") {
                crcs = value
            } else if key.equals("sawAlso") {
                branches = value
            }
        }
        add(crcs: crcs, branches: branches)
    }

    /// Adds the members `sawCrc` and `sawAlso`.
    public mutating func add(crcs: ValidJSON?, branches: ValidJSON?) {
        if let crcs {
            var reader = JSONReader(crcs)
            readCrcs(&reader)
        }
        if let branches {
            var reader = JSONReader(branches)
            readBranches(&reader)
        }
    }
}
