import JSONCodec
import Platform

/// Commit: write the staged lines, sync once, publish the durable seq; only then may answers leave.
extension StoreFiles {
    /// The bytes of the lines that wait for `sync`.
    func waitingBytes(_ lines: borrowing CommitLines) -> Int { journal.aheadCount + lines.count }

    /// Takes back every line that waits for `sync`.
    func dropStaged(_ lines: inout CommitLines) { journal.dropLines(&lines, after: revision) }

    /// Starts writing early if enough lines wait.
    @inline(__always)
    func writeAhead(_ lines: inout CommitLines) {
        guard lines.count >= settings.aheadBytes, isLocked, refusal == nil else { return }
        journal.writeAhead(&lines, isSynced: settings.durability == .sync)
    }

    /// Commits the staged lines, all or none, and leaves nothing staged.
    ///
    /// - Returns: false if the file that was written is not the one that has the journal's name. Its lines count here,
    ///   but must not be shown: the caller either begins the next generation with them (`doubt`, then `rewrite`), or
    ///   takes them back (`takeBackSync`).
    /// - Throws: `full`: nothing was committed, and a later sync may succeed. `outcomeUnknown`: the journal is
    ///   unusable; continue with `rewrite` from the last durable state. `refusal` if there is one.
    func sync(_ lines: inout CommitLines) throws(StorageError) -> Bool {
        // With nothing to write, a rewrite continues from the journal, which is then the last one of its generation.
        guard waitingBytes(lines) > 0 else { return !isLocked || refusal != nil || isJournalInPlace(lines) }
        defer { dropStaged(&lines) }
        if let refusal { throw refusal }
        let isLockedHere = try lockForStaged()
        defer { if isLockedHere { unlock() } }
        guard !journal.isUnusable else {
            throw .readOnly(reason: "The journal of \(place.path) failed before and has not been begun again.")
        }
        try journal.write(lines)
        if settings.durability == .sync { try journal.sync() }
        let last = lines.seq
        // After the write: the name must be right when the answers leave.
        guard isJournalInPlace(lines) else {
            journalBytes += journal.settle(lines, isSynced: false)
            revision = last
            forgetNames()
            return false
        }
        let syncedBefore = syncedRevision
        if settings.durability == .sync { syncedRevision = last }
        do {
            try publish(last)
        } catch {
            syncedRevision = syncedBefore
            journal.isUnusable = true
            throw .outcomeUnknown(reason: "\(StoreDirectory.lockName) in \(place.path) could not be written: \(error).")
        }
        journalBytes += journal.settle(lines, isSynced: settings.durability == .sync)
        revision = last
        return true
    }

    /// Takes back the lines of the last sync, which no client has seen.
    /// - Parameter revision: the commit before them.
    /// - Throws: `outcomeUnknown` if they could not be cut off; they count no more here.
    func takeBackSync(_ lines: inout CommitLines, to revision: Int) throws(StorageError) {
        guard self.revision > revision else { return }
        journalBytes -= journal.takeBackSync()
        self.revision = revision
        dropStaged(&lines)
        guard journal.isUnusable else { return }
        throw .outcomeUnknown(reason: "\(journal.name) in \(place.path) was replaced, and could not be cut back.")
    }

    /// Publishes for other processes, and the next writer, how far the journal is whole.
    func publish(_ durable: Int) throws(SystemError) {
        publication.truncate(to: 0)
        Publication(
            storeId: storeId, generation: generation, durable: durable, isSynced: syncedRevision >= durable
        ).append(to: &publication)
        try lock?.file.write(publication.bytes, at: 0)
        seenPublication = Array(publication.bytes)
    }

    /// Publishes at opening. If that fails, the store is read-only.
    func publishAtOpening() {
        do {
            try publish(revision)
        } catch {
            refusal = error.refusing(
                "The store in \(place.path) is only read: its lock file cannot be written: \(error).")
        }
    }
}
