import JSONCodec
import Replication
import Seeds

/// The place between the replicas: files of records and one snapshot of each replica. All replicas share one, or each
/// machine has a copy, and another program carries the files between them.
final class SimulatedPlace {
    struct Snapshot {
        let text: [UInt8]
        let vector: Vector
        /// The changes that it covers.
        let known: Set<Int>
        var isReadable = true
        /// The id of its notes.
        let serial: Int
    }

    enum Content {
        case records([Int: Record])
        case snapshot(Snapshot?)
    }

    struct Name: Hashable, Comparable {
        let isSnapshot: Bool
        let replica: UUID

        static func < (a: Name, b: Name) -> Bool {
            a.isSnapshot != b.isSnapshot ? b.isSnapshot : a.replica < b.replica
        }
    }

    struct File {
        /// The number of writes of the file, by machine.
        var version: [Int: Int]
        var time: Int
        let serial: Int
        var content: Content
    }

    var files: [Name: File] = [:]
    let owner: Int

    init(owner: Int = 0) { self.owner = owner }

    func copy(owner: Int? = nil) -> SimulatedPlace {
        let place = SimulatedPlace(owner: owner ?? self.owner)
        place.files = files
        return place
    }

    func put(_ content: Content, _ replica: UUID, at now: Int, serial: Int) {
        let name: Name
        if case .records = content {
            name = Name(isSnapshot: false, replica: replica)
        } else {
            name = Name(isSnapshot: true, replica: replica)
        }
        var version = files[name]?.version ?? [:]
        version[owner, default: 0] += 1
        files[name] = File(version: version, time: now, serial: serial, content: content)
    }

    var records: [UUID: [Int: Record]] {
        var all: [UUID: [Int: Record]] = [:]
        for (name, file) in files {
            if case .records(let records) = file.content, !records.isEmpty { all[name.replica] = records }
        }
        return all
    }

    var snapshots: [UUID: Snapshot] {
        var all: [UUID: Snapshot] = [:]
        for (name, file) in files { if case .snapshot(let snapshot?) = file.content { all[name.replica] = snapshot } }
        return all
    }

    func last(of replica: UUID) -> Int {
        max(records[replica]?.keys.max() ?? 0, snapshots[replica]?.vector[replica] ?? 0)
    }

    /// Synchronizes two copies like another program, each file by itself: the later version wins, else the later file.
    func carry(_ other: SimulatedPlace, _ random: inout SeededRandom) {
        for name in Set(files.keys).union(other.files.keys).sorted() {
            if random.below(100) < 15 { continue }
            guard let a = files[name] ?? other.files[name], let b = other.files[name] ?? files[name] else { continue }
            if files[name] != nil, other.files[name] != nil {
                if a.serial == b.serial { continue }
            }
            let isLater = b.version.allSatisfy { a.version[$0.key] ?? 0 >= $0.value }
            let isEarlier = a.version.allSatisfy { b.version[$0.key] ?? 0 >= $0.value }
            var chosen =
                isLater && !isEarlier
                ? a
                : isEarlier && !isLater ? b : a.time != b.time ? (a.time > b.time ? a : b) : random.isOne(in: 2) ? a : b
            chosen.version = a.version.merging(b.version) { max($0, $1) }
            files[name] = chosen
            other.files[name] = chosen
        }
    }
}

/// A failure that ends the run, or the end of a process.
enum SimulationFailure: Error {
    case broken(String)
    case crash
}
