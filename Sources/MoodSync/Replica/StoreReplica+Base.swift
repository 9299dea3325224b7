import Replication

/// The base: the state of the store at one of its revisions.
extension StoreReplica {
    /// Keeps the present state of the store as the base, so that older records need not be read again.
    /// - Parameter text: the snapshot of the state, if it exists.
    func keepBase(_ text: [UInt8]? = nil) throws(SyncError) {
        try write(text ?? SnapshotText.text(fold, journal: file.journal), to: place.base)
        try others.keep(place.temporary) { !fold.known.contains($0.replica, $0.number, $0.crc) }
        try place.removeIfThere(place.joined)
    }

    func write(_ snapshot: [UInt8], to path: String) throws(SyncError) {
        try BaseFile.write(
            snapshot,
            .init(
                storeID: file.storeID, revision: moods.durableRevision, crc: crc(of: moods.durableRevision) ?? 0),
            to: path, by: place.temporary, in: place.fileSystem)
    }

    /// Keeps a base when enough records have come. It takes the lock.
    func rest() throws(SyncError) {
        guard others.records.count > max(1000, fold.count / 4) else { return }
        _ = try keepState()
    }

    /// Keeps the store's present state as the base. It takes the lock.
    /// - Returns: the commit of that state.
    func keepState() throws(SyncError) -> Int {
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        try keepBase()
        return moods.durableRevision
    }

    /// Forgets records that a snapshot on the other side covers.
    /// - Parameter text: the snapshot.
    func forgetOwn(coveredBy vector: Vector, _ text: [UInt8]) throws(SyncError) {
        // The base must hold them first, and the last record must stay: it names the recorded commits.
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        try keepBase(fold.vector == vector ? text : nil)
        for replica in Array(own.keys) {
            let last = own[replica]?.last?.number ?? 0
            try own[replica]?.keep(place.temporary) { $0.number > vector[replica] || $0.number == last }
        }
    }
}
