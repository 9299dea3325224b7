import JSONCodec

/// A commit read again: its changes, by record. Valid during the call that passes it.
public struct Commit {
    public struct Change {
        public let kind: UndoneCommit.Kind
        public let id: RecordID
        /// The record after the commit; nil if it was deleted.
        public let record: UnsafeRawBufferPointer?
    }

    /// Its revision.
    public let seq: Int
    /// The time of the commit: 24 bytes of RFC 3339.
    public let at: UnsafeRawBufferPointer
    /// The author, if no client made the commit.
    public let origin: String?
    /// The commits that it undid or redid, in order; empty for most.
    public let reversed: [Int]
    /// Whether it redid them.
    public let isRedo: Bool
    /// The progress in the records of other replicas with this commit: a JSON object.
    public let saw: UnsafeRawBufferPointer?
    /// The other members about replicas: `sawCrc`, `sawAlso` and `replica`, without braces.
    public let marks: UnsafeRawBufferPointer?
    /// The CRC-32C that ends its line; of a commit with a file of its own, that of the file.
    public let crc: UInt32
    /// The member of its records whose conflicts it settles.
    public let settles: String?
    /// Whether it removed all records before its puts.
    public let isClear: Bool
    /// Number of records that it changed.
    public let count: Int
    /// All its changes; if it removed all records at once, only the newest of those. Of a commit with a file of its own
    /// they may be a part (`LongCommits`).
    public let changes: [Change]
    /// Number of the commit's changes before these.
    public internal(set) var changesBefore = 0
    /// Whether its records can be read again from its own file as they are (`UndoRecords`).
    var isInFile = false

    /// - Parameter total: the number of the commit's changes, if the line does not have all of them.
    /// - Parameter upgrade: converts the line's records to this version; nil if they are of this version.
    /// - Parameter buffer: holds the converted records; it must not change as long as the commit is used.
    /// - Parameter checksRecords: false if their ids suffice: the rest of the records is not looked at.
    init?(
        _ line: JournalLine, seal: UInt64, total: Int? = nil, _ extractor: RecordExtractor, _ upgrade: SchemaUpgrade?,
        _ buffer: inout ByteBuffer, checksRecords: Bool = true
    ) {
        buffer.truncate(to: 0)
        var changes: [Change] = []
        // The changes of the puts; -1 for none.
        var puts: [Int] = []
        var told = 0
        var unnamed = 0
        var reversed: [Int] = []
        var isRedo = false
        var isClear = false
        var marks: UnsafeRawBufferPointer?
        var upgraded: [(change: Int, range: Range<Int>)] = []
        let isKnown = line.forEachPart { part in
            switch part {
            case .cleared(let count): unnamed = count
            case .clearedID(let id), .delete(let id):
                if case .clearedID = part { unnamed -= 1 } else { told += 1 }
                if let id = RecordID(id) { changes.append(Change(kind: .deleted, id: id, record: nil)) }
            case .put(let record):
                told += 1
                puts.append(-1)
                let start = buffer.count
                var record = record
                if let upgrade {
                    guard upgrade.transform(record, &buffer) else { break }
                    record = UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])
                }
                guard let id = checksRecords ? extractor.head(record)?.id : extractor.id(record) else { break }
                if upgrade != nil { upgraded.append((changes.count, start..<buffer.count)) }
                puts[puts.count - 1] = changes.count
                changes.append(Change(kind: .updated, id: id, record: record))
            case .created(let number):
                guard number < puts.count, puts[number] >= 0 else { break }
                let change = changes[puts[number]]
                changes[puts[number]] = Change(kind: .created, id: change.id, record: change.record)
            case .clear: isClear = true
            case .undoes(let revisions): reversed = revisions
            case .redoes(let revisions): (reversed, isRedo) = (revisions, true)
            case .marks(let members): marks = members
            case .operation: break
            }
        }
        guard isKnown else { return nil }
        // The buffer may have moved while it grew.
        for (number, range) in upgraded {
            let record = UnsafeRawBufferPointer(rebasing: buffer.bytes[range])
            changes[number] = Change(kind: changes[number].kind, id: changes[number].id, record: record)
        }
        seq = line.seq
        at = line.time
        origin = line.origin.map { String(decoding: $0, as: UTF8.self) }
        self.reversed = reversed
        self.isRedo = isRedo
        saw = line.saw
        self.marks = marks
        crc = withUnsafeBytes(of: seal) { Seal.crc(digits: $0) ?? 0 }
        settles = line.settles.map { String(decoding: $0, as: UTF8.self) }
        self.isClear = isClear
        count = changes.count + max(unnamed, 0) + max((total ?? told) - told, 0)
        self.changes = changes
    }
}

/// How much of a commit with a file of its own to pass on, and so to hold in memory.
public enum LongCommits {
    /// The whole commit.
    case whole
    /// The whole commit, as several commits with parts of its changes.
    case inPieces
    /// Its pieces, too, but with the ids of its records alone: the rest of them is not looked at.
    case ids
    /// The commit without its changes. Its file is not checked.
    case bare
    /// Its first changes, at most `beginningMax`; `Commit.count` counts all.
    case beginning

    static let beginningMax = 1000
}

/// The place of the lines of the commits after `revision`.
struct CommitPlace {
    let revision: Int
    let journalGeneration: Int
    let offset: Int
}

/// Commits, read again from the journals: a sequence without a gap, from any stored revision.
///
/// A reader that follows the store asks again for the commits after its last answer, so the store remembers two places:
/// the end of the last reading, and the journal's end before other processes' last commits.
extension RecordStore {
    /// Passes on every commit after `revision` up to the last durable one, in order, until `body` returns false.
    /// - Returns: false if one of them was deleted or is in no journal (none is for a store in memory). Commits before
    ///   it may have been passed on then.
    public mutating func commits(
        after revision: Int, _ extent: LongCommits = .whole, _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        if revision >= flushedRevision { return true }
        guard files != nil else { return false }
        return try commits(after: revision, upTo: flushedRevision, extent, body)
    }

    /// Whether every commit after `revision` can be read again; all commits are durable. None can for a store in memory.
    public mutating func keepsCommits(after revision: Int) throws(StorageError) -> Bool {
        if revision >= flushedRevision { return true }
        guard files != nil else { return false }
        return try isKept(after: revision)
    }

    /// Throws if a part of the history is damaged: then earlier values are unknown.
    public mutating func requireWholeHistory() throws(StorageError) {
        if let files { try JournalChain(files, upTo: files.revision).check(files) }
    }

    /// Deletes journals of earlier generations whose commits all lie below `revision`; without it, none.
    /// - Returns: the first commit from which on all are stored.
    public mutating func shortenHistory(to revision: Int?) throws(StorageError) -> Int {
        try requireOpen()
        return try files?.shortenHistory(to: revision) ?? self.revision + 1
    }
}

/// One reading of commits, with its progress.
struct CommitReading {
    /// The last commit that was passed on, or the one to begin after.
    var revision: Int
    /// The place after that commit.
    var place: CommitPlace?
    private var wantsMore = true

    init(revision: Int) { self.revision = revision }

    /// - Parameter extent: how much of a commit with a file of its own to pass on.
    mutating func read(
        _ files: StoreFiles, upTo last: Int, _ extractor: RecordExtractor, _ extent: (Int) -> LongCommits,
        _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        var buffer = ByteBuffer(capacity: 16)
        // Usually the next commit is at a remembered place in the open journal.
        if let place = files.place(after: revision), place.journalGeneration == files.journal.generation,
            let journal = files.journal.descriptor
        {
            try walk(journal, place, upTo: last, files, extractor, nil, &buffer, body)
            if !wantsMore || revision == last { return true }
        }
        let chain = try JournalChain(files, upTo: last)
        guard try chain.start(files, enough: revision) <= revision else { return false }
        for link in chain.links where link.last > revision && wantsMore {
            guard let file = try JournalChain.open(link.generation, files) else { return false }
            var known = files.place(after: revision) ?? link.start
            if known.journalGeneration != link.generation || known.revision == link.base {
                known = try JournalChain.place(after: revision, in: link, file.descriptor, files)
            }
            try walk(
                file.descriptor, known, upTo: link.last, files, extractor, link.upgrade(files.settings), &buffer, body)
            try readCommitFile(endOf: link, files, extractor, extent(link.last), &buffer, body)
            // A damaged line: what follows it is not read, and the next journal may not follow on what was.
            if wantsMore, revision < min(link.last, last) { return false }
        }
        return !wantsMore || revision == last
    }

    private mutating func walk(
        _ journal: Int32, _ start: CommitPlace, upTo last: Int, _ files: StoreFiles,
        _ extractor: RecordExtractor, _ upgrade: SchemaUpgrade?, _ buffer: inout ByteBuffer, _ body: (Commit) -> Bool
    ) throws(StorageError) {
        let name = StoreInventory.journalName(start.journalGeneration)
        var reader = JournalReader(journal, name, from: start.offset, in: files.settings.fileSystem)
        _ = try reader.commits(after: start.revision, upTo: last) { line in
            guard line.content.seq > revision else { return true }
            guard let change = Commit(line.content, seal: line.seal, extractor, upgrade, &buffer) else { return false }
            wantsMore = body(change)
            revision = line.content.seq
            place = CommitPlace(
                revision: revision, journalGeneration: start.journalGeneration, offset: line.end)
            return wantsMore
        }
    }

    /// Passes on the commit that ends a link and is in no journal, if it has a file.
    private mutating func readCommitFile(
        endOf link: JournalChain.Link, _ files: StoreFiles, _ extractor: RecordExtractor, _ extent: LongCommits,
        _ buffer: inout ByteBuffer, _ body: (Commit) -> Bool
    ) throws(StorageError) {
        guard wantsMore, link.base < link.last, revision == link.last - 1 else { return }
        guard let commit = try LongCommit.open(link.last, in: files.place) else { return }
        let upgrade = link.upgrade(files.settings)
        var before = 0
        let checks = extent != .ids || upgrade != nil
        func take(_ line: JournalLine, _ seal: UInt64, _ total: Int? = nil) {
            guard wantsMore,
                var change = Commit(
                    line, seal: seal, total: total, extractor, upgrade, &buffer, checksRecords: checks)
            else { return }
            change.changesBefore = before
            change.isInFile = upgrade == nil
            before += change.changes.count
            wantsMore = body(change)
            revision = line.seq
        }
        // Neither a piece nor a bare line has the seal, and no caller asks for it.
        if extent == .inPieces || extent == .ids { return try commit.forEachPiece { take($0, 0) } }
        if extent == .bare { return try commit.withBareLine { take($0, 0) } }
        let most = extent == .whole ? Int.max : LongCommits.beginningMax
        let seal = commit.seal
        try commit.withLine(wanted: { number, _ in number < most }) { take($0, seal, $1) }
    }
}

extension StoreFiles {
    /// The place of the lines of the commits after `revision`, if known.
    func place(after revision: Int) -> CommitPlace? {
        if let readPlace, readPlace.revision == revision { return readPlace }
        if let placeBeforeNews, placeBeforeNews.revision == revision { return placeBeforeNews }
        return nil
    }
}

/// A summary of the open or last commit, to notify subscribers before it is durable and can be read again.
///
/// Changes are named in the order of a `Commit` of the journal, and at most `namesMax` of them.
public struct CommitSummary: Sendable {
    public struct Change: Sendable, Equatable {
        public let kind: UndoneCommit.Kind
        public let id: RecordID
    }

    public static let namesMax = 1000
    /// Number of records to name when all were removed.
    public static let clearedNamesMax = 100

    /// The commit's revision; 0 before the first commit.
    public private(set) var revision = 0
    /// Number of records that it changed.
    public private(set) var count = 0
    public private(set) var changes: [Change] = []

    mutating func begin(_ revision: Int) {
        self.revision = revision
        count = 0
        changes.removeAll(keepingCapacity: true)
    }

    mutating func note(_ kind: UndoneCommit.Kind, _ id: RecordID) {
        count += 1
        if changes.count < Self.namesMax { changes.append(Change(kind: kind, id: id)) }
    }

    /// Records that all records were removed; `first` names the newest of them.
    mutating func noteCleared(count: Int, first: [RecordID]) {
        self.count += count
        for id in first where changes.count < Self.namesMax { changes.append(Change(kind: .deleted, id: id)) }
    }
}

/// Reading for the lines of commits.
extension RecordStore {
    /// The ids of the newest records in time, newest first; fewer if the snapshot cannot be read.
    public mutating func newestIDs(_ limit: Int) -> [RecordID] {
        var ids: [RecordID] = []
        do throws(StorageError) {
            try walk(.time, isDescending: true, after: nil) { record in
                ids.append(record.head.id)
                return ids.count < limit
            }
        } catch {
            // The line has the number of records, and names those that could be read.
        }
        return ids
    }
}
