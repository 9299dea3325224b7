import JSONCodec
import Platform

/// Mending after files were changed from outside: they are read again, and must contain all that this process knows.
///
/// They do if another process has continued them, or an equal copy is in their place. If they do not, and no other
/// process knows more, the next generation is begun from memory (`rewrite`), starting from its `Remains`:
///
/// 1. Files in the place of journal and operations file are moved to `set-aside-TIME/`, and both are put back from the
///    files that are still open, as far as those can be read. A snapshot that is not ours gets a second name there.
/// 2. `Generation` makes the new generation. If killed before its commit point, the disk is as found, except for what
///    step 1 has put back.
///
/// Mending does not begin if the directory is another, if the lock file publishes a later generation or commit than
/// this process knows, if the whole store has moved away, or if a person has edited the snapshot.
extension StoreFiles {
    /// Reads everything again; if the lock is held, the new files hold it.
    /// - Throws: the reason why the files do not continue the commits known here. Then nothing has changed, but the
    ///   lock may be free.
    func reopened(
        _ extractor: RecordExtractor?, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let settings = settings
        let place = try StoreDirectory(settings)
        guard place.isSame(as: self.place) else { throw Self.replaced(place.path) }
        guard try Self.hasStore(place) else { throw Self.gone(place.path) }
        if isLocked { try holdJournals() }
        // Without a journal it is a store of an earlier schema, of which this process knows no more than the files.
        if journal.descriptor != nil { try requireContinued(in: place, extractor) }
        let lasting = isRefusedForGood ? refusal : nil
        let (isLocked, mayHeal) = (isLocked, mayHeal)
        var lock = lock.take()
        var hold = hold.take()
        do throws(StorageError) {
            if isLocked, let held = lock.take(), let hold = hold.take() {
                return try Self.openToWrite(place, held, hold, settings, extractor, load)
            }
            guard mayHeal || settings.isReadOnly else {
                return try Self.openToRead(place, settings, extractor, lock.take(), lasting, load)
            }
            // The store could not be written: open it as at first, because the obstacle may be gone.
            lock = nil
            return try Self.open(place, settings, extractor, mayBegin: false, load)
        } catch {
            try takeUpLock()
            throw error
        }
    }

    /// Holds all journals before they are judged or mended: until the lock is released, no other process may succeed
    /// with another lock file of that name.
    func holdJournals() throws(StorageError) {
        journal.letGo(in: settings.fileSystem)
        hold = nil
        hold = try lock?.holdJournals(place, settings)
    }

    /// Opens the lock again, after a failed opening has released it.
    private func takeUpLock() throws(StorageError) {
        if settings.isReadOnly { return }
        do throws(SystemError) {
            lock = try TurnLock(of: place, settings)
        } catch {
            let failure = Self.lockFailure(error, place.path, settings)
            refusal = failure
            throw failure
        }
    }

    /// Takes back the lock of an opening that failed.
    func takeBack(_ held: consuming TurnLock?) { lock = held }

    /// Makes the next change check everything again.
    /// - Parameter operations: the known operations of the journals, which may be gone.
    func doubt(knowing operations: [(seq: Int, id: [UInt8])]) {
        isSuspect = true
        knownOperations = operations
    }

    /// Throws if the files do not contain the commits known here.
    private func requireContinued(
        in place: borrowing StoreDirectory, _ extractor: RecordExtractor?
    ) throws(StorageError) {
        let name = StoreDirectory.snapshotName
        let loading = try Loading(place, settings, extractor, isLocked: isLocked) { _ in nil }
        let header = loading.files.header
        guard header.storeId == storeId else {
            // After a reset another store may begin here. Its publication is in the file that was locked before.
            guard loading.files.published?.storeId == header.storeId, isPublicationOfItsName else {
                throw .corrupt(file: name, offset: 0, reason: "\(name) in \(place.path) is of another store.")
            }
            return
        }
        // A store that was refused before knows no more than the files.
        if refusal != nil { return }
        if let damage = loading.outcome.damage { throw damage }
        guard header.generation >= generation, loading.outcome.last >= revision,
            try hasLastLine(loading.files.journals)
        else {
            throw .corrupt(
                file: name, offset: 0,
                reason: "The files in \(place.path) were replaced: they do not hold commit \(revision), which was"
                    + " acknowledged.")
        }
        do throws(SystemError) {
            if header.generation == generation, try !areOperationsOurs() {
                throw SystemError(call: "open", subject: StoreInventory.operationsName(generation), code: ENOENT)
            }
        } catch {
            throw .reading(error, StoreInventory.operationsName(generation))
        }
    }

    /// Whether the journals, if they have the last commit, have the line of it that is known here.
    private func hasLastLine(_ journals: borrowing OpenJournals) throws(StorageError) -> Bool {
        guard journal.sealed == revision, let seal = journal.seal,
            let base = journals.entries.first?.header?.baseRevision, base < revision
        else { return true }
        var found: UInt64?
        _ = try journals.forEachCommit(after: base, upTo: revision) { (_, commit) in
            if commit.content.seq == revision { found = commit.seal }
        }
        return found == seal
    }

    /// Throws if no generation may be begun from the commits known here; the lock is held.
    /// - Parameter reason: the fault of the files.
    func requireEntitled(_ reason: StorageError) throws(StorageError) {
        if let refusal { throw refusal }
        switch reason {
        case .newerSchema, .cancelled, .busy: throw reason
        default: break
        }
        if let published = Publication(bytes: try GenerationFiles.readPublication(place)) {
            let isKnown =
                published.generation < generation
                || (published.generation == generation && published.durable <= revision)
            guard published.storeId == storeId, isKnown else { throw reason }
        }
        let standing: Standing
        do { standing = try look() } catch { throw .reading(error, error.subject) }
        switch standing {
        case .movedAway: throw Self.gone(place.path)
        case .asItWas: throw reason
        case .incomplete: return
        case .anotherSnapshot: break
        }
        guard try isEdited() else { return }
        throw .readOnly(
            reason: "\(place.path(of: StoreDirectory.snapshotName)) was edited while the store was open. If that was"
                + " meant, accept it (mood store accept --yes); if not, undo it (mood doctor says how).")
    }

    /// Prepares the next generation from memory, because the journal just written has lost its name; the lock is held.
    /// - Throws: the reason why none may be begun.
    func leaveJournal(knowing operations: [(seq: Int, id: [UInt8])]) throws(StorageError) {
        guard isLocked else { throw .busy(reason: "Files in \(place.path) have changed meanwhile. Try again.") }
        _ = try place.status()
        try requireEntitled(
            .corrupt(
                file: journal.name, offset: journal.end,
                reason: "\(journal.name) in \(place.path) was replaced while it was written."))
        doubt(knowing: operations)
        try holdJournals()
    }

    private enum Standing {
        /// The files are fine: only reading has failed.
        case asItWas
        case incomplete
        case anotherSnapshot
        /// There is no snapshot, and the journal has another name, as after a reset by another process.
        case movedAway
    }

    private func look() throws(SystemError) -> Standing {
        guard try place.inventory().hasSnapshot else {
            guard try !isJournalOurs(), let descriptor = journal.descriptor else { return .incomplete }
            return try settings.fileSystem.status(descriptor).links > 0 ? .movedAway : .incomplete
        }
        guard try isSnapshotOurs() else { return .anotherSnapshot }
        guard journal.generation == generation, try isJournalOurs(), try areOperationsOurs(),
            try readableLines(upTo: revision).last == revision
        else { return .incomplete }
        return .asItWas
    }

    /// Whether the file in the snapshot's place is a store that a person has edited.
    private func isEdited() throws(StorageError) -> Bool {
        do throws(RepairError) {
            guard let text = try Acceptance.readEdited(place) else { return false }
            return SnapshotDocument(text.bytes, schemaVersion: settings.schemaVersion) { _, _ in nil }.isStore
        } catch {
            if case .storage(let error) = error { throw error }
            return false
        }
    }

    /// The error for a store that disappeared: it was moved, or its file system is not mounted. No new store begins in
    /// its place.
    public static func gone(_ path: String) -> StorageError {
        .unavailable(
            reason: "The store in \(path) is not there any more.",
            advice: "Put its files back, or begin a new store (mood store reset --yes).")
    }

    /// The error for another directory, which the user has not asked to open.
    static func replaced(_ path: String) -> StorageError {
        .unavailable(
            reason: "Another directory is in the place of \(path), in which the store was opened.",
            advice: "Put the directory back, or start the host again to open the one that is there now.")
    }
}
