import JSONCodec
import Platform

/// A commit with a file of its own (`CommitFile`), while it is read. Memory holds the members around its changes, and
/// one change at a time.
///
/// The last line is looked at first: it says which of the records are new, and which records were deleted. The checksum
/// is known only at the end; if it is wrong, the caller must not use the parts passed on before.
struct LongCommit: ~Copyable {
    /// A change, in the order of the line.
    enum Change {
        case record(UnsafeRawBufferPointer, isNew: Bool)
        /// The id, as text.
        case deletion(UnsafeRawBufferPointer)
    }

    private let revision: Int
    private let name: String
    private let file: File
    private let fileSystem: FileSystem
    /// The bytes of the file.
    let byteCount: Int
    /// The digits at its end.
    private(set) var seal: UInt64 = 0
    /// The members before the changes.
    private var opening = ByteBuffer(capacity: 512)
    /// The members after the changes, with the comma before the seal.
    private var ending = ByteBuffer(capacity: 512)
    /// The numbers of the records that are new, ascending.
    private var created: [Range<Int>] = []
    /// The range of the records in the file.
    private var records = 0..<0
    /// The range of the deleted ids in the file, with the bracket after them.
    private var deletions = 0..<0
    /// The offset of the seal.
    private var end = 0
    /// The checksum of the bytes before the records.
    private var checksum: UInt32 = 0

    /// Approximate size of a piece, in bytes.
    private static let pieceBytes = 1 << 20
    /// An id with its quotes, and a comma or the bracket.
    private static let deletionBytes = 39

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

    /// Reads the members around the changes. A file of another form is reported when its line is asked for.
    private init(
        _ revision: Int, _ file: consuming File, _ size: Int, _ fileSystem: FileSystem
    ) throws(SystemError) {
        self.revision = revision
        name = CommitFile.name(revision)
        byteCount = size
        self.file = file
        self.fileSystem = fileSystem
        end = size - Seal.byteCount - 1
        var last = ByteBuffer(capacity: Seal.byteCount + 1)
        try last.append(upTo: Seal.byteCount + 1) { (room) throws(SystemError) in
            try self.file.read(room, at: max(end, 0))
        }
        // A file that grew without end has no seal at its end; then no more of it is read.
        guard end > 0, last.bytes.last == UInt8(ascii: "\n"), Seal.likeness(of: last.bytes) == Seal.byteCount else {
            return
        }
        seal = Seal.digits(ofSealed: UnsafeRawBufferPointer(rebasing: last.bytes.dropLast()))
        var window = FileWindow(end: end)
        let start = try window.lastLineStart(self.file)
        if start > 0 {
            var lines = LineReader(self.file.descriptor, from: 0, in: fileSystem)
            if let line = try lines.next(), line.isTerminated, !line.isOverlong {
                checksum = CRC32C.checksum(
                    UnsafeRawBufferPointer(start: line.bytes.baseAddress, count: line.bytes.count + 1))
                opening.append(line.bytes)
                records = line.end..<max(start, line.end)
            }
        }
        window.move(to: start)
        if start > 0, records.isEmpty { return }
        if try !interpret(&window) { opening.truncate(to: 0) }
    }

    /// Separates the members around the changes.
    /// - Returns: false for another form.
    private mutating func interpret(_ window: inout FileWindow) throws(SystemError) -> Bool {
        if records.isEmpty {
            guard let head = try window.lineHead(file) else { return false }
            opening.append(head)
            window.move(to: head.count)
        } else {
            let put = ",\"put\":[" as StaticString
            guard opening.bytes.ends(with: put) else { return false }
            opening.truncate(to: opening.count - put.utf8CodeUnitCount)
            guard try window.take("]", file) else { return false }
            if try window.take(",\"created\":[", file) {
                repeat {
                    guard let number = try window.takeInteger(file) else { return false }
                    if let last = created.last, last.upperBound == number {
                        created[created.count - 1] = last.lowerBound..<number + 1
                    } else {
                        created.append(number..<number + 1)
                    }
                } while try window.take(",", file)
                guard try window.take("]", file) else { return false }
            }
        }
        if try window.take(",\"delete\":[", file) {
            let start = window.offset
            repeat {
                guard try window.takeQuoted(Self.deletionBytes - 3, file) else { return false }
            } while try window.take(",", file)
            guard try window.take("]", file) else { return false }
            deletions = start..<window.offset
        }
        try window.appendRest(to: &ending, file)
        return true
    }

    private var isOfTheForm: Bool { !opening.isEmpty && !ending.isEmpty }

    /// Passes on its line with the wanted changes, after the whole file was found to be right.
    /// - Parameter wanted: gets the number of a change, counted from 0, and the change.
    /// - Parameter body: gets the number of all changes, too.
    /// - Throws: `corrupt` if the file is not as it was written.
    borrowing func withLine(
        wanted: (Int, Change) -> Bool,
        _ body: (JournalLine, _ changes: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        var line = PartialLine()
        line.begin(opening.bytes)
        var count = 0
        try forEachChange { (change) throws(StorageError) in
            if wanted(count, change) { line.add(change) }
            count += 1
        }
        line.end(ending.bytes)
        try line.lend { (line) throws(StorageError) in
            guard let line, line.seq == revision else { throw CommitFile.damaged(name) }
            try body(line, count)
        }
    }

    /// Passes on the line without its changes. Unlike all others, it does not read the file whole, so it does not know
    /// whether the file is as it was written.
    borrowing func withBareLine(_ body: (JournalLine) throws(StorageError) -> Void) throws(StorageError) {
        guard isOfTheForm else { throw CommitFile.damaged(name) }
        var line = PartialLine()
        line.begin(opening.bytes)
        line.end(ending.bytes)
        try line.lend { (line) throws(StorageError) in
            guard let line, line.seq == revision else { throw CommitFile.damaged(name) }
            try body(line)
        }
    }

    /// Passes on the commit in pieces; each is a line of that commit with some of its changes, and memory holds one.
    /// The first piece has the members before the changes, the last one those after them.
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
        try forEachChange { (change) throws(StorageError) in
            if piece.count > Self.pieceBytes {
                piece.end(",")
                try hand(piece)
                piece.begin(next.bytes)
            }
            piece.add(change)
        }
        piece.end(ending.bytes)
        try hand(piece)
    }

    borrowing func forEachChange(_ body: (Change) throws(StorageError) -> Void) throws(StorageError) {
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
            try body(.record(record, isNew: place < created.count && created[place].contains(number)))
            number += 1
        }
        // Without records, the last line is all of the file.
        let start = records.upperBound
        try forEachPart(of: start..<max(deletions.lowerBound, start), length: 1, &checksum) { _ in }
        try forEachPart(of: deletions, length: Self.deletionBytes, &checksum) { (text) throws(StorageError) in
            for start in stride(from: 0, to: text.count, by: Self.deletionBytes) {
                try body(.deletion(UnsafeRawBufferPointer(rebasing: text[start + 1..<start + Self.deletionBytes - 2])))
            }
        }
        try forEachPart(of: max(deletions.upperBound, start)..<end, length: 1, &checksum) { _ in }
        guard CRC32C.hexDigits(of: checksum) == seal else { throw CommitFile.damaged(name) }
    }

    /// Passes on a range of the file in parts, which are multiples of `length`, and adds them to the checksum.
    private borrowing func forEachPart(
        of range: Range<Int>, length: Int, _ checksum: inout UInt32,
        _ body: (UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        var part = ByteBuffer(capacity: min(range.count, FileWindow.byteCount))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let count = min(range.upperBound - offset, FileWindow.byteCount / length * length)
            part.truncate(to: 0)
            do throws(SystemError) {
                try part.append(upTo: count) { (room) throws(SystemError) in try file.read(room, at: offset) }
            } catch {
                throw .reading(error, name, at: offset)
            }
            guard part.count == count else { throw CommitFile.damaged(name) }
            checksum = CRC32C.checksum(part.bytes, seed: checksum)
            try part.withBytes(body)
            offset += count
        }
    }
}

/// A line of a commit with some of its changes.
private struct PartialLine: ~Copyable {
    private var text = ByteBuffer(capacity: 4096)
    private var created = ByteBuffer(capacity: 256)
    private var deletions = ByteBuffer(capacity: 256)
    private var puts = 0

    var count: Int { text.count + deletions.count }

    mutating func begin(_ opening: UnsafeRawBufferPointer) {
        text.truncate(to: 0)
        created.truncate(to: 0)
        deletions.truncate(to: 0)
        puts = 0
        text.append(opening)
    }

    mutating func add(_ change: LongCommit.Change) {
        switch change {
        case .record(let record, let isNew):
            text.append(puts == 0 ? ",\"put\":[" : ",")
            text.append(record)
            if isNew {
                created.append(created.isEmpty ? ",\"created\":[" : ",")
                created.append(integer: puts)
            }
            puts += 1
        case .deletion(let id):
            deletions.append(deletions.isEmpty ? ",\"delete\":[\"" : ",\"")
            deletions.append(id)
            deletions.append(UInt8(ascii: "\""))
        }
    }

    mutating func end(_ ending: UnsafeRawBufferPointer) {
        if puts > 0 { text.append(UInt8(ascii: "]")) }
        if !created.isEmpty {
            text.append(created.bytes)
            text.append(UInt8(ascii: "]"))
        }
        if !deletions.isEmpty {
            text.append(deletions.bytes)
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
