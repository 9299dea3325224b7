import Platform

/// Reads a journal to its end, whatever is wrong in it: for the whole check and for salvage.
struct JournalSurvey {
    enum Finding {
        /// A line whose seal holds.
        case commit(JournalLine, offset: Int)
        /// Something else, as a clause about the file.
        case problem(offset: Int, String)
    }

    /// The last commit that could be read.
    var last: Int
    /// Whether every line up to there was whole and followed the one before it.
    var isWhole = true
    /// The offset behind everything that was read.
    var bytes = 0

    /// Reads the lines behind commit `base`, no further than `limit`: what lies above counts for nothing.
    init(
        _ entry: OpenJournals.Entry, in fileSystem: FileSystem, after base: Int?, limit: Int?,
        found: (Finding) -> Void
    ) throws(SystemError) {
        last = base ?? entry.header?.baseRevision ?? 0
        if entry.header == nil { note(0, "does not begin with a whole header", found) }
        // Where there is no header a whole commit may stand in its place.
        var reader = JournalReader(entry.descriptor, entry.name, from: entry.headerEnd, in: fileSystem)
        let hasBase = base != nil || entry.header != nil
        while limit.map({ last < $0 }) ?? true, let step = try reader.next() {
            if case .blanks(let offset) = step {
                note(offset, "has blank lines between its commits", found)
                continue
            }
            bytes = reader.offset
            switch step {
            case .blanks: break
            case .broken(let offset, let isTerminated):
                // The header's place is told of already.
                if offset == 0, entry.header == nil { continue }
                note(offset, isTerminated ? "holds a line whose checksum is wrong" : "ends with half a line", found)
            case .foreign(let offset):
                note(offset, "holds a commit of a form that this version of the program does not know", found)
            case .commit(let commit):
                if isWhole, hasBase, commit.content.seq != last + 1 {
                    note(commit.offset, "goes on with commit \(commit.content.seq) after commit \(last)", found)
                }
                last = commit.content.seq
                found(.commit(commit.content, offset: commit.offset))
            }
        }
    }

    private mutating func note(_ offset: Int, _ reason: String, _ found: (Finding) -> Void) {
        isWhole = false
        found(.problem(offset: offset, reason))
    }
}
