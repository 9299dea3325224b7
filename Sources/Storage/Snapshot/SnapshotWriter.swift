import JSONCodec
import Platform

/// Writes a snapshot in the form of `SnapshotReader`, in bounded memory. The first failure stops it and is thrown at
/// the end, because the caller that passes the records cannot handle it.
///
/// Writes begin and end at multiples of `FileSystem.pieceBytes`, except for the file's end: the page cache keeps an
/// aligned piece together, and finds, locks and maps it as a whole. A random read of a large file then costs a third
/// less.
struct SnapshotWriter: ~Copyable {
    var draft: DraftFile
    private var buffer = ByteBuffer(capacity: FileSystem.pieceBytes + (64 << 10))
    private(set) var offset = 0
    private var checksum: UInt32 = 0
    private var failure: SystemError?
    private(set) var count = 0

    init(_ draft: consuming DraftFile, _ header: SnapshotHeader) {
        self.draft = draft
        header.append(to: &buffer)
    }

    /// - Returns: the record's offset in the file.
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

    /// Writes the rest and syncs; returns the size of the file.
    mutating func finish() throws(SystemError) -> Int {
        if count > 0 { buffer.append(UInt8(ascii: "\n")) }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.append("],")
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        put(buffer.count)
        if let failure { throw failure }
        try draft.file.sync()
        return offset
    }

    private mutating func writePieces() {
        let count = buffer.count / FileSystem.pieceBytes * FileSystem.pieceBytes
        checksum = CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), seed: checksum)
        put(count)
    }

    /// Writes the first bytes of the buffer; at most the rest of a record follows them.
    private mutating func put(_ count: Int) {
        guard failure == nil else { return }
        do {
            try draft.file.write(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]), at: offset)
            offset += count
            buffer.removeFirst(count)
        } catch {
            failure = error
        }
    }
}

/// A snapshot as a JSON document in any layout: after a person or another program has edited, reprinted or sorted it.
///
/// It needs the members of the header line and `moods`, in any order. An edit makes `count` and `crc` wrong, so their
/// values do not matter. Members that this version does not know stay, as in the header line.
struct SnapshotDocument {
    /// A fault and its offset in the document.
    typealias Problem = (offset: Int, reason: String)

    /// Set if there is no problem; its count is that of the records found.
    private(set) var header: SnapshotHeader?
    private(set) var problems: [Problem] = []
    /// Whether it is one JSON object with the mark of a store, so that it counts as edited rather than damaged.
    private(set) var isStore = false

    private var found = SnapshotHeader(schemaVersion: 0, storeId: "", generation: 0, revision: -1, count: 0)
    private var hasRecords = false

    /// Reads a whole document; `record` is called for each mood and returns its fault, with an offset in the mood.
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
            // In one line, in any layout.
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
