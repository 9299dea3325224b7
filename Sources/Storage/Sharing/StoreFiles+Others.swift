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
        /// What is published cannot be read any more: who takes the lock sees what there is, and publishes it; who cannot write
        /// reads everything anew.
        case unpublished
    }

    /// Remembers which files were read.
    mutating func note(_ snapshot: FileStatus?, published: [UInt8]) {
        snapshotIdentity = snapshot
        seenPublication = published
        openLockFile()
        // There is none where nothing had to be kept; one that cannot be read is told of when somebody asks for an operation.
        do throws(SystemError) {
            operations = try place.open(StoreInventory.operationsName(generation), .read)
            areOperationsKnown = true
        } catch {
            operations = nil
            // One that is missing may come back.
            areOperationsKnown = error.code == ENOENT && markedOperations == 0
        }
        // A refusal is thought over when a name has changed.
        if refusal != nil { namesChanged = (try? place.status())?.changed ?? 0 }
    }

    /// Remembers the snapshot that stands there now, which this process has made. Where it cannot be looked at, the next
    /// change reads everything anew.
    mutating func noteOwnSnapshot(published: [UInt8]) {
        note((try? place.status(of: StoreDirectory.snapshotName)).flatMap { $0 }, published: published)
    }

    /// Where there is none, or it may not be read, nothing is published for this process: the next look tries again.
    private mutating func openLockFile() {
        guard lockFile == nil, let file = try? place.open(StoreDirectory.lockName, .read) else { return }
        lockIdentity = try? file.status()
        lockFile = consume file
    }

    // MARK: Reading

    /// Hands over what others have committed and published. Takes no lock, and costs one read and one look at a name when there
    /// is nothing new.
    mutating func catchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        if !isLocked {
            if try isOvertaken(load) { return .elsewhere }
            if try isOvertakenInFormerLock(load) { return .elsewhere }
        }
        return try readOn(load)
    }

    /// Who had the lock when another file got its name publishes in the file of before, once more.
    /// - Returns: whether everything has to be read anew for that.
    private mutating func isOvertakenInFormerLock(_ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        guard let former = formerLockFile?.descriptor, let published = try readPublication(in: former),
            let publication = Publication(bytes: published), publication.storeId == storeId
        else { return false }
        if publication.generation == generation { return try !follow(publication, load) }
        // Later generations than one that has ended are published in the file of the name.
        if publication.generation < generation { formerLockFile = nil }
        return publication.generation > generation
    }

    /// For whoever has read everything anew.
    mutating func takeFormerLockFile() -> File? { formerLockFile.take() }

    /// Hands over what is published in the file that is open.
    private mutating func readOn(_ load: (LoadEvent) -> String?) throws(StorageError) -> News {
        guard let published = try readPublication() else { return .seen }
        guard let publication = Publication(bytes: published) else {
            // Nothing is there yet, or it is just being written, or somebody has taken it away.
            let isNew = seenPublication.withUnsafeBytes { Publication(line: $0) } == nil
            return isLocked || isNew ? .seen : .unpublished
        }
        guard publication.storeId == storeId, publication.generation == generation,
            try follow(publication, load)
        else { return .elsewhere }
        seenPublication = published
        return .seen
    }

    /// Hands over what is published of the present generation; false where the journal does not go that far.
    private mutating func follow(
        _ publication: Publication, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> Bool {
        if publication.durable > revision {
            placeBeforeNews = CommitPlace(
                revision: revision, journalGeneration: journal.generation, offset: journal.end)
            guard try follow(upTo: publication.durable, load) else { return false }
        }
        if publication.isSynced { syncedRevision = max(syncedRevision, min(publication.durable, revision)) }
        return true
    }

    /// What is published, where it is not what was seen last.
    private mutating func readPublication() throws(StorageError) -> [UInt8]? {
        openLockFile()
        guard let lockFile = lockFile?.descriptor else { return nil }
        return try readPublication(in: lockFile)
    }

    private mutating func readPublication(in descriptor: Int32) throws(StorageError) -> [UInt8]? {
        readBuffer.truncate(to: 0)
        do {
            try readBuffer.append(upTo: Publication.byteCount) { (room) throws(SystemError) in
                try settings.fileSystem.readAll(descriptor, into: room, at: 0)
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
        // What was handed over counts, wherever it ends.
        defer { journal.lines.follow(revision) }
        let name = journal.name
        var reader = JournalReader(descriptor, name, from: journal.end, in: settings.fileSystem)
        while revision < last {
            guard let line = try reader.commit(after: revision), line.isTerminated else { return false }
            isHalfRead = true
            let isKnown = try line.content.forEachChange { (event) throws(StorageError) in
                guard let reason = load(event) else { return }
                throw .corrupt(
                    file: name, offset: line.offset, reason: "A change in \(name) is not valid: \(reason)")
            }
            guard isKnown else { return false }
            isHalfRead = false
            revision = line.content.seq
            journalBytes += line.end - journal.end
            journal.follow(line)
        }
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
    /// - Returns: `elsewhere`, with the lock held: `reopened` is the way on.
    /// - Throws: `busy` after the time-out; `unavailable` where the directory is another: then the lock is not held. After any
    ///   other error it is, because `reopened` is the way on, and two processes that took it from each other before that would
    ///   both do so in vain.
    mutating func lockAndCatchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        let isLockReplaced = try takeLock()
        if isLockReplaced {
            _ = try leaveLockFile(load)
            // It was held here just now: nobody publishes there any more.
            formerLockFile = nil
        }
        guard case .seen = try catchUp(load: load), try isEndOurs(), try makeJournalWritable() else {
            return .elsewhere
        }
        if isLockReplaced || !isPublished { try republish() }
        return .seen
    }

    /// Whether what stands in the lock file is what was seen last.
    private var isPublished: Bool {
        seenPublication.withUnsafeBytes { JSONText.sameBytes($0, readBuffer.bytes) }
    }

    /// Somebody has put another file in the lock's place, or taken its content away: others are to see what there is.
    private mutating func republish() throws(StorageError) {
        do { try publish(revision) } catch { throw .writing(error, StoreDirectory.lockName) }
    }

    /// - Returns: whether another file has the lock's name than before.
    private mutating func takeLock() throws(StorageError) -> Bool {
        if isLocked { return false }
        // Another round only if the file was removed or replaced meanwhile.
        for round in 0..<FileLock.roundsMax {
            try waitForLock()
            do throws(StorageError) {
                // Before the names are looked at: whoever takes the lock under another file of that name waits for the journal,
                // or comes before, and then this process sees that file.
                try holdJournal()
                namesChanged = try place.status().changed
                if areNamesCertain { return round > 0 }
                do throws(SystemError) {
                    if try isLockOfItsName() { return round > 0 }
                    journal.letGo(in: settings.fileSystem)
                    try lock?.reopen()
                } catch {
                    throw Self.lockFailure(error, place.path, settings)
                }
            } catch {
                unlock()
                throw error
            }
        }
        throw Self.lockFailure(SystemError(call: "flock", subject: place.path, code: ESTALE), place.path, settings)
    }

    private mutating func holdJournal() throws(StorageError) {
        guard lock != nil else { return }
        // Who held the lock when another file got its name is on its way to let go of the journal.
        do throws(SystemError) {
            guard try journal.hold(until: JournalHold.deadline(settings), in: settings.fileSystem) else {
                throw SystemError(call: "flock", subject: journal.name, code: EWOULDBLOCK)
            }
        } catch {
            throw Self.lockFailure(error.code == EWOULDBLOCK ? nil : error, place.path, settings)
        }
    }

    /// Takes the lock, whatever the files are by now.
    /// - Returns: whether it was taken here, so that it has to be left again.
    mutating func lockToMend() throws(StorageError) -> Bool {
        if isLocked { return false }
        if try takeLock() { lockFile = nil }
        do throws(StorageError) {
            try holdJournals()
        } catch {
            unlock()
            throw error
        }
        return true
    }

    /// Others publish in another file by now. What is published in the one of before is seen first.
    private mutating func leaveLockFile(_ load: (LoadEvent) -> String?) throws(StorageError) -> News {
        guard lockFile != nil else { return .seen }
        defer {
            formerLockFile = lockFile.take()
            lockIdentity = nil
        }
        return try readOn(load)
    }

    /// Whether a reader has to read everything anew, although nothing of that is published: because the store was refused, and
    /// its files are others now.
    /// - Throws: `unavailable` where the directory is another.
    private mutating func isOvertaken(_ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        let isRefused = refusal != nil && !isRefusedForGood
        let isOfItsName = isPublicationOfItsName
        if isOfItsName, !isRefused { return false }
        if !isOfItsName { forgetNames() }
        let changed = try place.status().changed
        if !isOfItsName, case .elsewhere = try leaveLockFile(load) { return true }
        return isRefused && (changed != namesChanged || (try? isSnapshotOurs()) == false)
    }

    private mutating func waitForLock() throws(StorageError) {
        do throws(FileLock.Failure) {
            try lock?.acquire(timeoutMilliseconds: settings.lockTimeoutMilliseconds, settings.lockWait)
        } catch {
            throw Self.lockFailure(error.cause, place.path, settings)
        }
    }

    /// Whether no name in the directory has changed since all of them were looked up, as of the moment when the lock was
    /// taken; since then nobody else may change any that matters.
    var areNamesCertain: Bool { namesChanged != 0 && namesChanged == seenNames }

    public mutating func unlock() {
        journal.letGo(in: settings.fileSystem)
        hold = nil
        lock?.release()
    }

    /// Takes the lock for lines that were staged without it: that is as good where nobody else has committed since.
    /// - Returns: whether the lock was taken here, so that it has to be left again.
    /// - Throws: `busy`, and the lines have to be staged anew.
    mutating func lockForStaged() throws(StorageError) -> Bool {
        if isLocked || lock == nil { return false }
        if try takeLock() { lockFile = nil }
        do throws(StorageError) {
            if try readPublication() == nil, try isEndOurs(), try makeJournalWritable() { return true }
        } catch {
            unlock()
            throw error
        }
        unlock()
        throw .busy(reason: "Another process has changed the store in \(place.path) meanwhile. Try again.")
    }

    /// A journal that was only read until now is opened to be written, where that is still the file of its name.
    private mutating func makeJournalWritable() throws(StorageError) -> Bool {
        if journal.isWritable { return true }
        // Where it is not certain, everything is read anew, and that says what is wrong.
        guard let read = journal.descriptor, let file = try? place.open(journal.name, .readWrite),
            let status = try? file.status(), let other = try? settings.fileSystem.status(read),
            status.isSameFile(as: other)
        else { return false }
        journal.makeWritable(file)
        try holdJournal()
        // It was free for a moment.
        return (try? isLockOfItsName()) == true
    }
}
