import JSONCodec
import Platform

/// A store while it is opened: the state found on disk, before the decision whether it may be written.
struct Loading: ~Copyable {
    /// Makes the compiler pass this value by address: following each member of a large lent value takes it longer than
    /// all else in this module.
    private let atAddress: any Sendable = ()

    let files: GenerationFiles
    let recovery: Recovery
    /// The last commit to show.
    let last: Int
    let outcome: Recovery.Outcome
    let snapshotBytes: Int
    /// The index of the snapshot, if its records were not passed on.
    var index: SnapshotIndex?
    /// The reason why the store is read-only for every process.
    let refusal: StorageError?
    /// The reason why the snapshot may differ from what was stored; nil if it is as it was written.
    let edit: String?

    /// Finds snapshot and journals that belong together, unless they are given, and passes on all that is proven.
    init(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings, _ extractor: RecordExtractor?, isLocked: Bool,
        of given: consuming GenerationFiles? = nil, upTo last: Int = .max, _ load: (LoadEvent) -> String?
    ) throws(StorageError) {
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
        let files: GenerationFiles
        switch consume given {
        case .some(let given): files = given
        case .none: files = try GenerationFiles(in: place, reader)
        }
        let version = files.header.schemaVersion
        let recovery = Recovery(files.header, published: files.published, isLocked: isLocked)
        var index: SnapshotIndex?
        if let extractor, version == settings.schemaVersion, !settings.readsWholeSnapshot {
            index = SnapshotIndex.of(files.header, files.snapshotStatus, in: place, settings, extractor)
        }
        do {
            var content = SnapshotReader.Content(
                header: files.header, records: files.header.count, bytes: files.snapshotStatus?.size ?? 0, edit: nil)
            if index == nil {
                content = try reader.read(files.snapshot, in: place.fileSystem) { bytes, _ in load(.record(bytes)) }
            }
            outcome = try recovery.replay(files.journals, upTo: last) { (event, file, offset) throws(StorageError) in
                try Self.handOver(event, file, offset, load)
            }
            snapshotBytes = content.bytes
            edit = content.edit.map { edit in
                "The snapshot \(place.path(of: reader.name)) is only read. \(edit) If that was meant, accept it (mood store"
                    + " accept --yes); if not, undo it (mood doctor says how)."
            }
            refusal =
                if version > settings.schemaVersion {
                    .readOnly(reason: "\(reader.name) needs schema version \(version); it is only read.")
                } else if let damage = outcome.damage {
                    damage
                } else if let edit {
                    .readOnly(reason: edit)
                } else {
                    nil
                }
        } catch {
            throw version > settings.schemaVersion ? reader.newer(version) : error
        }
        self.index = index
        self.last = last
        self.files = files
        self.recovery = recovery
    }

    /// The damage when commits up to `shown` are shown. That of a journal comes first.
    func damage(shown: Int) -> StoreDamage? {
        if let damage = outcome.damage {
            return StoreDamage(damage, shown: shown, durable: outcome.acknowledged)
        }
        return edit.map {
            StoreDamage(file: StoreDirectory.snapshotName, offset: nil, shown: shown, durable: nil, reason: $0)
        }
    }

    /// Passes on the unproven lines, up to commit `last`.
    /// - Returns: the offset after the last line that has been passed on, held or not.
    @discardableResult
    func handOverHeld(
        upTo last: Int, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> Int {
        guard let held = outcome.held else { return outcome.end }
        guard held.base < last else { return held.offset }
        let entry = files.journals.entries[held.index]
        return try JournalReplay.handOver(
            entry, of: files.journals, from: held.offset, after: held.base, upTo: last
        ) { (event, file, offset) throws(StorageError) in
            try Self.handOver(event, file, offset, load)
        }
    }

    private static func handOver(
        _ event: LoadEvent, _ file: String, _ offset: Int, _ load: (LoadEvent) -> String?
    ) throws(StorageError) {
        guard let reason = load(event) else { return }
        throw .corrupt(file: file, offset: offset, reason: "A change in \(file) is not valid: \(reason)")
    }
}

extension StoreFiles {
    /// Bytes that are read within some hundredths of a second.
    private static let longBytes = 8 << 20

    /// Whether there is an index that fits the snapshot, judged by its first page.
    private static func hasIndex(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> Bool {
        let name = StoreDirectory.snapshotName
        let file = try place.open(name, .read)
        let reader = SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
        guard let header = try? reader.header(file, in: place.fileSystem) else { return false }
        if header.count == 0 { return true }
        let identity = try SnapshotIdentity(of: file, header)
        return IndexImage.open(in: place, of: identity) != nil
    }

    /// Whether opening the store takes long, judged by names, sizes and the first page of an index: journals are read
    /// whole, and so is a snapshot without a fitting index.
    public static func isLongToOpen(_ settings: StoreSettings) -> Bool {
        do {
            guard let place = try StoreDirectory.openIfThere(settings) else { return false }
            let inventory = try place.inventory()
            var names = inventory.journals.map(StoreInventory.journalName)
            let index = inventory.journals.first.map(StoreInventory.indexName)
            if !inventory.indexes.contains(where: { $0.name == index }) {
                names.append(StoreDirectory.snapshotName)
            }
            var bytes = 0
            for name in names { bytes += min(try place.status(of: name)?.size ?? 0, longBytes + 1) }
            if bytes > longBytes { return true }
            let snapshotBytes = try place.status(of: StoreDirectory.snapshotName)?.size ?? 0
            if snapshotBytes <= longBytes { return false }
            return try !hasIndex(place, settings)
        } catch {
            // The opening reports the fault.
            return false
        }
    }
}

/// The snapshot and its journals, open.
struct GenerationFiles: ~Copyable {
    let snapshot: File
    let header: SnapshotHeader
    let journals: OpenJournals
    /// The publication before they were opened: all of it is in them.
    let publishedBytes: [UInt8]
    /// The identity of the snapshot.
    let snapshotStatus: FileStatus?

    var published: Publication? { Publication(bytes: publishedBytes) }

    /// Opens them. If a journal is missing, checks the snapshot again before calling it damage: readers take no lock,
    /// and a writer may have begun the next generation in between.
    init(in place: borrowing StoreDirectory, _ reader: SnapshotReader) throws(StorageError) {
        var attempts = 0
        while true {
            let published = try Self.readPublication(place)
            let snapshot = try Self.openSnapshot(place, reader.name)
            let header = try reader.header(snapshot, in: place.fileSystem)
            do throws(SystemError) {
                let generations = try place.inventory().journals.filter { $0 >= header.generation }
                guard generations.first == header.generation else {
                    throw SystemError(
                        call: "open", subject: StoreInventory.journalName(header.generation), code: ENOENT)
                }
                let status = try snapshot.status()
                journals = try OpenJournals(generations, in: place)
                self.snapshot = snapshot
                self.header = header
                publishedBytes = published
                snapshotStatus = status
                return
            } catch {
                attempts += 1
                // Without a status the snapshot counts as unchanged, and the missing journal is reported.
                let current = try? place.status(of: reader.name)
                let used = try? snapshot.status()
                let isReplaced = current.flatMap { $0 }?.inode != used?.inode
                guard error.code == ENOENT, isReplaced, attempts < 16 else {
                    throw Self.journalMissing(error, header)
                }
            }
        }
    }

    static func readPublication(_ place: borrowing StoreDirectory) throws(StorageError) -> [UInt8] {
        do {
            return try Publication.bytes(of: try place.open(StoreDirectory.lockName, .read))
        } catch {
            guard error.code == ENOENT || error.isNoPermission else {
                throw .reading(error, StoreDirectory.lockName)
            }
            return []
        }
    }

    private static func openSnapshot(
        _ place: borrowing StoreDirectory, _ name: String
    ) throws(StorageError) -> File {
        do {
            return try place.open(name, .read)
        } catch {
            guard error.code == ENOENT else { throw .reading(error, name) }
            if let inventory = try? place.inventory() { try StoreFiles.checkIsNew(inventory, place) }
            throw .unavailable(
                reason: "There is no \(name) in \(place.path).",
                advice: "Open the store once for writing, which makes it; or put the file back.")
        }
    }

    static func journalMissing(_ error: SystemError, _ header: SnapshotHeader) -> StorageError {
        guard error.code == ENOENT else { return .reading(error, error.subject) }
        return .unavailable(
            reason: "The snapshot is of generation \(header.generation), and its journal is missing: \(error.subject).",
            advice: "Put the journal back; if the snapshot came from a backup, its journal is in the folder history.")
    }
}
