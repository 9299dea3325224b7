import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// A store as a replica: its commits become records, and records of others become commits.
///
/// Invariants
/// 1. Whenever the store's lock is not held, the fold is what the store holds, but for commits that are no records yet.
/// 2. How far records are in the store is said by the journal alone, in the line of the commit that brought them (`saw`). What
///    `sync/` holds beyond that is brought in again, as if it had just come. So a crash anywhere neither loses nor doubles.
/// 3. A commit becomes a record of the replica that the store was when it was made, and the same record by whoever makes it
///    from the same journal. Whether it is one already is told by the digits that end its line (`LocalRecorder`).
/// 4. Nothing is recorded or brought in while records are missing that the store has (`isWhole`): the fold would not show what
///    the store holds.
///
/// One value serves one round, by one thread; after an error it is dropped.
final class StoreReplica {
    /// A commit has no more bytes, but for the last mood.
    static let commitBytesMax = 1 << 20
    /// Of others' records, at most so many operations are brought in under one hold of the lock.
    static let operationsPerHold = 1000

    let place: SyncPlace
    var file: ReplicaFile
    var fold = Fold()
    var inbox = Inbox()
    var moods: MoodRecords
    /// The records that were made here, by the replica that made them.
    var own: [UUID: RecordFile] = [:]
    var others: RecordFile
    /// Makes records of commits, in the order of the journal.
    var recorder: LocalRecorder
    /// What the journal says and is not looked at yet.
    var steps: [LocalRecorder.Step] = []
    /// Moods of known records, whose coming into the store the journal does not tell of yet.
    var unsettled: Set<UUID> = []
    /// Whether any mood of the store may be another one than the fold shows: it was put back, or `sync/` was.
    var isAllUnsettled = false
    /// A join that was broken off.
    var unfinished: Fold?
    /// Whether a join is in the store and not in the base.
    var isJoined = false
    /// What the store shows where the fold may show something else.
    var shownBefore: [UUID: MoodDocument?] = [:]
    /// How far records are in the store, as the journal says.
    var saw = Vector()
    /// Which replica the journal says that the store is.
    var marked: UUID?
    /// How far records are in the store, as the journal says and what was recorded here: the fold has to have all of them.
    var needed = Vector()
    /// Whether the fold has all records that the store has; not where a file of `sync/` was lost or spoiled.
    var isWhole = false
    /// The last commit that was looked at, or was made here: none up to it is no record yet.
    var looked = 0
    /// Whether the history reaches back to where it has to be read from.
    var hasHistory = true

    let newID: () -> UUID?
    /// Whether nothing is written: it tells what is known, and holds up nobody.
    var isView = false

    private init(
        _ place: SyncPlace, _ file: ReplicaFile, _ moods: consuming MoodRecords, _ others: RecordFile,
        _ newID: @escaping () -> UUID?
    ) {
        self.newID = newID
        self.place = place
        self.file = file
        self.moods = moods
        self.others = others
        recorder = LocalRecorder(
            journal: file.journal, storeID: file.storeID, ids: [], seen: Vector(), own: [:], names: [:])
    }

    /// Reads what is known, and makes records of the commits that are none yet.
    /// - Parameter restore: brings back what is missing.
    /// - Throws: `missing` where something is missing still.
    static func open(
        _ place: SyncPlace, _ settings: StoreSettings,
        restore: ((StoreReplica) throws(SyncError) -> Void)? = nil
    ) throws(SyncError) -> StoreReplica {
        var replica = try begun(place, settings)
        if !replica.isWhole, let restore {
            try restore(replica)
            // What is there no more, and the journal's own commits say, is made again.
            replica = try begun(place, settings, makesAgain: true)
        }
        if replica.isWhole { return replica }
        throw .missing(replica.lacking)
    }

    private static func begun(
        _ place: SyncPlace, _ settings: StoreSettings, makesAgain: Bool = false
    ) throws(SyncError) -> StoreReplica {
        var moods = MoodRecords(.directory(settings))
        moods.origin = MoodRecords.syncOrigin
        // A copy, or another store: it takes an id of its own when it is opened for writing.
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        moods.endGroup()
        let file = try place.file()
        let replica = StoreReplica(
            place, file, moods, try RecordFile(place.others, isOwn: false, in: place.fileSystem)
        ) { UUID(settings.makeIdentifier()) }
        try replica.own(file.replica)
        for former in file.former { try replica.own(former.replica) }
        try replica.begin(makesAgain)
        return replica
    }

    /// What is known, with what was done here until now, as far as files say it. Nothing is written, and no lock is waited for: so
    /// a round that is at work may change files meanwhile; then it is read again.
    static func view(_ place: SyncPlace, _ settings: StoreSettings) throws(SyncError) -> StoreReplica {
        for attempt in 0..<5 {
            if attempt > 0 { Clock.sleep(milliseconds: 20 << attempt) }
            let file = try place.file()
            let replica = StoreReplica(
                place, file, MoodRecords(.directory(settings)),
                try RecordFile(place.others, isOwn: false, in: place.fileSystem)
            ) { nil }
            replica.isView = true
            do throws(MoodStoreError) { try replica.moods.open() } catch { throw .store(error) }
            try replica.own(file.replica)
            for former in file.former { try replica.own(former.replica) }
            try replica.load(true)
            guard replica.isWhole else { continue }
            _ = try replica.recordLocal()
            return replica
        }
        throw .refused(
            reason: "Records are missing in sync/ that this store has taken in. Sync (sync.now) to have them again.")
    }

    func begin(_ makesAgain: Bool) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        try load(makesAgain)
        guard isWhole else { return }
        let isNew = isAllUnsettled
        try takeLocal()
        if recorder.isPutBack {
            // Its next commits would have revisions that records tell of.
            if recorder.taken.isEmpty {
                try becomeAnother()
                try commit([])
            }
            recorder.isPutBack = false
        }
        // Before another join takes its place; and so that the history need not be read from its beginning again.
        if exchange(&isJoined, with: false) || isNew { try keepBase() }
    }

    func own(_ replica: UUID) throws(SyncError) {
        own[replica] = try RecordFile(place.own(replica), isOwn: true, in: place.fileSystem)
    }

    /// Takes the store's lock, and sees what others have committed.
    func hold() throws(SyncError) {
        moods.setTime(Timestamp(milliseconds: Clock.milliseconds) ?? .minimum)
        moods.beginGroup()
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        guard moods.identity?.id == file.storeID else {
            moods.endGroup()
            throw .refused(reason: "The store was replaced while it was synced. Sync again.")
        }
        // Who leaves waits for nobody.
        guard let there = try? place.fileIfThere(), there.replica == file.replica, there.journal == file.journal else {
            moods.endGroup()
            throw .refused(reason: "The sync was left, or set up anew, while it was at work.")
        }
    }

    var revision: Int { moods.durableRevision }

    /// The digits that end a commit's line; nil where it is not there, or the history does not reach so far.
    func crc(of revision: Int) -> UInt32? {
        guard revision > 0, revision <= moods.durableRevision else { return nil }
        var crc: UInt32?
        _ = moods.commits(after: revision - 1) { commit in
            if commit.seq == revision { crc = commit.crc }
            return false
        }
        return crc
    }

    /// Whether the store has this very commit, as far as that can be told.
    func has(_ commit: Record.Commit) -> Bool {
        if commit.revision > moods.durableRevision { return false }
        guard commit.crc != 0, let crc = crc(of: commit.revision) else { return true }
        return crc == commit.crc
    }

    // MARK: What others did

    /// Brings in what waits and may be applied, a part under each hold of the lock.
    /// - Returns: how many records.
    func apply(_ tell: (Int) -> Void) throws(SyncError) -> Int {
        var count = 0
        inbox.drop(knownTo: fold)
        while true {
            try hold()
            defer { moods.endGroup() }
            try takeLocal()
            var touched: Set<UUID> = []
            var records: [Record] = []
            var operations = 0
            while operations < Self.operationsPerHold, let record = inbox.next(after: fold) {
                touched.formUnion(fold.apply(record) ?? [])
                records.append(record)
                operations += record.operations.count
            }
            if records.isEmpty { return count }
            try others.append(records)
            try commit(touched)
            count += records.count
            tell(count)
        }
    }

    /// Takes a snapshot in.
    /// - Parameter text: of the snapshot.
    func join(_ other: Fold, _ text: [UInt8]) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        let isAll = fold.vector.last.isEmpty
        let touched = fold.join(other)
        let joined = isAll ? text : SnapshotText.text(fold, journal: file.journal)
        // First what the journal will say is there, then that it is.
        try write(joined, to: place.joined)
        try commit(touched)
        try keepBase(joined)
    }

    /// Under the store's lock: the store gets what the fold shows, and the journal says how far that is.
    func commit(_ touched: Set<UUID>) throws(SyncError) {
        do throws(MoodStoreError) {
            var bytes = 0
            for id in touched.sorted() {
                if let shown = fold.shown(id) {
                    bytes += try moods.put(shared: id) { shown.write(revision: $0, to: &$1) } ?? 0
                } else if try moods.remove(shared: id) {
                    bytes += UUID.textLength
                }
                guard bytes > Self.commitBytesMax else { continue }
                try moods.endCommit()
                do throws(StorageError) { try moods.flushEarly() } catch { throw .storage(error) }
                bytes = 0
            }
            // What was made here is in the store without anybody's saying so.
            if bytes == 0, isSeen { return }
            var vector = JSONWriter(capacity: 256)
            fold.vector.write(to: &vector)
            try moods.mark(saw: Array(vector.buffer.bytes), more: marks)
            try moods.endCommit()
            do throws(StorageError) { try moods.flush() } catch { throw .storage(error) }
            saw = fold.vector
            marked = file.replica
            recorder.see(saw)
            looked = moods.durableRevision
            try holdAgain()
        } catch {
            moods.abandonCommit()
            throw .store(error)
        }
    }

    /// The checksums of what is in the store, and which replica it is.
    var marks: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        fold.vector.writeCrcs(to: &writer)
        writer.key("replica")
        writer.string(file.replica.text)
        writer.endObject()
        let text = Array(writer.buffer.bytes)
        // A line says it only with checksums.
        return text.starts(with: Array(#"{"sawCrc":"#.utf8)) ? Array(text.dropFirst().dropLast()) : []
    }

    /// Whether the journal says of all others' records that they are in the store, and which replica it is.
    var isSeen: Bool {
        // A new id is said at once, that of a store that knows of no record with the first one.
        if !fold.vector.last.isEmpty, let marked, marked != file.replica { return false }
        // What was made here of this journal's commits is in it.
        return fold.vector.last.keys.allSatisfy { replica in
            let seen = recorder.seen.heads(of: replica)
            return fold.vector.heads(of: replica).allSatisfy { head in
                seen.contains { $0.number == head.number && ($0.crc == head.crc || $0.crc == 0) }
            }
        }
    }

    /// After a flush the lock is still held until the group ends.
    func holdAgain() throws(MoodStoreError) { try moods.openForWriting() }
}

extension Commit {
    /// What is in the store from this commit on, and which replica that is; nil where it does not say so.
    var seenVector: (vector: Vector, replica: UUID?)? {
        guard let saw, var vector = Vector(ValidJSON(trusting: saw)) else { return nil }
        guard let marks else { return (vector, nil) }
        let text = ByteBuffer(copying: Array("{".utf8) + marks + Array("}".utf8))
        var replica: UUID?
        var (crcs, branches): (ValidJSON?, ValidJSON?)
        var reader = JSONReader(ValidJSON(trusting: text.bytes))
        guard reader.enterObject() else { return (vector, nil) }
        while let key = reader.nextKey() {
            let value = reader.skip()
            if key.equals("sawCrc") {
                crcs = value
            } else if key.equals("sawAlso") {
                branches = value
            } else if key.equals("replica") {
                replica = JSONValue(value).string.flatMap { UUID($0) }
            }
        }
        vector.add(crcs: crcs, branches: branches)
        return (vector, replica)
    }
}
