/// What the commit that is open, or ended last, did to which records: for whoever tells others of it before it is durable,
/// and so before it can be read again.
///
/// Changes are named in the order in which a `Commit` of the journal has them, and at most `namesMax` of them.
public struct CommitSummary: Sendable {
    public struct Change: Sendable, Equatable {
        public let kind: UndoneCommit.Kind
        public let id: RecordID
    }

    public static let namesMax = 100

    /// The commit's revision; 0 where none has been noted.
    public private(set) var revision = 0
    /// How many records it changed.
    public private(set) var count = 0
    public private(set) var changes: [Change] = []

    mutating func begin(_ revision: Int) {
        self.revision = revision
        count = 0
        changes.removeAll(keepingCapacity: true)
    }

    mutating func note(_ kind: UndoneCommit.Kind, _ id: RecordID) {
        count += 1
        if changes.count < Self.namesMax { changes.append(Change(kind: kind, id: id)) }
    }

    /// All records were removed; `first` names the newest of them.
    mutating func noteCleared(count: Int, first: [RecordID]) {
        self.count += count
        for id in first where changes.count < Self.namesMax { changes.append(Change(kind: .deleted, id: id)) }
    }
}
