import JSONCodec
import Platform

/// `operations-G.jsonl`: the outcomes of the last operations that are older than the journals of generation G.
///
/// JSON Lines, each with a seal as in a journal. The first line is
/// `{"format":"moodboard-operations","schemaVersion":3,"storeId":"…","generation":G,"baseRevision":R,"count":N,"crc":"…"}`,
/// then come N operations, oldest first. With nothing to keep there is no file. It is written whole with its generation
/// and never changed. Without a readable outcome no request may proceed: a client that asks for an operation that is
/// not in the journals either gets the error that the file is damaged.
struct OperationsHeader: Equatable {
    var schemaVersion: Int
    var storeId: String
    var generation: Int
    /// The last commit whose operation can be in it.
    var baseRevision: Int
    var count: Int

    init(schemaVersion: Int, storeId: String, generation: Int, baseRevision: Int, count: Int) {
        self.schemaVersion = schemaVersion
        self.storeId = storeId
        self.generation = generation
        self.baseRevision = baseRevision
        self.count = count
    }

    /// Nil if the line, without its line feed, has another form or a wrong seal.
    init?(line: UnsafeRawBufferPointer) {
        guard let content = Seal.content(of: line) else { return nil }
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"format\":\"moodboard-operations\",\"schemaVersion\":"),
            let schemaVersion = matcher.takeInteger(),
            matcher.take(",\"storeId\":\""), let storeId = matcher.takeText(count: 36),
            matcher.take("\",\"generation\":"), let generation = matcher.takeInteger(),
            matcher.take(",\"baseRevision\":"), let baseRevision = matcher.takeInteger(),
            matcher.take(",\"count\":"), let count = matcher.takeInteger(), matcher.take(","), matcher.isAtEnd
        else { return nil }
        self.init(
            schemaVersion: schemaVersion, storeId: String(decoding: storeId, as: UTF8.self), generation: generation,
            baseRevision: baseRevision, count: count)
    }

    func append(to buffer: inout ByteBuffer) {
        let start = buffer.count
        buffer.append("{\"format\":\"moodboard-operations\",\"schemaVersion\":")
        buffer.append(integer: schemaVersion)
        buffer.append(",\"storeId\":\"")
        buffer.append(utf8: storeId)
        buffer.append("\",\"generation\":")
        buffer.append(integer: generation)
        buffer.append(",\"baseRevision\":")
        buffer.append(integer: baseRevision)
        buffer.append(",\"count\":")
        buffer.append(integer: count)
        buffer.append(UInt8(ascii: ","))
        buffer.appendSeal(from: start)
        buffer.append(UInt8(ascii: "\n"))
    }
}

enum OperationsFile {
    /// Number of operations to keep, including those in the journals.
    static let keptMax = 10_000

    /// The sources of the operations that the next generation keeps.
    struct Source {
        /// The generation of the operations file and of the first journal.
        var generation: Int
        /// Number of operations that the file must have.
        var marked: Int
        /// The last commit in those journals.
        var revision: Int
        /// The last commit that must be found there; smaller if journals were damaged and their operations are lost.
        var reached: Int
        /// Operations that are in no journal, as lines of an operations file: those of lost commits, and that of the
        /// commit that becomes the snapshot.
        var besides: [[UInt8]]
    }

    /// Passes on every operation that is older than the journals of a generation, oldest first, with the file and the
    /// offset of its line.
    ///
    /// If the file is missing, or the one before was missing when it was written, the file of an earlier generation
    /// that makes it complete counts too: it may have been put back since.
    /// - Parameter marked: the number of operations, as the snapshot says.
    /// - Returns: the number of missing operations.
    static func forEach(
        _ generation: Int, marked: Int, storeId: String, in place: borrowing StoreDirectory,
        _ body: (KeptOperation, _ generation: Int, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let own = try header(generation, storeId: storeId, in: place)
        var missing = max(marked - (own?.count ?? 0), 0)
        // An earlier full file may have as many operations, but not the last ones.
        let isCertain = own != nil || marked != keptMax
        if missing > 0, isCertain,
            let earlier = try earlier(than: generation, count: missing, storeId: storeId, in: place)
        {
            missing = 0
            try forEach(earlier, storeId: storeId, in: place, body)
        }
        try forEach(generation, storeId: storeId, in: place, body)
        return missing
    }

    /// Number of missing operations of a generation.
    static func missing(
        _ generation: Int, marked: Int, storeId: String, in place: borrowing StoreDirectory
    ) throws(StorageError) -> Int {
        if marked == 0 { return 0 }
        return try forEach(generation, marked: marked, storeId: storeId, in: place) { _, _, _ in }
    }

    /// Number of operations in the file of a generation; 0 if there is none.
    static func count(
        _ generation: Int, storeId: String, in place: borrowing StoreDirectory
    ) throws(StorageError) -> Int {
        try header(generation, storeId: storeId, in: place)?.count ?? 0
    }

    /// The last earlier generation whose file has `count` operations.
    private static func earlier(
        than generation: Int, count: Int, storeId: String, in place: borrowing StoreDirectory
    ) throws(StorageError) -> Int? {
        let generations: [Int]
        do {
            generations = try place.inventory().operations.filter { $0 < generation }
        } catch {
            throw .reading(error, place.path)
        }
        return generations.last { earlier in
            (try? header(earlier, storeId: storeId, in: place))?.count == count
        }
    }

    /// Nil if there is no file.
    private static func header(
        _ generation: Int, storeId: String, in place: borrowing StoreDirectory
    ) throws(StorageError) -> OperationsHeader? {
        guard let file = try open(generation, in: place) else { return nil }
        var lines = LineReader(file.descriptor, from: 0, in: place.fileSystem)
        return try header(&lines, generation, storeId)
    }

    private static func header(
        _ lines: inout LineReader, _ generation: Int, _ storeId: String
    ) throws(StorageError) -> OperationsHeader {
        let name = StoreInventory.operationsName(generation)
        guard let first = try next(&lines, name), let header = OperationsHeader(line: first.bytes),
            header.storeId == storeId, header.generation == generation
        else { throw damaged(name, 0) }
        return header
    }

    private static func open(_ generation: Int, in place: borrowing StoreDirectory) throws(StorageError) -> File? {
        let name = StoreInventory.operationsName(generation)
        do {
            return try place.open(name, .read)
        } catch {
            if error.code == ENOENT { return nil }
            throw .reading(error, name)
        }
    }

    private static func forEach(
        _ generation: Int, storeId: String, in place: borrowing StoreDirectory,
        _ body: (KeptOperation, _ generation: Int, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let name = StoreInventory.operationsName(generation)
        guard let file = try open(generation, in: place) else { return }
        var lines = LineReader(file.descriptor, from: 0, in: place.fileSystem)
        let header = try header(&lines, generation, storeId)
        for _ in 0..<header.count {
            let start = lines.offset
            guard let line = try next(&lines, name), line.isTerminated,
                let kept = Seal.content(of: line.bytes).flatMap({ KeptOperation(content: $0) })
            else { throw damaged(name, start) }
            try body(kept, generation, line.offset)
        }
        guard try next(&lines, name) == nil else { throw damaged(name, lines.offset) }
    }

    private static func next(_ lines: inout LineReader, _ name: String) throws(StorageError) -> LineReader.Line? {
        do {
            return try lines.next()
        } catch {
            throw .reading(error, name, at: lines.offset)
        }
    }

    static func damaged(_ name: String, _ offset: Int) -> StorageError {
        .corrupt(
            file: name, offset: offset,
            reason: "\(name) is damaged, and an opId cannot be looked up in it. Put back a copy of the file.")
    }

    static func lost(_ generation: Int, _ count: Int) -> StorageError {
        let name = StoreInventory.operationsName(generation)
        return .corrupt(
            file: name, offset: 0,
            reason:
                "\(name) is missing or of an earlier time: \(count) of the operations that were answered are not known,"
                + " so no opId can be looked up. Put the file back, or say that they are forgotten (mood store accept --yes)."
                + " Requests without an opId are not affected.")
    }

    /// The operations file of the next generation.
    struct Written: ~Copyable {
        /// Synced; nil if no operations are kept.
        var draft: DraftFile?
        /// The number of operations that the snapshot must name.
        let marked: Int
    }

    /// Writes the operations that the next generation keeps from this one and its journals.
    ///
    /// Reads those files twice, to count and to copy: nothing depends on a process's memory. Missing operations stay
    /// missing.
    /// - Parameter source: nil if there cannot be any.
    static func write(
        _ header: SnapshotHeader, carrying source: Source?, named identifier: String,
        in place: borrowing StoreDirectory
    ) throws(StorageError) -> Written {
        guard let source else { return Written(draft: nil, marked: 0) }
        let journals: OpenJournals
        do {
            let generations = try place.inventory().journals
                .filter { $0 >= source.generation && $0 < header.generation }
            journals = try OpenJournals(generations, in: place)
        } catch {
            throw .writing(error, error.subject)
        }
        var count = source.besides.count
        let missing = try forEach(source, journals, header.storeId, in: place) { _ in count += 1 }
        let kept = min(count, keptMax)
        let marked = kept == keptMax ? kept : kept + missing
        guard count > 0 else { return Written(draft: nil, marked: marked) }
        var buffer = ByteBuffer(capacity: 256 << 10)
        OperationsHeader(
            schemaVersion: header.schemaVersion, storeId: header.storeId, generation: header.generation,
            baseRevision: header.revision, count: kept
        ).append(to: &buffer)
        var skipped = count - kept
        var size = 0
        let draft = try writing { () throws(SystemError) in try place.draft(identifier) }
        _ = try forEach(source, journals, header.storeId, in: place) { (operation) throws(StorageError) in
            if skipped > 0 {
                skipped -= 1
                return
            }
            operation.append(to: &buffer)
            if buffer.count >= 192 << 10 { try flush(&buffer, draft.file, &size) }
        }
        for line in source.besides.suffix(keptMax) { line.withUnsafeBytes { buffer.append($0) } }
        try flush(&buffer, draft.file, &size)
        try writing { () throws(SystemError) in try draft.file.sync() }
        return Written(draft: draft, marked: marked)
    }

    private static func writing<Answer: ~Copyable>(
        _ body: () throws(SystemError) -> Answer
    ) throws(StorageError) -> Answer {
        do {
            return try body()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    private static func forEach(
        _ source: Source, _ journals: borrowing OpenJournals, _ storeId: String, in place: borrowing StoreDirectory,
        _ body: (KeptOperation) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let revision = source.revision
        let missing = try forEach(
            source.generation, marked: source.marked, storeId: storeId, in: place
        ) { (operation, _, _) throws(StorageError) in try body(operation) }
        let base = journals.entries.first?.header?.baseRevision ?? revision
        let found = try journals.forEachCommit(after: base, upTo: revision) { (_, commit) throws(StorageError) in
            if let operation = KeptOperation(commit.content) { try body(operation) }
        }
        guard found >= source.reached else {
            throw .outcomeUnknown(
                reason: "The journals in \(place.path) could be read up to commit \(found) only, not to \(revision).")
        }
        return missing
    }

    private static func flush(
        _ buffer: inout ByteBuffer, _ file: borrowing File, _ size: inout Int
    ) throws(StorageError) {
        try writing { () throws(SystemError) in try file.write(buffer.bytes, at: size) }
        size += buffer.count
        buffer.truncate(to: 0)
    }
}
