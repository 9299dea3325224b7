/// Why a store was not mended.
public enum RepairError: Error, Sendable, Equatable {
    case storage(StorageError)
    /// It cannot be done as things are, and nothing was changed. `problems`: what is wrong with an edited snapshot, at
    /// most `VerifyReport.problemsMax`.
    case refused(reason: String, problems: [Problem])

    /// Something in a file that a person has edited.
    public struct Problem: Sendable, Equatable {
        public var file: String
        /// In bytes.
        public var offset: Int
        /// From 1.
        public var line: Int
        public var reason: String
    }
}
