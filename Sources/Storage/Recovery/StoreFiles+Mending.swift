import JSONCodec
import Platform

/// What happens where the files are not as they were: they are read anew, and have to hold all that is known here.
///
/// They do where another process has gone on with them, or somebody has put an equal copy in their place. Where they do not,
/// and nobody knows more, the next generation is begun from memory (`rewrite`). What it goes on from are its `Remains`:
///
/// 1. What stands in the place of journal and operations file is moved to `set-aside-TIME/`, and they are put back from the
///    files that are still open, as far as those can be read. A snapshot that is not ours gets a second name there.
/// 2. The generation is made by the one procedure (`Generation`). Killed before its commit point, the disk is as it was found
///    but for what 1 has put back.
///
/// Nothing is begun where the directory is another, a later generation or commit is published than is known here, the store
/// was moved away as a whole, or a person has edited the snapshot.
extension StoreFiles {
    /// Reads everything anew, with the lock if it is held: then the answer holds it.
    /// - Throws: why what is there does not go on from what is known here. All is as it was then, but the lock may be free.
    mutating func reopened(
        _ extractor: RecordExtractor?, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        let settings = settings
        let place = try StoreDirectory(settings)
        guard place.isSame(as: self.place) else { throw Self.replaced(place.path) }
        guard try Self.hasStore(place) else { throw Self.gone(place.path) }
        if isLocked { try holdJournals() }
        // Without a journal it is a store of an earlier schema, of which nothing is known but what stands there.
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
            // It could not be written: as at first, and what was in the way then may be gone.
            lock = nil
            return try Self.open(place, settings, extractor, mayBegin: false, load)
        } catch {
            try takeUpLock()
            throw error
        }
    }

    /// What stands there is judged, and perhaps mended: until the lock is left, nobody else may come by another file of its name.
    mutating func holdJournals() throws(StorageError) {
        journal.letGo(in: settings.fileSystem)
        hold = nil
        hold = try lock?.holdJournals(place, settings)
    }

    /// Opens the lock again, after an opening that failed has let go of it.
    private mutating func takeUpLock() throws(StorageError) {
        if settings.isReadOnly { return }
        do throws(SystemError) {
            lock = try TurnLock(of: place, settings)
        } catch {
            let failure = Self.lockFailure(error, place.path, settings)
            refusal = failure
            throw failure
        }
    }

    /// The lock that an opening held which came to nothing.
    mutating func takeBack(_ held: consuming TurnLock?) { lock = held }

    /// Everything is looked at anew before the next change.
    /// - Parameter operations: what is known of those in the journals, which may be gone.
    mutating func doubt(knowing operations: [(seq: Int, id: [UInt8])]) {
        isSuspect = true
        knownOperations = operations
    }

    /// Throws where what stands there does not hold what is known here.
    private func requireContinued(
        in place: borrowing StoreDirectory, _ extractor: RecordExtractor?
    ) throws(StorageError) {
        let name = StoreDirectory.snapshotName
        let loading = try Loading(place, settings, extractor, isLocked: isLocked) { _ in nil }
        let header = loading.files.header
        guard header.storeId == storeId else {
            // After a reset another store may begin here. It is published in the file that was locked before.
            guard loading.files.published?.storeId == header.storeId, isPublicationOfItsName else {
                throw .corrupt(file: name, offset: 0, reason: "\(name) in \(place.path) is of another store.")
            }
            return
        }
        // One that was refused before knows no more than what stands there.
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

    /// Whether the line of the last commit is the one that is known here, where the journals have it.
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

    /// Throws where no generation may be begun from what is known here; the lock is held.
    /// - Parameter reason: what is wrong with the files that stand there.
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

    /// Has the next generation begun from what is known here, because the journal that was just written has no name any more;
    /// the lock is held.
    /// - Throws: why none may be begun.
    mutating func leaveJournal(knowing operations: [(seq: Int, id: [UInt8])]) throws(StorageError) {
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
        /// Nothing is wrong with the files: only reading has failed.
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

    /// Whether what stands in the place of the snapshot is a store that a person has edited.
    private func isEdited() throws(StorageError) -> Bool {
        do throws(RepairError) {
            guard let text = try Acceptance.readEdited(place) else { return false }
            return SnapshotDocument(text.bytes, schemaVersion: settings.schemaVersion) { _, _ in nil }.isStore
        } catch {
            if case .storage(let error) = error { throw error }
            return false
        }
    }

    /// No new store begins in the place of one that was open: somebody has moved it, or the place is not mounted.
    public static func gone(_ path: String) -> StorageError {
        .unavailable(
            reason: "The store in \(path) is not there any more.",
            advice: "Put its files back, or begin a new store (mood store reset --yes).")
    }

    /// What stands there may be anything: nobody has asked for it to be opened.
    static func replaced(_ path: String) -> StorageError {
        .unavailable(
            reason: "Another directory is in the place of \(path), in which the store was opened.",
            advice: "Put the directory back, or start the host again to open the one that is there now.")
    }
}
