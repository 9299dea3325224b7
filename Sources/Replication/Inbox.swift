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

    /// Takes the next record that may be applied to what is known; nil where none may.
    public mutating func next(after vector: Vector) -> Record? {
        for (replica, records) in waiting {
            guard let record = records[vector[replica] + 1], record.follows(vector) else { continue }
            take(record)
            return record
        }
        return nil
    }

    /// Takes the next record of any replica, whatever it saw.
    package mutating func nextOfReplica(after vector: Vector) -> Record? {
        for (replica, records) in waiting {
            guard let record = records[vector[replica] + 1] else { continue }
            take(record)
            return record
        }
        return nil
    }

    /// Forgets what is known by now.
    public mutating func drop(upTo vector: Vector) {
        for (replica, records) in waiting {
            let rest = records.filter { $0.key > vector[replica] }
            waiting[replica] = rest.isEmpty ? nil : rest
        }
    }

    private mutating func take(_ record: Record) {
        waiting[record.replica]?[record.number] = nil
        if waiting[record.replica]?.isEmpty == true { waiting[record.replica] = nil }
    }
}
