import JSONCodec
import Platform

/// Writes a snapshot in the form that `SnapshotReader` describes, in bounded memory. The first failure stops it; it is
/// told at the end, because whoever hands over the records cannot do anything about it.
///
/// What is written begins and ends at multiples of `FileSystem.pieceBytes`, but for the file's end: the page cache keeps what
/// came in one piece in one piece, as far as it is aligned, and finds, locks and maps such pieces as a whole. A random read
/// of a large file costs a third less then.
struct SnapshotWriter: ~Copyable {
    private let file: File
    private var buffer = ByteBuffer(capacity: FileSystem.pieceBytes + (64 << 10))
    private var offset = 0
    private var checksum: UInt32 = 0
    private var failure: SystemError?
    private(set) var count = 0

    init(_ file: consuming File, _ header: SnapshotHeader) {
        self.file = file
        header.append(to: &buffer)
    }

    /// - Returns: where the record begins in the file.
    @discardableResult
    mutating func append(_ record: UnsafeRawBufferPointer) -> Int {
        count += 1
        guard failure == nil else { return offset }
        if count > 1 { buffer.append(",\n") }
        let start = offset + buffer.count
        buffer.append(record: record)
        if buffer.count >= FileSystem.pieceBytes { writePieces() }
        return start
    }

    /// Writes the rest and syncs: the size of the file.
    mutating func finish() throws(SystemError) -> Int {
        if count > 0 { buffer.append(UInt8(ascii: "\n")) }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        put(buffer.count)
        if let failure { throw failure }
        try file.sync()
        return offset
    }

    private mutating func writePieces() {
        let count = buffer.count / FileSystem.pieceBytes * FileSystem.pieceBytes
        checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), seed: checksum)
        put(count)
    }

    /// Writes the first bytes of the buffer, which has no more than the rest of a record after them.
    private mutating func put(_ count: Int) {
        guard failure == nil else { return }
        do {
            try file.write(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), at: offset)
            offset += count
            buffer.removeFirst(count)
        } catch {
            failure = error
        }
    }
}

/// A snapshot as the JSON document that it is, whatever its layout: what is left of one that a person or another program
/// has edited, printed anew or sorted.
///
/// It needs the members of the header line and `moods`, in any order. `count` and `crc` say what an edit has made wrong,
/// so their values do not matter. Members that this version does not know stay, as in the header line.
struct SnapshotDocument {
    /// What is wrong, and where: an offset into the document.
    typealias Problem = (offset: Int, reason: String)

    /// Set where nothing is wrong; it counts the records that are there.
    private(set) var header: SnapshotHeader?
    private(set) var problems: [Problem] = []
    /// Whether it is one JSON object with the mark of a store, so that it can be called edited rather than damaged.
    private(set) var isStore = false

    private var found = SnapshotHeader(schemaVersion: 0, storeId: "", generation: 0, revision: -1, count: 0)
    private var hasRecords = false

    /// Reads a whole document; `record` is called for each mood and answers what is wrong with it, and where in it.
    init(
        _ text: UnsafeRawBufferPointer, schemaVersion: Int,
        record: (UnsafeRawBufferPointer, _ offset: Int) -> Problem?
    ) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let outline: JSONOutline
        do {
            outline = try validator.validate(text)
        } catch {
            problems = [(error.offset, "is not JSON: \(error.reason)")]
            return
        }
        guard outline.kind == .object else {
            problems = [(0, "is \(outline.kind.name), not a store")]
            return
        }
        if let offset = outline.duplicate { problems.append((offset, "gives a name twice")) }
        for part in outline.parts {
            read(outline.key(part), outline.text[part], part.valueStart, record)
        }
        checkHeader(schemaVersion)
        if problems.isEmpty { header = found }
    }

    private mutating func read(
        _ key: UnsafeRawBufferPointer, _ value: ValidJSON, _ offset: Int,
        _ record: (UnsafeRawBufferPointer, Int) -> Problem?
    ) {
        var reader = JSONReader(value)
        switch String(decoding: key, as: UTF8.self) {
        case "format":
            isStore = reader.text()?.equals("moodboard") == true
            if !isStore { problems.append((offset, "has another format than \"moodboard\"")) }
        case "schemaVersion": found.schemaVersion = reader.number()?.integer ?? 0
        case "storeId": found.storeId = reader.text()?.string ?? ""
        case "generation": found.generation = reader.number()?.integer ?? 0
        case "revision": found.revision = reader.number()?.integer ?? -1
        case "count", "crc": break
        case "operations" where Self.mark(value) != nil:
            found.unknownMembers += Self.mark(value)?.placed(in: []) ?? []
        case "moods": readRecords(value, offset, record)
        default:
            // In one line, whatever the layout was.
            var member = ByteBuffer(capacity: key.count + value.bytes.count + 8)
            member.append(",\"")
            member.append(key)
            member.append("\":")
            member.append(record: value.bytes)
            found.unknownMembers += Array(member.bytes)
        }
    }

    private static func mark(_ value: ValidJSON) -> OperationsMark? {
        let value = JSONValue(value)
        guard value.object?.count == 2, let generation = value["generation"]?.integer,
            let count = value["count"]?.integer, generation > 0, count > 0
        else { return nil }
        return OperationsMark(generation: generation, count: count)
    }

    private mutating func readRecords(
        _ value: ValidJSON, _ offset: Int, _ record: (UnsafeRawBufferPointer, Int) -> Problem?
    ) {
        var reader = JSONReader(value)
        guard reader.enterArray() else {
            return problems.append((offset, "has \"moods\" that are not an array"))
        }
        hasRecords = true
        while reader.nextElement() {
            let start = offset + reader.valueStart
            found.count += 1
            guard let problem = record(reader.skip().bytes, start) else { continue }
            problems.append((start + problem.offset, problem.reason))
        }
    }

    private mutating func checkHeader(_ schemaVersion: Int) {
        if !isStore, !problems.contains(where: { $0.reason.hasPrefix("has another format") }) {
            problems.append((0, "lacks \"format\""))
        }
        if found.schemaVersion != schemaVersion {
            problems.append((0, "is not of \"schemaVersion\" \(schemaVersion)"))
        }
        let isIdentifier =
            found.storeId.utf8.count == 36
            && found.storeId.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != 0x22 && $0 != 0x5C }
        if !isIdentifier { problems.append((0, "lacks its \"storeId\" of 36 characters")) }
        if found.generation < 1 { problems.append((0, "lacks its \"generation\"")) }
        if found.revision < 0 { problems.append((0, "lacks its \"revision\"")) }
        if !hasRecords, !problems.contains(where: { $0.reason.hasPrefix("has \"moods\"") }) {
            problems.append((0, "lacks its \"moods\""))
        }
    }
}
