import JSONCodec
import Platform

/// One version of a record, or its end.
public struct HistoryItem: Sendable {
    public let revision: Int
    /// The time: 24 bytes of RFC 3339. Empty if only the record itself is known.
    public let at: [UInt8]
    /// Nil if only the record itself is known.
    public let kind: UndoneCommit.Kind?
    /// Nil if it was deleted.
    public let record: [UInt8]?
    /// The author of the change, if no client made it.
    public let origin: String?
}

/// The versions of one record, newest first, by page.
///
/// Journals are read one by one from the newest back, each forwards, until the page is full or `pageReadBytesMax` of
/// them have been read; the page may then have few items, or none, although there are more. Memory holds the page. If
/// commits are in no journal (one became a snapshot, the store was migrated, the history was shortened), the snapshot
/// and its backup are asked too, through their indexes: two reads each. A backup without an index is not asked.
///
/// Only records with a right checksum are passed on, and none from before damage: the versions would have a gap there.
struct RecordHistory {
    /// Largest page, whatever the caller has room for.
    static let pageBytesMax = 4 << 20
    /// Bytes of a version in an answer besides its record.
    private static let itemBytes = 128
    /// A journal is read as a whole, so a page reads at most this much and one journal.
    static let pageReadBytesMax = 64 << 20

    private struct Event {
        enum Kind { case put(isNew: Bool), delete, clear(isNamed: Bool) }

        let revision: Int
        let at: [UInt8]
        let kind: Kind
        let record: [UInt8]?
        var origin: String?

        var isPut: Bool { if case .put = kind { true } else { false } }
    }

    private let id: RecordID
    private let end: Int
    private let limit: Int
    private let bytesMax: Int
    private let extractor: RecordExtractor
    /// Newest first.
    private(set) var items: [HistoryItem] = []
    /// The next page has only versions older than this; nil if there are none.
    private(set) var next: Int?
    private var bytes = 0
    private var readBytes = 0
    /// A commit that removed all records, before it is known whether this record was among them.
    private var openClear: Event?
    /// The first of the commits that an undo reversed when it restored this record: if it removed all, this was there.
    private var restoredFrom: Set<Int> = []

    /// - Parameters:
    ///   - end: only versions older than this revision.
    ///   - bytesMax: of the page, not counting its first version.
    init(of id: RecordID, before end: Int, limit: Int, bytesMax: Int, _ extractor: RecordExtractor) {
        self.id = id
        self.end = end
        self.limit = limit
        self.bytesMax = min(bytesMax, Self.pageBytesMax)
        self.extractor = extractor
    }

    /// - Returns: whether there are commits that no journal has.
    mutating func read(_ files: StoreFiles, upTo revision: Int) throws(StorageError) -> Bool {
        let chain = try JournalChain(files, upTo: revision)
        var base: Int?
        for (place, link) in chain.links.enumerated().reversed() where link.base + 1 < end {
            // A clear is added only when it is known what it removed.
            if let base, readBytes > Self.pageReadBytesMax, openClear == nil {
                next = base + 1
                break
            }
            try chain.checkNext(after: place)
            try chain.checkEnd(of: place, at: read(link, files), files)
            if next != nil { break }
            base = link.base
        }
        if next == nil { try chain.checkNext(after: -1) }
        if let clear = openClear, case .clear(let isNamed) = clear.kind,
            isNamed || restoredFrom.contains(clear.revision)
        {
            add(clear)
        }
        openClear = nil
        return try chain.start(files) > 0
    }

    /// Inserts a version that may be in no journal.
    mutating func add(_ record: UnsafeRawBufferPointer) {
        guard extractor.head(record)?.id == id, let revision = extractor.revision(record), revision < end,
            !items.contains(where: { $0.revision == revision })
        else { return }
        // A version after the end of the page comes with a later page.
        if let next, revision < next { return }
        let place = items.firstIndex { $0.revision < revision } ?? items.count
        items.insert(HistoryItem(revision: revision, at: [], kind: nil, record: Array(record), origin: nil), at: place)
        bytes += Self.size(record.count)
        while items.count > limit || (bytes > bytesMax && items.count > 1) {
            bytes -= Self.size(items.removeLast().record?.count)
            next = items.last?.revision
        }
    }

    /// Adds what a commit in memory did to the record.
    /// - Parameter record: the record after the commit; nil if it was deleted.
    mutating func add(_ step: Trail.Step, _ change: Trail.Change, leaving record: [UInt8]?) {
        guard step.revision < end else { return }
        func add(_ kind: Event.Kind, _ record: [UInt8]?) {
            self.add(Event(revision: step.revision, at: step.at, kind: kind, record: record, origin: step.note.origin))
        }
        let isCleared = step.isClear && change.before != nil
        if change.isThere { add(.put(isNew: change.before == nil || isCleared), record) }
        if isCleared || !change.isThere { add(.delete, nil) }
    }

    private static func size(_ record: Int?) -> Int { (record ?? 0) + itemBytes }

    /// - Returns: the last commit found.
    private mutating func read(_ link: JournalChain.Link, _ files: StoreFiles) throws(StorageError) -> Int {
        let upgrade = link.upgrade(files.settings)
        var events: [Event] = []
        var held = 0
        var dropped: Event?
        let wanted = upgrade?.extractor ?? extractor
        let id = id
        let found = try JournalChain.forEachCommit(
            of: link, after: link.base, files,
            wanted: { change in
                switch change {
                case .record(let record, _): wanted.id(record) == id
                case .deletion(let text): RecordID(text) == id
                }
            }
        ) { line, size in
            readBytes += size
            guard line.seq < end else { return }
            for event in self.events(line, upgrade) {
                // If the record was not there before, the clear removed others; such events would push out real
                // versions.
                if case .clear = event.kind, let before = events.last, !before.isPut { continue }
                events.append(event)
                held += event.record?.count ?? 0
                while events.count > limit + 1 || (held > bytesMax && events.count > 1) {
                    let oldest = events.removeFirst()
                    held -= oldest.record?.count ?? 0
                    dropped = oldest
                }
            }
        }
        if let clear = openClear, let before = events.last {
            openClear = nil
            if before.isPut { add(clear) }
        }
        for (index, event) in events.enumerated().reversed() {
            guard case .clear = event.kind else {
                add(event)
                continue
            }
            if let before = index > 0 ? events[index - 1] : dropped {
                if before.isPut { add(event) }
            } else {
                openClear = event
            }
        }
        if dropped != nil, next == nil { next = items.last?.revision ?? link.base + 1 }
        return found
    }

    private mutating func add(_ event: Event) {
        guard next == nil else { return }
        let size = Self.size(event.record?.count)
        guard items.count < limit, items.isEmpty || bytes + size <= bytesMax else {
            next = items.last?.revision ?? end
            return
        }
        bytes += size
        let kind: UndoneCommit.Kind =
            switch event.kind {
            case .put(let isNew): isNew ? .created : .updated
            case .delete, .clear: .deleted
            }
        items.append(
            HistoryItem(revision: event.revision, at: event.at, kind: kind, record: event.record, origin: event.origin))
    }

    /// A record converted to this version; nil if it is none.
    private func whole(_ record: UnsafeRawBufferPointer, _ upgrade: SchemaUpgrade?) -> [UInt8]? {
        guard let upgrade else { return extractor.head(record) == nil ? nil : Array(record) }
        var buffer = ByteBuffer(capacity: record.count + 256)
        guard upgrade.transform(record, &buffer), extractor.head(buffer.bytes) != nil else { return nil }
        return Array(buffer.bytes)
    }

    /// The changes of a commit to the record: few or none.
    private mutating func events(_ line: JournalLine, _ upgrade: SchemaUpgrade?) -> [Event] {
        var put: (number: Int, record: [UInt8])?
        var events: [Event] = []
        var puts = 0
        var isCleared = false
        var isNamed = false
        var isNew = false
        var isDeleted = false
        var undone: Int?
        _ = line.forEachPart { part in
            switch part {
            case .clear: isCleared = true
            case .clearedID(let text): isNamed = isNamed || RecordID(text) == id
            case .put(let record):
                if (upgrade?.extractor ?? extractor).id(record) == id, let whole = whole(record, upgrade) {
                    put = (puts, whole)
                }
                puts += 1
            case .created(let number): isNew = isNew || number == put?.number
            case .delete(let text): isDeleted = isDeleted || RecordID(text) == id
            case .undoes(let revisions): undone = revisions.min()
            case .cleared, .redoes, .operation, .marks: break
            }
        }
        if put != nil, let undone { restoredFrom.insert(undone) }
        let at = Array(line.time)
        let origin = line.origin.map { String(decoding: $0, as: UTF8.self) }
        if isCleared {
            events.append(
                Event(revision: line.seq, at: at, kind: .clear(isNamed: isNamed), record: nil, origin: origin))
        }
        if let put {
            events.append(
                Event(revision: line.seq, at: at, kind: .put(isNew: isNew), record: put.record, origin: origin))
        }
        if isDeleted { events.append(Event(revision: line.seq, at: at, kind: .delete, record: nil, origin: origin)) }
        return events
    }
}

extension RecordStore {
    /// The versions of a record that are older than `end`, newest first: at most `limit` and, except for the first one,
    /// `bytesMax` bytes; and the `end` of the next page. All commits must be durable.
    public mutating func history(
        of id: RecordID, before end: Int, limit: Int, bytesMax: Int
    ) throws(StorageError) -> (items: [HistoryItem], next: Int?) {
        try requireOpen()
        var history = RecordHistory(of: id, before: end, limit: limit, bytesMax: bytesMax, extractor)
        guard let files else {
            readTrail(&history, of: id)
            return (history.items, history.next)
        }
        if try history.read(files, upTo: flushedRevision) {
            do throws(IndexFault) {
                if let bytes = try layers.bytesInBase(id) { history.add(bytes) }
            } catch {
                throw error.asStorageError
            }
            try files.forEachBackup(of: id) { history.add($0) }
        }
        if let bytes = try bytes(id) { history.add(bytes) }
        return (history.items, history.next)
    }
}

extension StoreFiles {
    /// Passes on the versions of a record in the backups.
    fileprivate func forEachBackup(
        of id: RecordID, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(StorageError) {
        guard let extractor else { return }
        let generations: [Int]
        do {
            generations = try place.inventory().backups
        } catch {
            throw .reading(error, place.path)
        }
        var buffer = ByteBuffer(capacity: 1024)
        for generation in generations {
            do throws(IndexFault) {
                guard let index = try SnapshotIndex.ofBackup(generation, in: place, settings, extractor),
                    try index.record(id, into: &buffer) != nil
                else { continue }
                body(buffer.bytes)
            } catch {
                // Backups are not needed for acknowledged commits; an unreadable one is logged and skipped.
                settings.log("\(place.path(of: StoreInventory.backupName(generation))): \(error.asStorageError.reason)")
            }
        }
    }
}
