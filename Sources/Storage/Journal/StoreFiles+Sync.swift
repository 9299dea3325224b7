import JSONCodec
import Platform

/// Commit: write the staged lines, sync once, publish the durable seq; only then may answers leave.
extension StoreFiles {
    /// The bytes of the lines that wait for `sync`.
    public var stagedBytes: Int { journal.waitingBytes }

    /// Begins the line of one commit; see `CommitLines` for its content.
    @inline(__always)
    public mutating func beginLine(seq: Int, at: UnsafeRawBufferPointer, origin: String? = nil) {
        journal.lines.begin(seq: seq, at: at, durable: syncedRevision, origin: origin)
    }

    public mutating func stageMark(_ member: UnsafeRawBufferPointer) { journal.lines.mark(member) }

    public mutating func stageMarkEnd(_ members: UnsafeRawBufferPointer) { journal.lines.markEnd(members) }

    @inline(__always)
    public mutating func stagePut(_ record: UnsafeRawBufferPointer, isNew: Bool = false) {
        journal.lines.put(record, isNew: isNew)
    }

    public mutating func stageDelete(id: UnsafeRawBufferPointer) { journal.lines.delete(id: id) }

    public mutating func stageClear(count: Int = 0, first: [RecordID] = []) {
        journal.lines.clear(count: count, first: first)
    }

    mutating func stageReversal(_ revisions: [Int], isRedo: Bool) {
        journal.lines.reverse(revisions, isRedo: isRedo)
    }

    /// Takes out the line that was ended last, without its line feed.
    mutating func takeLine() -> ByteBuffer { journal.lines.takeLast() }

    @discardableResult @inline(__always)
    public mutating func endLine() -> Int { journal.lines.end() }

    public mutating func dropLine() { journal.lines.dropLast() }

    /// Takes back every line that waits for `sync`.
    public mutating func dropStaged() { journal.dropLines(after: revision) }

    /// Starts writing early if enough lines wait.
    @inline(__always)
    mutating func writeAhead() {
        guard journal.lines.count >= settings.aheadBytes, isLocked, refusal == nil else { return }
        journal.writeAhead(isSynced: settings.durability == .sync)
    }

    /// Keeps the operation of the last ended line for the next snapshot.
    ///
    /// A method, as is `forgetOperationForSnapshot`, because an assignment through an optional that cannot be copied
    /// (`files?.snapshotOperation = []`) leaks the old value: Swift 6.3.1, with and without optimisation.
    mutating func keepOperationForSnapshot() { snapshotOperation = journal.lines.lastOperation() }

    mutating func forgetOperationForSnapshot() { snapshotOperation = [] }

    /// Commits the staged lines, all or none, and leaves nothing staged.
    ///
    /// - Returns: false if the file that was written is not the one that has the journal's name. Its lines count here,
    ///   but must not be shown: the caller either begins the next generation with them (`doubt`, then `rewrite`), or
    ///   takes them back (`takeBackSync`).
    /// - Throws: `full`: nothing was committed, and a later sync may succeed. `outcomeUnknown`: the journal is
    ///   unusable; continue with `rewrite` from the last durable state. `refusal` if there is one.
    public mutating func sync() throws(StorageError) -> Bool {
        // With nothing to write, a rewrite continues from the journal, which is then the last one of its generation.
        guard stagedBytes > 0 else { return !isLocked || refusal != nil || isJournalInPlace() }
        defer { dropStaged() }
        if let refusal { throw refusal }
        let isLockedHere = try lockForStaged()
        defer { if isLockedHere { unlock() } }
        guard !journal.isUnusable else {
            throw .readOnly(reason: "The journal of \(place.path) failed before and has not been begun again.")
        }
        try journal.write()
        if settings.durability == .sync { try journal.sync() }
        let last = journal.lines.seq
        // After the write: the name must be right when the answers leave.
        guard isJournalInPlace() else {
            journalBytes += journal.settle(isSynced: false)
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
        journalBytes += journal.settle(isSynced: settings.durability == .sync)
        revision = last
        return true
    }

    /// Takes back the lines of the last sync, which no client has seen.
    /// - Parameter revision: the commit before them.
    /// - Throws: `outcomeUnknown` if they could not be cut off; they count no more here.
    public mutating func takeBackSync(to revision: Int) throws(StorageError) {
        guard self.revision > revision else { return }
        journalBytes -= journal.takeBackSync()
        self.revision = revision
        dropStaged()
        guard journal.isUnusable else { return }
        throw .outcomeUnknown(reason: "\(journal.name) in \(place.path) was replaced, and could not be cut back.")
    }

    /// Publishes for other processes, and the next writer, how far the journal is whole.
    mutating func publish(_ durable: Int) throws(SystemError) {
        publication.truncate(to: 0)
        Publication(
            storeId: storeId, generation: generation, durable: durable, isSynced: syncedRevision >= durable
        ).append(to: &publication)
        try lock?.file.write(publication.bytes, at: 0)
        seenPublication = Array(publication.bytes)
    }

    /// Publishes at opening. If that fails, the store is read-only.
    mutating func publishAtOpening() {
        do {
            try publish(revision)
        } catch {
            refusal = error.refusing(
                "The store in \(place.path) is only read: its lock file cannot be written: \(error).")
        }
    }
}
