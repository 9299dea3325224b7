import JSONCodec
import Platform

/// Writes a new snapshot beside the work on a store: as a process of its own would, from files alone.
///
/// It opens the store for itself, as far as that is committed, writes what it sees as the next generation, and only for
/// the end takes the lock: then it copies the lines that came in the meantime behind the new journal's header, and the
/// new generation takes the place of the old one. Whoever works on the store reads on in the old files, which it has
/// open, and finds the new ones when it next looks (`StoreFiles.catchUp`).
///
/// There is one compaction at a time: it holds an flock on the snapshot that it replaces.
public enum Compaction {
    /// - Parameter progress: called now and then with the number of records written so far and in all.
    /// - Parameter isCancelled: asked before each read, until the new generation is in place.
    /// - Throws: `busy` where another process compacts, or the store has changed so that it must be begun again;
    ///   `cancelled`; what opening and `Generation` throw. The old generation stays in use then.
    public static func run(
        _ settings: StoreSettings, _ extractor: RecordExtractor, _ progress: @escaping (Int, Int) -> Void = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(StorageError) -> RewriteReport {
        do throws(StorageError) {
            // The lines are sealed, and what is written is read back and looked at as closely as records can be.
            var store = try RecordStore.open(settings.cancelled(when: isCancelled), extractor.trusting)
            return try store.writeNextGeneration(progress)
        } catch {
            throw isCancelled() ? .cancelled : error
        }
    }
}

extension RecordStore {
    fileprivate mutating func writeNextGeneration(
        _ progress: @escaping (Int, Int) -> Void
    ) throws(StorageError) -> RewriteReport {
        if let refusal { throw refusal }
        guard var open = files.take() else { throw Self.isBusy }
        let snapshot = try open.lockSnapshot()
        let (count, revision) = (layers.count, revision)
        var fault: IndexFault?
        defer { _ = snapshot.descriptor }
        do throws(StorageError) {
            return try open.makeBeside(revision: revision, count: count) { fault = layers.handOver(progress, $0) }
        } catch {
            // Fewer records came than were announced, so nothing was replaced; this is why.
            throw fault?.asStorageError ?? error
        }
    }

    fileprivate static var isBusy: StorageError {
        .busy(reason: "The store is being compacted by another process. Try again.")
    }
}

extension StoreFiles {
    /// Whether no compaction is at work; asked with the lock held, so that none can end meanwhile.
    func isNobodyCompacting() -> Bool {
        do throws(StorageError) {
            _ = try lockSnapshot()
            return true
        } catch {
            return false
        }
    }

    /// The snapshot with a lock of its own, which keeps other compactions away.
    fileprivate func lockSnapshot() throws(StorageError) -> File {
        let name = StoreDirectory.snapshotName
        do throws(SystemError) {
            let file = try place.open(name, .read)
            try settings.fileSystem.lock(file.descriptor, .exclusiveNow)
            if let snapshotIdentity, try file.status().isSameFile(as: snapshotIdentity) { return file }
        } catch {
            guard error.code == EWOULDBLOCK else { throw .reading(error, name) }
        }
        throw RecordStore.isBusy
    }

    /// The next generation with the records that are handed over, which are those of commit `revision`, and behind them
    /// the lines that were committed since.
    fileprivate mutating func makeBeside(
        revision: Int, count: Int, records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(StorageError) -> RewriteReport {
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: storeId,
            generation: max(generation, journal.generation) + 1, revision: revision, count: count,
            unknownMembers: unknownMembers)
        guard journal.descriptor != nil else { throw RecordStore.isBusy }
        let start = journal.end
        let place = try StoreDirectory(settings)
        defer { unlock() }
        let made: Generation.Made
        do {
            made = try Self.make(header, generation, &self, place, start, records)
        } catch {
            throw error.error
        }
        generation = header.generation
        snapshotBytes = made.snapshotBytes
        noteOwnSnapshot(published: seenPublication)
        publishAtOpening()
        tidy(clearsTemporaries: true)
        return RewriteReport(
            generation: header.generation, revision: revision, records: count, snapshotBytes: made.snapshotBytes,
            backup: made.backup)
    }

    private static func make(
        _ header: SnapshotHeader, _ backup: Int, _ files: inout StoreFiles, _ place: borrowing StoreDirectory,
        _ start: Int, _ records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(Generation.Failure) -> Generation.Made {
        let settings = files.settings
        return try Generation.make(
            header, backupOf: backup, carrying: .init(generation: backup, revision: header.revision, operation: []),
            at: settings.timestamp(), in: place, settings, files.extractor, records: records
        ) { (maker) throws(StorageError) in
            // Nothing that comes now is looked at: only where it ends.
            guard case .seen = try files.lockAndCatchUp(load: { _ in nil }) else {
                throw .busy(reason: "The store was changed while it was compacted. Try again.")
            }
            guard files.journal.end > start else { return }
            let name = StoreInventory.journalName(files.journal.generation)
            do throws(SystemError) {
                let journal = try place.open(name, .read)
                try maker.copyLines(from: journal, start..<files.journal.end)
                try maker.sync()
            } catch {
                throw .writing(error, name)
            }
        }
    }
}
