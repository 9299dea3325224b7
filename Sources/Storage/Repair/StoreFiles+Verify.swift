/// The whole check; `Verification` has it.
extension StoreFiles {
    /// Reads snapshot and journals again, changes nothing and takes no lock.
    ///
    /// Complexity: linear in the size of the store, in memory for the ids of all records.
    public func verify(_ examination: RecordExamination) -> VerifyReport {
        Verification.run(settings, isLocked: isLocked, examination)
    }

    /// The same for a store that is not open, perhaps because it cannot be opened.
    public static func verify(_ settings: StoreSettings, _ examination: RecordExamination) -> VerifyReport {
        Verification.run(settings, isLocked: false, examination)
    }
}
