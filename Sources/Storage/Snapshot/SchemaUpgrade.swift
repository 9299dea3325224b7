import JSONCodec
import Platform

/// The migration of a document from an earlier schema version to present records; the caller provides it, because this
/// layer knows no format.
///
/// (Equivalents: `SchemaMigrationPlan` of SwiftData, `Migration` of Room, `NSMappingModel` of Core Data; but a function
/// of bytes, so that migrating twice gives equal results.)
public struct SchemaMigration: Sendable {
    /// Largest document to migrate, in bytes.
    public static let documentBytesMax = 1 << 30
    /// Longest record and longest list of unknown members, in bytes.
    public static let recordBytesMax = RecordStore.recordBytesMax

    /// The reason why a document cannot be migrated.
    public struct Problem: Error, Sendable, Equatable {
        /// The offset in the document, in bytes.
        public var offset: Int
        /// A clause for people, beginning with its subject.
        public var reason: String
        /// Whether the document is no JSON at all, which no earlier version has written.
        public var isDamage: Bool

        public init(offset: Int, reason: String, isDamage: Bool) {
            self.offset = offset
            self.reason = reason
            self.isDamage = isDamage
        }
    }

    /// Checks and migrates a whole document. Equal bytes always give equal results.
    ///
    /// The bytes must not move while the result is in use.
    public let migrate: @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument

    public init(_ migrate: @escaping @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument) {
        self.migrate = migrate
    }
}

/// A checked document of an earlier version, migrated.
public struct MigratedDocument {
    /// Number of records.
    public let count: Int
    /// The unknown members of the document, each as `,"name":value` without line feeds, in their order.
    public let unknownMembers: [UInt8]
    /// Passes on every record, in the order of a snapshot, each valid during its call only.
    public let records: ((UnsafeRawBufferPointer) -> Void) -> Void

    public init(
        count: Int, unknownMembers: [UInt8], records: @escaping ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.count = count
        self.unknownMembers = unknownMembers
        self.records = records
    }
}

/// The upgrade of records from an earlier schema version to this one; the caller provides it, because this layer knows
/// no format. The store continues: its storeId, revision, history and operations stay, and a normal change of
/// generation converts its records one by one. (`SchemaMigration` is for files from before there were stores.)
///
///     settings.upgrade = SchemaUpgrade(from: 3, extractor: .moodsOfVersion3) { record, buffer in … }
public struct SchemaUpgrade: Sendable {
    /// The version of the old records.
    public let version: Int
    /// The interpretation of the old records.
    public let extractor: RecordExtractor
    /// Appends the upgraded record to the buffer; false, after appending anything, if it is not a record. Equal bytes
    /// always give equal results. Id and time stay, because the order of a snapshot does.
    public let transform: @Sendable (_ record: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer) -> Bool

    public init(
        from version: Int, extractor: RecordExtractor,
        transform: @escaping @Sendable (_ record: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer) -> Bool
    ) {
        self.version = version
        self.extractor = extractor
        self.transform = transform
    }

    /// Whether an opening failed because the store needs this upgrade.
    func isMeant(by error: StorageError, in place: borrowing StoreDirectory) -> Bool {
        guard case .olderSchema(version, _) = error else { return false }
        // A document of that version in another layout is for a migration, which also reports an unreadable one.
        guard let file = try? place.open(StoreDirectory.snapshotName, .read) else { return false }
        return (try? SnapshotHeader.begins(file, in: place.fileSystem)) == true
    }

    /// The settings to open the store in its present version.
    func settingsBefore(_ settings: StoreSettings) -> StoreSettings {
        var before = settings
        before.schemaVersion = version
        before.migration = nil
        before.upgrade = nil
        return before
    }

    /// Loads a change of the older store, upgraded.
    func upgrading(_ load: (LoadEvent) -> String?, _ event: LoadEvent, _ buffer: inout ByteBuffer) -> String? {
        let isPut: Bool
        let record: UnsafeRawBufferPointer
        switch event {
        case .record(let bytes): (isPut, record) = (false, bytes)
        case .put(let bytes): (isPut, record) = (true, bytes)
        case .delete, .clear: return load(event)
        }
        buffer.truncate(to: 0)
        guard transform(record, &buffer) else { return "this record cannot be upgraded from version \(version)" }
        return load(isPut ? .put(buffer.bytes) : .record(buffer.bytes))
    }
}

/// An upgrade, under the lock:
/// 1. the store is opened in the earlier version, which judges its end and continues after it, as any opening does
/// 2. its snapshot is synced and gets a second name, `moods.vN.json`
/// 3. `Generation` makes the next generation from the upgraded records, and ends with the rename over `moods.json`:
///    **the commit point**
///
/// If killed before that rename, it is a store of the earlier version, which a host of that version can use, and the
/// next opening by this one upgrades: a blank journal of the later version beside it counts for nothing. If killed
/// after it, it is a store of this version. Journals of the earlier version are then in `history/`, and their records
/// are upgraded when they are read.
extension StoreFiles {
    /// Opens a store of the earlier version, found by `openToWrite`, and upgrades it. If that fails, the store is
    /// read-only.
    static func openUpgraded(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ hold: consuming JournalHold,
        _ settings: StoreSettings, _ upgrade: SchemaUpgrade, _ extractor: RecordExtractor?,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var layers = LayeredRecords(extractor: upgrade.extractor)
        let older = try openToWrite(place, lock, hold, upgrade.settingsBefore(settings), upgrade.extractor) {
            layers.load($0)
        }
        var failure = older.refusal
        if failure == nil {
            do throws(StorageError) {
                try older.upgrade(&layers, settings, upgrade, extractor)
            } catch {
                failure = error
            }
        }
        older.journal.letGo(in: settings.fileSystem)
        guard var lock = older.lock.take() else { throw failure ?? .busy(reason: "The store was not locked.") }
        let place = try StoreDirectory(settings)
        if let failure { return try openToReadUpgraded(place, settings, upgrade, lock, failure, isLocked: true, load) }
        let hold = try lock.holdJournals(place, settings)
        return try openToWrite(place, lock, hold, settings, extractor, load)
    }

    private func upgrade(
        _ layers: inout LayeredRecords, _ settings: StoreSettings, _ upgrade: SchemaUpgrade,
        _ extractor: RecordExtractor?
    ) throws(StorageError) {
        do throws(IndexFault) {
            // Rebuilt from the whole checked snapshot, with its index: a power cut may have damaged the old index.
            if let index = takeIndex() {
                if let fresh = freshIndex(upgrade.extractor) { layers.setBase(fresh) } else { layers.setBase(index) }
            }
            try layers.settle()
        } catch {
            throw error.asStorageError
        }
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: storeId,
            generation: max(generation, journal.generation) + 1, revision: revision, count: layers.count,
            unknownMembers: unknownMembers)
        let kept: String
        do throws(SystemError) {
            kept = try keepSnapshot(ofVersion: upgrade.version)
        } catch {
            throw .writing(error, error.subject)
        }
        var buffer = ByteBuffer(capacity: 1024)
        var problem: StorageError?
        do {
            _ = try Generation.make(
                header, backupOf: nil,
                carrying: .init(
                    generation: generation, marked: markedOperations, revision: revision, reached: revision,
                    besides: []),
                at: settings.timestamp(), in: place, settings, extractor
            ) { emit in
                let fault = layers.handOver({ _, _ in }) { record in
                    buffer.truncate(to: 0)
                    if upgrade.transform(record, &buffer) {
                        emit(buffer.bytes)
                    } else if problem == nil {
                        let id = upgrade.extractor.id(record)?.text ?? "without an id"
                        problem = .unavailable(
                            reason: "The record \(id) cannot be upgraded from schema version \(upgrade.version).",
                            advice: "The store is as it was; a program of that version can go on with it.")
                    }
                }
                if let fault { problem = fault.asStorageError }
            }
        } catch {
            // Fewer records came than were announced, so nothing was replaced. `problem` says why.
            throw problem ?? error.error
        }
        settings.log(
            "\(place.path) was upgraded from schema version \(upgrade.version) to \(settings.schemaVersion); the snapshot"
                + " before is kept as \(kept)")
    }

    /// Gives the snapshot a permanent second name, unless an earlier attempt has.
    private func keepSnapshot(ofVersion version: Int) throws(SystemError) -> String {
        let status: FileStatus
        do {
            let file = try place.open(StoreDirectory.snapshotName, .read)
            try file.sync()
            status = try file.status()
        }
        var number = 1
        while true {
            let name = StoreInventory.earlierName(version, number)
            guard let other = try place.status(of: name) else {
                try Generation.giveName(name, to: StoreDirectory.snapshotName, status, in: place, settings)
                return name
            }
            if other.isSameFile(as: status) { return name }
            number += 1
        }
    }

    /// The store of the earlier version, for reading only, with the upgraded records.
    /// - Parameter refusal: the reason why it is read-only; nil if another process is using it, and it may be upgraded
    ///   later.
    static func openToReadUpgraded(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ upgrade: SchemaUpgrade,
        _ lock: consuming TurnLock?, _ refusal: StorageError?, isLocked: Bool, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var buffer = ByteBuffer(capacity: 1024)
        let before = upgrade.settingsBefore(settings)
        let loading = try Loading(place, before, nil, isLocked: isLocked) { upgrade.upgrading(load, $0, &buffer) }
        let weightier = loading.refusal ?? refusal
        let reason = weightier.map {
            $0.refusing(
                "\($0.reason) \(StoreDirectory.snapshotName) has schema version \(upgrade.version); it is shown"
                    + " as version \(settings.schemaVersion), and is upgraded when the store is opened where it can be"
                    + " written.")
        }
        let files = try loading.openedToRead(place, settings, lock, reason) { upgrade.upgrading(load, $0, &buffer) }
        // Later lines are of the earlier version too: then everything is read again.
        files.journal.close()
        files.snapshotIdentity = nil
        return files
    }
}
