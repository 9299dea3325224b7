import JSONCodec
import Replication

/// What is between the replicas: it keeps records and snapshots, and understands none.
struct SimulatedTransport {
    struct Kept {
        let lines: [[UInt8]]
        let vector: Vector
        /// The changes that it knows of.
        let known: Set<Int>
    }

    var records: [UUID: [Int: Record]] = [:]
    var last: [UUID: Int] = [:]
    var snapshots: [Kept] = []

    /// - Throws: where there would be a gap, or there is another record of this number.
    mutating func push(_ record: Record, isCopyPlanted: Bool) throws(SimulationFailure) {
        let last = last[record.replica] ?? 0
        if record.number > last + 1 { throw .broken("a gap") }
        if record.number == last + 1 {
            records[record.replica, default: [:]][record.number] = record
            self.last[record.replica] = record.number
        } else if let known = records[record.replica]?[record.number], known.line != record.line, !isCopyPlanted {
            throw .broken("another record of this number")
        }
    }

    mutating func put(_ snapshot: Kept, of replica: UUID) {
        snapshots.append(snapshot)
        let all = snapshots
        snapshots = all.enumerated().filter { index, one in
            !all.enumerated().contains { other, more in
                other != index && more.vector.covers(one.vector) && (more.vector != one.vector || other > index)
            }
        }.map(\.element)
        records[replica] = records[replica]?.filter { $0.key > snapshot.vector[replica] }
    }

    /// Loses the last record that a replica was told is there.
    mutating func loseLast(of replica: UUID) {
        guard let number = last[replica], records[replica]?.removeValue(forKey: number) != nil else { return }
        last[replica] = number - 1
    }
}

/// What went wrong so badly that the run could not go on.
enum SimulationFailure: Error {
    case broken(String)
}
