import JSONCodec
import Platform

/// Other processes on the same directory: what they committed is seen, and never written over.
extension StoreFiles {
    /// What has happened since this process last looked.
    enum News {
        /// Nothing that was not seen already; or all of it was handed over.
        case seen
        /// The files are others now, or their end needs a judge: everything has to be read anew.
        case elsewhere
    }

    /// Remembers which files were read.
    mutating func note(_ snapshot: FileStatus?, published: [UInt8]) {
        snapshotIdentity = snapshot
        seenPublication = published
        openLockFile()
    }

    /// Remembers the snapshot that stands there now, which this process has made. Where it cannot be looked at, the next
    /// change reads everything anew.
    mutating func noteOwnSnapshot(published: [UInt8]) {
        note((try? place.status(of: StoreDirectory.snapshotName)).flatMap { $0 }, published: published)
    }

    /// Where there is none, or it may not be read, nothing is published for this process: the next look tries again.
    private mutating func openLockFile() {
        if lockFile == nil { lockFile = try? place.open(StoreDirectory.lockName, .read) }
    }

    // MARK: Reading

    /// Hands over what others have committed and published. Takes no lock, and costs one read when there is nothing new.
    mutating func catchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        guard let published = try readPublication() else { return .seen }
        guard let publication = Publication(bytes: published) else {
            // Nothing is there yet, or it is just being written: the next look will tell.
            return .seen
        }
        guard publication.storeId == storeId, publication.generation == generation else { return .elsewhere }
        if publication.durable > revision {
            placeBeforeNews = CommitPlace(
                revision: revision, journalGeneration: journal.generation, offset: journal.end)
            guard try follow(upTo: publication.durable, load) else { return .elsewhere }
        }
        if publication.isSynced { syncedRevision = max(syncedRevision, min(publication.durable, revision)) }
        seenPublication = published
        return .seen
    }

    /// What is published, where it is not what was seen last.
    private mutating func readPublication() throws(StorageError) -> [UInt8]? {
        openLockFile()
        guard let lockFile = lockFile?.descriptor else { return nil }
        readBuffer.truncate(to: 0)
        do {
            try readBuffer.append(upTo: Publication.byteCount) { (room) throws(SystemError) in
                try settings.fileSystem.readAll(lockFile, into: room, at: 0)
            }
        } catch {
            throw .reading(error, StoreDirectory.lockName)
        }
        let isSame = seenPublication.withUnsafeBytes { JSONText.sameBytes($0, readBuffer.bytes) }
        return isSame ? nil : Array(readBuffer.bytes)
    }

    /// Reads on in the journal up to commit `last`; false where it does not go that far.
    private mutating func follow(upTo last: Int, _ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        guard let descriptor = journal.descriptor else { return false }
        let name = journal.name
        var reader = JournalReader(descriptor, name, from: journal.end, in: settings.fileSystem)
        while revision < last {
            guard let line = try reader.commit(after: revision), line.isTerminated else { return false }
            let isKnown = try line.content.forEachChange { (event) throws(StorageError) in
                guard let reason = load(event) else { return }
                throw .corrupt(
                    file: name, offset: line.offset, reason: "A change in \(name) is not valid: \(reason)")
            }
            guard isKnown else { return false }
            revision = line.content.seq
            journalBytes += line.end - journal.end
            journal.end = line.end
        }
        journal.lines.follow(revision)
        return true
    }

    // MARK: Writing

    public var isLocked: Bool {
        switch lock {
        case .some(let lock): lock.isHeld
        case .none: false
        }
    }

    /// Takes the lock and hands over what others have committed; afterwards this process alone may commit, until `unlock`.
    ///
    /// - Returns: `elsewhere`, with the lock held: `reopen` is the way on.
    /// - Throws: `busy` after the time-out. Then, and after any other error, the lock is not held.
    mutating func lockAndCatchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        try takeLock()
        do throws(StorageError) {
            guard case .seen = try catchUp(load: load), try isEndOurs(), makeJournalWritable() else {
                return .elsewhere
            }
            return .seen
        } catch {
            unlock()
            throw error
        }
    }

    private mutating func takeLock() throws(StorageError) {
        if isLocked { return }
        try waitForLock()
        do throws(SystemError) {
            namesChanged = try place.status().modified
            if areNamesCertain { return }
            if try isLockOfItsName() { return }
            try lock?.reopen()
            // Others publish in the file that has the name now.
            lockFile = nil
        } catch {
            unlock()
            throw Self.lockFailure(error, place.path, settings)
        }
        try waitForLock()
    }

    private mutating func waitForLock() throws(StorageError) {
        do throws(FileLock.Failure) {
            try lock?.acquire(timeoutMilliseconds: settings.lockTimeoutMilliseconds, settings.lockWait)
        } catch {
            switch error {
            case .timedOut: throw Self.lockFailure(nil, place.path, settings)
            case .system(let error): throw Self.lockFailure(error, place.path, settings)
            }
        }
    }

    /// Whether no name in the directory has changed since all of them were looked up, as of the moment when the lock was
    /// taken; since then nobody else may change any that matters.
    private var areNamesCertain: Bool { namesChanged != 0 && namesChanged == seenNames }

    public mutating func unlock() { lock?.release() }

    /// Takes the lock for lines that were staged without it: that is as good where nobody else has committed since.
    /// - Returns: whether the lock was taken here, so that it has to be left again.
    /// - Throws: `busy`, and the lines have to be staged anew.
    mutating func lockForStaged() throws(StorageError) -> Bool {
        if isLocked || lock == nil { return false }
        try takeLock()
        do throws(StorageError) {
            if try readPublication() == nil, try isEndOurs(), makeJournalWritable() { return true }
        } catch {
            unlock()
            throw error
        }
        unlock()
        throw .busy(reason: "Another process has changed the store in \(place.path) meanwhile. Try again.")
    }

    /// Whether a line may be appended where this process believes the end to be. Asked with the lock held, because a
    /// process that was killed may have begun another generation or journal, or a line, and not have published it.
    private mutating func isEndOurs() throws(StorageError) -> Bool {
        guard let descriptor = journal.descriptor, snapshotIdentity != nil else { return false }
        do throws(SystemError) {
            guard try areNamesOurs() else { return false }
            // After a write of our own that failed lies what failed; nothing is appended there any more.
            if journal.isUnusable { return true }
            journal.size = max(journal.size, journal.end)
            var next: UInt8 = 0
            let end = journal.end
            let count = try withUnsafeMutableBytes(of: &next) { (byte) throws(SystemError) in
                try settings.fileSystem.read(descriptor, byte, end)
            }
            return count == 0 || next == UInt8(ascii: "\n")
        } catch {
            throw .reading(error, error.subject.isEmpty ? journal.name : error.subject)
        }
    }

    /// File systems count time in ticks of at most some milliseconds; a change within the same tick would not be seen.
    private static let ticksNanoseconds: Int64 = 100_000_000

    /// Whether snapshot and journal are those that this process has open, and no later journal has begun. Names are only
    /// looked up where one has changed in the directory since they last were.
    ///
    /// That none has is known by the directory's time, once a later change must get another one: when something was written in
    /// the same file system many ticks after that time. What is compared are two times of the file system, because its clock
    /// need not be this process's. The lock file is what writers write after each sync.
    private mutating func areNamesOurs() throws(SystemError) -> Bool {
        if areNamesCertain { return true }
        seenNames = 0
        guard let snapshotIdentity, let snapshot = try place.status(of: StoreDirectory.snapshotName),
            snapshot.isSameFile(as: snapshotIdentity),
            try place.status(of: StoreInventory.journalName(journal.generation + 1)) == nil
        else { return false }
        let written = try place.status(of: StoreDirectory.lockName)?.modified ?? 0
        let (age, isOverflow) = written.subtractingReportingOverflow(namesChanged)
        if namesChanged != 0, !isOverflow, age > Self.ticksNanoseconds { seenNames = namesChanged }
        return true
    }

    /// Whether what is published is read in the file that has the name now.
    var isWhereItWas: Bool {
        do throws(SystemError) { return try isPublicationOfItsName() } catch { return true }
    }

    private func isPublicationOfItsName() throws(SystemError) -> Bool {
        switch lockFile {
        case .none: return true
        case .some(let file):
            let open = try settings.fileSystem.status(file.descriptor)
            // Where there is none now, somebody is at it: nothing must be made there before he is done.
            guard let named = try place.status(of: StoreDirectory.lockName) else { return true }
            return named.isSameFile(as: open)
        }
    }

    private func isLockOfItsName() throws(SystemError) -> Bool {
        switch lock {
        case .some(let lock): try lock.isFileOfItsName()
        case .none: true
        }
    }

    /// A journal that was only read until now is opened to be written, where that is still the file of its name.
    private mutating func makeJournalWritable() -> Bool {
        if journal.isWritable { return true }
        // Where it is not certain, everything is read anew, and that says what is wrong.
        guard let read = journal.descriptor, let file = try? place.open(journal.name, .readWrite),
            let status = try? file.status(), let other = try? settings.fileSystem.status(read),
            status.isSameFile(as: other)
        else { return false }
        journal.file = consume file
        journal.isWritable = true
        return true
    }

    /// Reads everything anew, with the lock if it is held, which stays so.
    static func reopen(
        _ old: consuming StoreFiles, _ extractor: RecordExtractor?, load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var old = old
        let settings = old.settings
        let (refusal, mayHeal) = (old.isRefusedForGood ? old.refusal : nil, old.mayHeal)
        var lock = old.lock.take()
        let place = try StoreDirectory(settings)
        if lock?.isHeld == true, let held = lock.take() {
            guard try hasStore(place) else { throw gone(place.path) }
            return try openToWrite(place, held, settings, extractor, load)
        }
        guard mayHeal || settings.isReadOnly else {
            return try openToRead(place, settings, extractor, lock, refusal, load)
        }
        // It could not be written: as at first, and what was in the way then may be gone.
        lock = nil
        guard try hasStore(place) else { throw gone(place.path) }
        return try open(place, settings, extractor, load)
    }

    /// No new store begins in the place of one that was open: somebody has moved it, or the place is not mounted.
    public static func gone(_ path: String) -> StorageError {
        .unavailable(
            reason: "The store in \(path) is not there any more.",
            advice: "Put its files back, or begin a new store (mood store reset --yes).")
    }
}
