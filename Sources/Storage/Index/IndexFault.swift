/// Why the index could not answer.
package enum IndexFault: Error {
    /// The index itself is damaged or cannot be read: it is thrown away and made anew. Nobody's data is concerned.
    case indexDamaged(reason: String)
    /// The snapshot cannot be read, or a record in it is not what the index saw.
    case snapshot(StorageError)
}

/// Why no index could be made of a snapshot.
package enum IndexBuildFault: Error {
    /// The snapshot cannot be read or is damaged, as `SnapshotReader` says.
    case snapshot(StorageError)
    /// The snapshot's checksum is wrong: somebody edited it. It can only be read, and as a whole.
    case edited(reason: String)
    /// A record at `offset` stands before one that it belongs behind, or there are more records than an index holds.
    case unsorted(offset: Int)
}
