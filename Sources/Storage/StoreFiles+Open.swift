import JSONCodec
import Platform

/// Opening: load, judge, and where the end is unclean begin the next journal.
///
/// A new store is made only where snapshot, journals and backups are all missing, or where nothing is there but the
/// blank first journal of a creation that was interrupted. Whatever else is missing, empty or unreadable stays as it
/// is. Opening and reading a clean store writes nothing.
extension StoreFiles {
    /// Opens the store of the settings, hands over what it holds in order, and takes its lock.
    ///
    /// `load` answers nil, or what is wrong with a record. Where the directory or the file system cannot be written,
    /// or a person edited the snapshot, or acknowledged data is damaged, the store is opened to be read, as far as it is
    /// whole, and `refusal` says why.
    public static func open(
        _ settings: StoreSettings, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let place = try StoreDirectory(settings)
        if settings.isReadOnly {
            return try openToRead(place, settings, .readOnly(reason: "The store was opened read-only."), load)
        }
        let lock: FileLock
        do {
            lock = try FileLock.acquire(
                place.path(of: StoreDirectory.lockName), timeoutMilliseconds: settings.lockTimeoutMilliseconds,
                in: settings.fileSystem)
        } catch {
            switch error {
            case .timedOut:
                throw .busy(
                    reason: "Another process has the store in \(place.path) open for writing; it held the lock for"
                        + " \(settings.lockTimeoutMilliseconds) ms. Try again.")
            case .system(let error) where error.isNoPermission:
                let refusal = StorageError.readOnly(
                    reason: "The store in \(place.path) cannot be written: \(error).")
                return try openToRead(place, settings, refusal, load)
            case .system(let error) where error.isNoSpace:
                throw .full(reason: "The lock file in \(place.path) cannot be made: \(error). Free some space.")
            case .system(let error):
                throw .unavailable(
                    reason: "The store in \(place.path) cannot be locked: \(error).",
                    advice: "Check who may use it, and that its file system has locks.")
            }
        }
        return try openToWrite(place, lock, settings, load)
    }

    private static func openToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ refusal: StorageError,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let loading = try Loading(place, settings, isLocked: false, load)
        let weightier = loading.refusal ?? refusal
        return try loading.openedToRead(place, settings, weightier, load)
    }

    private static func openToWrite(
        _ place: consuming StoreDirectory, _ lock: consuming FileLock, _ settings: StoreSettings,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let inventory: StoreInventory
        do {
            inventory = try place.inventory()
        } catch {
            throw .reading(error, place.path)
        }
        if !inventory.hasSnapshot {
            try checkIsNew(inventory, place)
            return try create(place, lock, settings)
        }
        let loading = try Loading(place, settings, isLocked: true, load)
        if let refusal = loading.refusal { return try loading.openedToRead(place, settings, refusal, load) }
        return try loading.openedToWrite(place, lock, settings, load)
    }

    /// Throws where there is no snapshot and yet something that speaks of a store.
    private static func checkIsNew(
        _ inventory: StoreInventory, _ place: borrowing StoreDirectory
    ) throws(StorageError) {
        var isUnfinished = inventory.journals.isEmpty
        if inventory.journals == [1] {
            do {
                let journals = try OpenJournals([1], in: place)
                isUnfinished = journals.entries.allSatisfy { $0.isBlank && $0.header?.baseRevision == 0 }
            } catch {
                throw .reading(error, StoreInventory.journalName(1))
            }
        }
        guard inventory.backups.isEmpty, isUnfinished else {
            let found =
                inventory.journals.map { StoreInventory.journalName($0) }
                + inventory.backups.map { StoreInventory.backupName($0) }
            throw .unavailable(
                reason: "moods.json is missing in \(place.path), but there are \(found.joined(separator: ", ")).",
                advice: "Put moods.json back, for instance from the newest backup with its journals.")
        }
    }

    private static func create(
        _ place: consuming StoreDirectory, _ lock: consuming FileLock, _ settings: StoreSettings
    ) throws(StorageError) -> StoreFiles {
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: settings.makeIdentifier(), generation: 1, revision: 0,
            count: 0)
        let made: Generation.Made
        do {
            made = try Generation.make(header, backupOf: nil, at: settings.timestamp(), in: place, settings) { _ in }
        } catch {
            throw error.error
        }
        let size = made.journalSize
        var files = StoreFiles(
            settings, place, header, revision: 0, syncedRevision: 0, snapshotBytes: made.snapshotBytes, lock: lock,
            journal: made.takeJournal())
        files.journalEnd = size
        files.journalSize = size
        files.publishAtOpening()
        return files
    }
}
