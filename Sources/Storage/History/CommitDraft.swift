import JSONCodec
import Platform

/// The file of a commit (`CommitFile`) while the commit is made, under a temporary name.
///
/// A commit that is too long for memory is written to it record by record, and reads its records back from it. The
/// file is written in pieces; the last one is in memory until it is full.
///
/// Why a class: the table of the records reads what the store writes.
final class CommitDraft {
    /// The place of a record in the file.
    struct Place {
        let offset: Int
        let byteCount: Int
        let checksum: UInt32
    }

    private var draft: DraftFile
    /// The reason why the commit cannot be made: bytes of it are missing.
    private(set) var failure: StorageError?

    private var buffer = ByteBuffer(capacity: FileSystem.pieceBytes + (64 << 10))
    /// The bytes in the file, and their checksum.
    private var written = 0
    private var checksum: UInt32 = 0
    private var hasRecords = false

    /// Bytes of the file that were read last, and where they begin.
    private var window = ByteBuffer(capacity: 16)
    private var windowStart = 0
    /// The end of the record that was read last.
    private var lastEnd = 0
    private static let windowBytes = 64 << 10

    init(in place: borrowing StoreDirectory, _ settings: StoreSettings) throws(StorageError) {
        do throws(SystemError) { draft = try place.draft(settings) } catch { throw .writing(error, error.subject) }
    }

    /// The file of a commit that changes nothing, where there is no store to have it.
    init(beside settings: StoreSettings) throws(StorageError) {
        let folder = ProcessFacts.environment("TMPDIR") ?? "/tmp"
        let path = "\(folder)/moodboard-\(settings.makeIdentifier())"
        do throws(SystemError) { draft = try DraftFile(path, in: settings.fileSystem) } catch {
            throw .writing(error, error.subject)
        }
    }

    // MARK: Writing

    /// Writes the beginning of a line up to its last record.
    /// - Returns: the end of that record in the line; 0 without one.
    func begin(_ line: UnsafeRawBufferPointer) throws(StorageError) -> Int {
        guard let commit = JournalLine(content: line), let start = line.baseAddress else { return 0 }
        var end = 0
        _ = try commit.forEachPart { (part) throws(StorageError) in
            guard case .put(let record) = part, let place = record.baseAddress else { return }
            let offset = place - start
            buffer.append(UnsafeRawBufferPointer(rebasing: line[end..<offset]))
            buffer.append(UInt8(ascii: "\n"))
            buffer.append(record)
            end = offset + record.count
            hasRecords = true
            try writeFull()
        }
        return end
    }

    /// Writes the beginning of a line to which more records come (`CommitLines.takeOpenLine`).
    func begin(open line: UnsafeRawBufferPointer) throws(StorageError) {
        // Without a record it ends with a comma alone.
        if try begin(line) == 0 { try append(ending: UnsafeRawBufferPointer(rebasing: line.dropLast())) }
    }

    func append(_ record: UnsafeRawBufferPointer) throws(StorageError) -> Place {
        if let failure { throw failure }
        buffer.append(hasRecords ? ",\n" : ",\"put\":[\n")
        hasRecords = true
        let start = buffer.count
        buffer.append(record: record)
        let place = Place(
            offset: written + start, byteCount: record.count,
            checksum: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: buffer.bytes[start...])))
        try writeFull()
        return place
    }

    func append(ending bytes: UnsafeRawBufferPointer) throws(StorageError) {
        var rest = bytes
        while rest.count > FileSystem.pieceBytes {
            buffer.append(UnsafeRawBufferPointer(rebasing: rest[..<FileSystem.pieceBytes]))
            rest = UnsafeRawBufferPointer(rebasing: rest[FileSystem.pieceBytes...])
            try writeFull()
        }
        buffer.append(rest)
    }

    func append(ending text: StaticString) throws(StorageError) {
        try append(ending: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Ends the file and gives it the name of the commit; both are synced.
    func finish(as revision: Int, in place: borrowing StoreDirectory) throws(StorageError) {
        if let failure { throw failure }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        try write()
        do throws(SystemError) {
            try draft.file.sync()
            try place.makeHistory()
            try place.place(&draft, as: CommitFile.name(revision))
            try File(place.path(of: StoreDirectory.historyName), .directory, in: place.fileSystem).sync()
            try place.sync()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    private func writeFull() throws(StorageError) {
        if buffer.count < FileSystem.pieceBytes { return }
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        try write()
    }

    private func write() throws(StorageError) {
        do throws(SystemError) {
            try draft.file.write(buffer.bytes, at: written)
        } catch {
            let reason = StorageError.writing(error, error.subject)
            failure = reason
            throw reason
        }
        written += buffer.count
        buffer.truncate(to: 0)
    }

    // MARK: Reading

    /// A record; valid until the next call.
    /// - Throws: if it cannot be read as it was written; then the commit cannot be made.
    func read(_ place: Place) throws(StorageError) -> UnsafeRawBufferPointer {
        if place.offset >= written {
            let start = place.offset - written
            return UnsafeRawBufferPointer(rebasing: buffer.bytes[start..<start + place.byteCount])
        }
        let end = place.offset + place.byteCount
        if place.offset < windowStart || end > windowStart + window.count {
            // Records that were written in order are read in order; any other is read alone.
            let isNext = place.offset >= lastEnd && place.offset - lastEnd <= 16
            try fill(place.offset, max(place.byteCount, isNext ? min(Self.windowBytes, written - place.offset) : 0))
        }
        lastEnd = end
        let start = place.offset - windowStart
        guard start + place.byteCount <= window.count else { throw fail("it ends early") }
        let record = UnsafeRawBufferPointer(rebasing: window.bytes[start..<start + place.byteCount])
        guard CRC32C.checksum(record) == place.checksum else { throw fail("a record in it has changed") }
        return record
    }

    private func fill(_ offset: Int, _ count: Int) throws(StorageError) {
        window.truncate(to: 0)
        windowStart = offset
        do throws(SystemError) {
            try window.append(upTo: count) { (room) throws(SystemError) in try draft.file.read(room, at: offset) }
        } catch {
            throw error.code == ECANCELED ? .cancelled : fail("\(error)")
        }
    }

    private func fail(_ reason: String) -> StorageError {
        let error = StorageError.unavailable(
            reason: "The commit cannot be made: its file \(draft.path) cannot be read back: \(reason).",
            advice: "Nothing was changed. Try again.")
        failure = error
        return error
    }
}
