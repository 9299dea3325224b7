/// The whole check, see `Verification`.
extension StoreFiles {
    /// Reads snapshot and journals, changes nothing, and needs no open store: the store may be impossible to open.
    ///
    /// It reads and counts the state of one commit: `examination.revisionMax`, if set. Later lines are only checked for
    /// damage.
    ///
    /// Complexity: linear in the size of the store, in memory for the ids of all records.
    /// - Throws: `cancelled` only.
    public static func verify(
        _ settings: StoreSettings, _ examination: RecordExamination
    ) throws(StorageError) -> VerifyReport {
        let report = Verification.run(settings, examination)
        if examination.isCancelled() { throw .cancelled }
        return report
    }
}

/// The result of `StoreFiles.verify`.
public struct VerifyReport: Sendable, Equatable {
    public struct Problem: Sendable, Equatable {
        public var kind: Kind
        /// The name of the file in the store's directory.
        public var file: String
        /// The offset in bytes.
        public var offset: Int
        /// A sentence for people.
        public var reason: String

        public init(_ kind: Kind, file: String, offset: Int, reason: String) {
            self.kind = kind
            self.file = file
            self.offset = offset
            self.reason = reason
        }
    }

    /// The kind of a problem; each has another remedy.
    public enum Kind: String, Sendable, CaseIterable {
        /// The snapshot is a whole store, but another program changed it. `StoreFiles.accept` accepts it.
        case edited
        /// A committed value is lost or changed. `StoreFiles.salvage` saves the rest.
        case damaged
        /// Bytes that were never acknowledged; the next opening for writing sets them aside.
        case unfinished
        /// A missing file.
        case missing
        /// A file or directory that is unreadable, or of the wrong kind.
        case unreadable
        /// The snapshot is of another schema version.
        case version
        /// A reset was interrupted; the next one continues it.
        case interrupted
    }

    public var isWhole: Bool { problems.isEmpty }
    /// Number of records read, in the snapshot and in the journals.
    public var records: Int
    /// Number of records in the snapshot, if it is later than the requested commit.
    public var laterRecords: Int?
    /// Number of bytes read.
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
