/// The whole check; `Verification` has it.
extension StoreFiles {
    /// Reads snapshot and journals, changes nothing, and needs no open store: it may be one that cannot be opened.
    ///
    /// What is read and counted is the state of one commit: `examination.revisionMax`, where there is one. Later lines are only
    /// looked at for damage.
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

/// What `StoreFiles.verify` found.
public struct VerifyReport: Sendable, Equatable {
    public struct Problem: Sendable, Equatable {
        public var kind: Kind
        /// The name of the file in the store's directory.
        public var file: String
        /// Where in it, in bytes.
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

    /// What sort of problem it is, because each is mended in another way.
    public enum Kind: String, Sendable, CaseIterable {
        /// The snapshot is a whole store, but not as it was written: somebody changed it. `StoreFiles.accept` seals it.
        case edited
        /// Something that was committed is not there any more as it was written. `StoreFiles.salvage` saves the rest.
        case damaged
        /// Bytes that were never acknowledged; the next opening for writing puts them aside.
        case unfinished
        /// A file is not there.
        case missing
        /// A file or directory may not be read, or is not what it should be.
        case unreadable
        /// The snapshot is of another schema version.
        case version
        /// A reset was interrupted; it goes on where it was.
        case interrupted
    }

    public var isWhole: Bool { problems.isEmpty }
    /// The records that were read, in the snapshot and in the journals.
    public var records: Int
    /// How many records the state has, where the snapshot is later than the commit that was asked for: the snapshot's.
    public var laterRecords: Int?
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
