import Platform

/// What one journal holds from its header on: as far as its lines follow one another, and what lies behind.
struct JournalReplay {
    /// The last commit that follows without a gap.
    var last: Int
    /// The offset behind its line.
    var end: Int
    /// False where that line is the file's last and lacks its line feed.
    var isTerminated = true
    /// Where the first bytes lie that are neither a line that follows nor the blank end.
    var badOffset: Int?
    /// The last commit of which a line here says that it was synced, also a line behind the bad one.
    var provenByLines = 0
    /// Where the first line lies that was not handed over, and the commit before it.
    var held: (offset: Int, base: Int)?

    /// Reads the lines behind commit `base`, no further than `limit`, and hands over what the commits up to `heldAbove`
    /// changed.
    ///
    /// - Throws: what `apply` throws; `corrupt` for a line whose seal holds and whose form is unknown.
    init(
        _ entry: OpenJournals.Entry, of journals: borrowing OpenJournals, after base: Int, limit: Int?, heldAbove: Int,
        apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        last = base
        end = entry.headerEnd
        let handOverMax = max(heldAbove, limit ?? 0)
        var reader = journals.reader(entry, from: entry.headerEnd)
        while badOffset != nil || limit.map({ last < $0 }) ?? true {
            let step: JournalReader.Step?
            do {
                step = try reader.next()
            } catch {
                throw .reading(error, entry.name, at: reader.offset)
            }
            switch step {
            case nil: return
            case .blanks(let offset)?, .broken(let offset, _)?: badOffset = badOffset ?? offset
            case .foreign(let offset)?:
                if badOffset == nil { throw Self.unknownForm(entry.name, offset) }
            case .commit(let commit)? where badOffset != nil:
                if commit.content.seq > last { provenByLines = max(provenByLines, commit.content.durable) }
            case .commit(let commit)? where commit.content.seq != last + 1: badOffset = commit.offset
            case .commit(let commit)?:
                if held == nil, commit.content.seq <= handOverMax {
                    try Self.handOver(commit, entry.name, apply)
                } else if held == nil {
                    held = (commit.offset, last)
                }
                last = commit.content.seq
                end = commit.end
                isTerminated = commit.isTerminated
                provenByLines = max(provenByLines, commit.content.durable)
            }
        }
    }

    /// Hands over what the commits changed whose lines lie from `offset` on, up to commit `last`: they were read before.
    /// - Parameter base: the commit before the first of them.
    /// - Returns: the offset behind the last of those lines.
    @discardableResult
    static func handOver(
        _ entry: OpenJournals.Entry, of journals: borrowing OpenJournals, from offset: Int, behind base: Int,
        upTo last: Int, apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        var end = offset
        var reader = journals.reader(entry, from: offset)
        let found = try reader.commits(behind: base, upTo: last) { (commit) throws(StorageError) in
            try handOver(commit, entry.name, apply)
            end = commit.end
            return true
        }
        // It was whole a moment ago: somebody cuts the file under us.
        guard found >= last else {
            throw .corrupt(file: entry.name, offset: end, reason: "\(entry.name) changed while it was read.")
        }
        return end
    }

    private static func handOver(
        _ commit: JournalReader.Commit, _ name: String, _ apply: (LoadEvent, String, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let isKnown = try commit.content.forEachChange { (event) throws(StorageError) in
            try apply(event, name, commit.offset)
        }
        guard isKnown else { throw unknownForm(name, commit.offset) }
    }

    private static func unknownForm(_ name: String, _ offset: Int) -> StorageError {
        .corrupt(
            file: name, offset: offset,
            reason: "\(name) holds a commit of a form that this version of the program does not know.")
    }
}
