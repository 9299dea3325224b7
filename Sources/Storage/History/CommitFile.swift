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
        _ line: [UInt8], _ revision: Int, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) {
        let text = text(of: line)
        let temporary = "temporary-" + settings.makeIdentifier()
        do {
            try place.makeHistory()
            try place.draft(temporary) { (file) throws(SystemError) in
                try file.write(text.bytes, at: 0)
                try file.sync()
            }
            try place.move(temporary, to: name(revision))
            try File(place.path(of: StoreDirectory.historyName), .directory, in: place.fileSystem).sync()
            try place.sync()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    private static func text(of line: [UInt8]) -> ByteBuffer {
        var text = ByteBuffer(capacity: line.count + line.count / 64 + 64)
        line.withUnsafeBytes { line in
            let content = UnsafeRawBufferPointer(rebasing: line.dropLast(Seal.byteCount))
            var end = 0
            if let commit = JournalLine(content: content), let start = content.baseAddress {
                _ = commit.forEachPart { part in
                    guard case .put(let record) = part, let place = record.baseAddress else { return }
                    let offset = place - start
                    text.append(UnsafeRawBufferPointer(rebasing: content[end..<offset]))
                    text.append(UInt8(ascii: "\n"))
                    text.append(record)
                    end = offset + record.count
                }
            }
            if end > 0 { text.append(UInt8(ascii: "\n")) }
            text.append(UnsafeRawBufferPointer(rebasing: content[end...]))
        }
        text.appendSeal(from: 0)
        text.append(UInt8(ascii: "\n"))
        return text
    }

    /// Removes the file of a commit that was never made.
    static func remove(_ revision: Int, in place: borrowing StoreDirectory) throws(StorageError) {
        do throws(SystemError) {
            guard try place.hasHistory(), try place.status(of: name(revision)) != nil else { return }
            try place.unlink(name(revision))
            try File(place.path(of: StoreDirectory.historyName), .directory, in: place.fileSystem).sync()
        } catch {
            throw .writing(error, error.subject)
        }
    }

    static func isThere(_ revision: Int, _ files: borrowing StoreFiles) throws(StorageError) -> Bool {
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

extension StoreFiles {
    /// Writes the line of a commit that is about to become a snapshot.
    mutating func keepCommit(_ revision: Int, _ line: [UInt8]) throws(StorageError) {
        try CommitFile.write(line, revision, in: place, settings)
    }

    /// Removes the file if the commit was not made. A file that stays counts for nothing.
    func dropCommit(_ revision: Int) {
        do throws(StorageError) { try CommitFile.remove(revision, in: place) } catch {}
    }
}
