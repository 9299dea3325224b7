/// The whole check; `Verification` has it.
extension StoreFiles {
    /// Reads snapshot and journals, changes nothing, and needs no open store: it may be one that cannot be opened.
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
