import JSONCodec
import Platform

/// `history/commit-R.jsonl`: a commit that is too long for a journal, and becomes a snapshot (`endCommitAsSnapshot`).
///
/// It has the members of the commit's line, with a line feed before each record and after the last, so that each record
/// has its own line; the seal covers all bytes before it. The file and its name are synced before the snapshot is.
/// Readers of commits use it if the journal before it ends one commit early: so a file that a killed process left
/// counts for nothing. It is removed by the next opening for writing, and before the next generation.
enum CommitFile {
    static func name(_ revision: Int) -> String { StoreDirectory.historyName + "/commit-\(revision).jsonl" }

    /// - Parameter line: the line of the commit with its seal, without its line feed.
    static func write(
        _ line: borrowing ByteBuffer, _ revision: Int, in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) {
        let draft = try CommitDraft(in: place, settings)
        let content = UnsafeRawBufferPointer(rebasing: line.bytes.dropLast(Seal.byteCount))
        let end = try draft.begin(content)
        if end > 0 { try draft.append(ending: "\n") }
        try draft.append(ending: UnsafeRawBufferPointer(rebasing: content[end...]))
        try draft.finish(as: revision, in: place)
    }

    /// Removes files of commits that were never made, so they are above the snapshot's revision. The lock is held.
    static func remove(
        in place: borrowing StoreDirectory, where isUnmade: (Int) -> Bool
    ) throws(StorageError) {
        do throws(SystemError) {
            let unmade = try place.historyInventory().commits.filter(isUnmade)
            if unmade.isEmpty { return }
            for commit in unmade { try place.unlink(name(commit)) }
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

    /// Passes on the commit with its wanted changes, and the number of all its changes, if it has a file.
    /// - Throws: `corrupt` if the file is not as it was written.
    static func withLine(
        _ revision: Int, in place: borrowing StoreDirectory,
        wanted: (Int, LongCommit.Change) -> Bool = { _, _ in true },
        _ body: (JournalLine, _ changes: Int) throws(StorageError) -> Void
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
    /// Keeps the line of a commit that is about to be made as a snapshot.
    /// - Parameter draft: has all of it but `line`, if it was too long for memory.
    func keepCommit(_ revision: Int, _ line: consuming ByteBuffer, _ draft: CommitDraft?) throws(StorageError) {
        // A long line is in memory until its file is written, not while the snapshot is made.
        guard let draft else { return try CommitFile.write(line, revision, in: place, settings) }
        try draft.append(ending: line.bytes)
        try draft.finish(as: revision, in: place)
    }

    /// Makes the draft of the open commit, which is still empty.
    func makeDraft() throws(StorageError) -> CommitDraft { try CommitDraft(in: place, settings) }

    /// Removes files of commits that were not made. One that stays counts for nothing.
    func dropCommits(where isUnmade: (Int) -> Bool) {
        do throws(StorageError) { try CommitFile.remove(in: place, where: isUnmade) } catch {}
    }
}
