import JSONCodec
import Platform

/// A commit with a file of its own (`CommitFile`), while it is read. Memory holds the members around its records and
/// one record at a time.
///
/// The last line is read first: it says which of the records are new. The checksum is known only at the end; if it is
/// wrong, the caller must not use the parts passed on before.
struct LongCommit: ~Copyable {
    private let revision: Int
    private let name: String
    private let file: File
    private let fileSystem: FileSystem
    /// The bytes of the file.
    let byteCount: Int
    /// The digits at its end.
    private(set) var seal: UInt64 = 0
    /// The members before the records.
    private var opening = ByteBuffer(capacity: 512)
    /// The members after the records and the list of the new ones, with the comma before the seal.
    private var ending = ByteBuffer(capacity: 512)
    /// The numbers of the records that are new, ascending.
    private var created: [Range<Int>] = []
    /// The range of the records in the file.
    private var records = 0..<0
    /// The checksum of the bytes before the records.
    private var checksum: UInt32 = 0
    /// The last line without its seal.
    private var tail = ByteBuffer(capacity: 16)

    /// Approximate size of a piece, in bytes.
    private static let pieceBytes = 1 << 20
    /// Bytes to search first for the last line.
    private static let tailBytes = 64 << 10

    /// Nil if the commit has no file.
    static func open(_ revision: Int, in place: borrowing StoreDirectory) throws(StorageError) -> LongCommit? {
        let name = CommitFile.name(revision)
        do throws(SystemError) {
            guard try place.hasHistory() else { return nil }
            let file = try place.open(name, .read)
            let size = try file.status().size
            return try LongCommit(revision, file, size, place.fileSystem)
        } catch {
            if error.code == ENOENT { return nil }
            throw .reading(error, name)
        }
    }

    /// Reads the members around the records. A file of another form is reported when its line is asked for.
    private init(
        _ revision: Int, _ file: consuming File, _ size: Int, _ fileSystem: FileSystem
    ) throws(SystemError) {
        self.revision = revision
        name = CommitFile.name(revision)
        byteCount = size
        self.file = file
        self.fileSystem = fileSystem
        let end = size - Seal.byteCount - 1
        var last = ByteBuffer(capacity: Seal.byteCount + 1)
        try last.append(upTo: Seal.byteCount + 1) { (room) throws(SystemError) in
            try self.file.read(room, at: max(end, 0))
        }
        // A file that grew without end has no seal at its end; then no more of it is read.
        guard end > 0, last.bytes.last == UInt8(ascii: "\n"), Seal.likeness(of: last.bytes) == Seal.byteCount else {
            return
        }
        seal = Seal.digits(ofSealed: UnsafeRawBufferPointer(rebasing: last.bytes.dropLast()))
        var start = end
        var room = Self.tailBytes
        while start > 0 {
            start = max(end - room, 0)
            tail.truncate(to: 0)
            try tail.append(upTo: end - start) { (room) throws(SystemError) in try self.file.read(room, at: start) }
            let lineStart = tail.bytes.lastLineStart(before: tail.count)
            if lineStart > 0 {
                tail.removeFirst(lineStart)
                start += lineStart
                break
            }
            room *= 4
        }
        if start > 0 {
            var lines = LineReader(self.file.descriptor, from: 0, in: fileSystem)
            if let line = try lines.next(), line.isTerminated, !line.isOverlong {
                checksum = CRC32C.checksum(
                    UnsafeRawBufferPointer(start: line.bytes.baseAddress, count: line.bytes.count + 1))
                opening.append(line.bytes)
                records = line.end..<max(start, line.end)
            }
        }
        interpret()
    }

    /// Separates the members around the records.
    private mutating func interpret() {
        guard !records.isEmpty else { return ending.append(tail.bytes) }
        let put = ",\"put\":[" as StaticString
        guard opening.bytes.ends(with: put) else { return opening.truncate(to: 0) }
        opening.truncate(to: opening.count - put.utf8CodeUnitCount)
        var matcher = ByteMatcher(tail.bytes)
        guard matcher.take("]") else { return opening.truncate(to: 0) }
        if matcher.take(",\"created\":[") {
            repeat {
                guard let number = matcher.takeInteger() else { return opening.truncate(to: 0) }
                if let last = created.last, last.upperBound == number {
                    created[created.count - 1] = last.lowerBound..<number + 1
                } else {
                    created.append(number..<number + 1)
                }
            } while matcher.take(",")
            guard matcher.take("]") else { return opening.truncate(to: 0) }
        }
        ending.append(UnsafeRawBufferPointer(rebasing: tail.bytes[matcher.position...]))
    }

    private var isOfTheForm: Bool { records.isEmpty ? !ending.isEmpty : !opening.isEmpty && !ending.isEmpty }

    /// Passes on its line with the wanted records, after the whole file was found to be right.
    /// - Parameter wanted: gets the number of a record, counted from 0, and the record.
    /// - Parameter body: gets the number of all records, too.
    /// - Throws: `corrupt` if the file is not as it was written.
    borrowing func withLine(
        wanted: (Int, UnsafeRawBufferPointer) -> Bool,
        _ body: (JournalLine, _ records: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        var line = PartialLine()
        line.begin(opening.bytes)
        var count = 0
        try forEachRecord { (number, record, isNew) throws(StorageError) in
            count += 1
            if wanted(number, record) { line.add(record, isNew: isNew) }
        }
        line.end(ending.bytes)
        try line.lend { (line) throws(StorageError) in
            guard let line, line.seq == revision else { throw CommitFile.damaged(name) }
            try body(line, count)
        }
    }

    /// Passes on the commit in pieces; each is a line of that commit with some of its records, and memory holds one.
    /// The first piece has the members before the records, the last one those after them.
    borrowing func forEachPiece(_ body: (JournalLine) throws(StorageError) -> Void) throws(StorageError) {
        let (revision, name) = (revision, name)
        func hand(_ piece: borrowing PartialLine) throws(StorageError) {
            try piece.lend { (line) throws(StorageError) in
                guard let line, line.seq == revision else { throw CommitFile.damaged(name) }
                try body(line)
            }
        }
        var piece = PartialLine()
        piece.begin(opening.bytes)
        var next = ByteBuffer(capacity: 128)
        if let line = JournalLine(content: opening.bytes) {
            next.append("{\"seq\":")
            next.append(integer: line.seq)
            next.append(",\"at\":\"")
            next.append(line.time)
            next.append("\",\"durable\":")
            next.append(integer: line.durable)
        }
        try forEachRecord { (_, record, isNew) throws(StorageError) in
            if piece.count > Self.pieceBytes {
                piece.end(",")
                try hand(piece)
                piece.begin(next.bytes)
            }
            piece.add(record, isNew: isNew)
        }
        piece.end(ending.bytes)
        try hand(piece)
    }

    borrowing func forEachRecord(
        _ body: (Int, UnsafeRawBufferPointer, _ isNew: Bool) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard isOfTheForm else { throw CommitFile.damaged(name) }
        var lines = LineReader(file.descriptor, from: records.lowerBound, in: fileSystem)
        var checksum = checksum
        var number = 0
        var place = 0
        while lines.offset < records.upperBound {
            let found: LineReader.Line?
            do throws(SystemError) { found = try lines.next() } catch { throw .reading(error, name, at: lines.offset) }
            guard let line = found, line.isTerminated, !line.isOverlong, line.bytes.first == UInt8(ascii: "{") else {
                throw CommitFile.damaged(name)
            }
            let text = UnsafeRawBufferPointer(start: line.bytes.baseAddress, count: line.bytes.count + 1)
            checksum = CRC32C.checksum(text, seed: checksum)
            let isLast = line.end >= records.upperBound
            let record = isLast ? line.bytes : UnsafeRawBufferPointer(rebasing: line.bytes.dropLast())
            while place < created.count, created[place].upperBound <= number { place += 1 }
            try body(number, record, place < created.count && created[place].contains(number))
            number += 1
        }
        guard CRC32C.hexDigits(of: CRC32C.checksum(tail.bytes, seed: checksum)) == seal else {
            throw CommitFile.damaged(name)
        }
    }
}

/// Records of a commit with a file of its own, which an undo or redo gives back: read one by one, because all may be
/// more than memory should hold.
public struct LongCommitRecords: ~Copyable {
    private let commit: LongCommit
    private let part: RecordStore.UndoPart
    private let extractor: RecordExtractor

    init(_ commit: consuming LongCommit, _ part: RecordStore.UndoPart, _ extractor: RecordExtractor) {
        self.commit = commit
        (self.part, self.extractor) = (part, extractor)
    }

    /// Passes on each record, in the order of the commit.
    /// - Throws: also after records were passed on, if the file is not as it was written.
    public borrowing func forEach(
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let (part, extractor) = (part, extractor)
        try commit.forEachRecord { (_, record, _) throws(StorageError) in
            if let wanted = part.wanted {
                guard let id = extractor.id(record), wanted.contains(id) else { return }
            }
            try body(record)
        }
    }
}

/// A line of a commit with some of its records.
private struct PartialLine: ~Copyable {
    private var text = ByteBuffer(capacity: 4096)
    private var created = ByteBuffer(capacity: 256)
    private var puts = 0

    var count: Int { text.count }

    mutating func begin(_ opening: UnsafeRawBufferPointer) {
        text.truncate(to: 0)
        created.truncate(to: 0)
        puts = 0
        text.append(opening)
    }

    mutating func add(_ record: UnsafeRawBufferPointer, isNew: Bool) {
        text.append(puts == 0 ? ",\"put\":[" : ",")
        text.append(record)
        if isNew {
            created.append(created.isEmpty ? ",\"created\":[" : ",")
            created.append(integer: puts)
        }
        puts += 1
    }

    mutating func end(_ ending: UnsafeRawBufferPointer) {
        if puts > 0 { text.append(UInt8(ascii: "]")) }
        if !created.isEmpty {
            text.append(created.bytes)
            text.append(UInt8(ascii: "]"))
        }
        text.append(ending)
    }

    mutating func end(_ ending: StaticString) {
        end(UnsafeRawBufferPointer(start: ending.utf8Start, count: ending.utf8CodeUnitCount))
    }

    /// Passes it on as a line: nil if it has another form.
    borrowing func lend(_ body: (JournalLine?) throws(StorageError) -> Void) throws(StorageError) {
        try text.withBytes { (text) throws(StorageError) in try body(JournalLine(content: text)) }
    }
}

extension UnsafeRawBufferPointer {
    fileprivate func ends(with text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard count >= length, let start = baseAddress else { return false }
        return memcmp(start + count - length, text.utf8Start, length) == 0
    }
}
