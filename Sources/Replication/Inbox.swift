import JSONCodec

/// Records that came and were not applied, in any order and perhaps twice.
public struct Inbox: Sendable {
    private var waiting: [UUID: [Int: Record]] = [:]

    public init() {}

    public var isEmpty: Bool { waiting.isEmpty }
    public var count: Int { waiting.values.reduce(0) { $0 + $1.count } }

    public mutating func add(_ record: Record) {
        waiting[record.replica, default: [:]][record.number] = record
    }

    /// Takes the next record that may be applied to what is known, of the least replica that has one; nil where none may.
    public mutating func next(after vector: Vector) -> Record? {
        takeLeast(after: vector) { $0.follows(vector) }
    }

    /// Takes the next record of any replica, whatever it saw.
    package mutating func nextOfReplica(after vector: Vector) -> Record? { takeLeast(after: vector) { _ in true } }

    /// Forgets what is known by now.
    public mutating func drop(upTo vector: Vector) {
        for (replica, records) in waiting {
            let rest = records.filter { $0.key > vector[replica] }
            waiting[replica] = rest.isEmpty ? nil : rest
        }
    }

    /// Not of any replica: so a history is the same again, whatever the order of a dictionary is.
    private mutating func takeLeast(after vector: Vector, where mayBeApplied: (Record) -> Bool) -> Record? {
        var least: Record?
        for (replica, records) in waiting where least.map({ replica < $0.replica }) ?? true {
            if let record = records[vector[replica] + 1], mayBeApplied(record) { least = record }
        }
        guard let least else { return nil }
        waiting[least.replica]?[least.number] = nil
        if waiting[least.replica]?.isEmpty == true { waiting[least.replica] = nil }
        return least
    }
}
