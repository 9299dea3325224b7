import JSONCodec
import Platform

/// The files of one store, open: what was committed is read from them once, and every commit goes to them.
///
/// It knows no moods. A record is the bytes of one JSON object; what it means is the caller's affair, who keeps all of
/// them and hands them back when the snapshot is written anew. (A write-ahead log below a table: Room has SQLite's,
/// Core Data its store file.)
///
///     var files = try StoreFiles.open(settings) { event in table.apply(event) }
///     files.beginLine(seq: files.revision + 1, at: now)
///     files.stagePut(record)
///     files.endLine()
///     try files.sync()          // now it may be answered
///
/// Several processes may have the same store open. Who changes it takes its lock first (`lockAndCatchUp`), sees what
/// the others committed, commits, and lets go (`unlock`): one hold of the lock for all of a group. Who only reads takes
/// no lock, looks at what is published (`catchUp`), and shows nothing above that.
///
/// Invariants, while the lock is held:
/// 1. `journal` is the last journal that counts (`Recovery` has the rules), and its end is clean.
/// 2. Up to its end it holds the lines of the commits up to `revision`.
/// 3. `revision` is published before anybody can learn of it; with durability sync it was synced before that.
/// 4. Once the journal is unusable, `rewrite` gives another.
public struct StoreFiles: ~Copyable {
    /// No line of a store is longer; one that is was not written by us. Nobody may stage more, in bytes.
    public static let lineBytesMax = 16 << 20

    /// Has these files handed on by their address: to follow each member of a large value where it is lent takes the compiler
    /// longer than all else in this module.
    private let atAddress: any Sendable = ()

    let settings: StoreSettings
    let place: StoreDirectory
    /// What is taken for each group of changes; nil where the store can only be read.
    var lock: TurnLock?
    /// All journals that stand there, held with it while they are judged.
    var hold: JournalHold?
    /// Where writers publish what may be shown; nil where there is no such file yet.
    var lockFile: File?
    /// The one that had its name before, while somebody may still hold that.
    var formerLockFile: File?
    /// What was last read there, or written by us.
    var seenPublication = [UInt8](repeating: 0, count: Publication.byteCount)
    /// Which file that is.
    var lockIdentity: FileStatus?
    /// The file that was the snapshot when it was read.
    var snapshotIdentity: FileStatus?
    /// The operations file, held open so that it can be put back; nil where there was none.
    var operations: File?
    /// Whether it could be opened, or there was none.
    var areOperationsKnown = false
    /// Whether a commit of others was handed over in part only.
    var isHalfRead = false
    /// Whether everything is to be read anew before the next change, whatever the files look like.
    var isSuspect = false
    /// Whether the snapshot has a name that may not be durable: what only the snapshot has could be gone after a power cut, and a
    /// journal after it would begin above the end of the one before. The next generation settles that.
    var isUnsettled = false
    /// Where all is read anew: the operations of the journals that are known by their ids, oldest first.
    var knownOperations: [(seq: Int, id: [UInt8])] = []
    /// What a record means to whoever opened the store; nil where the records were handed over.
    var extractor: RecordExtractor?
    /// The way to the snapshot's records, until somebody takes it.
    var index: SnapshotIndex?
    var journal: JournalWriter
    /// When a name in the directory last changed, where it is certain that all that this process relies on was there then;
    /// nanoseconds since 1970, 0 where nothing is certain.
    var seenNames: Int64 = 0
    /// When a name last changed, as of the moment when the lock was taken.
    var namesChanged: Int64 = 0
    /// Where commits were last read again, and what was the end before others were last seen to have gone on: whoever tells
    /// of commits goes on from there.
    var readPlace: CommitPlace?
    var placeBeforeNews: CommitPlace?
    /// How many journals have to be replayed after the snapshot.
    var journalCount: Int

    /// The store's own UUID, given at creation.
    public let storeId: String
    /// Members of the snapshot's header that this version does not know, and the `OperationsMark`.
    var unknownMembers: [UInt8]
    /// How many operations are to be known from the operations file.
    var markedOperations: Int
    /// The generation of the snapshot.
    public internal(set) var generation: Int
    /// The last commit that was synced (with durability none: written).
    public internal(set) var revision: Int
    /// The last commit that is known to be on stable storage.
    var syncedRevision: Int
    public internal(set) var snapshotBytes: Int
    /// The bytes of change lines after the snapshot.
    public internal(set) var journalBytes: Int
    /// The error that every write gets, nil while the store can be written.
    public internal(set) var refusal: StorageError?
    /// The damage because of which less is shown than was acknowledged.
    public internal(set) var damage: StoreDamage?
    /// Whether only a restart helps, because nobody can tell what is on the disk.
    var isRefusedForGood = false
    /// Whether the refusal may be over by now: there is space again, or a right, or the files were mended.
    var mayHeal: Bool { refusal != nil && !isRefusedForGood && !settings.isReadOnly }
    /// What people are told of it.
    public var readOnlyReason: String? { refusal?.reason }
    /// The directory's path.
    public var directory: String { place.path }

    /// The line of an operations file for a commit that is made as a snapshot; empty for none.
    var snapshotOperation: [UInt8] = []
    var publication = ByteBuffer(capacity: 256)
    var readBuffer = ByteBuffer(capacity: 256)

    /// An open store. Without a lock it can only be read.
    init(
        _ settings: StoreSettings, _ place: consuming StoreDirectory, _ header: SnapshotHeader, revision: Int,
        syncedRevision: Int, snapshotBytes: Int, lock: consuming TurnLock?
    ) {
        self.settings = settings
        self.place = place
        self.lock = lock
        hold = nil
        lockFile = nil
        formerLockFile = nil
        index = nil
        operations = nil
        journal = JournalWriter(generation: header.generation, after: revision)
        journalCount = 1
        storeId = header.storeId
        unknownMembers = header.unknownMembers
        markedOperations = header.markedOperations
        generation = header.generation
        self.revision = revision
        self.syncedRevision = syncedRevision
        self.snapshotBytes = snapshotBytes
        journalBytes = 0
    }

    /// Has the next snapshot name these members in the place of those that the present one names.
    mutating func replaceUnknownMembers(by members: [UInt8]) { unknownMembers = members }
}
