import Platform

/// Reads a journal to its end, whatever is wrong in it: for the whole check and for salvage. `JournalScan`, which opens a
/// store, stops at the first thing that is not right.
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
        var lines = LineReader(entry.descriptor, from: entry.headerEnd, in: fileSystem)
        while limit.map({ last < $0 }) ?? true {
            let start = lines.offset
            let blanks = try lines.skipBlank()
            if blanks > 0, !lines.hasEnded { note(start, "has blank lines between its commits", found) }
            guard let line = try lines.next() else { return }
            bytes = line.end
            if line.offset == 0, entry.header == nil, Seal.content(of: line.bytes) == nil { continue }
            read(line, hasBase: base != nil || entry.header != nil, found)
        }
    }

    private mutating func read(_ line: LineReader.Line, hasBase: Bool, _ found: (Finding) -> Void) {
        guard !line.isOverlong, let content = Seal.content(of: line.bytes) else {
            let what = line.isTerminated ? "holds a line whose checksum is wrong" : "ends with half a line"
            return note(line.offset, what, found)
        }
        guard let commit = JournalLine(content: content) else {
            return note(line.offset, "holds a commit of a form that this version of the program does not know", found)
        }
        if isWhole, hasBase, commit.seq != last + 1 {
            note(line.offset, "goes on with commit \(commit.seq) behind commit \(last)", found)
        }
        last = commit.seq
        found(.commit(commit, offset: line.offset))
    }

    private mutating func note(_ offset: Int, _ reason: String, _ found: (Finding) -> Void) {
        isWhole = false
        found(.problem(offset: offset, reason))
    }
}
