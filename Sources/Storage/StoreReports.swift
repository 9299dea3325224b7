/// What `StoreFiles.rewrite` did.
public struct RewriteReport: Sendable, Equatable {
    /// The generation of the new snapshot.
    public var generation: Int
    public var revision: Int
    public var records: Int
    /// The size of the new snapshot.
    public var snapshotBytes: Int
    /// The name of the file that keeps the previous snapshot, where there was one.
    public var backup: String?

    public init(generation: Int, revision: Int, records: Int, snapshotBytes: Int, backup: String?) {
        self.generation = generation
        self.revision = revision
        self.records = records
        self.snapshotBytes = snapshotBytes
        self.backup = backup
    }
}

/// What `StoreFiles.verify` found.
public struct VerifyReport: Sendable, Equatable {
    public struct Problem: Sendable, Equatable {
        /// The name of the file in the store's directory.
        public var file: String
        /// Where in it, in bytes.
        public var offset: Int
        public var reason: String

        public init(file: String, offset: Int, reason: String) {
            self.file = file
            self.offset = offset
            self.reason = reason
        }
    }

    public var isWhole: Bool { problems.isEmpty }
    /// The records that were read, in the snapshot and in the journals.
    public var records: Int
    /// The bytes that were read.
    public var bytes: Int
    /// At most `problemsMax`.
    public var problems: [Problem]

    public static let problemsMax = 100

    public init(records: Int, bytes: Int, problems: [Problem]) {
        self.records = records
        self.bytes = bytes
        self.problems = problems
    }
}
