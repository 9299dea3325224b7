import Platform

/// Reads commits again that were judged before: those of journals that are open, or of one of them.
extension OpenJournals {
    /// Hands over the commits behind the snapshot up to commit `last`, each with its journal: what counts of each journal
    /// is what lies below the base of the next (rule 2 of `Recovery`).
    /// - Returns: the last commit that was found.
    func forEachCommit(
        behind base: Int, upTo last: Int,
        _ body: (Entry, JournalLine, LineReader.Line) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let counting = entries.indices.filter { $0 == 0 || !entries[$0].isBlank }
        var found = base
        for (place, index) in counting.enumerated() {
            let entry = entries[index]
            guard let header = entry.header else { break }
            let next = place + 1 < counting.count ? entries[counting[place + 1]].header?.baseRevision : nil
            found = try entry.forEachCommit(
                in: fileSystem, from: entry.headerEnd, behind: header.baseRevision, upTo: min(next ?? last, last)
            ) { (commit, line) throws(StorageError) in try body(entry, commit, line) }
        }
        return found
    }
}

extension OpenJournals.Entry {
    /// Hands over the commits of this journal from `offset` on, which is behind commit `base`, up to commit `last`.
    /// Stops without an error at the first line that does not follow.
    /// - Returns: the last commit that was found.
    func forEachCommit(
        in fileSystem: FileSystem, from offset: Int, behind base: Int, upTo last: Int,
        _ body: (JournalLine, LineReader.Line) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        try JournalWalk.forEachCommit(
            descriptor, name, in: fileSystem, from: offset, behind: base, upTo: last, body)
    }
}

enum JournalWalk {
    static func forEachCommit(
        _ descriptor: Int32, _ name: String, in fileSystem: FileSystem, from offset: Int, behind base: Int,
        upTo last: Int, _ body: (JournalLine, LineReader.Line) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        try walk(descriptor, name, in: fileSystem, from: offset, behind: base, upTo: last) {
            (commit, line) throws(StorageError) in
            try body(commit, line)
            return true
        }
    }

    /// The same, until `body` answers false.
    static func walk(
        _ descriptor: Int32, _ name: String, in fileSystem: FileSystem, from offset: Int, behind base: Int,
        upTo last: Int, _ body: (JournalLine, LineReader.Line) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        guard base < last else { return base }
        var found = base
        var lines = LineReader(descriptor, from: offset, in: fileSystem)
        while found < last {
            let line: LineReader.Line?
            do {
                line = try lines.next()
            } catch {
                throw .reading(error, name, at: lines.offset)
            }
            guard let line, !line.isOverlong,
                let commit = Seal.content(of: line.bytes).flatMap({ JournalLine(content: $0) }), commit.seq == found + 1
            else { break }
            let wantsMore = try body(commit, line)
            found = commit.seq
            if !wantsMore { break }
        }
        return found
    }
}
