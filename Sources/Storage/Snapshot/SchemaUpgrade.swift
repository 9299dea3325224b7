import JSONCodec
import Platform

/// How a document of an earlier schema version becomes records of today's; handed in, because this layer knows none.
///
/// (Where readers come from: `SchemaMigrationPlan` of SwiftData, `Migration` of Room, `NSMappingModel` of Core Data;
/// but a function of bytes, so that migrating twice gives the same.)
public struct SchemaMigration: Sendable {
    /// No larger document is migrated, in bytes.
    public static let documentBytesMax = 1 << 30
    /// No record and no list of unknown members is longer, in bytes.
    public static let recordBytesMax = RecordStore.recordBytesMax

    /// Why a document cannot be migrated.
    public struct Problem: Error, Sendable, Equatable {
        /// Where in the document, in bytes.
        public var offset: Int
        /// A clause for people, that begins with what it is about.
        public var reason: String
        /// Whether the document is no JSON at all, which no earlier version has written.
        public var isDamage: Bool

        public init(offset: Int, reason: String, isDamage: Bool) {
            self.offset = offset
            self.reason = reason
            self.isDamage = isDamage
        }
    }

    /// Checks a whole document and says what becomes of it. The same bytes always give the same.
    ///
    /// The bytes must stay where they are as long as the answer is used.
    public let migrate: @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument

    public init(_ migrate: @escaping @Sendable (UnsafeRawBufferPointer) throws(Problem) -> MigratedDocument) {
        self.migrate = migrate
    }
}

/// A document of an earlier version, checked, as what it becomes.
public struct MigratedDocument {
    /// How many records there are.
    public let count: Int
    /// The members of the document that nobody knows, each as `,"name":value` without line feeds, in their order.
    public let unknownMembers: [UInt8]
    /// Hands over every record, in the order of a snapshot, each valid during its call only.
    public let records: ((UnsafeRawBufferPointer) -> Void) -> Void

    public init(
        count: Int, unknownMembers: [UInt8], records: @escaping ((UnsafeRawBufferPointer) -> Void) -> Void
    ) {
        self.count = count
        self.unknownMembers = unknownMembers
        self.records = records
    }
}

/// How the records of a store of an earlier schema version become records of this one; handed in, because this layer knows
/// none. The store goes on: its storeId, revision, history and operations stay, and its records are made anew one by one, by
/// a change of generation like any other. (`SchemaMigration` is for files from before there were stores.)
///
///     settings.upgrade = SchemaUpgrade(from: 3, extractor: .moodsOfVersion3) { record, buffer in … }
public struct SchemaUpgrade: Sendable {
    /// The version that the records have.
    public let version: Int
    /// How they are understood as that.
    public let extractor: RecordExtractor
    /// Appends what a record becomes to the buffer; false, and anything may be appended, where it is not a record. The same
    /// bytes always give the same. Id and time stay as they are, because the order of a snapshot does.
    public let transform: @Sendable (_ record: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer) -> Bool

    public init(
        from version: Int, extractor: RecordExtractor,
        transform: @escaping @Sendable (_ record: UnsafeRawBufferPointer, _ buffer: inout ByteBuffer) -> Bool
    ) {
        self.version = version
        self.extractor = extractor
        self.transform = transform
    }

    /// Whether an opening failed because the store is one that this upgrade is for.
    func isMeant(by error: StorageError, in place: borrowing StoreDirectory) -> Bool {
        guard case .olderSchema(version, _) = error else { return false }
        // A document of that version in another layout is for a migration; one that cannot be read is told of by that.
        guard let file = try? place.open(StoreDirectory.snapshotName, .read) else { return false }
        return (try? SnapshotHeader.begins(file, in: place.fileSystem)) == true
    }

    /// The settings with which the store is opened as what it still is.
    func settingsBefore(_ settings: StoreSettings) -> StoreSettings {
        var before = settings
        before.schemaVersion = version
        before.migration = nil
        before.upgrade = nil
        return before
    }

    /// What takes over the changes of the older store, each as it becomes.
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
/// 1. the store is opened as one of the earlier version, which judges its end and goes on after it as any opening does
/// 2. its snapshot is synced and gets a second name, `moods.vN.json`
/// 3. the next generation is made of it by the procedure of `Generation`, with the records as they become, and ends with the
///    rename over `moods.json`: **the commit point**
///
/// Killed before that rename, it is a store of the earlier version, which a host of that version goes on with, and the next
/// opening by this one upgrades: a blank journal of the later version beside it counts for nothing. Killed after it, it is a
/// store of this version. Journals of the earlier version lie in `history/` then, and their records are upgraded when they
/// are read.
extension StoreFiles {
    /// Opens a store of the earlier version, which `openToWrite` came upon, and upgrades it. Where that cannot be done it is
    /// only read.
    static func openUpgraded(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ hold: consuming JournalHold,
        _ settings: StoreSettings, _ upgrade: SchemaUpgrade, _ extractor: RecordExtractor?,
        _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var layers = LayeredRecords(extractor: upgrade.extractor)
        var older = try openToWrite(place, lock, hold, upgrade.settingsBefore(settings), upgrade.extractor) {
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

    private mutating func upgrade(
        _ layers: inout LayeredRecords, _ settings: StoreSettings, _ upgrade: SchemaUpgrade,
        _ extractor: RecordExtractor?
    ) throws(StorageError) {
        do throws(IndexFault) {
            // Read and checked as a whole, and its index with it: a power cut may have damaged the one that lies there.
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
            // Fewer records came than were announced, so nothing was replaced; this is why.
            throw problem ?? error.error
        }
        settings.log(
            "\(place.path) was upgraded from schema version \(upgrade.version) to \(settings.schemaVersion); the snapshot"
                + " before is kept as \(kept)")
    }

    /// Gives the snapshot a second name that is never removed, unless an attempt before has.
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

    /// The store of the earlier version, only to be read, with the records as they become.
    /// - Parameter refusal: why it is only read; nil where another process is at work on it, and it may be upgraded later.
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
        var files = try loading.openedToRead(place, settings, lock, reason) { upgrade.upgrading(load, $0, &buffer) }
        // What comes after is of the earlier version too: then everything is read anew.
        files.journal.close()
        files.snapshotIdentity = nil
        return files
    }
}
