import JSONCodec

/// How far each replica's records are known: the number of its last record. (Lamport, Fidge, Mattern: a vector clock,
/// of which nobody counts for another.)
public struct Vector: Sendable, Equatable {
    public private(set) var last: [UUID: Int]

    public init(_ last: [UUID: Int] = [:]) { self.last = last.filter { $0.value > 0 } }

    /// The last record of a replica; 0 where none is known.
    public subscript(replica: UUID) -> Int {
        get { last[replica] ?? 0 }
        set { last[replica] = newValue > 0 ? newValue : nil }
    }

    /// Whether an operation is among the known records.
    func covers(_ id: OperationID) -> Bool { id.record <= self[id.replica] }

    /// Whether every record that the other one knows is known.
    public func covers(_ other: Vector) -> Bool {
        for (replica, number) in other.last where number > self[replica] { return false }
        return true
    }

    /// What either knows.
    public func joined(with other: Vector) -> Vector {
        Vector(last.merging(other.last) { max($0, $1) })
    }

    /// The sum of what is known of all replicas here and not there.
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

    /// Reads the value that comes next; nil where it is no vector.
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

    /// Reads a text that was validated.
    public init?(_ text: ValidJSON) {
        var reader = JSONReader(text)
        self.init(&reader)
    }
}
