import Platform

/// Whether the files of the store are still those that this process has open. A sync folder, an editor or a version control
/// may put others in their place, cut them or take them away under a running host.
///
/// At each hold of the lock, before a line is written:
///
/// | known | by |
/// | --- | --- |
/// | the directory is the one that was opened, and no name in it has changed | its status, asked by its path |
/// | the snapshot is as it was read | its status: which file, size and time |
/// | the journal ends with the last line that was read or written here, and nothing comes after it | one read of its end |
///
/// Where a name has changed, each file that matters is looked up by its name. What is not as it was is read anew
/// (`reopened`), and has to hold all that is known here.
///
/// Not every file system changes the time of a directory with its names. So the name of the journal alone decides: it is looked
/// up after each sync, before the answers (`isJournalInPlace`). The other names are looked up again whenever something is
/// found that cannot be with them: `lock` by whoever reads, the operations file by whoever asks for an operation.
extension StoreFiles {
    /// Whether a line may be appended where this process believes the end to be. Asked with the lock held, because a
    /// process that was killed may have begun another generation or journal, or a line, and not have published it.
    mutating func isEndOurs() throws(StorageError) -> Bool {
        guard journal.descriptor != nil, snapshotIdentity != nil, !isSuspect else { return false }
        do throws(SystemError) {
            guard try areFilesOurs() else { return false }
            // Behind a write of our own that failed lies what failed; nothing is appended there any more.
            if journal.isUnusable { return true }
            return try journal.isEndAsItWas()
        } catch {
            throw .reading(error, error.subject.isEmpty ? journal.name : error.subject)
        }
    }

    /// File systems count time in ticks of at most some milliseconds; a change within the same tick would not be seen.
    private static let ticksNanoseconds: Int64 = 100_000_000

    /// Whether the files are those that this process has open, and no later journal has begun. Names are only looked up where
    /// one has changed in the directory since they last were.
    ///
    /// That none has is known by the directory's time, once a later change must get another one: when something was written in
    /// the same file system many ticks after that time. What is compared are two times of the file system, because its clock
    /// need not be this process's. The lock file is what writers write after each sync.
    mutating func areFilesOurs() throws(SystemError) -> Bool {
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

    /// All names are looked up before the next change, whatever the directory's time says.
    mutating func forgetNames() { seenNames = 0 }

    func isSnapshotOurs() throws(SystemError) -> Bool {
        guard let snapshotIdentity, let named = try place.status(of: StoreDirectory.snapshotName) else { return false }
        return named.isUnchanged(since: snapshotIdentity)
    }

    func isJournalOurs() throws(SystemError) -> Bool {
        guard let identity = journal.identity, let named = try place.status(of: journal.name) else { return false }
        return named.isSameFile(as: identity)
    }

    /// Whether the lines that were just written stand in the file that has the journal's name: asked before anybody is told of
    /// them. What cannot be looked at is not certain.
    mutating func isJournalInPlace() -> Bool {
        // A look that fails is tried once more: lines that are on the disk and are cut off may come again after a power cut.
        guard let named = journal.named(in: settings.fileSystem) ?? journal.named(in: settings.fileSystem) else {
            return false
        }
        switch journal.standing(of: named) {
        case .same: return true
        case .another: return false
        case .shorter:
            // Whoever has no space cuts it back; anything else may have cut off lines, over which these were written.
            guard (try? readableLines(upTo: journal.lines.seq))?.last == journal.lines.seq else { return false }
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

    /// Whether what is published is read in the file that has the name now; also where that cannot be known, false.
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
