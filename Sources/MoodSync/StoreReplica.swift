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
/// 2. How far others' records are in the store is said by the journal alone, in the line of the commit that brought them
///    (`saw`). What `sync/` holds beyond that counts for nothing. So a crash anywhere neither loses nor doubles.
/// 3. A commit becomes a record of the replica that the store was when it was made, and the same record by whoever makes it
///    from the same journal.
/// 4. Nothing is recorded or brought in while records are missing that the store has (`isWhole`): the fold would not show what
///    the store holds.
///
/// One value serves one round, by one thread; after an error it is dropped.
final class StoreReplica {
    /// A record has no more operations, but for one that has a single one.
    private static let operationsMax = 500
    private static let recordBytesMax = 256 << 10
    /// A commit has no more bytes, but for the last mood.
    private static let commitBytesMax = 1 << 20
    /// Of others' records, at most so many operations are brought in under one hold of the lock.
    private static let operationsPerHold = 1000

    let place: SyncPlace
    let file: ReplicaFile
    private(set) var fold = Fold()
    var inbox = Inbox()
    var moods: MoodRecords
    /// The records that were made here, by the replica that made them.
    var own: [UUID: RecordFile] = [:]
    var others: RecordFile
    /// Records that were made and are not on the disk.
    private var made: [UUID: [Record]] = [:]
    /// Moods of records that were made here, whose coming into the store the journal does not tell of yet.
    private var unsettled: Set<UUID> = []
    /// A join that was broken off.
    private var unfinished: Fold?
    /// Whether a join is in the store and not in the base.
    private var isJoined = false
    /// What the store shows where the fold may show something else.
    private var shownBefore: [UUID: MoodDocument?] = [:]
    /// How far others' records are in the store, as the journal says.
    private var saw = Vector()
    /// How far records are in the store, as the journal says and what was recorded here: the fold has to have all of them.
    private(set) var needed = Vector()
    /// Whether the fold has all records that the store has; not where a file of `sync/` was lost or spoiled.
    private(set) var isWhole = false
    /// The last commit that was looked at, or was made here: none up to it is no record yet.
    private var looked = 0

    private init(
        _ place: SyncPlace, _ file: ReplicaFile, _ moods: consuming MoodRecords, _ others: RecordFile
    ) {
        self.place = place
        self.file = file
        self.moods = moods
        self.others = others
    }

    /// Reads what is known, and makes records of the commits that are none yet.
    /// - Parameter restore: brings back what is missing.
    /// - Throws: `corrupt` where something is missing still.
    static func open(
        _ place: SyncPlace, _ settings: StoreSettings,
        restore: ((StoreReplica) throws(SyncError) -> Void)? = nil
    ) throws(SyncError) -> StoreReplica {
        var replica = try begun(place, settings)
        if !replica.isWhole, let restore {
            try restore(replica)
            replica = try begun(place, settings)
        }
        if replica.isWhole { return replica }
        let reason =
            if replica.isPutBack {
                "The moods were put back to an earlier state, and sync/ was not."
            } else {
                "Records are missing in sync/ that this store has taken in."
            }
        let advice =
            restore == nil && !replica.isPutBack
            ? "Sync (sync.now) to have them again."
            : "Leave the sync (sync.leave) and set it up again; the moods stay."
        throw .store(
            .storage(.corrupt(file: ReplicaFile.folder + "/others.jsonl", offset: 0, reason: reason + " " + advice)))
    }

    private static func begun(_ place: SyncPlace, _ settings: StoreSettings) throws(SyncError) -> StoreReplica {
        var moods = MoodRecords(.directory(settings))
        moods.origin = MoodRecords.syncOrigin
        // A copy, or another store: it takes an id of its own when it is opened for writing.
        do throws(MoodStoreError) { try moods.openForWriting() } catch { throw .store(error) }
        moods.endGroup()
        let file = try place.file()
        let replica = StoreReplica(
            place, file, moods, try RecordFile(place.others, isOwn: false, in: place.fileSystem))
        try replica.own(file.replica)
        for former in file.former { try replica.own(former.replica) }
        try replica.begin()
        return replica
    }

    private func begin() throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        try load()
        guard isWhole else { return }
        try takeLocal()
        // Before another join takes its place.
        if exchange(&isJoined, with: false) { try keepBase() }
    }

    private func own(_ replica: UUID) throws(SyncError) {
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
    }

    var revision: Int { moods.durableRevision }

    // MARK: What is known

    private func load() throws(SyncError) {
        let base = try BaseFile.read(place.base, in: place.fileSystem)
        var start = file.from
        if let base, base.storeID == file.storeID, base.revision <= moods.durableRevision {
            fold = base.fold
            saw = base.fold.vector
            start = base.revision
            // A base is kept after the commits before it are records.
            looked = base.revision
        }
        var (saw, shown, isPart) = (saw, shownBefore, false)
        let recorded = recorded
        _ = moods.commits(after: start) { commit in
            if commit.origin != MoodRecords.syncOrigin {
                if commit.seq <= recorded { for change in LocalCommit(commit).changes { change.show(in: &shown) } }
            } else if let text = commit.saw, let vector = Vector(ValidJSON(trusting: text)) {
                (saw, isPart) = (vector, false)
                shown = [:]
            } else {
                isPart = true
                for change in commit.changes {
                    let document = change.record.flatMap { MoodDocument(ValidJSON(trusting: $0)) }
                    shown.updateValue(document, forKey: change.id)
                }
            }
            return true
        }
        (self.saw, shownBefore) = (saw, shown)
        let joined = try BaseFile.read(place.joined, in: place.fileSystem)
        isJoined = joined.map { saw.covers($0.fold.vector) } ?? false
        // It may be older than the base, where only its removal was missed.
        if let joined, isJoined { _ = fold.join(joined.fold) }
        if !isJoined, isPart { unfinished = joined?.fold }
        var known = Inbox()
        needed = saw
        for replica in ownIDs {
            for record in own[replica]?.records ?? [] {
                known.add(record)
                needed = needed.joined(with: record.saw)
            }
        }
        for record in others.records where record.number <= needed[record.replica] { known.add(record) }
        let ownIDs = Set(ownIDs)
        while let record = known.next(after: fold.vector) {
            let touched = fold.apply(record) ?? []
            if ownIDs.contains(record.replica), record.number > saw[record.replica] { unsettled.formUnion(touched) }
        }
        // Of what it was before, others may have records too.
        let formerIDs = ownIDs.subtracting([file.replica])
        isWhole =
            needed.last.allSatisfy { formerIDs.contains($0.key) || fold.vector[$0.key] >= $0.value }
            && ownIDs.allSatisfy { fold.vector[$0] >= own[$0]?.last?.number ?? 0 }
            && !isPutBack
    }

    /// The ids under which this very store has made records.
    var ownIDs: [UUID] { [file.replica] + file.former.filter { $0.storeID == file.storeID }.map(\.replica) }

    /// The last commit that is among the records.
    var recorded: Int {
        var last = file.from
        for replica in ownIDs {
            for record in own[replica]?.records.suffix(1) ?? [] where record.upTo.storeID == file.storeID {
                last = max(last, record.upTo.revision)
            }
        }
        return last
    }

    /// Whether the store is older than its records: what is done from then on would count as recorded.
    private var isPutBack: Bool { recorded > moods.durableRevision }

    // MARK: Local commits

    /// Under the store's lock: every commit that is no record yet becomes one, or several. Then the store shows what the fold
    /// does, and a join that was broken off is finished.
    func takeLocal() throws(SyncError) {
        var touched = try recordLocal()
        touched.formUnion(shownBefore.keys)
        if let unfinished = unfinished.take() {
            touched.formUnion(fold.join(unfinished))
            isJoined = true
        }
        try commit(touched)
        shownBefore = [:]
    }

    private func recordLocal() throws(SyncError) -> Set<UUID> {
        let start = max(recorded, looked)
        var touched = exchange(&unsettled, with: [])
        if start >= moods.durableRevision { return touched }
        var commits: [LocalCommit] = []
        let isWhole = moods.commits(after: start) { commit in
            if commit.origin != MoodRecords.syncOrigin { commits.append(LocalCommit(commit)) }
            return true
        }
        if isWhole {
            for commit in commits { touched.formUnion(record(commit, of: file.maker(of: commit.revision))) }
        } else {
            // The history has a gap: what the store holds now is what was done.
            let commit = try LocalCommit(revision: moods.durableRevision, changes: differences())
            touched.formUnion(record(commit, of: file.replica))
        }
        try keepRecords()
        looked = moods.durableRevision
        return touched
    }

    /// What has to be done to the fold so that it shows what the store holds.
    private func differences() throws(SyncError) -> [LocalChange] {
        var changes: [LocalChange] = []
        var there: Set<UUID> = []
        let fold = fold
        do throws(MoodStoreError) {
            try moods.forEachMood { mood in
                guard let document = MoodDocument(mood), let id = document.id else { return }
                there.insert(id)
                if fold.shown(id)?.bytes == document.bytes { return }
                changes.append(.put(at: document.updatedAt ?? .minimum, document, .usual))
            }
        } catch {
            throw .store(error)
        }
        var gone: [UUID] = []
        fold.forEachID { if !there.contains($0) { gone.append($0) } }
        gone.sort()
        for start in stride(from: 0, to: gone.count, by: LocalCommit.idsMax) {
            changes.append(.delete(at: moods.now, Array(gone[start..<min(start + LocalCommit.idsMax, gone.count)])))
        }
        return changes
    }

    /// Makes records of a commit, which `keepRecords` writes.
    private func record(_ commit: LocalCommit, of replica: UUID) -> Set<UUID> {
        let upTo = Record.Commit(storeID: file.storeID, revision: commit.revision)
        var touched: Set<UUID> = []
        var start = 0
        repeat {
            var end = start
            var bytes = 0
            while end < commit.changes.count, end - start < Self.operationsMax, bytes < Self.recordBytesMax {
                if case .put(_, let document, _) = commit.changes[end] { bytes += document.bytes.count }
                end += 1
            }
            let (record, changed) = fold.record(
                Array(commit.changes[start..<end]), of: replica, in: file.journal, upTo: upTo,
                shownBefore: &shownBefore,
                isContinued: end < commit.changes.count, name: fold.vector[replica] == 0 ? file.name(of: replica) : nil)
            touched.formUnion(changed)
            made[replica, default: []].append(record)
            start = end
        } while start < commit.changes.count
        return touched
    }

    /// Records are on the disk before anything that came with them is in the store; many commits wait for the disk once.
    private func keepRecords() throws(SyncError) {
        for (replica, records) in exchange(&made, with: [:]) {
            if own[replica] == nil { try own(replica) }
            try own[replica]?.append(records)
        }
    }

    /// The first records of a store that had moods before: each mood is as old as its last change.
    /// - Parameter isNew: whether there is to be a record in any case, because the journal is there with the first one.
    func recordAll(isNew: Bool) throws(SyncError) {
        try hold()
        defer { moods.endGroup() }
        let commit = try LocalCommit(revision: moods.durableRevision, changes: differences())
        if commit.changes.isEmpty, !isNew { return }
        let touched = record(commit, of: file.replica)
        try keepRecords()
        try self.commit(touched)
        shownBefore = [:]
    }

    // MARK: What others did

    /// Brings in what waits and may be applied, a part under each hold of the lock.
    /// - Returns: how many records.
    func apply(_ tell: (Int) -> Void) throws(SyncError) -> Int {
        var count = 0
        inbox.drop(upTo: fold.vector)
        while true {
            try hold()
            defer { moods.endGroup() }
            try takeLocal()
            var touched: Set<UUID> = []
            var records: [Record] = []
            var operations = 0
            while operations < Self.operationsPerHold, let record = inbox.next(after: fold.vector) {
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
    private func commit(_ touched: Set<UUID>) throws(SyncError) {
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
            try moods.mark(saw: Array(vector.buffer.bytes))
            try moods.endCommit()
            do throws(StorageError) { try moods.flush() } catch { throw .storage(error) }
            saw = fold.vector
            looked = moods.durableRevision
            try holdAgain()
        } catch {
            moods.abandonCommit()
            throw .store(error)
        }
    }

    /// Whether the journal says of all others' records that they are in the store.
    private var isSeen: Bool {
        fold.vector.last.allSatisfy { $0.value <= max(saw[$0.key], own[$0.key]?.last?.number ?? 0) }
    }

    /// After a flush the lock is still held until the group ends.
    func holdAgain() throws(MoodStoreError) { try moods.openForWriting() }
}
