import JSONCodec
import Platform

/// Makes the next generation of a store, or its first: for creation, compaction, large commits and recovery from a
/// failed sync.
///
/// In this order:
/// 1. the new journal, with its header, synced under a temporary name
/// 2. the new snapshot and the operations file, synced under temporary names; the snapshot is read back and checked,
///    and its index is made in the same pass; from here on under the lock, and lines that came until then are copied
///    into the new journal
/// 3. the old snapshot gets a second name, as the backup
/// 4. the operations file and the journal get their names; the directory is synced
/// 5. the snapshot is renamed over `moods.json`: **the commit point**; the directory is synced
///
/// If killed before 5, the old generation is complete, and the blank journal counts for nothing or continues the last
/// one. If killed after 5, the new generation is complete, because 4 made its journal durable before.
enum Generation {
    struct Made: ~Copyable {
        let journal: File
        let journalSize: Int
        let snapshotBytes: Int
        let backup: String?
        /// Number of operations that its operations file must have.
        let markedOperations: Int

        consuming func takeJournal() -> File { journal }
    }

    struct Failure: Error {
        var error: StorageError
        /// The obstacle to the next attempt.
        let cause: StorageError
        /// Whether it is unknown which generation a power cut would leave: another one settles that before anything is written.
        var isUnsure: Bool
    }

    private enum Stage { case hidden, journalVisible, journalSyncing, snapshotVisible }

    /// - Parameter backupOf: the generation to replace; nil for a new store.
    /// - Parameter carrying: the sources of operations to keep; nil if there cannot be any.
    /// - Parameter extractor: with one, the index is made too; it is a cache, and may fail without harm.
    /// - Parameter prepare: called when the snapshot is ready, before anything is visible: the caller takes the lock,
    ///   unless it holds it, and copies the lines that came meanwhile into the new journal.
    static func make(
        _ header: SnapshotHeader, backupOf: Int?, carrying: OperationsFile.Source?, at time: String,
        in place: borrowing StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor? = nil,
        records: ((UnsafeRawBufferPointer) -> Void) -> Void,
        prepare: (inout JournalMaker) throws(StorageError) -> Void = { (_) throws(StorageError) in }
    ) throws(Failure) -> Made {
        let journalName = StoreInventory.journalName(header.generation)
        var stage = Stage.hidden
        do throws(StorageError) {
            let journalHeader = JournalHeader(
                schemaVersion: header.schemaVersion, storeId: header.storeId, generation: header.generation,
                baseRevision: header.revision)
            var maker = try step { () throws(SystemError) in
                let maker = try JournalMaker(journalHeader, at: time, in: place, settings)
                try maker.sync()
                return maker
            }
            var operations = try OperationsFile.write(
                header, carrying: carrying, named: settings.makeIdentifier(), in: place)
            let header = header.marked(operations: operations.marked)
            var snapshot = try writeSnapshot(header, in: place, settings, records)
            let bytes = snapshot.offset
            try checkSnapshot(snapshot.draft.path, header, bytes, in: place, settings, extractor)
            try prepare(&maker)
            let backup = try step { () throws(SystemError) in try keepBackup(of: backupOf, in: place, settings) }
            stage = .journalVisible
            try step { () throws(SystemError) in
                let name = StoreInventory.operationsName(header.generation)
                // A killed attempt has left a file here.
                if try place.status(of: name) != nil { try place.unlink(name) }
                try operations.draft?.place(as: place.path(of: name))
                try maker.place(as: place.path(of: journalName))
            }
            stage = .journalSyncing
            try step { () throws(SystemError) in try place.sync() }
            stage = .journalVisible
            try step { () throws(SystemError) in
                try place.place(&snapshot.draft, as: StoreDirectory.snapshotName)
            }
            stage = .snapshotVisible
            try step { () throws(SystemError) in try place.sync() }
            let size = maker.size
            return Made(
                journal: maker.takeFile(), journalSize: size, snapshotBytes: bytes, backup: backup,
                markedOperations: operations.marked)
        } catch {
            throw undo(
                error, stage, [journalName, StoreInventory.operationsName(header.generation)],
                StoreInventory.indexName(header.generation), in: place, settings)
        }
    }

    private static func step<Answer: ~Copyable>(
        _ body: () throws(SystemError) -> Answer
    ) throws(StorageError) -> Answer {
        do {
            return try body()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    private static func writeSnapshot(
        _ header: SnapshotHeader, in place: borrowing StoreDirectory, _ settings: StoreSettings,
        _ records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(StorageError) -> SnapshotWriter {
        var writer = SnapshotWriter(try step { () throws(SystemError) in try place.draft(settings) }, header)
        records { writer.append($0) }
        do throws(SystemError) { _ = try writer.finish() } catch { throw .writing(error, error.subject) }
        guard writer.count == header.count else {
            throw .unavailable(
                reason: "\(writer.count) records were handed over where \(header.count) had been announced.",
                advice: "This is a defect of the program; nothing was changed.")
        }
        return writer
    }

    /// Reads the written snapshot back: a faulty disk or memory must not replace good data. With an extractor, also
    /// writes the index.
    private static func checkSnapshot(
        _ path: String, _ header: SnapshotHeader, _ bytes: Int, in place: borrowing StoreDirectory,
        _ settings: StoreSettings, _ extractor: RecordExtractor?
    ) throws(StorageError) {
        let file = try step { () throws(SystemError) in try File(path, .read, in: place.fileSystem) }
        let reader = SnapshotReader(name: StoreInventory.name(ofPath: path), schemaVersion: header.schemaVersion)
        var builder: SnapshotIndexBuilder?
        if let extractor, header.count > 0 {
            do throws(SystemError) {
                let draft = try IndexDraft(in: place, settings)
                builder = SnapshotIndexBuilder(count: header.count, extractor, key: .random(), draft)
            } catch {
                settings.log("\(path) gets no index yet: \(error)")
            }
        }
        let content: SnapshotReader.Content
        do {
            content = try reader.read(file, in: place.fileSystem) { builder?.add(line: $0, at: $1) ?? nil }
        } catch {
            throw .outcomeUnknown(
                reason: "The new snapshot could not be read back: \(error.reason) The old one stays in use.")
        }
        guard content.edit == nil, content.header == header, content.bytes == bytes else {
            throw .outcomeUnknown(
                reason: "The new snapshot was not read back as it was written. The old one stays in use.")
        }
        guard let builder = builder.take() else { return }
        // Renaming the snapshot keeps its inode and time, which identify it in the index.
        do {
            _ = try builder.finish(of: SnapshotIdentity(of: file, header))
        } catch {
            settings.log("\(path) gets no index yet: \(error)")
        }
    }

    /// Gives the snapshot its second name, or copies it if the file system has no hard links. Does nothing for a new
    /// store.
    private static func keepBackup(
        of generation: Int?, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> String? {
        guard let generation else { return nil }
        let name = StoreInventory.backupName(generation)
        let snapshot = try place.status(of: StoreDirectory.snapshotName)
        if let snapshot, let kept = try place.status(of: name) {
            if kept.isSameFile(as: snapshot) { return name }
            if kept.kind == .regular {
                try place.unlink(name)
            } else {
                // This is no backup of ours, and a directory cannot be unlinked.
                var remains = StoreFiles.Remains(next: 0, backup: nil, reached: 0)
                try remains.moveAside(name, in: place, settings)
                try remains.sync(in: place)
            }
        }
        try giveName(name, to: StoreDirectory.snapshotName, snapshot, in: place, settings)
        return name
    }

    /// Gives a file a second name, which must be free.
    /// - Parameter status: the file's status; nil if there is none.
    static func giveName(
        _ name: String, to file: String, _ status: FileStatus?, in place: borrowing StoreDirectory,
        _ settings: StoreSettings
    ) throws(SystemError) {
        do {
            try place.link(file, to: name)
        } catch {
            let hasNoLinks = [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EMLINK].contains(error.code)
            guard hasNoLinks, let status else { throw error }
            var copy = try place.copy(of: place.open(file, .read), 0..<status.size, settings)
            try place.place(&copy, as: name)
        }
    }

    private static func undo(
        _ error: StorageError, _ stage: Stage, _ visible: [String], _ index: String, in place: borrowing StoreDirectory,
        _ settings: StoreSettings
    ) -> Failure {
        var failure = Failure(error: error, cause: error, isUnsure: false)
        guard stage != .snapshotVisible else {
            failure.error = .outcomeUnknown(
                reason: "The new snapshot is in place, but syncing \(place.path) failed: \(error.reason)"
                    + " Open the store again to see what is there.")
            failure.isUnsure = true
            return failure
        }
        // A second sync of the directory could succeed without having written the data of the failed one.
        failure.isUnsure = stage == .journalSyncing
        do {
            if stage != .hidden {
                // No line may go into the old journal while a blank one follows it (rule 3 of `Recovery`).
                var isAny = false
                for name in visible where try place.status(of: name) != nil {
                    try place.unlink(name)
                    isAny = true
                }
                if isAny { try place.sync() }
            }
        } catch {
            failure.isUnsure = true
        }
        do {
            if try place.status(of: index) != nil { try place.unlink(index) }
        } catch {
            settings.log("\(place.path(of: index)) was left over: \(error)")
        }
        return failure
    }
}
