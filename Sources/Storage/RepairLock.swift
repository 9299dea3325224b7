import Platform

/// The lock that a repair holds from its first look to its last sync.
enum RepairLock {
    /// - Throws: `readOnly`, `busy`, `full` or `unavailable`; nothing was changed.
    static func take(_ place: borrowing StoreDirectory, _ settings: StoreSettings) throws(RepairError) -> FileLock {
        guard !settings.isReadOnly else {
            throw .storage(.readOnly(reason: "The store was opened read-only."))
        }
        do {
            return try FileLock.acquire(
                place.path(of: StoreDirectory.lockName), timeoutMilliseconds: settings.lockTimeoutMilliseconds,
                in: settings.fileSystem)
        } catch {
            throw .storage(explained(error, place.path, settings))
        }
    }

    private static func explained(
        _ failure: FileLock.Failure, _ path: String, _ settings: StoreSettings
    ) -> StorageError {
        switch failure {
        case .timedOut:
            .busy(
                reason: "Another process has the store in \(path) open for writing; it held the lock for"
                    + " \(settings.lockTimeoutMilliseconds) ms. End it, then try again.")
        case .system(let error) where error.isNoPermission:
            .readOnly(reason: "The store in \(path) cannot be written: \(error).")
        case .system(let error) where error.isNoSpace:
            .full(reason: "The lock file in \(path) cannot be made: \(error). Free some space.")
        case .system(let error):
            .unavailable(
                reason: "The store in \(path) cannot be locked: \(error).",
                advice: "Check who may use it, and that its file system has locks.")
        }
    }
}
