/// What the lines of commits say besides what they change.
extension RecordStore {
    /// How many of the records that a commit clears its line names.
    static let clearedIDsMax = 100
}

extension RecordTable {
    /// The ids of the last records in time, the newest first.
    mutating func newestIDs(_ limit: Int) -> [RecordID] {
        var ids: [RecordID] = []
        walk(.time, isDescending: true, behind: nil) { slot in
            ids.append(slot.head.id)
            return ids.count < limit
        }
        return ids
    }
}
