import JSONCodec

/// The files below, as far as callers know of them.
extension RecordStore {
    /// Calls `body` with the files, if there are any.
    func withFiles<Result>(_ body: (borrowing StoreFiles) -> Result) -> Result? {
        switch files {
        case .some(let files): body(files)
        case .none: nil
        }
    }

    /// What every change is answered with, or nil when the store can be written.
    public var refusal: StorageError? {
        fault ?? (withFiles { $0.refusal } ?? nil)
    }

    /// Why nothing can be written, or nil.
    public var readOnlyReason: String? { refusal?.reason }

    /// The members of the snapshot's first line that this version does not know, each as `,"name":value`.
    public var documentMembers: [UInt8] {
        // The mark is that of this store's own files.
        withFiles { OperationsMark(generation: 0, count: 0).placed(in: $0.unknownMembers) } ?? []
    }

    /// Puts others in their place, by a new generation with the same records. All commits are durable, and the store is locked.
    /// - Throws: why that could not be done; then nothing is changed.
    public mutating func setDocumentMembers(_ members: [UInt8]) throws(StorageError) {
        if let refusal { throw refusal }
        let before = documentMembers
        files?.replaceUnknownMembers(by: members)
        do throws(StorageError) { try rewrite() } catch {
            files?.replaceUnknownMembers(by: before)
            throw error
        }
    }

    public var storeID: String? {
        withFiles { $0.storeId }
    }

    /// The bytes on disk; in memory, those of the records.
    public var byteCount: Int {
        withFiles { $0.snapshotBytes + $0.journalBytes } ?? layers.byteCount
    }

    /// The generation of the snapshot; 0 in memory.
    public var generation: Int { withFiles { $0.generation } ?? 0 }

    /// Whether the journal has grown so much that a new snapshot pays.
    public var wantsCompaction: Bool {
        // Asked after each group: in place, because what is lent to a closure is copied.
        mutating get { !needsFlush && files?.wantsRewrite == true }
    }

    /// The same for a session that has ended: much less will do, because nobody waits.
    public var wantsCompactionAtParting: Bool {
        mutating get { !needsFlush && withFiles { $0.wantsRewriteAtParting } == true }
    }

    /// Writes a new snapshot and begins a new journal; all commits must be flushed. Nil in memory, where there is
    /// nothing to do. Other processes can read and change the store meanwhile, but for a moment at the end.
    /// - Parameter progress: called now and then with the number of records written so far and in all.
    public mutating func compact(
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StorageError) -> RewriteReport? {
        if let refusal { throw refusal }
        guard let settings = withFiles({ $0.settings }) else { return nil }
        let wasLocked = isLocked
        // The compaction takes the lock itself, as another process would.
        unlock()
        try leave()
        let report = try Compaction.run(settings, extractor, from: revision, progress)
        if wasLocked { try lock() } else { try catchUp() }
        return report
    }

    /// Begins the next generation with all that is visible.
    @discardableResult
    mutating func rewrite(
        _ progress: @escaping (Int, Int) -> Void = { _, _ in }
    ) throws(StorageError) -> RewriteReport? {
        guard files != nil else { return nil }
        let report = try Self.rewrite(&heldFiles.value, &layers, revision, time, progress)
        refreshBase()
        return report
    }

    private static func rewrite(
        _ files: inout StoreFiles?, _ layers: inout LayeredRecords, _ revision: Int, _ time: TimeText,
        _ progress: @escaping (Int, Int) -> Void
    ) throws(StorageError) -> RewriteReport? {
        let time = time.withBytes { ByteBuffer(copying: Array($0)) }
        var fault: IndexFault?
        do throws(StorageError) {
            return try files?.rewrite(revision: revision, count: layers.count, at: time.bytes) {
                fault = layers.handOver(progress, $0)
            }
        } catch {
            // Fewer records came than were announced, so nothing was replaced; this is why.
            switch fault {
            case .snapshot(let damage)?: throw damage
            case .indexDamaged(let reason)?: throw .busy(reason: reason + " Try again.")
            case nil: throw error
            }
        }
    }

    /// After a rewrite what is in memory is in the snapshot too. Where that cannot be read now, all stays as it is: the
    /// file that the old index speaks of is still open.
    private mutating func refreshBase() {
        guard let index = files?.openIndex(extractor) else { return isBaseOvertaken = true }
        isBaseOvertaken = false
        undo.preserve(&layers)
        layers = LayeredRecords(index, extractor: extractor)
    }
}

extension LayeredRecords {
    /// Hands over all records in the order of a snapshot.
    /// - Parameter progress: called now and then with the number of records so far and in all.
    /// - Returns: what ended it early, or nil.
    mutating func handOver(
        _ progress: @escaping (Int, Int) -> Void, _ emit: (UnsafeRawBufferPointer) -> Void
    ) -> IndexFault? {
        var meter = ProgressMeter(total: count, stepMin: 4096, tell: progress)
        var written = 0
        do throws(IndexFault) {
            try walk(.time, isDescending: false, after: nil) {
                emit($0.bytes)
                written += 1
                meter.advance(to: written)
                return true
            }
            return nil
        } catch {
            return error
        }
    }
}

extension RecordTable {
    /// Takes over a record of a snapshot that is read whole.
    /// - Returns: what is wrong with it, or nil.
    mutating func load(_ record: UnsafeRawBufferPointer) -> String? {
        guard let head = extractor.head(record) else { return "this line is not a record" }
        guard find(head.id) == nil else { return "a second record with the same id" }
        insert(RecordSlot(head: head, copying: record))
        return nil
    }
}

/// Several processes on the same store.
extension RecordStore {
    /// Sees what other processes have committed; asked before a group of requests, with nothing of one's own pending.
    /// - Throws: where the files are others by now, or cannot be read. All that is known stays, and the next call tries again.
    public mutating func catchUp() throws(StorageError) {
        if let fault { throw fault }
        if needsFlush || isCommitOpen { return }
        do throws(StorageError) {
            switch try Self.catchUp(&heldFiles.value, &layers) {
            case .seen: return try noteRevision()
            case .unpublished where refusal == nil:
                try lock()
                return unlock()
            case .unpublished: break
            case .elsewhere: break
            }
        } catch {
            // What is open may not be readable any more, and what has its name may be.
            if case .busy = error { throw error }
        }
        try reopen()
    }

    /// Takes the store for changes until `unlock`, and sees what other processes have committed. Nothing happens when it
    /// is taken already, and in memory.
    /// - Throws: `busy` where another process holds it past the time-out; what `catchUp` throws.
    public mutating func lock() throws(StorageError) {
        if isInMemory || isLocked || refusal != nil { return }
        if try isHeldAsItWas() { return }
        do throws(StorageError) {
            try reopen()
            if refusal == nil, !isLocked, try !isHeldAsItWas() {
                throw .busy(reason: "Files of the store have changed meanwhile. Try again.")
            }
        } catch {
            unlock()
            throw error
        }
    }

    /// Whether the lock was taken, and the files are as they were seen last but for what others have committed, which is
    /// taken over. Else the lock may be held.
    private mutating func isHeldAsItWas() throws(StorageError) -> Bool {
        do throws(StorageError) {
            if case .seen = try Self.lockAndCatchUp(&heldFiles.value, &layers) {
                try noteRevision()
                return true
            }
        } catch {
            if case .busy = error { throw error }
        }
        return false
    }

    /// Sees to it that the files hold what was acknowledged: at the end of a session, and before anybody else goes on from them.
    /// - Throws: why it is not.
    public mutating func leave() throws(StorageError) {
        guard refusal == nil, !needsFlush, !isCommitOpen, withFiles({ $0.areOursByAllSigns }) == false else { return }
        files?.forgetNames()
        try lock()
        unlock()
    }

    /// Whether what refuses every change may be over by now, so that `heal` is worth its time.
    public var mayHeal: Bool { withFiles { $0.mayHeal } ?? false }

    /// Opens the files as at first where they could not be written then; nothing may be pending.
    /// - Throws: what `catchUp` throws.
    public mutating func heal() throws(StorageError) {
        if mayHeal, !needsFlush, !isCommitOpen { try reopen() }
    }

    /// Lets other processes change the store.
    public mutating func unlock() {
        if !isInMemory { files?.unlock() }
    }

    public var isLocked: Bool { withFiles { $0.isLocked } ?? false }

    private static func catchUp(
        _ files: inout StoreFiles?, _ layers: inout LayeredRecords
    ) throws(StorageError) -> StoreFiles.News {
        try files?.catchUp { layers.load($0) } ?? .seen
    }

    private static func lockAndCatchUp(
        _ files: inout StoreFiles?, _ layers: inout LayeredRecords
    ) throws(StorageError) -> StoreFiles.News {
        try files?.lockAndCatchUp { layers.load($0) } ?? .seen
    }

    private mutating func noteRevision() throws(StorageError) {
        guard let last = withFiles({ $0.revision }), !needsFlush, last != revision else { return }
        try takeBase()
        revision = last
        flushedRevision = last
    }

    /// Reads everything anew; where the files do not hold all that is known here, the next generation is begun from that.
    /// - Throws: why neither could be done. All that is known stays.
    private mutating func reopen() throws(StorageError) {
        try noteRevision()
        var reason: StorageError
        do throws(StorageError) {
            try adoptFiles()
            return settle()
        } catch {
            reason = error
        }
        if withFiles({ $0.isHalfRead }) == true { close(because: reason) }
        guard fault == nil, refusal == nil, withFiles({ $0.settings.isReadOnly }) == false else { throw reason }
        let wasLocked = isLocked
        guard try files?.lockToMend() != nil else { throw reason }
        defer { if !wasLocked { unlock() } }
        // Somebody else may have seen to it meanwhile.
        do throws(StorageError) {
            try adoptFiles()
            return settle()
        } catch {
            reason = error
        }
        _ = try files?.lockToMend()
        try files?.requireEntitled(reason)
        let known = operations.ofJournals
        files?.doubt(knowing: known)
        try rewrite()
    }

    /// Begins one more generation where the name of the present one may not be durable.
    private mutating func settle() {
        guard withFiles({ $0.isUnsettled && $0.refusal == nil && !$0.settings.isReadOnly }) == true else { return }
        // Nothing may be written to a journal before that, and the next attempt is made when `mayHeal` says so.
        do throws(StorageError) { try rewrite() } catch { files?.refuseFromNowOn(error) }
    }

    /// Takes over the files as they are now, which have to hold all that is known here.
    private mutating func adoptFiles() throws(StorageError) {
        var fresh = LayeredRecords(extractor: extractor)
        guard var opened = try Self.reopened(&files, extractor, &fresh) else { return }
        let isOther = opened.storeId != storeID
        guard isOther || refusal != nil || opened.revision >= flushedRevision else {
            files?.takeBack(opened.lock.take())
            throw .busy(reason: "Files of the store have changed meanwhile. Try again.")
        }
        undo.preserve(&layers)
        opened.extractor = extractor
        if let former = files?.takeFormerLockFile() { opened.formerLockFile = consume former }
        opened.isUnsettled = withFiles { $0.isUnsettled } ?? false
        revision = opened.revision
        flushedRevision = opened.revision
        foundDamage = nil
        layers = fresh
        files = consume opened
        do throws(StorageError) {
            try takeBase()
        } catch {
            close(because: error)
            throw error
        }
        tellOfDamage()
    }

    /// What is in memory is not a state of the store any more, but the files hold all that was.
    private mutating func close(because reason: StorageError) {
        files = nil
        state = .closed(reason)
    }

    private static func reopened(
        _ files: inout StoreFiles?, _ extractor: RecordExtractor, _ fresh: inout LayeredRecords
    ) throws(StorageError) -> StoreFiles? {
        try files?.reopened(extractor) { fresh.load($0) }
    }
}
