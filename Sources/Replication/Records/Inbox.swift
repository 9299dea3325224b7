import JSONCodec

/// Records that have come and are not applied, in any order, possibly duplicated.
public struct Inbox: Sendable {
    private var waiting: [UUID: [Int: [Record]]] = [:]
    /// Numbers at which another record is known: there another branch begins or goes on.
    private var branching: [UUID: Set<Int>] = [:]

    public init() {}

    public var isEmpty: Bool { waiting.isEmpty }
    public var count: Int { waiting.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.count } } }

    public mutating func add(_ record: Record) {
        let others = waiting[record.replica]?[record.number] ?? []
        // A known record may have come with another checksum.
        if others.contains(where: { $0.crc == record.crc }) { return }
        waiting[record.replica, default: [:]][record.number] = others + [record]
    }

    /// Takes the next record that is applicable to the fold, of the least replica that has one; nil if none is.
    public mutating func next(after fold: Fold) -> Record? {
        takeLeast(after: fold.known) { fold.isTurn(of: $0) }
    }

    mutating func next(after fold: Fold, where isDue: (Record) -> Bool) -> Record? {
        takeLeast(after: fold.known) { isDue($0) && fold.isTurn(of: $0) }
    }

    /// Takes the next record of any replica, whatever it saw.
    package mutating func nextOfReplica(after fold: Fold) -> Record? {
        takeLeast(after: fold.known) {
            !fold.known.contains($0.replica, $0.number, $0.crc) && fold.known.branch(before: $0) != nil
        }
    }

    /// Notes that another record than the waiting ones of its number is known.
    mutating func note(_ record: Record) {
        if waiting[record.replica]?[record.number] != nil {
            branching[record.replica, default: []].insert(record.number)
        }
    }

    /// Removes records that are known by now.
    public mutating func drop(knownTo fold: Fold) {
        branching = [:]
        for (replica, records) in waiting {
            let end = fold.vector[replica]
            var rest: [Int: [Record]] = [:]
            for (number, all) in records {
                let unknown = all.filter { !fold.known.contains(replica, number, $0.crc) }
                if !unknown.isEmpty { rest[number] = unknown }
                if !unknown.isEmpty, number <= end { branching[replica, default: []].insert(number) }
            }
            waiting[replica] = rest.isEmpty ? nil : rest
        }
    }

    /// Passes each waiting record to `body`.
    public func forEach(_ body: (Record) -> Void) {
        for records in waiting.values { for all in records.values { all.forEach(body) } }
    }

    /// Takes the record of the least replica. Choosing the replica makes histories reproducible, whatever the order of
    /// a dictionary.
    private mutating func takeLeast(after known: Known, where mayBeApplied: (Record) -> Bool) -> Record? {
        var least: Record?
        for (replica, records) in waiting where least.map({ replica < $0.replica }) ?? true {
            let branches = known.branches[replica] ?? []
            var numbers = branching[replica] ?? []
            for branch in branches { numbers.insert(branch.count + 1) }
            if branches.isEmpty { numbers.insert(1) }
            for number in numbers.sorted() {
                guard let record = records[number]?.filter(mayBeApplied).min(by: { $0.crc < $1.crc }) else { continue }
                least = record
                break
            }
        }
        guard let least else { return nil }
        let rest = waiting[least.replica]?[least.number]?.filter { $0.crc != least.crc } ?? []
        waiting[least.replica]?[least.number] = rest.isEmpty ? nil : rest
        // The remaining records begin another branch there.
        if !rest.isEmpty { branching[least.replica, default: []].insert(least.number) }
        if waiting[least.replica]?.isEmpty == true { waiting[least.replica] = nil }
        return least
    }
}
