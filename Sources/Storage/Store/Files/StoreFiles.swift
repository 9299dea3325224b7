import JSONCodec
import Platform

/// The open files of one store: commits are read from them once, and every new commit goes to them.
///
/// They know no moods. A record is the bytes of one JSON object. Its meaning belongs to the caller, who keeps all
/// records and passes them back when the snapshot is rewritten. (A write-ahead log below a table: Room has SQLite's,
/// Core Data its store file.)
///
///     let files = try StoreFiles.open(settings) { event in table.apply(event) }
///     var lines = CommitLines(after: files.revision)
///     lines.begin(seq: files.revision + 1, at: now, durable: files.revision)
///     lines.put(record)
///     lines.end()
///     try files.sync(&lines)    // now it may be answered
///
/// Several processes may have one store open. A writer takes the lock and catches up (`lockAndCatchUp`), commits, and
/// unlocks (`unlock`): once per group. A reader takes no lock, reads up to the published commit (`catchUp`), and shows
/// nothing above it.
///
/// Invariants, while the lock is held:
/// 1. `journal` is the last journal that counts (`Recovery` has the rules), and its end is clean.
/// 2. Up to its end it holds the lines of the commits up to `revision`.
/// 3. `revision` is published before any client sees it; with durability sync it was synced before that.
/// 4. Once the journal is unusable, `rewrite` gives another.
public final class StoreFiles {
    /// Longest line of a store, in bytes. No caller may stage more; a longer line was not written by this program.
    public static let lineBytesMax = 16 << 20

    let settings: StoreSettings
    let place: StoreDirectory
    /// The lock for each group of changes; nil if the store can only be read.
    var lock: TurnLock?
    /// The locks on all journals, held together with `lock` while they are judged.
    var hold: JournalHold?
    /// The file where writers publish the last commit to show; nil if there is none yet.
    var lockFile: File?
    /// The lock file that had the name before, while another process may still hold it.
    var formerLockFile: File?
    /// The bytes that this process last read or wrote there.
    var seenPublication = [UInt8](repeating: 0, count: Publication.byteCount)
    /// The identity of `lockFile`.
    var lockIdentity: FileStatus?
    /// The identity of the snapshot when it was read.
    var snapshotIdentity: FileStatus?
    /// The operations file, held open so that it can be put back; nil if there was none.
    var operations: File?
    /// Whether the operations file could be opened, or did not exist.
    var areOperationsKnown = false
    /// Whether this process passed on only a part of another's commit.
    var isHalfRead = false
    /// Whether to read everything again before the next change, whatever the files look like.
    var isSuspect = false
    /// Whether names of the last generation may not be durable: a power cut could lose its snapshot and leave a later journal that
    /// begins above the end of the earlier one. The next generation settles that.
    var isUnsettled = false
    /// While everything is read again: the known operations of the journals with their ids, oldest first.
    var knownOperations: [(seq: Int, id: [UInt8])] = []
    /// The meaning of a record for the opener of the store; nil if the records were passed on.
    var extractor: RecordExtractor?
    /// The index of the snapshot's records, until the opener takes it.
    var index: SnapshotIndex?
    var journal: JournalWriter
    /// Time of the last name change in the directory, if all files of this process were certainly there then;
    /// nanoseconds since 1970, 0 if unknown.
    var seenNames: Int64 = 0
    /// Time of the last name change when the lock was taken.
    var namesChanged: Int64 = 0
    /// Place of the last commits that were read again, and the end before other processes were last seen to have
    /// committed. Notifications of commits continue from there.
    var readPlace: CommitPlace?
    var placeBeforeNews: CommitPlace?
    /// Number of journals to replay after the snapshot.
    var journalCount: Int

    /// The store's own UUID, given at creation.
    public let storeId: String
    /// Members of the snapshot's header that this version does not know, and the `OperationsMark`.
    var unknownMembers: [UInt8]
    /// Number of operations that the operations file must have.
    var markedOperations: Int
    /// The generation of the snapshot.
    public internal(set) var generation: Int
    /// The last commit in the snapshot.
    var snapshotRevision: Int
    /// The last synced commit (with durability none: the last written one).
    public internal(set) var revision: Int
    /// The last commit known to be on stable storage.
    var syncedRevision: Int
    public internal(set) var snapshotBytes: Int
    /// The bytes of change lines after the snapshot.
    public internal(set) var journalBytes: Int
    /// The error for every write; nil while the store can be written.
    public internal(set) var refusal: StorageError?
    /// The damage because of which less is shown than was acknowledged.
    public internal(set) var damage: StoreDamage?
    /// Whether only a restart helps, because it is unknown what is on the disk.
    var isRefusedForGood = false
    /// Whether the refusal may be over: after space, a permission or a mended file.
    var mayHeal: Bool { refusal != nil && !isRefusedForGood && !settings.isReadOnly }
    /// The reason of `refusal`, for people.
    public var readOnlyReason: String? { refusal?.reason }
    /// The directory's path.
    public var directory: String { place.path }

    /// The line of an operations file for a commit that becomes a snapshot; empty for none.
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
        journal = JournalWriter(generation: header.generation)
        journalCount = 1
        storeId = header.storeId
        unknownMembers = header.unknownMembers
        markedOperations = header.markedOperations
        generation = header.generation
        snapshotRevision = header.revision
        self.revision = revision
        self.syncedRevision = syncedRevision
        self.snapshotBytes = snapshotBytes
        journalBytes = 0
    }
}
