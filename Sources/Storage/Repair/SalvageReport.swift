/// What `StoreFiles.salvage` saved.
public struct SalvageReport: Sendable, Equatable {
    /// The records of the new store.
    public var records: Int
    /// The size of its snapshot.
    public var bytes: Int
    /// The last commit of which anything was found; the new store counts on from there.
    public var revision: Int
    /// The files that were read, in the order in which they were applied, as names in the damaged directory.
    public var files: [String]
    /// Whether the checksum of the snapshot is right. Where it is not, any record from it may be another than was stored.
    public var isSnapshotSealed: Bool
    /// What was passed over, at most `VerifyReport.problemsMax`.
    public var skipped: [VerifyReport.Problem]
    /// How much was passed over in all.
    public var skippedCount: Int
}
