import Platform

/// Checks that the store's files are still those that this process has open. A sync folder, an editor or a version
/// control system may replace, cut or remove them under a running host.
///
/// Each time this process takes the lock, before it writes a line:
///
/// | fact | check |
/// | --- | --- |
/// | the directory is the one that was opened, and no name in it has changed | its status, by its path |
/// | the snapshot is as it was read | its status: which file, size and time |
/// | the journal ends with the last line that this process read or wrote | one read of its end |
///
/// If a name has changed, each file that matters is looked up by its name. After any other change everything is read
/// again (`reopened`), and must contain all that this process knows.
///
/// Not every file system changes the time of a directory with its names. So the name of the journal is looked up after
/// each sync, before the answers (`isJournalInPlace`). The other names are looked up again when something contradicts
/// them: readers find it for `lock`, requests with an `opId` for the operations file.
extension StoreFiles {
    /// Whether a line may be appended at the end that this process knows. The lock is held, because a killed process
    /// may have begun another generation, journal or line without publishing it.
    func isEndOurs() throws(StorageError) -> Bool {
        guard journal.descriptor != nil, snapshotIdentity != nil, !isSuspect else { return false }
        do throws(SystemError) {
            guard try areFilesOurs() else { return false }
            // After a failed write of this process nothing is appended any more.
            if journal.isUnusable { return true }
            return try journal.isEndAsItWas()
        } catch {
            throw .reading(error, error.subject.isEmpty ? journal.name : error.subject)
        }
    }

    /// File systems count time in ticks of some milliseconds at most; a change within the same tick stays invisible.
    private static let ticksNanoseconds: Int64 = 100_000_000

    /// Whether the files are those that this process has open, and no later journal has begun. Names are looked up only
    /// if one has changed in the directory since the last time.
    ///
    /// The directory's time proves that none has, once a later change must get another time: when a file of the same
    /// file system was written many ticks after it. Both times are the file system's, because its clock may differ from
    /// this process's. The file is `lock`, which writers write after each sync.
    func areFilesOurs() throws(SystemError) -> Bool {
        guard try isSnapshotOurs() else { return false }
        if areNamesCertain { return true }
        seenNames = 0
        guard try isJournalOurs(), try areOperationsOurs(),
            try place.status(of: StoreInventory.journalName(journal.generation + 1)) == nil
        else { return false }
        let written = try place.status(of: StoreDirectory.lockName)?.modified ?? 0
        let (age, isOverflow) = written.subtractingReportingOverflow(namesChanged)
        if namesChanged != 0, !isOverflow, age > Self.ticksNanoseconds { seenNames = namesChanged }
        return true
    }

    /// Makes the next change look up all names, whatever the directory's time says.
    func forgetNames() { seenNames = 0 }

    func isSnapshotOurs() throws(SystemError) -> Bool {
        guard let snapshotIdentity, let named = try place.status(of: StoreDirectory.snapshotName) else { return false }
        return named.isUnchanged(since: snapshotIdentity)
    }

    func isJournalOurs() throws(SystemError) -> Bool {
        guard let identity = journal.identity, let named = try place.status(of: journal.name) else { return false }
        return named.isSameFile(as: identity)
    }

    /// Whether the lines just written are in the file that has the journal's name; called before any answer. False if
    /// that is unknown.
    func isJournalInPlace(_ lines: borrowing CommitLines) -> Bool {
        // One retry: lines on the disk that are cut off may come back after a power cut.
        guard let named = journal.named(in: settings.fileSystem) ?? journal.named(in: settings.fileSystem) else {
            return false
        }
        switch journal.standing(of: named, lines) {
        case .same: return true
        case .another: return false
        case .shorter:
            // A process without space cuts the line feeds back. Anything else may have cut off lines, and these were
            // written over the gap.
            guard (try? readableLines(upTo: lines.seq))?.last == lines.seq else { return false }
            journal.noteShorter(named.size)
            return true
        }
    }

    func areOperationsOurs() throws(SystemError) -> Bool {
        guard areOperationsKnown else { return true }
        let named = try place.status(of: StoreInventory.operationsName(generation))
        switch operations {
        case .some(let file): return try named?.isSameFile(as: file.status()) == true
        case .none: return named == nil
        }
    }

    /// Whether the open lock file is the one that has the name now; false if unknown.
    var isPublicationOfItsName: Bool {
        guard let lockIdentity, let named = (try? place.status(of: StoreDirectory.lockName)).flatMap({ $0 })
        else { return false }
        return named.isSameFile(as: lockIdentity)
    }

    func isLockOfItsName() throws(SystemError) -> Bool {
        switch lock {
        case .some(let lock): try lock.isFileOfItsName()
        case .none: true
        }
    }
}
