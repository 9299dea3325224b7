import JSONCodec
import Platform

/// Reads a journal line by line, from any offset on. All readers of journals use it, with different policies:
///
/// - **reread** (`commit(after:)`): lines that were judged before; the first that does not follow is the end
/// - **replay** (`JournalReplay`), at opening: a line that does not follow ends the valid part; the rest is only
///   searched for proofs of a loss
/// - **tolerant** (`JournalSurvey`), for the whole check and salvage: reads to the end of the file in spite of any
///   fault
struct JournalReader: ~Copyable {
    /// A line with a right seal.
    struct Commit {
        let content: JournalLine
        /// The digits of its seal, as in `Seal.digits`.
        let seal: UInt64
        let offset: Int
        /// The offset after its line feed.
        let end: Int
        /// False for the file's last line without a line feed.
        let isTerminated: Bool
    }

    enum Step {
        case commit(Commit)
        /// The seal is right, but the form unknown.
        case foreign(offset: Int)
        /// The seal is wrong, or the line longer than any that this program writes.
        case broken(offset: Int, isTerminated: Bool)
        /// Blank lines before another line.
        case blanks(offset: Int)
    }

    let name: String
    private var lines: LineReader
    /// Whether the caller already knows of the blank lines before the next line.
    private var isBlankTold = false

    init(_ descriptor: Int32, _ name: String, from offset: Int, in fileSystem: FileSystem) {
        self.name = name
        lines = LineReader(descriptor, from: offset, in: fileSystem)
    }

    /// The offset after the last part.
    var offset: Int { lines.offset }

    /// The next step; nil at the end of the file, even after blank lines.
    mutating func next() throws(SystemError) -> Step? {
        if !isBlankTold {
            let start = lines.offset
            let blanks = try lines.skipBlank()
            if lines.hasEnded { return nil }
            if blanks > 0 {
                isBlankTold = true
                return .blanks(offset: start)
            }
        }
        isBlankTold = false
        return try nextLine()
    }

    @inline(__always)
    private mutating func nextLine() throws(SystemError) -> Step? {
        guard let line = try lines.next() else { return nil }
        guard !line.isOverlong, let content = Seal.content(of: line.bytes) else {
            return .broken(offset: line.offset, isTerminated: line.isTerminated)
        }
        guard let commit = JournalLine(content: content) else { return .foreign(offset: line.offset) }
        return .commit(
            Commit(
                content: commit, seal: Seal.digits(ofSealed: line.bytes), offset: line.offset, end: line.end,
                isTerminated: line.isTerminated))
    }

    /// The line of the commit after `last` if it comes next, else nil.
    @inline(__always)
    mutating func commit(after last: Int) throws(StorageError) -> Commit? {
        let start = lines.offset
        do {
            guard case .commit(let commit)? = try nextLine(), commit.content.seq == last + 1 else { return nil }
            return commit
        } catch {
            throw .reading(error, name, at: start)
        }
    }

    /// Passes on the commits after `base`, whose lines come next, up to commit `last`, until `body` returns false.
    /// Stops without an error at the first line that does not follow.
    /// - Returns: the last commit found.
    mutating func commits(
        after base: Int, upTo last: Int, _ body: (Commit) throws(StorageError) -> Bool
    ) throws(StorageError) -> Int {
        var found = base
        while found < last, let commit = try commit(after: found) {
            found = commit.content.seq
            guard try body(commit) else { break }
        }
        return found
    }
}

extension OpenJournals {
    func reader(_ entry: Entry, from offset: Int) -> JournalReader {
        JournalReader(entry.descriptor, entry.name, from: offset, in: fileSystem)
    }

    /// Passes on the commits after the snapshot up to commit `last`, each with its journal. Each journal counts up to
    /// the base of the next one (rule 2 of `Recovery`).
    /// - Returns: the last commit found.
    func forEachCommit(
        after base: Int, upTo last: Int, _ body: (Entry, JournalReader.Commit) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        let counting = entries.indices.filter { $0 == 0 || !entries[$0].isBlank }
        var found = base
        for (place, index) in counting.enumerated() {
            let entry = entries[index]
            guard let header = entry.header else { break }
            let next = place + 1 < counting.count ? entries[counting[place + 1]].header?.baseRevision : nil
            var reader = reader(entry, from: entry.headerEnd)
            found = try reader.commits(after: header.baseRevision, upTo: min(next ?? last, last)) {
                (commit) throws(StorageError) in
                try body(entry, commit)
                return true
            }
        }
        return found
    }
}

/// The journals from the snapshot's generation up, each held open: if a compaction of another process moves one away
/// meanwhile, it can still be read to its end.
struct OpenJournals: ~Copyable {
    struct Entry {
        let generation: Int
        let descriptor: Int32
        /// Nil if the first line is not a header with a right seal.
        let header: JournalHeader?
        let headerEnd: Int
        /// Whether only line feeds follow the header.
        let isBlank: Bool

        var name: String { StoreInventory.journalName(generation) }
    }

    let fileSystem: FileSystem
    /// In ascending order of generations.
    private(set) var entries: [Entry] = []

    init(
        _ generations: [Int], in place: borrowing StoreDirectory,
        name: (Int) -> String = StoreInventory.journalName
    ) throws(SystemError) {
        fileSystem = place.fileSystem
        for generation in generations {
            let descriptor = try place.openDescriptor(name(generation))
            entries.append(
                Entry(generation: generation, descriptor: descriptor, header: nil, headerEnd: 0, isBlank: false))
            entries[entries.count - 1] = try Self.examined(generation, descriptor, fileSystem)
        }
    }

    deinit {
        for entry in entries { fileSystem.close(entry.descriptor) }
    }

    static func examined(
        _ generation: Int, _ descriptor: Int32, _ fileSystem: FileSystem
    ) throws(SystemError) -> Entry {
        var lines = LineReader(descriptor, from: 0, in: fileSystem)
        var header: JournalHeader?
        var headerEnd = 0
        if let line = try lines.next(), line.isTerminated, !line.isOverlong {
            header = JournalHeader(line: line.bytes)
            headerEnd = line.end
        }
        if header != nil { _ = try lines.skipBlank() }
        return Entry(
            generation: generation, descriptor: descriptor, header: header, headerEnd: headerEnd,
            isBlank: header != nil && lines.hasEnded)
    }
}

/// Reads a journal to its end in spite of any fault, for the whole check and for salvage.
struct JournalSurvey {
    enum Finding {
        /// A line with a right seal.
        case commit(JournalLine, offset: Int)
        /// A fault, as a clause about the file.
        case problem(offset: Int, String)
    }

    /// The last readable commit.
    var last: Int
    /// Whether every line up to there was whole and followed the one before it.
    var isWhole = true
    /// The offset after everything that was read.
    var bytes = 0

    /// Reads the lines after commit `base`, up to `limit`: later ones do not count.
    init(
        _ entry: OpenJournals.Entry, in fileSystem: FileSystem, after base: Int?, limit: Int?,
        found: (Finding) -> Void
    ) throws(SystemError) {
        last = base ?? entry.header?.baseRevision ?? 0
        if entry.header == nil { note(0, "does not begin with a whole header", found) }
        // Without a header, a whole commit may stand in its place.
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
                // `header` has reported its fault.
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

    /// A fault of a journal, with its offset, as a clause about the journal.
    typealias Damage = (offset: Int, what: String)

    /// The damage of a journal that others have followed; nil if there is none.
    ///
    /// Only a commit that became a snapshot is in no journal. Then the commit before it is followed by nothing, by a
    /// torn end that was set aside, or by the line feeds written in advance: they were never synced, so a power cut
    /// leaves anything in their place.
    /// - Parameters:
    ///   - last: the commit from which the next journal continues; without a next one, the last commit made.
    ///   - following: the generation of the next journal; nil if there is none.
    ///   - isSnapshot: whether other evidence proves that commit `last` became a snapshot, or that an end was torn off.
    static func damage(
        in entry: OpenJournals.Entry, _ fileSystem: FileSystem, upTo last: Int, following: Int?, isSnapshot: Bool
    ) throws(SystemError) -> Damage? {
        var problem: Damage?
        var lastWhole = entry.header?.baseRevision ?? 0
        let survey = try JournalSurvey(entry, in: fileSystem, after: nil, limit: last) { finding in
            guard problem == nil else { return }
            switch finding {
            case .problem(let offset, let what): problem = (offset, what)
            case .commit(let commit, _): lastWhole = commit.seq
            }
        }
        let isBeforeSnapshot = following == entry.generation + 1 && lastWhole == last - 1
        // If a journal between them is missing, this cannot be checked.
        let isUncertain = isBeforeSnapshot || following.map { $0 > entry.generation + 1 } == true
        if let problem { return isSnapshot && isUncertain ? nil : problem }
        if lastWhole >= last || isUncertain { return nil }
        return (survey.bytes, "ends with commit \(lastWhole), and commit \(last) was made")
    }

    private mutating func note(_ offset: Int, _ reason: String, _ found: (Finding) -> Void) {
        isWhole = false
        found(.problem(offset: offset, reason))
    }
}
