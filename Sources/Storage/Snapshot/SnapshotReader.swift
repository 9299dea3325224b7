import JSONCodec
import Platform

/// Reads and checks `moods.json`.
///
/// Layout: the header line, then one record a line with a comma after each except the last, then `],` and the seal with
/// the checksum of all bytes before that line, and nothing more. The whole is one valid JSON document.
///
/// A snapshot is valid if
/// 1. every line has its form and the caller accepts every record,
/// 2. the checksum is right,
/// 3. the header counts the records.
///
/// If 1 holds and 2 does not, another program edited it: it may be read, but this program may not write it until a
/// person accepts the edit. If 1 does not hold it is damaged, and nothing of it is used.
struct SnapshotReader {
    struct Content {
        var header: SnapshotHeader
        var records: Int
        var bytes: Int
        /// The reason why it counts as edited; nil if it is whole.
        var edit: String?
    }

    let name: String
    let schemaVersion: Int

    /// Passes each record to `record`, which returns its fault or nil.
    func read(
        _ file: borrowing File, in fileSystem: FileSystem, record: (UnsafeRawBufferPointer, _ offset: Int) -> String?
    ) throws(StorageError) -> Content {
        let header = try header(file, in: fileSystem)
        let scan = try SnapshotScan(
            file, in: fileSystem, unreadable: { .reading($0, name, at: $1) },
            found: { (finding) throws(StorageError) in
                switch finding {
                case .problem(let offset, let what): throw damaged(offset, what)
                case .record(let bytes, let offset):
                    guard let reason = record(bytes, offset) else { return }
                    throw .corrupt(
                        file: name, offset: offset,
                        reason: "A record in \(name) is not valid: \(reason). Mend it and accept that (mood store"
                            + " accept --yes), or save what is left (mood doctor says how).")
                }
            })
        if scan.isSealed, scan.records != header.count {
            throw damaged(0, "counts \(header.count) records but holds \(scan.records)")
        }
        let edit = scan.isSealed ? nil : "Its checksum is wrong: it was changed by something else than this program."
        return Content(header: header, records: scan.records, bytes: scan.bytes, edit: edit)
    }

    /// The header alone.
    func header(_ file: borrowing File, in fileSystem: FileSystem) throws(StorageError) -> SnapshotHeader {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        let first: LineReader.Line?
        do {
            first = try lines.next()
        } catch {
            throw .reading(error, name)
        }
        guard let first, !first.isOverlong, let header = SnapshotHeader(line: first.bytes) else {
            throw foreign(file, in: fileSystem)
        }
        guard header.schemaVersion >= schemaVersion else { throw older(header.schemaVersion) }
        return header
    }

    private func damaged(_ offset: Int, _ what: String) -> StorageError {
        .corrupt(
            file: name, offset: offset,
            reason: "The snapshot \(name) \(what). Put back what it was, or save what is left (mood doctor says how).")
    }

    private func older(_ version: Int) -> StorageError {
        .olderSchema(
            version: version,
            reason: "\(name) has schema version \(version), and only version \(schemaVersion) can be read without a"
                + " migration. It was not touched.")
    }

    /// The error for a file whose first line is not a header.
    private func foreign(_ file: borrowing File, in fileSystem: FileSystem) -> StorageError {
        var probe = SchemaProbe()
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        var offset = 0
        while true {
            let count: Int
            do {
                count = try fileSystem.readAll(file.descriptor, into: chunk, at: offset)
            } catch {
                return .reading(error, name, at: offset)
            }
            probe.read(UnsafeRawBufferPointer(rebasing: chunk[..<count]))
            offset += count
            if count < chunk.count || probe.isHopeless { break }
        }
        if offset == 0 { return damaged(0, "is empty") }
        guard let version = probe.version else { return damaged(0, "does not begin as a store does") }
        if version > schemaVersion { return newer(version) }
        guard probe.isComplete else { return damaged(offset, "is not a whole JSON document") }
        if version < schemaVersion { return older(version) }
        return .unavailable(
            reason: "\(name) is not laid out as this program writes it: its first line, then one record a line.",
            advice: "If it was reformatted on purpose, accept it (mood store accept --yes); if not, undo that.")
    }

    func newer(_ version: Int) -> StorageError {
        .newerSchema(
            version: version,
            reason: "\(name) needs schema version \(version), and this version of the program knows \(schemaVersion)"
                + " at most. It was not touched.")
    }
}

/// Reads a snapshot from beginning to end and reports every record and every fault in the layout, see `SnapshotReader`.
/// The reader opens a store and stops at the first fault; the whole check and salvage go on.
struct SnapshotScan {
    enum Finding {
        /// Bytes between braces; the caller decides whether they are a record.
        case record(UnsafeRawBufferPointer, offset: Int)
        /// A fault in the layout, as a clause about the file: "holds a line that is not a record".
        case problem(offset: Int, String)
    }

    /// Nil if the first line is not a header.
    var header: SnapshotHeader?
    /// Number of lines that look like records.
    var records = 0
    /// The size of the file.
    var bytes = 0
    /// Whether there is a closing line.
    private(set) var isClosed = false
    /// Whether the closing line is the last line, ended, and has the right checksum.
    var isSealed = false

    private var checksum: UInt32 = 0
    /// Whether the line before was a record without a comma.
    private var lacksComma = false
    /// Whether the line before was a record with a comma.
    private var hasComma = false

    init(
        _ file: borrowing File, in fileSystem: FileSystem, found: (Finding) -> Void
    ) throws(SystemError) {
        try self.init(file, in: fileSystem, unreadable: { (error, _) in error }) { (finding) throws(SystemError) in
            found(finding)
        }
    }

    /// - Parameter unreadable: converts the error of a read at an offset.
    /// - Throws: that error, and the errors of `found`; then reading stops.
    init<Failure: Error>(
        _ file: borrowing File, in fileSystem: FileSystem, unreadable: (SystemError, _ offset: Int) -> Failure,
        found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        while true {
            let line: LineReader.Line?
            do {
                line = try lines.next()
            } catch {
                throw unreadable(error, lines.offset)
            }
            guard let line else { break }
            bytes = line.end
            try read(line, found)
        }
        if !isClosed { try found(.problem(offset: bytes, "ends before its closing line")) }
    }

    private mutating func read<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        if isClosed {
            isSealed = false
            // An editor may end a file with empty lines.
            let isBlank = line.bytes.allSatisfy { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }
            if isBlank, !line.isOverlong { return }
            try found(.problem(offset: line.offset, "goes on after its closing line"))
        } else if line.bytes.first == UInt8(ascii: "]") {
            return try close(line, found)
        }
        if !isClosed, let start = line.bytes.baseAddress {
            let count = line.bytes.count + (line.isTerminated ? 1 : 0)
            checksum = CRC32C.checksum(UnsafeRawBufferPointer(start: start, count: count), seed: checksum)
        }
        if line.offset == 0 {
            header = SnapshotHeader(line: line.bytes)
            if header != nil { return }
            try found(.problem(offset: 0, "does not begin with the header of a store"))
        }
        if line.isOverlong {
            return try found(.problem(offset: line.offset, "holds a line that is longer than any record"))
        }
        try readRecord(line, found)
    }

    private mutating func readRecord<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        var bytes = line.bytes
        let endsWithComma = bytes.last == UInt8(ascii: ",")
        if endsWithComma { bytes = UnsafeRawBufferPointer(rebasing: bytes.dropLast()) }
        guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
            // The fault of the header has been reported.
            if line.offset > 0 { try found(.problem(offset: line.offset, "holds a line that is not a record")) }
            // The bad line may have had a comma or none.
            (lacksComma, hasComma) = (false, false)
            return
        }
        if lacksComma { try found(.problem(offset: line.offset, "lacks a comma before a record")) }
        (lacksComma, hasComma) = (!endsWithComma, endsWithComma)
        records += 1
        try found(.record(bytes, offset: line.offset))
    }

    private mutating func close<Failure: Error>(
        _ line: LineReader.Line, _ found: (Finding) throws(Failure) -> Void
    ) throws(Failure) {
        isClosed = true
        if hasComma { try found(.problem(offset: line.offset, "has a comma after its last record")) }
        let seal = UnsafeRawBufferPointer(rebasing: line.bytes.dropFirst(2))
        guard line.bytes.count > 2, line.bytes[1] == UInt8(ascii: ","), Seal.digits(in: seal) != nil else {
            return try found(.problem(offset: line.offset, "has a damaged closing line"))
        }
        isSealed = Seal.matches(seal, checksum) && line.isTerminated
    }
}
