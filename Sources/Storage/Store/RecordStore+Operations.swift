/// Requests that may be asked again: an `opId` whose outcome is in the same commit as what it changed.
extension RecordStore {
    /// What is known of an operation, also of one that another process or an earlier request of the group has done. The
    /// store is held by `lock`.
    /// - Throws: where the files that would tell cannot be read.
    public mutating func outcome(of key: OperationKey) throws(StorageError) -> OperationOutcome {
        if isInMemory { return operations.find(key) }
        try requireOpen()
        return try Self.find(key, &operations, &files)
    }

    private static func find(
        _ key: OperationKey, _ operations: inout OperationLog, _ files: inout StoreFiles?
    ) throws(StorageError) -> OperationOutcome {
        switch files {
        case .some(let files): try operations.find(key, files)
        case .none: .unknown
        }
    }

    /// Gives the open commit an operation with its answer, a JSON object. Nothing is kept where no commit is open, because
    /// nothing has changed then.
    public mutating func keepOutcome(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        guard isCommitOpen else { return }
        if isInMemory { return operations.begin(key, seq: revision, answer: answer) }
        operations.begin(key.id)
        files?.journal.lines.keep(key, answer: answer)
    }

    /// The operation of the open commit, whose line is ended.
    mutating func endOperation() {
        let offset = withFiles { $0.journal.lineOffset }
        if let offset { operations.end(revision, stagedAt: offset) } else { operations.end(revision) }
    }

    /// The group's lines are in the journal.
    mutating func settleOperations() {
        guard operations.isInUse else { return }
        let place = withFiles { ($0.journal.generation, $0.journal.syncStart, $0.journal.end, $0.revision) }
        if let place { operations.settle(place.0, place.1, place.2, revision: place.3) }
    }
}
