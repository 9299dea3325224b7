import JSONCodec

/// The parts of the files that callers can see.
extension RecordStore {
    /// The error for every change, or nil if the store can be written.
    public var refusal: StorageError? {
        fault ?? files?.refusal
    }

    /// The reason why nothing can be written, or nil.
    public var readOnlyReason: String? { refusal?.reason }

    /// The members of the snapshot's first line that this version does not know, each as `,"name":value`.
    public var documentMembers: [UInt8] {
        // An empty mark removes the one there: it describes this store's own files.
        files.map { OperationsMark(generation: 0, count: 0).placed(in: $0.unknownMembers) } ?? []
    }

    /// Replaces these members by a new generation with the same records. All commits are durable, and the store is
    /// locked.
    /// - Throws: the reason of the failure; then nothing is changed.
    public mutating func setDocumentMembers(_ members: [UInt8]) throws(StorageError) {
        if let refusal { throw refusal }
        let before = documentMembers
        files?.unknownMembers = members
        do throws(StorageError) { try rewrite() } catch {
            files?.unknownMembers = before
            throw error
        }
    }

    public var storeID: String? { files?.storeId }

    /// The bytes on disk; in memory, those of the records.
    public var byteCount: Int {
        files.map { $0.snapshotBytes + $0.journalBytes } ?? layers.byteCount
    }

    /// The generation of the snapshot; 0 in memory.
    public var generation: Int { files?.generation ?? 0 }

    /// Whether the journal has grown so much that a new snapshot pays.
    public var wantsCompaction: Bool {
        mutating get { !needsFlush && files?.wantsRewrite == true }
    }

    /// Whether a session that has ended should compact: at a much smaller size, because no client waits.
    public var wantsCompactionAtParting: Bool {
        mutating get { !needsFlush && files?.wantsRewriteAtParting == true }
    }

    /// Writes a new snapshot and begins a new journal; all commits must be flushed. Nil in memory, where there is
    /// nothing to do. Other processes can read and change the store meanwhile, except for a moment at the end.
    /// - Parameter progress: called from time to time with the number of records written so far and in all.
    public mutating func compact(
        progress: @escaping (_ done: Int, _ total: Int) -> Void = { _, _ in }
    ) throws(StorageError) -> RewriteReport? {
        if let refusal { throw refusal }
        guard let settings = files?.settings else { return nil }
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
        let report = try writeGeneration(ofFile: nil, progress)
        refreshBase()
        return report
    }

    /// Begins the next generation; `refreshBase` must follow.
    /// - Parameter commit: the commit with a file of its own that becomes the snapshot.
    @discardableResult
    mutating func writeGeneration(
        ofFile commit: Int? = nil, _ progress: @escaping (Int, Int) -> Void = { _, _ in }
    ) throws(StorageError) -> RewriteReport? {
        guard let files else { return nil }
        precondition(lines.value.isEmpty, "staged lines are synced or dropped before a rewrite")
        let time = time.withBytes { ByteBuffer(copying: Array($0)) }
        var fault: IndexFault?
        let report: RewriteReport
        let draft = layers.table.draft
        do throws(StorageError) {
            // The table of a long commit and an index that is made would take much memory together.
            report = try files.rewrite(
                revision: revision, ofFile: commit, count: layers.count, at: time.bytes, makesIndex: draft == nil
            ) {
                fault = layers.handOver(progress, $0)
            }
        } catch {
            // Fewer records came than were announced, so nothing was replaced. `fault` says why.
            switch fault {
            case .snapshot(let damage)?: throw damage
            case .indexDamaged(let reason)?: throw .busy(reason: reason + " Try again.")
            case nil: throw draft?.failure ?? error
            }
        }
        lines.value.follow(revision)
        return report
    }

    /// Takes the new snapshot as the base after a rewrite. If it cannot be read now, the old base stays: the file of
    /// the old index is still open.
    mutating func refreshBase() {
        guard files != nil else { return }
        if layers.table.draft != nil { return replaceDraft() }
        guard let index = files?.openIndex(extractor) else { return isBaseOvertaken = true }
        isBaseOvertaken = false
        layers = LayeredRecords(index, extractor: extractor)
    }

    /// Takes the new snapshot as the base after a commit with a draft, whose records go first: then the index is made.
    private mutating func replaceDraft() {
        let isEmpty = layers.count == 0
        isBaseOvertaken = false
        layers = LayeredRecords(extractor: extractor)
        if isEmpty { return }
        guard let index = files?.openIndex(extractor) else {
            return close(because: .busy(reason: "The new snapshot cannot be read yet. Try again."))
        }
        layers = LayeredRecords(index, extractor: extractor)
    }
}

extension LayeredRecords {
    /// Hands over all records in the order of a snapshot.
    /// - Parameter progress: called from time to time with the number of records so far and in all.
    /// - Returns: the fault that ended it early, or nil.
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
    /// - Returns: the fault of the record, or nil.
    mutating func load(_ record: UnsafeRawBufferPointer) -> String? {
        guard let head = extractor.head(record) else { return "this line is not a record" }
        guard find(head.id) == nil else { return "a second record with the same id" }
        insert(RecordSlot(head: head, copying: record))
        return nil
    }
}

/// Sharing the store with other processes.
extension RecordStore {
    /// Takes over the commits of other processes. The host calls it before a group of requests, with no change pending.
    /// - Throws: if the files were replaced or cannot be read. The store keeps all it knows, and the next call tries
    ///   again.
    public mutating func catchUp() throws(StorageError) {
        if let fault { throw fault }
        if needsFlush || isCommitOpen { return }
        do throws(StorageError) {
            switch try files?.catchUp(load: { layers.load($0) }) ?? .seen {
            case .seen: return try noteRevision()
            case .unpublished where refusal == nil:
                try lock()
                return unlock()
            case .unpublished: break
            case .elsewhere: break
            }
        } catch {
            // The open files may be unreadable now, and the files that have their names may be readable.
            if case .busy = error { throw error }
        }
        try reopen()
    }

    /// Locks the store for changes until `unlock`, and takes over the commits of other processes. Does nothing in
    /// memory or if the store is locked already.
    /// - Throws: `busy` if another process holds the lock past the time-out; the errors of `catchUp`.
    public mutating func lock() throws(StorageError) {
        if isInMemory || isUnborn || isLocked || refusal != nil { return }
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

    /// Takes the lock and other processes' commits. False if the files changed in any other way; the lock may be held
    /// then.
    private mutating func isHeldAsItWas() throws(StorageError) -> Bool {
        do throws(StorageError) {
            if case .seen? = try files?.lockAndCatchUp(load: { layers.load($0) }) {
                try noteRevision()
                return true
            }
        } catch {
            if case .busy = error { throw error }
        }
        return false
    }

    /// Makes sure that the files hold all acknowledged commits: at the end of a session, and before another process
    /// continues them.
    /// - Throws: the reason why they do not.
    public mutating func leave() throws(StorageError) {
        guard refusal == nil, !needsFlush, !isCommitOpen, files?.areOursByAllSigns == false else { return }
        files?.forgetNames()
        try lock()
        unlock()
    }

    /// Whether the refusal may be over, so that `heal` is worth its time.
    public var mayHeal: Bool { files?.mayHeal ?? false }

    /// Reopens files that could not be written before; nothing may be pending.
    /// - Throws: the errors of `catchUp`.
    public mutating func heal() throws(StorageError) {
        if mayHeal, !needsFlush, !isCommitOpen { try reopen() }
    }

    /// Lets other processes change the store.
    public func unlock() { files?.unlock() }

    public var isLocked: Bool { files?.isLocked ?? false }

    private mutating func noteRevision() throws(StorageError) {
        guard let last = files?.revision, !needsFlush, last != revision else { return }
        try takeBase()
        follow(last)
    }

    /// Reads everything again. If the files lack something that this process knows, begins the next generation from
    /// memory.
    /// - Throws: the reason why both failed. The store keeps all it knows.
    private mutating func reopen() throws(StorageError) {
        try noteRevision()
        var reason: StorageError
        do throws(StorageError) {
            try adoptFiles()
            return settle()
        } catch {
            reason = error
        }
        if files?.isHalfRead == true { close(because: reason) }
        guard fault == nil, refusal == nil, let files, !files.settings.isReadOnly else { throw reason }
        let wasLocked = isLocked
        _ = try files.lockToMend()
        defer { if !wasLocked { unlock() } }
        // Another process may have mended the files meanwhile.
        do throws(StorageError) {
            try adoptFiles()
            return settle()
        } catch {
            reason = error
        }
        _ = try files.lockToMend()
        try files.requireEntitled(reason)
        files.doubt(knowing: operations.ofJournals)
        try rewrite()
    }

    /// Begins one more generation if names of the last one may not be durable.
    private mutating func settle() {
        guard let files, files.isUnsettled, files.refusal == nil, !files.settings.isReadOnly else { return }
        // Until then no journal may be written; `mayHeal` says when to try again.
        do throws(StorageError) { try rewrite() } catch {
            guard refusal == nil else { return }
            let isBusy = if case .busy = error { true } else { false }
            files.refuseFromNowOn(error, isForGood: !isBusy)
        }
    }

    /// Takes over the files as they are now. They must hold everything that this process knows.
    private mutating func adoptFiles() throws(StorageError) {
        var fresh = LayeredRecords(extractor: extractor)
        guard let files else { return }
        let opened = try files.reopened(extractor) { fresh.load($0) }
        let isOther = opened.storeId != storeID
        guard isOther || refusal != nil || opened.revision >= flushedRevision else {
            files.takeBack(opened.lock.take())
            throw .busy(reason: "Files of the store have changed meanwhile. Try again.")
        }
        undo.free()
        if isOther { madeHere = OwnCommits(generation: opened.generation) }
        opened.extractor = extractor
        if let former = files.takeFormerLockFile() { opened.formerLockFile = consume former }
        opened.isUnsettled = files.isUnsettled
        follow(opened.revision)
        foundDamage = nil
        layers = fresh
        self.files = opened
        do throws(StorageError) {
            try takeBase()
        } catch {
            close(because: error)
            throw error
        }
        tellOfDamage()
    }

    /// Closes the store: memory no longer shows a state of the store. The files hold every acknowledged commit.
    private mutating func close(because reason: StorageError) {
        files = nil
        state = .closed(reason)
    }
}
