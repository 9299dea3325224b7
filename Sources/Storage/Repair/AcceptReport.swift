/// What `StoreFiles.accept` did with a snapshot.
public struct AcceptReport: Sendable, Equatable {
    /// False where nobody had edited it; nothing was changed then, and the rest says what is there.
    public var isAccepted: Bool
    /// The revision that the snapshot holds now.
    public var revision: Int
    /// The records of the new snapshot.
    public var records: Int
    /// The size of the new snapshot.
    public var bytes: Int
    /// Records of the edited file that were given members which they lacked.
    public var completed: Int
    /// Records of the edited file that a later commit of the journal replaced or removed.
    public var overtaken: Int
    /// The name of the file that keeps the snapshot as it was edited.
    public var backup: String?
}
