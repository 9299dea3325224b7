import JSONCodec
import Platform

/// `operations-G.jsonl`: the outcomes of the last operations that are older than the journals of generation G.
///
/// JSON Lines, each sealed as those of a journal are. The first line is
/// `{"format":"moodboard-operations","schemaVersion":3,"storeId":"…","generation":G,"baseRevision":R,"count":N,"crc":"…"}`,
/// then come N operations, oldest first. There is no file where there is nothing to keep. It is written whole with its
/// generation and never changed. An outcome that cannot be read is one nobody may decide on: who asks for an operation
/// that is not in the journals either is told that the file is damaged.
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

    /// Nil where the line, without its line feed, is not exactly of the form or its seal is broken.
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
    /// How many operations are kept, those in the journals counted.
    static let keptMax = 10_000

    /// What the next generation keeps the operations of.
    struct Source {
        /// Its operations file and the journals from it on.
        var generation: Int
        /// The last commit in those journals.
        var revision: Int
        /// The last one that must be found there; less where they were damaged, and what they told of is lost.
        var reached: Int
        /// Operations of which the journals do not tell, as lines of an operations file: those of lost commits, and that of the
        /// commit that the snapshot itself is.
        var besides: [[UInt8]]
    }

    /// Hands over every operation of a file, oldest first, with the offset of its line. Nothing where there is no file.
    static func forEach(
        _ generation: Int, storeId: String, in place: borrowing StoreDirectory,
        _ body: (KeptOperation, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let name = StoreInventory.operationsName(generation)
        let file: File
        do {
            file = try place.open(name, .read)
        } catch {
            if error.code == ENOENT { return }
            throw .reading(error, name)
        }
        var lines = LineReader(file.descriptor, from: 0, in: place.fileSystem)
        guard let first = try next(&lines, name), let header = OperationsHeader(line: first.bytes),
            header.storeId == storeId, header.generation == generation
        else { throw damaged(name, 0) }
        for _ in 0..<header.count {
            let start = lines.offset
            guard let line = try next(&lines, name), line.isTerminated,
                let kept = Seal.content(of: line.bytes).flatMap({ KeptOperation(content: $0) })
            else { throw damaged(name, start) }
            try body(kept, line.offset)
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

    /// Writes the operations that the next generation keeps of the one before it and its journals.
    ///
    /// Reads those files twice, to count and to copy: nothing here depends on what a process has in memory.
    /// - Returns: whether there is anything to keep; the file is synced then.
    static func write(
        _ header: SnapshotHeader, carrying source: Source, named name: String, in place: borrowing StoreDirectory
    ) throws(StorageError) -> Bool {
        let journals: OpenJournals
        do {
            let generations = try place.inventory().journals
                .filter { $0 >= source.generation && $0 < header.generation }
            journals = try OpenJournals(generations, in: place)
        } catch {
            throw .writing(error, error.subject)
        }
        var count = source.besides.count
        try forEach(source, journals, header.storeId, in: place) { _ in count += 1 }
        guard count > 0 else { return false }
        let kept = min(count, keptMax)
        var buffer = ByteBuffer(capacity: 256 << 10)
        OperationsHeader(
            schemaVersion: header.schemaVersion, storeId: header.storeId, generation: header.generation,
            baseRevision: header.revision, count: kept
        ).append(to: &buffer)
        var skipped = count - kept
        var size = 0
        let file = try writing { () throws(SystemError) in try place.open(name, .create) }
        try forEach(source, journals, header.storeId, in: place) { (operation) throws(StorageError) in
            if skipped > 0 {
                skipped -= 1
                return
            }
            operation.append(to: &buffer)
            if buffer.count >= 192 << 10 { try flush(&buffer, file, &size) }
        }
        for line in source.besides.suffix(keptMax) { line.withUnsafeBytes { buffer.append($0) } }
        try flush(&buffer, file, &size)
        try writing { () throws(SystemError) in try file.sync() }
        return true
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
    ) throws(StorageError) {
        let revision = source.revision
        try forEach(source.generation, storeId: storeId, in: place) { (operation, _) throws(StorageError) in
            try body(operation)
        }
        let base = journals.entries.first?.header?.baseRevision ?? revision
        let found = try journals.forEachCommit(after: base, upTo: revision) { (_, commit) throws(StorageError) in
            if let operation = KeptOperation(commit.content) { try body(operation) }
        }
        guard found >= source.reached else {
            throw .outcomeUnknown(
                reason: "The journals in \(place.path) could be read up to commit \(found) only, not to \(revision).")
        }
    }

    private static func flush(
        _ buffer: inout ByteBuffer, _ file: borrowing File, _ size: inout Int
    ) throws(StorageError) {
        try writing { () throws(SystemError) in try file.write(buffer.bytes, at: size) }
        size += buffer.count
        buffer.truncate(to: 0)
    }
}

/// What a request with an `opId` is known by: the id, the method and a fingerprint of its params.
public struct OperationKey: Sendable, Equatable {
    /// The inside of the id as a JSON string in its canonical form, so that equal ids have equal bytes.
    public let id: [UInt8]
    /// Visible ASCII.
    public let method: [UInt8]
    /// The same in every process and version, because it is kept.
    public let params: UInt64
    /// What an earlier version may have kept for the same params.
    public let formerParams: UInt64

    /// - Parameter formerParams: nil: the same.
    public init(id: [UInt8], method: [UInt8], params: UInt64, formerParams: UInt64? = nil) {
        self.id = id
        self.method = method
        self.params = params
        self.formerParams = formerParams ?? params
    }
}

/// What is known of an `opId`.
public enum OperationOutcome: Sendable, Equatable {
    case unknown
    /// What the same request was answered with.
    case answer([UInt8])
    /// Another request had it.
    case taken
    /// It was carried out, and what it was answered with is not known any more.
    case lost
}

/// The members that a line has for an operation:
/// `"opId":"…","method":"…","params":"xxxxxxxxxxxxxxxx","answer":{…}`. In a journal the answer is left out where it is
/// the one record that the commit put.
struct OperationMembers {
    /// The inside of the string.
    let id: UnsafeRawBufferPointer
    let method: UnsafeRawBufferPointer
    let params: UInt64
    /// A JSON object.
    let answer: UnsafeRawBufferPointer?

    /// Reads on after `"opId":"`.
    init?(_ matcher: inout ByteMatcher) {
        guard let id = matcher.takeString(), matcher.take(",\"method\":\""), let method = matcher.takeString(),
            matcher.take(",\"params\":\""), let params = matcher.takeHexWord(), matcher.take("\"")
        else { return nil }
        self.id = id
        self.method = method
        self.params = params
        guard matcher.take(",\"answer\":") else {
            answer = nil
            return
        }
        guard let answer = matcher.takeObject() else { return nil }
        self.answer = answer
    }

    func matches(_ key: OperationKey) -> Bool {
        (params == key.params || params == key.formerParams) && id.elementsEqual(key.id)
            && method.elementsEqual(key.method)
    }
}

/// One kept operation, wherever it stands; valid as long as the line is.
struct KeptOperation {
    let seq: Int
    let members: OperationMembers
    let answer: UnsafeRawBufferPointer

    /// That of a commit; nil where it has none.
    init?(_ commit: JournalLine) {
        guard commit.mayNameOperation else { return nil }
        var members: OperationMembers?
        var puts = 0
        var put: UnsafeRawBufferPointer?
        let isKnown = commit.forEachPart { part in
            switch part {
            case .put(let record):
                puts += 1
                put = record
            case .operation(let operation): members = operation
            default: break
            }
        }
        guard isKnown, let members, let answer = members.answer ?? (puts == 1 ? put : nil) else { return nil }
        seq = commit.seq
        self.members = members
        self.answer = answer
    }

    /// That of a line of an operations file before its seal:
    /// `{"seq":N,"opId":"…","method":"…","params":"…","answer":{…},`.
    init?(content: UnsafeRawBufferPointer) {
        var matcher = ByteMatcher(content)
        guard matcher.take("{\"seq\":"), let seq = matcher.takeInteger(), matcher.take(",\"opId\":\""),
            let members = OperationMembers(&matcher), let answer = members.answer, matcher.take(","), matcher.isAtEnd
        else { return nil }
        self.seq = seq
        self.members = members
        self.answer = answer
    }

    /// The line of an operations file for an operation of which only the id is known: it has no method.
    static func lineOfLost(_ id: [UInt8], _ seq: Int) -> [UInt8] {
        var line = ByteBuffer(capacity: 192)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        id.withUnsafeBytes { id in
            Array("{}".utf8).withUnsafeBytes { answer in
                line.append(operationOf: seq, id: id, method: nothing, params: 0, answer: answer)
            }
        }
        return Array(line.bytes)
    }

    /// Whether only the id is known of it.
    var isLost: Bool { members.method.isEmpty }

    /// Writes the line of an operations file, with its line feed.
    func append(to buffer: inout ByteBuffer) {
        buffer.append(
            operationOf: seq, id: members.id, method: members.method, params: members.params, answer: answer)
    }
}

extension ByteBuffer {
    /// Appends the line of an operations file, with its line feed.
    fileprivate mutating func append(
        operationOf seq: Int, id: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, params: UInt64,
        answer: UnsafeRawBufferPointer
    ) {
        let start = count
        append("{\"seq\":")
        append(integer: seq)
        append(operation: id, method: method, params: params, answer: answer)
        append(UInt8(ascii: ","))
        appendSeal(from: start)
        append(UInt8(ascii: "\n"))
    }

    /// Appends the members of an operation, each with the comma before it.
    mutating func append(
        operation id: UnsafeRawBufferPointer, method: UnsafeRawBufferPointer, params: UInt64,
        answer: UnsafeRawBufferPointer?
    ) {
        append(",\"opId\":\"")
        append(id)
        append("\",\"method\":\"")
        append(method)
        append("\",\"params\":\"")
        for shift in stride(from: UInt64(60), through: 0, by: -4) {
            let digit = UInt8(truncatingIfNeeded: params >> shift) & 15
            append(digit < 10 ? digit + 48 : digit + 87)
        }
        append(UInt8(ascii: "\""))
        guard let answer else { return }
        append(",\"answer\":")
        append(record: answer)
    }
}
