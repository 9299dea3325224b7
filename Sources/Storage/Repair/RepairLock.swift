import Platform

/// The lock that a repair holds from its first look to its last sync.
enum RepairLock {
    /// - Throws: `readOnly`, `busy`, `full` or `unavailable`; nothing was changed.
    static func take(_ place: borrowing StoreDirectory, _ settings: StoreSettings) throws(RepairError) -> FileLock {
        guard !settings.isReadOnly else {
            throw .storage(.readOnly(reason: "The store was opened read-only."))
        }
        do throws(FileLock.Failure) {
            return try FileLock.acquire(
                place.path(of: StoreDirectory.lockName), behind: place.path,
                timeoutMilliseconds: settings.lockTimeoutMilliseconds, in: settings.fileSystem)
        } catch {
            switch error {
            case .timedOut:
                throw .storage(StoreFiles.lockFailure(nil, place.path, settings))
            case .system(let error) where error.isNoPermission:
                throw .storage(.readOnly(reason: "The store in \(place.path) cannot be written: \(error)."))
            case .system(let error):
                throw .storage(StoreFiles.lockFailure(error, place.path, settings))
            }
        }
    }
}
