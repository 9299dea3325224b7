import JSONCodec
import MoodCore
import MoodStore
import Platform
import Replication
import Storage

/// A store as a replica: its commits become records, and records of others become commits.
///
/// Invariants
/// 1. Whenever the store's lock is free, the fold equals the store, except for commits without a record.
/// 2. The journal alone says which records are in the store, in the line of the commit that brought them (`saw`). Other
/// contents of `sync/` are brought in again, as if they had just come. A crash anywhere therefore neither loses nor
/// doubles anything.
/// 3. A commit becomes a record of the replica that the store was when it made the commit. Every copy of the journal
/// makes an identical record. The checksum that ends the commit's line shows whether it has a record (`LocalRecorder`).
/// 4. While records are missing that the store has, no commit after the mark that names them is recorded, and nothing is
/// brought in (`isWhole`): the fold would not show what the store has. What is recorded is sent, so that two stores do
/// not wait for each other.
///
/// One value serves one round, on one thread; after an error it is dropped.
final class StoreReplica {
    /// The most bytes of a commit, apart from its last mood.
    static let commitBytesMax = 1 << 20
    /// The most operations of others' records that are brought in under one hold of the lock.
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
    /// The steps of the journal that are still to be handled.
    var steps: [LocalRecorder.Step] = []
    /// Moods of known records that the journal does not show in the store yet.
    var unsettled: Set<UUID> = []
    /// Whether any mood of the store may differ from the fold, because the store or `sync/` was put back.
    var isAllUnsettled = false
    /// An interrupted join.
    var unfinished: Fold?
    /// Whether a join is in the store and not in the base.
    var isJoined = false
    /// The store's moods that may differ from the fold's.
    var shownBefore: [UUID: MoodDocument?] = [:]
    /// The records in the store, according to the journal.
    var saw = Vector()
    /// The replica that the store is, according to the journal.
    var marked: UUID?
    /// The records in the store, according to the journal and the own records: the fold must have all of them.
    var needed = Vector()
    /// Whether the fold has all records that the store has. It has not if a file of `sync/` was lost or damaged.
    var isWhole = false
    /// The last commit that was handled, or made here: all commits up to it have records.
    var looked = 0
    /// Whether the history reaches back far enough.
    var hasHistory = true

    let newID: () -> UUID?
    /// Whether this is a view: it writes nothing and blocks no other process.
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

    /// Reads the known state, and makes records of the commits without one.
    /// - Parameters:
    ///   - isNew: whether a setup that has not ended begins a journal.
    ///   - restore: gets missing records again. If there are none, the replica is not whole.
    /// - Throws: `missing` if records are missing, and `restore` is nil.
    static func open(
        _ place: SyncPlace, _ settings: StoreSettings, isNew: Bool = true,
        restore: ((StoreReplica) throws(SyncError) -> Void)? = nil
    ) throws(SyncError) -> StoreReplica {
        var replica = try begun(place, settings, isNew)
        if !replica.isWhole, let restore {
            try restore(replica)
            // Records that no longer exist are made again from the journal's own commits.
            replica = try begun(place, settings, isNew, makesAgain: true)
        }
        guard replica.isWhole || restore != nil else { throw .missing(replica.lacking) }
        return replica
    }

    private static func begun(
        _ place: SyncPlace, _ settings: StoreSettings, _ isNew: Bool, makesAgain: Bool = false
    ) throws(SyncError) -> StoreReplica {
        var moods = MoodRecords(.directory(settings))
        moods.origin = MoodRecords.syncOrigin
        // A copy, or another store: it takes its own id when it is opened for writing.
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        moods.endGroup()
        let file = try place.file()
        let replica = StoreReplica(
            place, file, moods, try RecordFile(place.others, isOwn: false, in: place.fileSystem)
        ) { UUID(settings.makeIdentifier()) }
        try replica.own(file.replica)
        for former in file.former { try replica.own(former.replica) }
        try replica.begin(isNew, makesAgain)
        return replica
    }

    /// Reads the known state with all local commits, from files alone. It writes nothing and waits for no lock. A
    /// running round may change files meanwhile; then it reads again.
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
            _ = try replica.recordLocal()
            if replica.isWhole { return replica }
        }
        throw .refused(
            reason: "Records are missing in sync/ that this store has taken in. Sync (sync.now) to have them again.")
    }

    func begin(_ isNew: Bool, _ makesAgain: Bool) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        try load(makesAgain)
        if file.isBegun, fold.known.branches.isEmpty, saw.last.isEmpty { try recordSetup(isNew: isNew) }
        guard isWhole else { return }
        // The next round need not read the history from its beginning, or over its gap, again.
        let (isNew, id) = (isAllUnsettled || !hasHistory, file.replica)
        let touched = try recordLocal()
        guard isWhole else { return }
        try show(touched)
        if recorder.isPutBack {
            // Otherwise its next commits would have revisions that records have already named.
            if file.replica == id {
                try becomeAnother()
                try commit([])
            }
            recorder.isPutBack = false
        }
        // Before another join takes its place.
        if exchange(&isJoined, with: false) || isNew { try keepBase() }
        // Records that came and are not in the store yet may be nowhere else any more.
        for record in others.records { inbox.add(record) }
    }

    func own(_ replica: UUID) throws(SyncError) {
        own[replica] = try RecordFile(place.own(replica), isOwn: true, in: place.fileSystem)
    }

    /// Takes the store's lock, and reads the commits of other processes.
    func hold() throws(SyncError) {
        moods.setTime(Timestamp(milliseconds: Clock.milliseconds) ?? .minimum)
        moods.beginGroup()
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        guard moods.identity?.id == file.storeID else {
            moods.endGroup()
            throw .refused(reason: "The store was replaced while it was synced. Sync again.")
        }
        // `sync.leave` waits for no lock.
        guard let there = try? place.fileIfThere(), there.replica == file.replica, there.journal == file.journal else {
            moods.endGroup()
            throw .refused(reason: "The sync was left, or set up anew, while it was at work.")
        }
    }

    var revision: Int { moods.durableRevision }

    func crc(of revision: Int) -> UInt32? { moods.crc(of: revision) }

    /// Whether the store has this very commit, as far as known.
    func has(_ commit: Record.Commit) -> Bool {
        if commit.revision > moods.durableRevision { return false }
        guard commit.crc != 0, let crc = crc(of: commit.revision) else { return true }
        return crc == commit.crc
    }

    // MARK: Changes of others

    /// Brings in the waiting records that are applicable, a part under each hold of the lock.
    /// - Returns: the number of records.
    func apply(_ tell: (Int) -> Void) throws(SyncError) -> Int {
        var count = 0
        if !isWhole { return count }
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
            try others.add(records)
            try commit(touched)
            count += records.count
            tell(count)
        }
    }

    /// Joins a snapshot.
    /// - Parameter text: the text of the snapshot.
    func join(_ other: Fold, _ text: [UInt8]) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        try takeLocal()
        let isAll = fold.vector.last.isEmpty
        let touched = fold.join(other)
        let joined = isAll ? text : SnapshotText.text(fold, journal: file.journal)
        // The file comes before the journal's line that refers to it.
        try write(joined, to: place.joined)
        try commit(touched)
        try keepBase(joined)
    }

    /// Writes the fold's moods to the store, under the store's lock, and marks in the journal which records it has.
    ///
    /// With the first record that another machine wrote under this id, the store takes another id. So none of its records has to
    /// name a branch of its own replica. Nothing is written again: both are branches of one past.
    func commit(_ touched: Set<UUID>) throws(SyncError) {
        if isShared { try becomeAnother() }
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
            // Own records are in the store without a mark.
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

    /// The checksums of the records in the store, and its replica.
    var marks: [UInt8] {
        var writer = JSONWriter(capacity: 256)
        writer.beginObject()
        fold.vector.writeCrcs(to: &writer)
        writer.key("replica")
        writer.string(file.replica.text)
        writer.endObject()
        let text = Array(writer.buffer.bytes)
        // A line has them only with checksums.
        return text.starts(with: Array(#"{"sawCrc":"#.utf8)) ? Array(text.dropFirst().dropLast()) : []
    }

    /// Whether the journal marks all records of others as in the store, and names the replica.
    var isSeen: Bool {
        // A new id is marked at once; in a store without any records, with the first one.
        if !fold.vector.last.isEmpty, let marked, marked != file.replica { return false }
        // Records of this journal's own commits are in it.
        return fold.vector.last.keys.allSatisfy { replica in
            let seen = recorder.seen.heads(of: replica)
            return fold.vector.heads(of: replica).allSatisfy { head in
                seen.contains { $0.number == head.number && ($0.crc == head.crc || $0.crc == 0) }
            }
        }
    }

    /// Keeps the lock after a flush until the group ends.
    func holdAgain() throws(MoodStoreError) { try moods.openForWriting() }
}

extension Commit {
    /// The records in the store from this commit on, and its replica; nil if the commit has no mark.
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
