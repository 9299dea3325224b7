import JSONCodec
import Platform

/// Opening: load, judge, and after an unclean end begin the next journal.
///
/// A new store is made only for a change, and only if snapshot, journals and backups are all missing, or if there is
/// only the blank first journal of an interrupted creation. Reading makes nothing. A snapshot of an earlier schema
/// version is migrated; if it cannot be written, in memory (`OlderDocument`). Anything else that is missing, empty or
/// unreadable stays as it is. Opening and reading a clean store writes nothing.
extension StoreFiles {
    /// Opens the store of the settings, creates a missing one, and passes its content to `load`, in order.
    ///
    /// `load` returns nil, or the fault of a record. If the directory or the file system is not writable, a person
    /// edited the snapshot, or acknowledged data is damaged, the store is opened for reading, as far as it is whole,
    /// and `refusal` says why. The lock is not held afterwards.
    /// - Parameter extractor: with one, `load` does not get the snapshot if it has an index (`takeIndex`), or one can
    ///   be made.
    public static func open(
        _ settings: StoreSettings, _ extractor: RecordExtractor? = nil, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        try open(StoreDirectory.make(settings), settings, extractor, mayBegin: true, load)
    }

    /// Opens an existing store; nil if there is none. Creates nothing, not even the directory.
    public static func openIfThere(
        _ settings: StoreSettings, _ extractor: RecordExtractor? = nil, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles? {
        guard let place = try StoreDirectory.openIfThere(settings), try hasStore(place) else { return nil }
        return try open(place, settings, extractor, mayBegin: false, load)
    }

    /// - Returns: false if a new store may begin.
    /// - Throws: if there is no snapshot but other files of a store.
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

    /// - Parameter mayBegin: whether to begin a new store if there is none; else it was there a moment ago.
    static func open(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?, mayBegin: Bool,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        if settings.isReadOnly {
            return try openToRead(
                place, settings, extractor, nil, .readOnly(reason: "The store was opened read-only (--read-only)."),
                load)
        }
        if isOfNewerSchema(place, settings) { return try openToRead(place, settings, extractor, nil, nil, load) }
        var lock: TurnLock
        do throws(SystemError) {
            lock = try TurnLock(of: place, settings)
        } catch {
            return try openWithoutLock(place, settings, extractor, error, load)
        }
        // An existing store is read without waiting for a writer: the writer has judged its end. If its status cannot
        // be read, opening waits for the lock and then reports the fault.
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
        let files = try openToWrite(place, lock, hold, settings, extractor, load)
        files.unlock()
        return files
    }

    /// Whether the store is of a newer schema and has no lock file, which it does not get.
    private static func isOfNewerSchema(_ place: borrowing StoreDirectory, _ settings: StoreSettings) -> Bool {
        guard (try? place.status(of: StoreDirectory.lockName)).flatMap({ $0 }) == nil,
            let file = try? place.open(StoreDirectory.snapshotName, .read)
        else { return false }
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
        do throws(StorageError) {
            return try reader.header(file, in: place.fileSystem).schemaVersion > settings.schemaVersion
        } catch {
            if case .newerSchema = error { return true }
            return false
        }
    }

    private static func openWithoutLock(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?,
        _ error: SystemError, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        guard error.isNoPermission else { throw lockFailure(error, place.path, settings) }
        let refusal = StorageError.readOnly(reason: "The store in \(place.path) cannot be written: \(error).")
        return try openToRead(place, settings, extractor, nil, refusal, load)
    }

    /// - Parameter error: nil after a time-out.
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

    /// A reader that cannot write, and finds no writer, judges the end itself, in memory: the lock file is never
    /// synced, and may say too little after a power cut. A reader that can write leaves that until it has the lock.
    /// - Parameters:
    ///   - refusal: the reason why it is read-only; nil if it may be written later, with the lock.
    ///   - given: the files to read, whose end is judged; nil for the present ones.
    ///   - last: the last commit to show.
    static func openToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?,
        _ lock: consuming TurnLock?, _ refusal: StorageError?, of given: consuming GenerationFiles? = nil,
        upTo last: Int = .max, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var refusal = refusal
        let turn = judge(place, settings, mayWrite: lock != nil || given != nil, &refusal)
        let isLocked = turn != nil
        defer { extendLifetime(turn) }
        let loading: Loading
        var isUntouched = true
        do {
            loading = try Loading(place, settings, extractor, isLocked: isLocked, of: given, upTo: last) {
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
            // Records must not be passed twice: the caller could not tell them from later changes in the journals.
            guard isUntouched else { throw error }
            loading = try Loading(place, settings, extractor, isLocked: isLocked, upTo: last, load)
        }
        let weightier = loading.refusal ?? refusal
        return try loading.openedToRead(place, settings, lock, weightier, load)
    }

    /// Locks that keep writers away while a reader judges the end in memory.
    private struct Turn: ~Copyable {
        let lock: File
        let journals: JournalHold
    }

    private static func judge(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings, mayWrite: Bool, _ refusal: inout StorageError?
    ) -> Turn? {
        if mayWrite { return nil }
        do throws(SystemError) {
            // First the lock, then the journals, as a writer does.
            guard let lock = try place.lockShared(),
                let journals = try JournalHold(place, isShared: true, settings)
            else { return nil }
            return Turn(lock: lock, journals: journals)
        } catch {
            // Without a lock file there is no writer.
            guard error.code != ENOENT, case .readOnly(let reason)? = refusal else { return nil }
            refusal = .readOnly(
                reason: "\(reason) Whether its last commits were acknowledged cannot be told, and what others commit is"
                    + " not seen: \(error).")
            return nil
        }
    }

    /// Judges the end and opens for writing; the lock and all journals are held.
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

    /// Throws if there is no snapshot but other files of a store.
    static func checkIsNew(
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
        let files = StoreFiles(
            settings, place, header, revision: 0, syncedRevision: 0, snapshotBytes: made.snapshotBytes, lock: lock)
        files.journal.open(made.takeJournal(), header.generation, end: size, isWritable: true, isHeld: true)
        files.noteOwnSnapshot(published: [])
        files.publishAtOpening()
        files.unlock()
        return files
    }
}
