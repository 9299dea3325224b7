import Replication

/// The base: what the store held at one of its revisions.
extension StoreReplica {
    /// Keeps what the store holds now as the base, so that older records need not be read again.
    /// - Parameter text: the snapshot of that, where it is there.
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

    /// Keeps a base, with the lock.
    func rest() throws(SyncError) {
        guard others.records.count > max(1000, fold.count / 4) else { return }
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        try keepBase()
    }

    /// Forgets records that a snapshot on the other side covers.
    /// - Parameter text: the snapshot.
    func forgetOwn(coveredBy vector: Vector, _ text: [UInt8]) throws(SyncError) {
        // The base has to hold them first, and the last one tells which commits are recorded.
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
