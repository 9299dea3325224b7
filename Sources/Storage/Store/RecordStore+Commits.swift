/// What the lines of commits say besides what they change.
extension RecordStore {
    /// The ids of the last records in time, the newest first; fewer where the snapshot cannot be read.
    mutating func newestIDs(_ limit: Int) -> [RecordID] {
        var ids: [RecordID] = []
        do throws(StorageError) {
            try walk(.time, isDescending: true, behind: nil) { record in
                ids.append(record.head.id)
                return ids.count < limit
            }
        } catch {
            // The line says how many there were, and names those that could be read.
        }
        return ids
    }
}
