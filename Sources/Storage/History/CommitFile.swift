import JSONCodec
import Platform

/// `history/commit-R.jsonl`: a commit that is too long for a journal, and becomes a snapshot (`endCommitAsSnapshot`).
///
/// It has the members of the commit's line, with a line feed before each record and after the last, so that each record
/// has its own line; the seal covers all bytes before it. The file and its name are synced before the snapshot is.
/// Readers of commits use it if the journal before it ends one commit early: so a file that a killed process left
/// counts for nothing. Before another snapshot of that revision is made without a journal line, the file is removed.
enum CommitFile {
    static func name(_ revision: Int) -> String { StoreDirectory.historyName + "/commit-\(revision).jsonl" }

    /// - Parameter line: the line of the commit with its seal, without its line feed.
    static func write(
        _ line: borrowing ByteBuffer, _ revision: Int, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) {
        let temporary = "temporary-" + settings.makeIdentifier()
        do {
            try place.makeHistory()
            try place.draft(temporary) { (file) throws(SystemError) in
                var writer = CommitFileWriter()
                try writer.write(line.bytes, to: file)
                try file.sync()
            }
            try place.move(temporary, to: name(revision))
            try File(place.path(of: StoreDirectory.historyName), .directory, in: place.fileSystem).sync()
            try place.sync()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    /// Removes what was left over of a commit that was never made.
    static func remove(_ revision: Int, in place: borrowing StoreDirectory) throws(StorageError) {
        do throws(SystemError) {
            guard try place.hasHistory(), try place.status(of: name(revision)) != nil else { return }
            try place.unlink(name(revision))
            try File(place.path(of: StoreDirectory.historyName), .directory, in: place.fileSystem).sync()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    static func isThere(_ revision: Int, _ files: StoreFiles) throws(StorageError) -> Bool {
        do throws(SystemError) {
            guard try files.place.hasHistory() else { return false }
            return try files.place.status(of: name(revision)) != nil
        } catch {
            throw .reading(error, name(revision))
        }
    }

    /// Passes on the commit with its wanted records, and the number of all its records, if it has a file.
    /// - Throws: `corrupt` if the file is not as it was written.
    static func withLine(
        _ revision: Int, in place: borrowing StoreDirectory,
        wanted: (Int, UnsafeRawBufferPointer) -> Bool = { _, _ in true },
        _ body: (JournalLine, _ records: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        guard let commit = try LongCommit.open(revision, in: place) else { return }
        try commit.withLine(wanted: wanted, body)
    }

    static func damaged(_ name: String) -> StorageError {
        .corrupt(
            file: name, offset: 0,
            reason: "\(name) is not as it was written. What was before cannot be told. Put back a copy of the file, or"
                + " have the history begin later (store.compact with keepHistoryFrom). The moods themselves are not"
                + " affected.")
    }
}

/// Writes the line of a commit into a file of its own, piece by piece.
private struct CommitFileWriter: ~Copyable {
    private var buffer = ByteBuffer(capacity: FileSystem.pieceBytes + (64 << 10))
    private var offset = 0
    private var checksum: UInt32 = 0

    init() {}

    mutating func write(_ line: UnsafeRawBufferPointer, to file: borrowing File) throws(SystemError) {
        let content = UnsafeRawBufferPointer(rebasing: line.dropLast(Seal.byteCount))
        // The end of the last record; the line is one that was just made.
        var end = 0
        if let commit = JournalLine(content: content), let start = content.baseAddress {
            _ = try commit.forEachPart { (part) throws(SystemError) in
                guard case .put(let record) = part, let place = record.baseAddress else { return }
                let offset = place - start
                buffer.append(UnsafeRawBufferPointer(rebasing: content[end..<offset]))
                buffer.append(UInt8(ascii: "\n"))
                buffer.append(record)
                end = offset + record.count
                if buffer.count >= FileSystem.pieceBytes { try put(to: file) }
            }
        }
        if end > 0 { buffer.append(UInt8(ascii: "\n")) }
        while content.count - end > FileSystem.pieceBytes {
            buffer.append(UnsafeRawBufferPointer(rebasing: content[end..<end + FileSystem.pieceBytes]))
            end += FileSystem.pieceBytes
            try put(to: file)
        }
        buffer.append(UnsafeRawBufferPointer(rebasing: content[end...]))
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        buffer.appendSeal(checksum: checksum)
        buffer.append(UInt8(ascii: "\n"))
        try file.write(buffer.bytes, at: offset)
    }

    private mutating func put(to file: borrowing File) throws(SystemError) {
        checksum = CRC32C.checksum(buffer.bytes, seed: checksum)
        try file.write(buffer.bytes, at: offset)
        offset += buffer.count
        buffer.truncate(to: 0)
    }
}

extension StoreFiles {
    /// Keeps the line of a commit that is about to be made as a snapshot.
    func keepCommit(_ revision: Int, _ line: consuming ByteBuffer) throws(StorageError) {
        // A long line is in memory until its file is written, not while the snapshot is made.
        try CommitFile.write(line, revision, in: place, settings)
    }

    /// Removes the file if the commit was not made. A file that stays counts for nothing.
    func dropCommit(_ revision: Int) {
        do throws(StorageError) { try CommitFile.remove(revision, in: place) } catch {}
    }
}
