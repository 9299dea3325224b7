import JSONCodec
import Platform

/// Writes a new snapshot in the background: from the files alone, like another process.
///
/// It opens the store for itself and writes its committed records as the next generation. Only for the end it takes the
/// lock: then it copies the lines that came meanwhile into the new journal, and the new generation replaces the old
/// one. Processes that use the store read on in the old files, which they have open, and find the new ones at their
/// next check (`StoreFiles.catchUp`).
///
/// Only one compaction runs at a time: it holds an flock on the snapshot that it replaces.
public enum Compaction {
    /// - Parameter revision: a commit of the store: if the files do not have it, they were replaced.
    /// - Parameter forgetsOperations: whether to give up operations whose file is missing.
    /// - Parameter progress: called from time to time with the number of records written so far and in all.
    /// - Parameter isCancelled: called before each read, until the new generation is in place.
    /// - Throws: `busy` if another process compacts, or the store has changed so that the caller must begin again;
    ///   `cancelled`; errors of opening and of `Generation`. The old generation then stays in use.
    public static func run(
        _ settings: StoreSettings, _ extractor: RecordExtractor, from revision: Int = 0,
        forgetsOperations: Bool = false,
        _ progress: @escaping (Int, Int) -> Void = { _, _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(StorageError) -> RewriteReport {
        do throws(StorageError) {
            // The lines have checksums, and the result is read back and fully validated.
            let settings = settings.cancelled(when: isCancelled)
            guard var store = try RecordStore.openIfThere(settings, extractor.trusting) else {
                throw StoreFiles.gone(settings.directory)
            }
            if let refusal = store.refusal { throw refusal }
            guard store.revision >= revision else { throw changed(settings) }
            if forgetsOperations { store.files?.markedOperations = 0 }
            return try store.writeNextGeneration(progress)
        } catch {
            throw isCancelled() ? .cancelled : error
        }
    }

    fileprivate static func changed(_ settings: StoreSettings) -> StorageError {
        .busy(reason: "Files of the store in \(settings.directory) have changed meanwhile. Try again.")
    }
}

extension RecordStore {
    fileprivate mutating func writeNextGeneration(
        _ progress: @escaping (Int, Int) -> Void
    ) throws(StorageError) -> RewriteReport {
        if let refusal { throw refusal }
        guard let open = files.take() else { throw Self.isBusy }
        let snapshot = try open.lockSnapshot(withinMilliseconds: 100)
        let (count, revision) = (layers.count, revision)
        var fault: IndexFault?
        defer { _ = snapshot.descriptor }
        do throws(StorageError) {
            return try open.makeBeside(revision: revision, count: count) { fault = layers.handOver(progress, $0) }
        } catch {
            // Fewer records came than were announced, so nothing was replaced. `fault` says why.
            throw fault?.asStorageError ?? error
        }
    }

    fileprivate static var isBusy: StorageError {
        .busy(reason: "The store is being compacted by another process. Try again.")
    }
}

extension StoreFiles {
    /// Whether no compaction is running; the lock is held, so that none can end meanwhile.
    func isNobodyCompacting() -> Bool {
        do throws(StorageError) {
            _ = try lockSnapshot(withinMilliseconds: 0)
            return true
        } catch {
            return false
        }
    }

    /// The snapshot with a lock of its own, which keeps other compactions away.
    /// - Parameter limit: how long another process may hold it: one that opens the store does so for a moment.
    fileprivate func lockSnapshot(withinMilliseconds limit: Int) throws(StorageError) -> File {
        let name = StoreDirectory.snapshotName
        let deadline = Clock.monotonicMilliseconds + limit
        var isFree = false
        do throws(SystemError) {
            let file = try place.open(name, .read)
            isFree = try settings.fileSystem.lock(file.descriptor, .exclusiveNow, until: deadline)
            if isFree, let snapshotIdentity, try file.status().isSameFile(as: snapshotIdentity) { return file }
        } catch {
            throw .reading(error, name)
        }
        throw isFree ? Compaction.changed(settings) : RecordStore.isBusy
    }

    /// Makes the next generation with `records`, which are those of commit `revision`, and the lines committed since.
    fileprivate func makeBeside(
        revision: Int, count: Int, records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(StorageError) -> RewriteReport {
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: storeId,
            generation: max(generation, journal.generation) + 1, revision: revision, count: count,
            unknownMembers: unknownMembers)
        guard journal.descriptor != nil else { throw RecordStore.isBusy }
        let (start, bytesBefore) = (journal.end, snapshotBytes + journalBytes)
        let place = try StoreDirectory(settings)
        defer { unlock() }
        let made: Generation.Made
        do {
            made = try make(header, generation, in: place, start, records)
        } catch {
            throw error.error
        }
        let (bytes, backup) = (made.snapshotBytes, made.backup)
        snapshotRevision = revision
        markedOperations = made.markedOperations
        // The new journal is closed, not written here: the next writer must not wait for it.
        _ = made.takeJournal()
        generation = header.generation
        snapshotBytes = bytes
        noteOwnSnapshot(published: seenPublication)
        publishAtOpening()
        tidy(clearsTemporaries: true)
        return RewriteReport(
            generation: header.generation, revision: revision, records: count, bytesBefore: bytesBefore,
            snapshotBytes: bytes, backup: backup)
    }

    private func make(
        _ header: SnapshotHeader, _ backup: Int, in place: borrowing StoreDirectory, _ start: Int,
        _ records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(Generation.Failure) -> Generation.Made {
        try Generation.make(
            header, backupOf: backup,
            carrying: .init(
                generation: backup, marked: markedOperations, revision: header.revision, reached: header.revision,
                besides: []),
            at: settings.timestamp(), in: place, settings, extractor, records: records
        ) { (maker) throws(StorageError) in
            // The changes of these commits are not loaded: only their end matters.
            guard case .seen = try lockAndCatchUp(load: { _ in nil }) else {
                throw .busy(reason: "The store was changed while it was compacted. Try again.")
            }
            dropCommits { $0 > snapshotRevision }
            let hasGrown = journal.end > start
            if !hasGrown, syncedRevision >= revision { return }
            let name = StoreInventory.journalName(journal.generation)
            do throws(SystemError) {
                let file = try place.open(name, .read)
                // After a power cut the new journal may stand beside the old snapshot, and then continues this journal.
                if syncedRevision < revision { try file.syncData() }
                guard hasGrown else { return }
                try maker.copyLines(from: file, start..<journal.end)
                try maker.sync()
            } catch {
                throw .writing(error, name)
            }
        }
    }
}

/// Compaction, large commits, and recovery from a failed sync: a new generation, see `Generation`.
extension StoreFiles {
    /// A journal longer than this, in bytes, and than half the snapshot is worth a new snapshot.
    public static let rewriteBytesMin = 32 << 20
    /// A journal longer than this always is: its content is in memory, and is read when the store is opened.
    public static let rewriteBytesMax = 64 << 20
    /// At the end of a session with changes, no client waits any more, and the next opening need not read what is in
    /// the snapshot: then a journal longer than this, in bytes, and than a 64th of the snapshot is worth a new one.
    public static let partingBytesMin = 64 << 10
    /// Beyond this many bytes no snapshot is written then: it would take longer than a process may take to end.
    public static let partingBytesMax = 96 << 20
    /// More journals than this are worth a new snapshot, because each unclean end begins another.
    public static let journalsMax = 16

    public var wantsRewrite: Bool {
        let isLong = journalBytes > min(max(Self.rewriteBytesMin, snapshotBytes / 2), Self.rewriteBytesMax)
        return (isLong || journalCount > Self.journalsMax) && refusal == nil
    }

    /// Whether a session that has ended should write a new snapshot.
    public var wantsRewriteAtParting: Bool {
        let isLong = journalBytes > max(Self.partingBytesMin, snapshotBytes / 64)
        return refusal == nil && isLong && snapshotBytes + journalBytes <= Self.partingBytesMax
    }

    /// Writes all records as a new snapshot, in their order, and begins a journal after it.
    ///
    /// `revision` is their last commit: the last durable one, or the next one if the snapshot is that commit. `count`
    /// records must come. Nothing may be staged. It is always synced, whatever the durability: a power cut that empties
    /// a snapshot would lose more than the last commits.
    ///
    /// - Throws: `full`, `outcomeUnknown` or `readOnly`. The old generation stays in use, unless `refusal` is then set.
    public func rewrite(
        revision: Int, ofFile commit: Int? = nil, count: Int, at time: UnsafeRawBufferPointer,
        makesIndex: Bool = true, records: ((UnsafeRawBufferPointer) -> Void) -> Void
    ) throws(StorageError) -> RewriteReport {
        precondition(journal.aheadCount == 0, "staged lines are synced or dropped before a rewrite")
        if let refusal { throw refusal }
        let isLockedHere: Bool
        do throws(StorageError) {
            isLockedHere = try lockForStaged()
        } catch {
            if journal.isUnusable { refuseFromNowOn(error) }
            throw error
        }
        defer { if isLockedHere { unlock() } }
        var remains: Remains
        do throws(StorageError) {
            remains = try gatherRemains()
            // Files that another program put here may have commits that this process does not know.
            if !isSuspect { dropCommits { $0 > snapshotRevision && $0 != commit } }
        } catch {
            if journal.isUnusable { refuseFromNowOn(error) }
            throw error
        }
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: storeId, generation: remains.next, revision: revision,
            count: count, unknownMembers: unknownMembers)
        let made: Generation.Made
        do {
            made = try Generation.make(
                header, backupOf: remains.backup,
                carrying: OperationsFile.Source(
                    generation: generation, marked: markedOperations, revision: self.revision, reached: remains.reached,
                    besides: knownOperations.filter { $0.seq > remains.reached && $0.seq <= self.revision }
                        .map { KeptOperation.lineOfLost($0.id, $0.seq) }
                        + (snapshotOperation.isEmpty ? [] : [snapshotOperation])),
                at: String(decoding: time, as: UTF8.self), in: place, settings, makesIndex ? extractor : nil,
                records: records
            ) { (_) throws(StorageError) in try keepSnapshot(&remains) }
        } catch {
            // After a failed sync one more generation is tried. If that fails too, the content of the disk is unknown.
            let isForGood = isUnsettled || journal.isUnusable
            isUnsettled = isUnsettled || error.isUnsure
            if error.isUnsure || journal.isUnusable { refuseFromNowOn(error.cause, isForGood: isForGood) }
            throw error.error
        }
        let report = RewriteReport(
            generation: header.generation, revision: revision, records: count,
            bytesBefore: snapshotBytes + journalBytes, snapshotBytes: made.snapshotBytes, backup: made.backup)
        setAside(remains, report)
        (generation, snapshotRevision) = (header.generation, revision)
        journalCount = 1
        snapshotBytes = made.snapshotBytes
        markedOperations = made.markedOperations
        journalBytes = 0
        let size = made.journalSize
        journal = JournalWriter(generation: header.generation)
        journal.open(made.takeJournal(), header.generation, end: size, isWritable: true, isHeld: true)
        (isSuspect, isUnsettled) = (false, false)
        knownOperations = []
        self.revision = revision
        syncedRevision = revision
        noteOwnSnapshot(published: seenPublication)
        publishAtOpening()
        tidy()
        return report
    }

    /// - Parameter isForGood: where more is wrong than the right to write or the space.
    func refuseFromNowOn(_ error: StorageError, isForGood: Bool = true) {
        isRefusedForGood = isForGood && !error.isOnlyOfWriting
        refusal = error.refusing(
            "The store in \(place.path) is only read, because a new generation could not be begun: \(error.reason)")
    }

    /// Puts away files that the present generation has overtaken. A failure here is only untidy: it is logged, and the
    /// next opening or rewrite tries again.
    /// - Parameter clearsTemporaries: whether a dead process left all temporary files: the caller holds the lock, and
    ///   no compaction is running.
    func tidy(clearsTemporaries: Bool = false) {
        let inventory: StoreInventory
        do {
            inventory = try place.inventory()
        } catch {
            settings.log("\(place.path) could not be tidied: \(error)")
            return
        }
        for name in inventory.temporaries where clearsTemporaries {
            attempt(name) { () throws(SystemError) in try place.unlink(name) }
        }
        let earlier = inventory.backups.filter { $0 < generation }
        let kept = backupsToKeep(of: earlier)
        let backups = earlier.filter { !kept.contains($0) }.map(StoreInventory.backupName)
        // The history of a record looks into the backups that stay.
        let indexes = inventory.indexes.filter { $0.generation < generation && !kept.contains($0.generation) }.map(
            \.name)
        let operations = operationsToRemove(of: inventory.operations.filter { $0 < generation })
            .map(StoreInventory.operationsName)
        for name in indexes + backups + operations {
            attempt(name) { () throws(SystemError) in try place.unlink(name) }
        }
        let overtaken = inventory.journals.filter { $0 < generation }
        guard !overtaken.isEmpty else { return }
        attempt(StoreDirectory.historyName) { () throws(SystemError) in
            try place.makeHistory()
            for generation in overtaken {
                let name = StoreInventory.journalName(generation)
                let target = StoreDirectory.historyName + "/" + name
                let isTaken = try place.status(of: target) != nil
                try place.move(name, to: isTaken ? target + "-" + settings.makeIdentifier() : target)
            }
        }
    }

    /// All except the last file; none if those of this generation are incomplete: one of them may have the missing
    /// ones.
    private func operationsToRemove(of earlier: [Int]) -> [Int] {
        guard earlier.count > 1 else { return [] }
        let known = (try? OperationsFile.count(generation, storeId: storeId, in: place)) ?? 0
        return known < markedOperations ? [] : earlier.dropLast()
    }

    /// The last backup; also backups that a commit replaced which is in no journal, until a later commit is missing:
    /// its undo needs the backup.
    private func backupsToKeep(of backups: [Int]) -> Set<Int> {
        guard let last = backups.last, backups.count > 1 else { return Set(backups) }
        do {
            let commits = try place.historyInventory().commits
            if commits.isEmpty { return [last] }
            let chain = try JournalChain(self, upTo: revision)
            let start = try chain.start(self)
            var kept: Set<Int> = [last]
            for commit in commits where commit > start {
                guard let next = chain.links.first(where: { $0.base == commit }) else { continue }
                if let replaced = backups.last(where: { $0 < next.generation }) { kept.insert(replaced) }
            }
            return kept
        } catch {
            // A file that is unreadable now may be readable later.
            settings.log("\(place.path) could not be tidied: \(error)")
            return Set(backups)
        }
    }

    private func attempt(_ name: String, _ body: () throws(SystemError) -> Void) {
        do {
            try body()
        } catch {
            settings.log("\(place.path(of: name)) could not be put away: \(error)")
        }
    }
}

/// The result of `StoreFiles.rewrite`.
public struct RewriteReport: Sendable, Equatable {
    /// The generation of the new snapshot.
    public var generation: Int
    public var revision: Int
    public var records: Int
    /// The size of snapshot and journal with these records before.
    public var bytesBefore: Int
    /// The size of the new snapshot.
    public var snapshotBytes: Int
    /// The name of the file with the previous snapshot, if there was one.
    public var backup: String?

    public init(
        generation: Int, revision: Int, records: Int, bytesBefore: Int, snapshotBytes: Int, backup: String?
    ) {
        self.generation = generation
        self.revision = revision
        self.records = records
        self.bytesBefore = bytesBefore
        self.snapshotBytes = snapshotBytes
        self.backup = backup
    }
}
