import JSONCodec
import Platform

/// Other processes on the same directory: this one sees their commits and never overwrites them.
extension StoreFiles {
    /// The result of a check for other processes' changes.
    enum News {
        /// Nothing new, or everything new has been passed on.
        case seen
        /// The files were replaced, or their end must be judged: everything has to be read again.
        case elsewhere
        /// The publication cannot be read any more. A process that can write takes the lock, catches up and publishes;
        /// a reader reads everything again.
        case unpublished
    }

    /// Records the identities of the files just read.
    func note(_ snapshot: FileStatus?, published: [UInt8]) {
        snapshotIdentity = snapshot
        seenPublication = published
        openLockFile()
        // There is no file if nothing had to be kept. An unreadable one is reported when a request asks for an
        // operation.
        do throws(SystemError) {
            operations = try place.open(StoreInventory.operationsName(generation), .read)
            areOperationsKnown = true
        } catch {
            operations = nil
            // A missing file may come back.
            areOperationsKnown = error.code == ENOENT && markedOperations == 0
        }
        // A refusal is checked again when a name has changed.
        if refusal != nil { namesChanged = (try? place.status())?.changed ?? 0 }
    }

    /// Records the present snapshot, which this process has made. Without its status, the next change reads everything
    /// again.
    func noteOwnSnapshot(published: [UInt8]) {
        note((try? place.status(of: StoreDirectory.snapshotName)).flatMap { $0 }, published: published)
    }

    /// Opens the lock file. If it is missing or unreadable, nothing is published for this process; the next check tries
    /// again.
    private func openLockFile() {
        guard lockFile == nil, let file = try? place.open(StoreDirectory.lockName, .read) else { return }
        lockIdentity = try? file.status()
        lockFile = consume file
    }

    // MARK: Reading

    /// Passes on what other processes have published. Takes no lock, and costs one read and one status call if there is
    /// nothing new.
    func catchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        if !isLocked {
            if try isOvertaken(load) { return .elsewhere }
            if try isOvertakenInFormerLock(load) { return .elsewhere }
        }
        return try readOn(load)
    }

    /// If `lock` was replaced while another process held it, that process publishes once more in the old file.
    /// - Returns: whether everything has to be read again because of that.
    private func isOvertakenInFormerLock(_ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        guard let former = formerLockFile?.descriptor, let published = try readPublication(in: former),
            let publication = Publication(bytes: published), publication.storeId == storeId
        else { return false }
        if publication.generation == generation { return try !follow(publication, load) }
        // Generations after this one are published in the file that has the name.
        if publication.generation < generation { formerLockFile = nil }
        return publication.generation > generation
    }

    /// The old lock file, for the files that replace these after everything was read again.
    func takeFormerLockFile() -> File? { formerLockFile.take() }

    /// Passes on the commits that the open file publishes.
    private func readOn(_ load: (LoadEvent) -> String?) throws(StorageError) -> News {
        guard let published = try readPublication() else { return .seen }
        guard let publication = Publication(bytes: published) else {
            // The publication is empty, half written, or was removed.
            let isNew = seenPublication.withUnsafeBytes { Publication(line: $0) } == nil
            return isLocked || isNew ? .seen : .unpublished
        }
        guard publication.storeId == storeId, publication.generation == generation,
            try follow(publication, load)
        else { return .elsewhere }
        seenPublication = published
        return .seen
    }

    /// Passes on the published commits of the present generation; false if the journal ends before.
    private func follow(
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

    /// The publication, if it changed since the last read.
    private func readPublication() throws(StorageError) -> [UInt8]? {
        openLockFile()
        guard let lockFile = lockFile?.descriptor else { return nil }
        return try readPublication(in: lockFile)
    }

    private func readPublication(in descriptor: Int32) throws(StorageError) -> [UInt8]? {
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

    /// Reads on in the journal up to commit `last`; false if the journal ends before.
    private func follow(upTo last: Int, _ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        guard let descriptor = journal.descriptor else { return false }
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

    /// Takes the lock and passes on other processes' commits; then only this process may commit, until `unlock`.
    ///
    /// - Returns: `elsewhere`, with the lock held: continue with `reopened`.
    /// - Throws: `busy` after the time-out, or `unavailable` for another directory: then the lock is not held. After
    ///   any other error it is held, because `reopened` comes next; two processes that took the lock from each other in
    ///   between would both fail.
    func lockAndCatchUp(load: (LoadEvent) -> String?) throws(StorageError) -> News {
        let isLockReplaced = try takeLock()
        if isLockReplaced {
            _ = try leaveLockFile(load)
            // This process holds that lock, so no other process publishes there any more.
            formerLockFile = nil
        }
        guard case .seen = try catchUp(load: load), try isEndOurs(), try makeJournalWritable() else {
            return .elsewhere
        }
        if isLockReplaced || !isPublished { try republish() }
        return .seen
    }

    /// Whether the lock file contains what was seen last.
    private var isPublished: Bool {
        seenPublication.withUnsafeBytes { JSONText.sameBytes($0, readBuffer.bytes) }
    }

    /// Publishes again after another program replaced or emptied the lock file.
    private func republish() throws(StorageError) {
        do { try publish(revision) } catch { throw .writing(error, StoreDirectory.lockName) }
    }

    /// - Returns: whether the lock's name now belongs to another file.
    private func takeLock() throws(StorageError) -> Bool {
        if isLocked { return false }
        // One more round only if the file was removed or replaced meanwhile.
        for round in 0..<FileLock.roundsMax {
            try waitForLock()
            do throws(StorageError) {
                // Before the names are compared: a process that locks another file of that name either waits for the
                // journal, or came before, and then this process sees its file.
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

    private func holdJournal() throws(StorageError) {
        guard lock != nil else { return }
        // The process that held the replaced lock file will release the journal soon.
        do throws(SystemError) {
            guard try journal.hold(until: JournalHold.deadline(settings), in: settings.fileSystem) else {
                throw SystemError(call: "flock", subject: journal.name, code: EWOULDBLOCK)
            }
        } catch {
            throw Self.lockFailure(error.code == EWOULDBLOCK ? nil : error, place.path, settings)
        }
    }

    /// Takes the lock, even of replaced files.
    /// - Returns: whether this call took it, so that the caller has to release it.
    func lockToMend() throws(StorageError) -> Bool {
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

    /// Leaves a lock file in which nothing is published any more, after reading its last publication.
    private func leaveLockFile(_ load: (LoadEvent) -> String?) throws(StorageError) -> News {
        guard lockFile != nil else { return .seen }
        defer {
            formerLockFile = lockFile.take()
            lockIdentity = nil
        }
        return try readOn(load)
    }

    /// Whether a reader has to read everything again, although nothing says so in the publication: the store was
    /// refused, and its files have been replaced since.
    /// - Throws: `unavailable` for another directory.
    private func isOvertaken(_ load: (LoadEvent) -> String?) throws(StorageError) -> Bool {
        let isRefused = refusal != nil && !isRefusedForGood
        let isOfItsName = isPublicationOfItsName
        if isOfItsName, !isRefused { return false }
        if !isOfItsName { forgetNames() }
        let changed = try place.status().changed
        if !isOfItsName, case .elsewhere = try leaveLockFile(load) { return true }
        return isRefused && (changed != namesChanged || (try? isSnapshotOurs()) == false)
    }

    private func waitForLock() throws(StorageError) {
        do throws(FileLock.Failure) {
            try lock?.acquire(timeoutMilliseconds: settings.lockTimeoutMilliseconds, settings.lockWait)
        } catch {
            throw Self.lockFailure(error.cause, place.path, settings)
        }
    }

    /// Whether no name in the directory has changed since all were looked up, up to the moment when the lock was taken;
    /// after that no other process may change one that matters.
    var areNamesCertain: Bool { namesChanged != 0 && namesChanged == seenNames }

    public func unlock() {
        journal.letGo(in: settings.fileSystem)
        hold = nil
        lock?.release()
    }

    /// Takes the lock for lines that were staged without it, which is safe if no other process has committed since.
    /// - Returns: whether this call took the lock, so that the caller has to release it.
    /// - Throws: `busy`; the caller has to stage the lines again.
    func lockForStaged() throws(StorageError) -> Bool {
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

    /// Reopens a read-only journal for writing, if the file still has its name.
    private func makeJournalWritable() throws(StorageError) -> Bool {
        if journal.isWritable { return true }
        // If that is unknown, everything is read again, which reports the fault.
        guard let read = journal.descriptor, let file = try? place.open(journal.name, .readWrite),
            let status = try? file.status(), let other = try? settings.fileSystem.status(read),
            status.isSameFile(as: other)
        else { return false }
        journal.makeWritable(file)
        try holdJournal()
        // Another process may have had the journal for a moment.
        return (try? isLockOfItsName()) == true
    }
}
