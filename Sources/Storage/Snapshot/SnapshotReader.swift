import Platform

/// Reads and checks `moods.json`.
///
/// Layout: the header line, then one record a line with a comma behind each but the last, then `],` and the seal with
/// the checksum of all bytes before that line, and nothing more. The whole is one valid JSON document.
///
/// A snapshot is valid if
/// 1. every line is of its form and every record is what the caller takes for one,
/// 2. the checksum is right,
/// 3. the header counts the records.
///
/// Where 1 holds and 2 does not, somebody edited it: it may be read, but is not ours to write any more, until somebody
/// says that the edit was meant. Where 1 does not hold it is damaged, and nothing of it is used.
struct SnapshotReader {
    struct Content {
        var header: SnapshotHeader
        var records: Int
        var bytes: Int
        /// Why it is taken for edited; nil where it is whole.
        var edit: String?
    }

    let name: String
    let schemaVersion: Int

    /// Hands each record to `record`, which answers what is wrong with it.
    func read(
        _ file: borrowing File, in fileSystem: FileSystem, record: (UnsafeRawBufferPointer, _ offset: Int) -> String?
    ) throws(StorageError) -> Content {
        let header = try header(file, in: fileSystem)
        var content = Content(header: header, records: 0, bytes: 0, edit: nil)
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        var checksum: UInt32 = 0
        var expectsRecord = header.count > 0
        var isFirst = true
        while let line = try next(&lines) {
            content.bytes = line.end
            if line.isOverlong { throw damaged(line.offset, "holds a line that is longer than any record") }
            if line.bytes.first == UInt8(ascii: "]") {
                try finish(line, checksum, expectsRecord && content.records > 0, &content)
                guard try next(&lines) == nil else { throw damaged(line.end, "goes on behind its closing line") }
                return content
            }
            guard line.isTerminated, let start = line.bytes.baseAddress else { break }
            checksum = CRC32C.checksum(
                UnsafeRawBufferPointer(start: start, count: line.bytes.count + 1), seed: checksum)
            if isFirst {
                isFirst = false
                continue
            }
            guard expectsRecord || content.records == 0 else {
                throw damaged(line.offset, "lacks a comma before a record")
            }
            expectsRecord = line.bytes.last == UInt8(ascii: ",")
            let bytes = UnsafeRawBufferPointer(rebasing: expectsRecord ? line.bytes.dropLast() : line.bytes[...])
            guard bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}") else {
                throw damaged(line.offset, "holds a line that is not a record")
            }
            if let reason = record(bytes, line.offset) {
                throw StorageError.corrupt(
                    file: name, offset: line.offset, reason: "A record in \(name) is not valid: \(reason)")
            }
            content.records += 1
        }
        throw damaged(content.bytes, "ends before its closing line")
    }

    /// The header alone.
    func header(_ file: borrowing File, in fileSystem: FileSystem) throws(StorageError) -> SnapshotHeader {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        guard let first = try next(&lines), !first.isOverlong, let header = SnapshotHeader(line: first.bytes) else {
            throw foreign(file, in: fileSystem)
        }
        guard header.schemaVersion >= schemaVersion else { throw older(header.schemaVersion) }
        return header
    }

    private func next(_ lines: inout LineReader) throws(StorageError) -> LineReader.Line? {
        do {
            return try lines.next()
        } catch {
            throw .reading(error, name, at: lines.offset)
        }
    }

    private func finish(
        _ line: LineReader.Line, _ checksum: UInt32, _ hasLooseComma: Bool, _ content: inout Content
    ) throws(StorageError) {
        let seal = UnsafeRawBufferPointer(rebasing: line.bytes.dropFirst(2))
        guard line.bytes.count > 2, line.bytes[1] == UInt8(ascii: ","), Seal.digits(in: seal) != nil else {
            throw damaged(line.offset, "has a damaged closing line")
        }
        if hasLooseComma { throw damaged(line.offset, "has a comma behind its last record") }
        guard Seal.matches(seal, checksum), line.isTerminated else {
            content.edit = "Its checksum is wrong: it was changed by something else than this program."
            return
        }
        guard content.records == content.header.count else {
            throw damaged(0, "counts \(content.header.count) records but holds \(content.records)")
        }
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

    /// What to say of a file whose first line is not ours.
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
            if count < chunk.count { break }
        }
        if offset == 0 { return damaged(0, "is empty") }
        guard let version = probe.version else { return damaged(0, "does not begin as a store does") }
        if version > schemaVersion { return newer(version) }
        guard probe.isComplete else { return damaged(offset, "is not a whole JSON document") }
        if version < schemaVersion { return older(version) }
        return .unavailable(
            reason: "\(name) is not laid out as this program writes it: its first line, then one record a line.",
            advice: "If it was laid out anew on purpose, accept it (mood store accept --yes); if not, undo that.")
    }

    func newer(_ version: Int) -> StorageError {
        .newerSchema(
            version: version,
            reason: "\(name) needs schema version \(version), and this version of the program knows \(schemaVersion)"
                + " at most. It was not touched.")
    }
}
