/// A commit as it is read again: what it did to which records. Valid during the call that hands it over.
public struct Commit {
    public struct Change {
        public let kind: UndoneCommit.Kind
        public let id: RecordID
        /// The record behind the commit; nil where it was deleted.
        public let record: UnsafeRawBufferPointer?
    }

    /// Its revision.
    public let seq: Int
    /// When it was made: 24 bytes of RFC 3339.
    public let at: UnsafeRawBufferPointer
    /// How many records it changed.
    public let count: Int
    /// All of them; where all records were removed at once, the newest of those only.
    public let changes: [Change]

    init?(_ line: JournalLine, _ extractor: RecordExtractor) {
        var created: Set<Int> = []
        _ = line.forEachPart { if case .created(let number) = $0 { created.insert(number) } }
        var changes: [Change] = []
        var puts = 0
        var unnamed = 0
        let isKnown = line.forEachPart { part in
            switch part {
            case .cleared(let count): unnamed = count
            case .clearedID(let id), .delete(let id):
                if case .clearedID = part { unnamed -= 1 }
                if let id = RecordID(text: id) { changes.append(Change(kind: .deleted, id: id, record: nil)) }
            case .put(let record):
                if let id = extractor.id(record) {
                    changes.append(
                        Change(kind: created.contains(puts) ? .created : .updated, id: id, record: record))
                }
                puts += 1
            case .clear, .created, .operation: break
            }
        }
        guard isKnown else { return nil }
        seq = line.seq
        at = line.time
        count = changes.count + max(unnamed, 0)
        self.changes = changes
    }
}

/// Commits, read again from the journals: a sequence without a gap, from any revision that is kept.
extension RecordStore {
    /// Hands over every commit behind `revision` up to the last durable one, in order, until `body` answers false.
    /// - Returns: false, and nothing was handed over, where one of them is not kept any more; in memory none is.
    public mutating func commits(
        behind revision: Int, _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        if revision >= flushedRevision { return true }
        return try Self.commits(behind: revision, upTo: flushedRevision, &files, extractor, body)
    }

    private static func commits(
        behind revision: Int, upTo last: Int, _ files: inout StoreFiles?, _ extractor: RecordExtractor,
        _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        switch files {
        case .none: return false
        case .some(let files):
            let chain = try JournalChain(files, upTo: last)
            guard try chain.start(files) <= revision else { return false }
            var wantsMore = true
            for link in chain.links where link.last > revision && wantsMore {
                try JournalChain.forEachCommit(of: link, behind: revision, files) { (line) throws(StorageError) in
                    if wantsMore, let commit = Commit(line, extractor) { wantsMore = body(commit) }
                }
            }
            return true
        }
    }

    /// Deletes journals of earlier generations all of whose commits lie below `revision`; without it, none.
    /// - Returns: the first commit from which on all are kept.
    public mutating func shortenHistory(to revision: Int?) throws(StorageError) -> Int {
        try Self.shortenHistory(to: revision, &files) ?? self.revision + 1
    }

    private static func shortenHistory(
        to revision: Int?, _ files: inout StoreFiles?
    ) throws(StorageError) -> Int? {
        switch files {
        case .none: nil
        case .some(let files): try files.shortenHistory(to: revision)
        }
    }
}
