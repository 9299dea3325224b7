import Platform

/// One version of a record, or its end.
public struct HistoryItem: Sendable {
    public let revision: Int
    /// When: 24 bytes of RFC 3339. Empty where only the record tells.
    public let at: [UInt8]
    /// Nil where only the record tells.
    public let kind: UndoneCommit.Kind?
    /// Nil where it was deleted.
    public let record: [UInt8]?
}

/// The versions of one record, newest first, a page of them at a time.
///
/// Journals are read one by one from the newest back, each forwards, until the page is full: what is in memory is the page.
/// Where commits are in no journal (one that was made as a snapshot, a store that was migrated, a history that was
/// shortened) the snapshot and its backup are looked at too, for the versions that they hold.
struct RecordHistory {
    static let pageBytesMax = 4 << 20

    private struct Event {
        enum Kind { case put(isNew: Bool), delete, clear(isNamed: Bool) }

        let revision: Int
        let at: [UInt8]
        let kind: Kind
        let record: [UInt8]?

        var isPut: Bool { if case .put = kind { true } else { false } }
    }

    private let id: RecordID
    private let end: Int
    private let limit: Int
    private let extractor: RecordExtractor
    /// Newest first.
    private(set) var items: [HistoryItem] = []
    /// Whether older ones were left out.
    private(set) var hasMore = false
    private var bytes = 0
    /// A commit that removed all records, when it is not known yet whether this one was among them.
    private var openClear: Event?

    /// - Parameter end: only what is older than this revision.
    init(of id: RecordID, before end: Int, limit: Int, _ extractor: RecordExtractor) {
        self.id = id
        self.end = end
        self.limit = limit
        self.extractor = extractor
    }

    mutating func read(_ files: borrowing StoreFiles, upTo revision: Int) throws(StorageError) {
        let chain = try JournalChain(files, upTo: revision)
        for link in chain.links.reversed() where link.base < end - 1 {
            try read(link, files)
            if hasMore { break }
        }
        if let clear = openClear, case .clear(isNamed: true) = clear.kind { add(clear) }
        openClear = nil
        if try chain.start(files) > 0 { try readSnapshots(files) }
    }

    /// Puts a version in its place that is perhaps in no journal.
    mutating func add(_ record: UnsafeRawBufferPointer, revision: Int) {
        guard revision < end, !items.contains(where: { $0.revision == revision }) else { return }
        // Behind a page that is full it comes with a later one.
        if hasMore, let last = items.last, revision < last.revision { return }
        let place = items.firstIndex { $0.revision < revision } ?? items.count
        items.insert(HistoryItem(revision: revision, at: [], kind: nil, record: Array(record)), at: place)
        guard items.count > limit else { return }
        items.removeLast()
        hasMore = true
    }

    private mutating func read(_ link: JournalChain.Link, _ files: borrowing StoreFiles) throws(StorageError) {
        var events: [Event] = []
        var size = 0
        var dropped: Event?
        try JournalChain.forEachCommit(of: link, behind: link.base, files) { line in
            guard line.seq < end else { return }
            for event in self.events(line) {
                // Where nothing was put before, it has cleared others; such ones would push out what tells more.
                if case .clear = event.kind, let before = events.last, !before.isPut { continue }
                events.append(event)
                size += event.record?.count ?? 0
                while events.count > limit + 1 || (size > Self.pageBytesMax && events.count > 1) {
                    let oldest = events.removeFirst()
                    size -= oldest.record?.count ?? 0
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
        if dropped != nil { hasMore = true }
    }

    private mutating func add(_ event: Event) {
        guard !hasMore else { return }
        let size = event.record?.count ?? 0
        guard items.count < limit, items.isEmpty || bytes + size <= Self.pageBytesMax else {
            hasMore = true
            return
        }
        bytes += size
        let kind: UndoneCommit.Kind =
            switch event.kind {
            case .put(let isNew): isNew ? .created : .updated
            case .delete, .clear: .deleted
            }
        items.append(HistoryItem(revision: event.revision, at: event.at, kind: kind, record: event.record))
    }

    /// What a commit did to the record: little or nothing.
    private func events(_ line: JournalLine) -> [Event] {
        var put: (number: Int, record: UnsafeRawBufferPointer)?
        var events: [Event] = []
        var puts = 0
        var isCleared = false
        var isNamed = false
        var isNew = false
        var isDeleted = false
        _ = line.forEachPart { part in
            switch part {
            case .clear: isCleared = true
            case .clearedID(let text): isNamed = isNamed || RecordID(text: text) == id
            case .put(let record):
                if extractor.id(record) == id { put = (puts, record) }
                puts += 1
            case .created(let number): isNew = isNew || number == put?.number
            case .delete(let text): isDeleted = isDeleted || RecordID(text: text) == id
            case .cleared, .operation: break
            }
        }
        let at = Array(line.time)
        if isCleared {
            events.append(Event(revision: line.seq, at: at, kind: .clear(isNamed: isNamed), record: nil))
        }
        if let put {
            events.append(
                Event(revision: line.seq, at: at, kind: .put(isNew: isNew), record: Array(put.record)))
        }
        if isDeleted { events.append(Event(revision: line.seq, at: at, kind: .delete, record: nil)) }
        return events
    }

    private mutating func readSnapshots(_ files: borrowing StoreFiles) throws(StorageError) {
        var names = [StoreDirectory.snapshotName]
        do {
            names += try files.place.inventory().backups.map(StoreInventory.backupName)
        } catch {
            throw .reading(error, error.subject)
        }
        for name in names {
            do {
                let file = try files.place.open(name, .read)
                var lines = LineReader(file.descriptor, from: 0, in: files.settings.fileSystem)
                while let line = try lines.next() {
                    let isLast = line.bytes.last != UInt8(ascii: ",")
                    let record = UnsafeRawBufferPointer(rebasing: isLast ? line.bytes[...] : line.bytes.dropLast())
                    guard record.first == UInt8(ascii: "{"), record.last == UInt8(ascii: "}"),
                        extractor.id(record) == id, let revision = extractor.revision(record)
                    else { continue }
                    add(record, revision: revision)
                    break
                }
            } catch {
                // A backup may go at any time.
                guard error.code == ENOENT else { throw .reading(error, name) }
            }
        }
    }
}

extension RecordStore {
    /// The versions of a record that are older than `end`, newest first: at most `limit`, and whether there are more. Every
    /// commit must be durable. In memory only the present version is known.
    public mutating func history(
        of id: RecordID, before end: Int, limit: Int
    ) throws(StorageError) -> (items: [HistoryItem], hasMore: Bool) {
        var history = RecordHistory(of: id, before: end, limit: limit, extractor)
        try Self.read(&history, &files, upTo: flushedRevision)
        if let bytes = try bytes(id), let revision = extractor.revision(bytes) {
            history.add(bytes, revision: revision)
        }
        return (history.items, history.hasMore)
    }

    private static func read(
        _ history: inout RecordHistory, _ files: inout StoreFiles?, upTo revision: Int
    ) throws(StorageError) {
        switch files {
        case .none: return
        case .some(let files): try history.read(files, upTo: revision)
        }
    }
}
