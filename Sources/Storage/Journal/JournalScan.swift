import Platform

/// What one journal holds from its header on: as far as its lines follow one another, and what lies behind.
struct JournalScan {
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
        _ entry: OpenJournals.Entry, in fileSystem: FileSystem, after base: Int, limit: Int?, heldAbove: Int,
        apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        last = base
        end = entry.headerEnd
        let handOverMax = max(heldAbove, limit ?? 0)
        var lines = LineReader(entry.descriptor, from: entry.headerEnd, in: fileSystem)
        while badOffset != nil || limit.map({ last < $0 }) ?? true {
            let start = lines.offset
            let line: LineReader.Line?
            do {
                let blanks = try lines.skipBlank()
                // A blank line in front of another is bad; at the end there may be as many as there are.
                if blanks > 0, !lines.hasEnded, badOffset == nil { badOffset = start }
                line = try lines.next()
            } catch {
                throw .reading(error, entry.name, at: start)
            }
            guard let line else { return }
            let content = line.isOverlong ? nil : Seal.content(of: line.bytes)
            let commit = content.flatMap { JournalLine(content: $0) }
            guard badOffset == nil else {
                if let commit, commit.seq > last { provenByLines = max(provenByLines, commit.durable) }
                continue
            }
            guard let commit, commit.seq == last + 1 else {
                if content != nil, commit == nil { throw Self.unknownForm(entry.name, line.offset) }
                badOffset = line.offset
                continue
            }
            if held == nil, commit.seq <= handOverMax {
                try Self.handOver(commit, entry.name, line.offset, apply)
            } else if held == nil {
                held = (line.offset, last)
            }
            last = commit.seq
            end = line.end
            isTerminated = line.isTerminated
            provenByLines = max(provenByLines, commit.durable)
        }
    }

    /// Hands over what the commits changed whose lines lie from `offset` on, up to commit `last`: they were read before.
    /// - Returns: the offset behind the last of those lines.
    @discardableResult
    static func handOver(
        _ entry: OpenJournals.Entry, in fileSystem: FileSystem, from offset: Int, upTo last: Int,
        apply: (LoadEvent, _ file: String, _ offset: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        var end = offset
        var lines = LineReader(entry.descriptor, from: offset, in: fileSystem)
        while true {
            let line: LineReader.Line?
            do {
                line = try lines.next()
            } catch {
                throw .reading(error, entry.name, at: offset)
            }
            guard let line, let commit = Seal.content(of: line.bytes).flatMap({ JournalLine(content: $0) }) else {
                // It was whole a moment ago: somebody cuts the file under us.
                throw .corrupt(
                    file: entry.name, offset: lines.offset, reason: "\(entry.name) changed while it was read.")
            }
            guard commit.seq <= last else { return end }
            try handOver(commit, entry.name, line.offset, apply)
            end = line.end
            if commit.seq == last { return end }
        }
    }

    private static func handOver(
        _ commit: JournalLine, _ name: String, _ offset: Int,
        _ apply: (LoadEvent, String, Int) throws(StorageError) -> Void
    ) throws(StorageError) {
        let isKnown = try commit.forEachChange { (event) throws(StorageError) in try apply(event, name, offset) }
        guard isKnown else { throw unknownForm(name, offset) }
    }

    private static func unknownForm(_ name: String, _ offset: Int) -> StorageError {
        .corrupt(
            file: name, offset: offset,
            reason: "\(name) holds a commit of a form that this version of the program does not know.")
    }
}
