/// Several processes on the same store.
extension RecordStore {
    /// Sees what other processes have committed; asked before a group of requests, with nothing of one's own pending.
    /// - Throws: where the files are others by now and cannot be read: then the store must be opened anew.
    public mutating func catchUp() throws(StorageError) {
        if let fault { throw fault }
        guard !needsFlush, !isCommitOpen, case .elsewhere = try Self.catchUp(&files, &layers) else {
            return try noteRevision()
        }
        try reopen()
    }

    /// Takes the store for changes until `unlock`, and sees what other processes have committed. Nothing happens when it
    /// is taken already, and in memory.
    /// - Throws: `busy` where another process holds it past the time-out; what `catchUp` throws.
    public mutating func lock() throws(StorageError) {
        if isInMemory || isLocked || refusal != nil { return }
        guard case .elsewhere = try Self.lockAndCatchUp(&files, &layers) else { return try noteRevision() }
        try reopen()
    }

    /// Lets other processes change the store.
    public mutating func unlock() {
        if !isInMemory { files?.unlock() }
    }

    public var isLocked: Bool { withFiles { $0.isLocked } ?? false }

    /// Whether the file that commits are published in is still the one of its name: false where another store is in the place
    /// of this one. What cannot be found out is true.
    public var isWhereItWas: Bool { withFiles { $0.isWhereItWas } ?? true }

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

    /// Reads everything anew. Where that fails nothing is left open, the lock included, and nothing is taken any more.
    private mutating func reopen() throws(StorageError) {
        undo.preserve(&layers)
        guard let old = files.take() else { return }
        do throws(StorageError) {
            var fresh = LayeredRecords(extractor: extractor)
            var opened = try StoreFiles.reopen(old, extractor) { fresh.load($0) }
            opened.extractor = extractor
            revision = opened.revision
            flushedRevision = opened.revision
            layers = fresh
            files = consume opened
            try takeBase()
        } catch {
            files = nil
            state = .closed(error)
            throw error
        }
    }
}
