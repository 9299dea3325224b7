import JSONCodec
import Platform

/// The last ten thousand operations and the places of their outcomes, by id.
///
/// Nothing is read before the first request that asks for an operation; then the operations file and the journals are,
/// and later the commits of all processes are added. The outcomes stay on disk: memory holds only the place of each
/// line, which with its id is some two hundred bytes. A store without files keeps the lines themselves.
///
/// Invariants
/// 1. While `source` describes the files, every operation up to `journalEnd` of the present journal is in `entries`.
/// 2. From `head` on, `order` holds the ids of `entries` with their commits, oldest first.
/// 3. `staged` are the ids of `entries` whose lines wait for the next sync.
struct OperationLog {
    private enum Place {
        case operations(generation: Int, offset: Int)
        case journal(generation: Int, offset: Int)
        case staged(offset: Int)
        case memory([UInt8])
    }

    /// The files that the places refer to.
    private struct Source: Equatable {
        var generation: Int
        var journalGeneration: Int
    }

    /// Limit of the lines kept in memory without files, in bytes, except for the last line: an answer may be 4 MiB
    /// long.
    private static let memoryBytesMax = 64 << 20

    private var memoryBytes = 0
    private var entries: [[UInt8]: (seq: Int, place: Place)] = [:]
    private var order: [(seq: Int, id: [UInt8])] = []
    private var head = 0
    private var staged: [[UInt8]] = []
    private var source: Source?
    private var journalEnd = 0
    /// The last commit whose line the log has read.
    private var last = 0
    /// The operation of the open commit, with its line in a store without files.
    private var open: (id: [UInt8], line: [UInt8])?

    /// Whether a request has asked for an operation yet.
    private(set) var isInUse = false
    /// Whether the open commit has an operation.
    var isOpen: Bool { open != nil }

    // MARK: Finding

    /// The outcome of an operation; the lock is held, and other processes' commits are known.
    mutating func find(
        _ key: OperationKey, _ files: StoreFiles, _ lines: inout CommitLines
    ) throws(StorageError) -> OperationOutcome {
        isInUse = true
        try catchUp(files)
        guard let entry = entries[key.id] else { return .unknown }
        switch entry.place {
        case .memory: return .unknown
        case .staged(let offset):
            guard offset >= files.journal.aheadCount else {
                return try read(
                    StoreInventory.journalName(files.journal.generation), files.journal.end + offset, key, files)
            }
            let waiting = lines.buffer.bytes[(offset - files.journal.aheadCount)...]
            return Self.outcome(of: UnsafeRawBufferPointer(rebasing: waiting.prefix { $0 != 0x0A }), key) ?? .unknown
        case .operations(let generation, let offset):
            return try read(StoreInventory.operationsName(generation), offset, key, files)
        case .journal(let generation, let offset):
            return try read(StoreInventory.journalName(generation), offset, key, files)
        }
    }

    /// The outcome of an operation in a store without files.
    mutating func find(_ key: OperationKey) -> OperationOutcome {
        isInUse = true
        guard case .memory(let line)? = entries[key.id]?.place else { return .unknown }
        return line.withUnsafeBytes { Self.outcome(of: $0, key) } ?? .unknown
    }

    private func read(
        _ name: String, _ offset: Int, _ key: OperationKey, _ files: StoreFiles
    ) throws(StorageError) -> OperationOutcome {
        do {
            let file = try files.place.open(name, .read)
            var lines = LineReader(file.descriptor, from: offset, in: files.settings.fileSystem)
            if let line = try lines.next(), let outcome = Self.outcome(of: line.bytes, key) { return outcome }
        } catch {
            throw .reading(error, name, at: offset)
        }
        throw OperationsFile.damaged(name, offset)
    }

    /// Nil if the line has no operation.
    private static func outcome(of line: UnsafeRawBufferPointer, _ key: OperationKey) -> OperationOutcome? {
        guard let content = Seal.content(of: line),
            let kept = KeptOperation(content: content) ?? JournalLine(content: content).flatMap({ KeptOperation($0) })
        else { return nil }
        if kept.isLost { return .lost }
        return kept.members.matches(key) ? .answer(Array(kept.answer)) : .taken
    }

    /// The operations whose outcomes are in journals or about to be, oldest first.
    var ofJournals: [(seq: Int, id: [UInt8])] {
        order[head...].filter { (seq, id) in
            guard let entry = entries[id], entry.seq == seq else { return false }
            switch entry.place {
            case .journal, .staged: return true
            case .operations, .memory: return false
            }
        }
    }

    // MARK: Loading

    /// Reads the operations of the files that are not known yet.
    mutating func catchUp(_ files: StoreFiles) throws(StorageError) {
        let present = Source(generation: files.generation, journalGeneration: files.journal.generation)
        if source != present {
            try loadAll(files)
            source = present
        } else if journalEnd < files.journal.end {
            try readOn(files)
        }
        journalEnd = files.journal.end
        last = files.revision
        forgetOldest()
    }

    private mutating func loadAll(_ files: StoreFiles) throws(StorageError) {
        source = nil
        entries = [:]
        order = []
        head = 0
        staged = []
        let missing = try OperationsFile.forEach(
            files.generation, marked: files.markedOperations, storeId: files.storeId, in: files.place
        ) { kept, generation, offset in
            add(Array(kept.members.id), kept.seq, .operations(generation: generation, offset: offset))
        }
        guard missing == 0 else { throw OperationsFile.lost(files.generation, missing) }
        let journals: OpenJournals
        do {
            journals = try OpenJournals(
                try files.place.inventory().journals.filter { $0 >= files.generation }, in: files.place)
        } catch {
            throw .reading(error, error.subject)
        }
        let base = journals.entries.first?.header?.baseRevision ?? files.revision
        let found = try journals.forEachCommit(after: base, upTo: files.revision) { (entry, commit) in
            if let kept = KeptOperation(commit.content) {
                add(Array(kept.members.id), kept.seq, .journal(generation: entry.generation, offset: commit.offset))
            }
        }
        guard found >= files.revision else { throw Self.cut(files) }
    }

    private mutating func readOn(_ files: StoreFiles) throws(StorageError) {
        let generation = files.journal.generation
        guard let journal = files.journal.descriptor else { return }
        var reader = JournalReader(
            journal, StoreInventory.journalName(generation), from: journalEnd, in: files.settings.fileSystem)
        let found = try reader.commits(after: last, upTo: files.revision) { commit in
            if let kept = KeptOperation(commit.content) {
                add(Array(kept.members.id), kept.seq, .journal(generation: generation, offset: commit.offset))
            }
            return true
        }
        guard found >= files.revision else { throw Self.cut(files) }
    }

    private static func cut(_ files: StoreFiles) -> StorageError {
        let name = StoreInventory.journalName(files.journal.generation)
        return .corrupt(
            file: name, offset: files.journal.end, reason: "\(name) could not be read again as it was read before.")
    }

    private mutating func add(_ id: [UInt8], _ seq: Int, _ place: Place) {
        entries[id] = (seq, place)
        order.append((seq, id))
    }

    private mutating func forgetOldest() {
        while order.count - head > OperationsFile.keptMax
            || memoryBytes > Self.memoryBytesMax && order.count - head > 1
        {
            let oldest = order[head]
            head += 1
            // The id may have been used again since.
            if entries[oldest.id]?.seq == oldest.seq { forget(oldest.id) }
        }
        if head > OperationsFile.keptMax {
            order.removeFirst(head)
            head = 0
        }
    }

    private mutating func forget(_ id: [UInt8]) {
        if case .memory(let line)? = entries.removeValue(forKey: id)?.place { memoryBytes -= line.count }
    }

    // MARK: Commits

    /// Gives the open commit an operation.
    mutating func begin(_ id: [UInt8]) { open = (id, []) }

    /// Gives the open commit an operation, in a store without files.
    mutating func begin(_ key: OperationKey, seq: Int, answer: UnsafeRawBufferPointer) {
        var line = ByteBuffer(capacity: 256)
        line.append("{\"seq\":")
        line.append(integer: seq)
        key.id.withUnsafeBytes { id in
            key.method.withUnsafeBytes { line.append(operation: id, method: $0, params: key.params, answer: answer) }
        }
        line.append(UInt8(ascii: ","))
        line.appendSeal(from: 0)
        open = (key.id, Array(line.bytes))
    }

    /// Forgets the operation of the open commit: the commit was taken back, or the next generation's file has it.
    mutating func abandon() { open = nil }

    /// Adds the operation of the open commit, which has ended and whose line is staged.
    mutating func end(_ seq: Int, stagedAt offset: Int) {
        guard let ended = open else { return }
        open = nil
        add(ended.id, seq, .staged(offset: offset))
        staged.append(ended.id)
    }

    /// Adds the operation of the open commit, in a store without files.
    mutating func end(_ seq: Int) {
        guard let ended = open else { return }
        open = nil
        forget(ended.id)
        memoryBytes += ended.line.count
        add(ended.id, seq, .memory(ended.line))
        forgetOldest()
    }

    /// Records that the staged lines are in the journal, from `start` to `end`, which is commit `revision`.
    mutating func settle(_ generation: Int, _ start: Int, _ end: Int, revision: Int) {
        for id in staged {
            guard let entry = entries[id], case .staged(let offset) = entry.place else { continue }
            entries[id] = (entry.seq, .journal(generation: generation, offset: start + offset))
        }
        staged = []
        guard source?.journalGeneration == generation, journalEnd == start else { return }
        journalEnd = end
        last = revision
        forgetOldest()
    }

    /// Drops the operations of withdrawn staged lines.
    mutating func dropStaged() {
        open = nil
        guard !staged.isEmpty else { return }
        for id in staged { entries[id] = nil }
        // They came last, in this order.
        order.removeLast(staged.count)
        staged = []
    }
}

/// Requests that a client may repeat: an `opId` whose outcome is in the same commit as its changes.
extension RecordStore {
    /// The outcome of an operation, also of one that another process or an earlier request of the group has done. The
    /// store is locked.
    /// - Throws: if the files with the outcome are unreadable.
    public mutating func outcome(of key: OperationKey) throws(StorageError) -> OperationOutcome {
        try requireOpen()
        guard let files else { return operations.find(key) }
        do throws(StorageError) {
            return try operations.find(key, files, &lines.value)
        } catch {
            // The next change puts back an open file that was taken away.
            files.forgetNames()
            throw error
        }
    }

    /// Gives the open commit an operation with its answer, a JSON object. Without an open commit nothing has changed,
    /// and nothing is kept.
    public mutating func keepOutcome(_ key: OperationKey, answer: UnsafeRawBufferPointer) {
        guard isCommitOpen else { return }
        if isInMemory { return operations.begin(key, seq: revision, answer: answer) }
        operations.begin(key.id)
        lines.value.keep(key, answer: answer)
    }

    /// Adds the operation of the open commit, whose line is ended.
    mutating func endOperation() {
        guard let files else { return operations.end(revision) }
        operations.end(revision, stagedAt: files.journal.aheadCount + lines.value.lineStart)
    }

    /// Records that the group's lines are in the journal.
    mutating func settleOperations() {
        guard operations.isInUse, let files else { return }
        let journal = (files.journal.generation, files.journal.syncStart, files.journal.end)
        operations.settle(journal.0, journal.1, journal.2, revision: files.revision)
    }
}
