import JSONCodec
import Platform

/// Commit: the staged lines are written, synced once, then the durable seq is published; only then may anybody be told.
extension StoreFiles {
    /// How many line feeds are written behind the journal's end, so that a sync need not write metadata, whenever only half as
    /// many are left there.
    static let growthBytes = 256 << 10

    /// Commits the staged lines, all or none. Afterwards nothing is staged, whatever happened.
    ///
    /// - Throws: `full`: nothing was committed, and a later sync may succeed. `outcomeUnknown`: nobody knows; the
    ///   journal is unusable, and `rewrite` from the last durable state is the way on. `refusal` where there is one.
    public mutating func sync() throws(StorageError) {
        guard stagedBytes > 0 else { return }
        defer { dropStaged() }
        if let refusal { throw refusal }
        let isLockedHere = try lockForStaged()
        defer { if isLockedHere { unlock() } }
        guard !isJournalUnusable else {
            throw .readOnly(reason: "The journal of \(place.path) failed before and has not been begun anew.")
        }
        try write()
        if settings.durability == .sync { try syncJournal() }
        let last = stagedSeq
        let syncedBefore = syncedRevision
        if settings.durability == .sync { syncedRevision = last }
        do {
            try publish(last)
        } catch {
            syncedRevision = syncedBefore
            isJournalUnusable = true
            throw .outcomeUnknown(reason: "\(StoreDirectory.lockName) in \(place.path) could not be written: \(error).")
        }
        syncStart = journalEnd
        journalEnd += stagedBytes
        journalBytes += stagedBytes
        revision = last
        if stagedBytes < Self.growthBytes / 2 { grow() }
        aheadCount = 0
    }

    /// Writes the lines that are ended, where they are so many that the disk better begins with them at once: it works on them
    /// while the requests behind are handled, and the sync of a large group has less to wait for. Nobody is told of them
    /// before that; a process that is killed meanwhile leaves unproven lines, as it does in the middle of any write.
    @inline(__always)
    mutating func writeAhead() {
        if staged.count >= settings.aheadBytes { startAhead() }
    }

    @inline(never)
    private mutating func startAhead() {
        guard isLocked, isJournalWritable, !isJournalUnusable, refusal == nil, aheadFailure == nil else { return }
        let start = journalEnd + aheadCount
        do throws(SystemError) {
            try journal?.write(staged.bytes, at: start)
        } catch {
            return aheadFailure = error
        }
        aheadCount += staged.count
        staged.truncate(to: 0)
        lineStart = 0
        journalSize = max(journalSize, journalEnd + aheadCount)
        if settings.durability == .sync { journal?.startWriting(start..<journalEnd + aheadCount) }
    }

    /// The staged lines are given up: what is written of them is cut off again.
    mutating func takeBackAhead() {
        defer {
            aheadCount = 0
            aheadFailure = nil
        }
        if isJournalUnusable { return }
        do throws(SystemError) {
            if let aheadFailure, !aheadFailure.isNoSpace { throw aheadFailure }
            try journal?.truncate(to: journalEnd)
            journalSize = journalEnd
        } catch {
            isJournalUnusable = true
        }
    }

    private mutating func write() throws(StorageError) {
        do throws(SystemError) {
            if let aheadFailure { throw aheadFailure }
            try journal?.write(staged.bytes, at: journalEnd + aheadCount)
        } catch {
            let failed = error
            guard failed.isNoSpace else {
                isJournalUnusable = true
                throw .outcomeUnknown(reason: "Writing the journal failed: \(failed).")
            }
            do {
                try journal?.truncate(to: journalEnd)
            } catch {
                isJournalUnusable = true
                throw .outcomeUnknown(
                    reason: "Writing the journal failed: \(failed), and so did cutting it back: \(error).")
            }
            journalSize = journalEnd
            aheadCount = 0
            aheadFailure = nil
            throw .full(reason: "There is no space for the journal: \(failed). Free some and try again.")
        }
        let end = journalEnd + stagedBytes
        journalSize = max(journalSize, end)
    }

    /// Grows the journal in advance, which nobody waits for: the disk begins with it while the next request is still to come.
    /// Behind a large group it is not worth it, whose own bytes take longer. Where it fails, every write grows the
    /// journal a little, which is slower and nothing else.
    private mutating func grow() {
        guard settings.durability == .sync, journalSize - journalEnd < Self.growthBytes / 2,
            let journal = journal?.descriptor
        else { return }
        let files = settings.fileSystem
        let start = journalSize
        let isWritten = Self.lineFeeds.withUnsafeBytes { (try? files.writeAll(journal, $0, at: start)) != nil }
        guard isWritten else { return }
        journalSize += Self.growthBytes
        files.startWriting(journal, start, Self.growthBytes)
    }

    private static let lineFeeds = [UInt8](repeating: UInt8(ascii: "\n"), count: growthBytes)

    private mutating func syncJournal() throws(StorageError) {
        do {
            try journal?.syncData()
        } catch {
            // The kernel may have given up the pages and will report success the next time: this file is done with.
            isJournalUnusable = true
            throw .outcomeUnknown(reason: "Syncing the journal failed: \(error).")
        }
    }

    /// Tells other processes, and the next writer, how far the journal is whole.
    mutating func publish(_ durable: Int) throws(SystemError) {
        publication.truncate(to: 0)
        Publication(
            storeId: storeId, generation: generation, durable: durable, isSynced: syncedRevision >= durable
        ).append(to: &publication)
        try lock?.file.write(publication.bytes, at: 0)
        seenPublication = Array(publication.bytes)
    }

    /// Where even that cannot be written, nothing will be.
    mutating func publishAtOpening() {
        do {
            try publish(revision)
        } catch {
            refusal = .readOnly(
                reason: "The store in \(place.path) is only read: its lock file cannot be written: \(error).")
        }
    }
}
