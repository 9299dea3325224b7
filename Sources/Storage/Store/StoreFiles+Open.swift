import JSONCodec
import Platform

/// Opening: load, judge, and where the end is unclean begin the next journal.
///
/// A new store is made only where snapshot, journals and backups are all missing, or where nothing is there but the
/// blank first journal of a creation that was interrupted, and only for a change: who reads makes nothing. A snapshot of an earlier schema version is migrated; where
/// that cannot be written, in memory (`OlderDocument`). Whatever else is missing, empty or unreadable stays as it
/// is. Opening and reading a clean store writes nothing.
extension StoreFiles {
    /// Opens the store of the settings, makes it where there is none, and hands over what it holds, in order.
    ///
    /// `load` answers nil, or what is wrong with a record. Where the directory or the file system cannot be written,
    /// or a person edited the snapshot, or acknowledged data is damaged, the store is opened to be read, as far as it is
    /// whole, and `refusal` says why. The lock is not held afterwards.
    /// - Parameter extractor: with one, the snapshot is not handed over but left to its index (`takeIndex`), if it has one
    ///   or one can be made.
    public static func open(
        _ settings: StoreSettings, _ extractor: RecordExtractor? = nil, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        try open(StoreDirectory.make(settings), settings, extractor, mayBegin: true, load)
    }

    /// The same for a store that is there; nil where there is none, and then nothing is made, not even the directory.
    public static func openIfThere(
        _ settings: StoreSettings, _ extractor: RecordExtractor? = nil, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles? {
        guard let place = try StoreDirectory.openIfThere(settings), try hasStore(place) else { return nil }
        return try open(place, settings, extractor, mayBegin: false, load)
    }

    /// - Returns: false where a new store may begin.
    /// - Throws: where there is no snapshot and yet something that speaks of a store.
    static func hasStore(_ place: borrowing StoreDirectory) throws(StorageError) -> Bool {
        let inventory: StoreInventory
        do throws(SystemError) {
            if try place.status(of: StoreDirectory.snapshotName) != nil { return true }
            inventory = try place.inventory()
        } catch {
            throw .reading(error, place.path)
        }
        if inventory.hasSnapshot { return true }
        try checkIsNew(inventory, place)
        return false
    }

    /// - Parameter mayBegin: whether a new store begins where there is none; else it was there a moment ago.
    static func open(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?, mayBegin: Bool,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        if settings.isReadOnly {
            return try openToRead(
                place, settings, extractor, nil, .readOnly(reason: "The store was opened read-only."), load)
        }
        var lock: TurnLock
        do throws(SystemError) {
            lock = try TurnLock(of: place, settings)
        } catch {
            return try openWithoutLock(place, settings, extractor, error, load)
        }
        // A store that is there is read at once, whoever is at work on it: that one has judged its end. What cannot be looked
        // at is opened with the lock, and that says what is wrong.
        let isThere = (try? place.status(of: StoreDirectory.snapshotName)).flatMap { $0 } != nil
        do throws(FileLock.Failure) {
            try lock.acquire(timeoutMilliseconds: isThere ? 0 : settings.lockTimeoutMilliseconds, settings.lockWait)
        } catch {
            switch error {
            case .timedOut where isThere: return try openToRead(place, settings, extractor, lock, nil, load)
            case .timedOut: throw lockFailure(nil, place.path, settings)
            case .system(let error): return try openWithoutLock(place, settings, extractor, error, load)
            }
        }
        let hold = try lock.holdJournals(place, settings)
        if mayBegin, try !hasStore(place) { return try begin(place, lock, settings) }
        var files = try openToWrite(place, lock, hold, settings, extractor, load)
        files.unlock()
        return files
    }

    private static func openWithoutLock(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?,
        _ error: SystemError, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        guard error.isNoPermission else { throw lockFailure(error, place.path, settings) }
        let refusal = StorageError.readOnly(reason: "The store in \(place.path) cannot be written: \(error).")
        return try openToRead(place, settings, extractor, nil, refusal, load)
    }

    /// - Parameter error: nil where the time was over.
    static func lockFailure(_ error: SystemError?, _ path: String, _ settings: StoreSettings) -> StorageError {
        guard let error else {
            return .busy(
                reason: "Another process is changing the store in \(path); it held the lock for"
                    + " \(settings.lockTimeoutMilliseconds) ms. Try again.")
        }
        if error.isNoSpace {
            return .full(reason: "The lock file in \(path) cannot be made: \(error). Free some space.")
        }
        return .unavailable(
            reason: "The store in \(path) cannot be locked: \(error).",
            advice: "Check who may use it, and that its file system has locks.")
    }

    /// Who cannot write, and finds nobody writing, judges the end itself, in memory: the lock file is never synced, and may
    /// say too little after a power cut. Who can write leaves that to the moment when it has the lock.
    /// - Parameter refusal: why it is only read; nil where it may be written later, with the lock.
    static func openToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?,
        _ lock: consuming TurnLock?, _ refusal: StorageError?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var refusal = refusal
        let turn = judge(place, settings, mayWrite: lock != nil, &refusal)
        let isLocked = turn != nil
        defer { extendLifetime(turn) }
        let loading: Loading
        var isUntouched = true
        do {
            loading = try Loading(place, settings, extractor, isLocked: isLocked) {
                isUntouched = false
                return load($0)
            }
        } catch {
            if let upgrade = settings.upgrade, upgrade.isMeant(by: error, in: place) {
                return try openToReadUpgraded(
                    place, settings, upgrade, lock, refusal, isLocked: isLocked, load)
            }
            if let older = try OlderDocument(meantBy: error, in: place, settings) {
                return try older.openedToRead(place, settings, lock, refusal, load)
            }
            // What was handed over once must not come again: nobody could tell it from what the journals say of it.
            guard isUntouched else { throw error }
            loading = try Loading(place, settings, extractor, isLocked: isLocked, load)
        }
        let weightier = loading.refusal ?? refusal
        return try loading.openedToRead(place, settings, lock, weightier, load)
    }

    /// What keeps writers away while somebody judges the end in memory.
    private struct Turn: ~Copyable {
        let lock: File
        let journals: JournalHold
    }

    private static func judge(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings, mayWrite: Bool, _ refusal: inout StorageError?
    ) -> Turn? {
        if mayWrite { return nil }
        do throws(SystemError) {
            // The journals after the lock, as a writer does.
            guard let lock = try place.lockShared(),
                let journals = try JournalHold(place, isShared: true, settings)
            else { return nil }
            return Turn(lock: lock, journals: journals)
        } catch {
            // Where there is none, nobody writes.
            guard error.code != ENOENT, case .readOnly(let reason)? = refusal else { return nil }
            refusal = .readOnly(
                reason: "\(reason) Whether its last commits were acknowledged cannot be told, and what others commit is"
                    + " not seen: \(error).")
            return nil
        }
    }

    /// With the lock and all journals held: judges the end, and goes on after it.
    static func openToWrite(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ hold: consuming JournalHold,
        _ settings: StoreSettings, _ extractor: RecordExtractor?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        guard try hasStore(place) else { throw gone(place.path) }
        let loading: Loading
        var isUntouched = true
        do {
            loading = try Loading(place, settings, extractor, isLocked: true) {
                isUntouched = false
                return load($0)
            }
        } catch {
            if let upgrade = settings.upgrade, upgrade.isMeant(by: error, in: place) {
                return try openUpgraded(place, lock, hold, settings, upgrade, extractor, load)
            }
            if let older = try OlderDocument(meantBy: error, in: place, settings) {
                do throws(StorageError) {
                    try older.replace(in: place, settings)
                } catch {
                    return try older.openedToRead(place, settings, lock, error, load)
                }
            }
            guard isUntouched else { throw error }
            loading = try Loading(place, settings, extractor, isLocked: true, load)
        }
        if let refusal = loading.refusal { return try loading.openedToRead(place, settings, lock, refusal, load) }
        return try loading.openedToWrite(place, lock, hold, settings, extractor, load)
    }

    /// Throws where there is no snapshot and yet something that speaks of a store.
    private static func checkIsNew(
        _ inventory: StoreInventory, _ place: borrowing StoreDirectory
    ) throws(StorageError) {
        if let name = inventory.unfinishedResets.first {
            throw .unavailable(
                reason: "A reset of \(place.path) was interrupted; a part of its files is in \(name).",
                advice: "Reset the store again (mood store reset --yes), which goes on where it was.")
        }
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

    private static func begin(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ settings: StoreSettings
    ) throws(StorageError) -> StoreFiles {
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: settings.makeIdentifier(), generation: 1, revision: 0,
            count: 0)
        do {
            try place.syncAncestors()
        } catch {
            throw .writing(error, place.path)
        }
        let made: Generation.Made
        do {
            made = try Generation.make(
                header, backupOf: nil, carrying: nil, at: settings.timestamp(), in: place, settings
            ) { _ in }
        } catch {
            throw error.error
        }
        let size = made.journalSize
        var files = StoreFiles(
            settings, place, header, revision: 0, syncedRevision: 0, snapshotBytes: made.snapshotBytes, lock: lock)
        files.journal.open(made.takeJournal(), header.generation, end: size, isWritable: true, isHeld: true)
        files.noteOwnSnapshot(published: [])
        files.publishAtOpening()
        files.unlock()
        return files
    }
}
