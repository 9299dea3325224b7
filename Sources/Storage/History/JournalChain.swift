import JSONCodec
import Platform

/// All stored journals of a store: those of `history/` and those that still count.
///
/// Each journal counts up to the lowest base of all later ones (rule 2 of `Recovery`). A commit that became a snapshot
/// is in no journal: it is read from its own file (`CommitFile`); without that there is a gap. Memory holds only names
/// and bases; a journal is opened when it is read, even if a compaction has moved it by then. One that has vanished by
/// then was deleted on request.
struct JournalChain {
    struct Link {
        let generation: Int
        let schemaVersion: Int
        /// The commit before its first line.
        let base: Int
        /// The last commit that counts, if the journal has it.
        var last: Int
        let headerEnd: Int
        let isInHistory: Bool

        var start: CommitPlace {
            CommitPlace(revision: base, journalGeneration: generation, offset: headerEnd)
        }

        /// The upgrade of the journal's records to this version; nil if they are of this version.
        func upgrade(_ settings: StoreSettings) -> SchemaUpgrade? {
            settings.upgrade.flatMap { $0.version == schemaVersion ? $0 : nil }
        }
    }

    /// Oldest first.
    private(set) var links: [Link] = []
    /// The generations before the snapshot's whose journals have no whole header.
    private(set) var damaged: [Int] = []

    /// - Parameter revision: the last commit that may be shown.
    init(_ files: StoreFiles, upTo revision: Int) throws(StorageError) {
        let present: [Int]
        let past: [Int]
        do {
            present = try files.place.inventory().journals
            past = try files.place.historyInventory().journals
        } catch {
            throw .reading(error, error.subject)
        }
        for generation in Set(present + past).sorted() {
            try add(generation, isInHistory: !present.contains(generation), files)
        }
        var last = revision
        for index in links.indices.reversed() {
            links[index].last = max(last, links[index].base)
            last = min(last, links[index].base)
        }
    }

    private mutating func add(
        _ generation: Int, isInHistory: Bool, _ files: StoreFiles
    ) throws(StorageError) {
        guard let file = try Self.open(generation, files) else { return }
        do {
            let entry = try OpenJournals.examined(generation, file.descriptor, files.settings.fileSystem)
            if entry.header == nil, generation < files.generation { damaged.append(generation) }
            guard let header = entry.header, header.storeId == files.storeId, header.generation == generation,
                generation <= files.generation || !entry.isBlank
            else { return }
            links.append(
                Link(
                    generation: generation, schemaVersion: header.schemaVersion, base: header.baseRevision,
                    last: header.baseRevision, headerEnd: entry.headerEnd, isInHistory: isInHistory))
        } catch {
            throw .reading(error, StoreInventory.journalName(generation))
        }
    }

    /// Nil if it has vanished.
    static func open(_ generation: Int, _ files: StoreFiles) throws(StorageError) -> File? {
        let name = StoreInventory.journalName(generation)
        for path in [name, StoreInventory.pastName(generation)] {
            do {
                return try files.place.open(path, .read)
            } catch {
                guard error.code == ENOENT else { throw .reading(error, path) }
            }
        }
        return nil
    }

    /// Passes on the commits of a link after commit `base`. A commit with a file of its own has only its wanted
    /// changes.
    /// - Returns: the last commit found.
    @discardableResult
    static func forEachCommit(
        of link: Link, after base: Int, _ files: StoreFiles,
        wanted: (LongCommit.Change) -> Bool = { _ in false },
        _ body: (JournalLine, _ bytes: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        guard link.base < link.last, let file = try open(link.generation, files) else { return link.base }
        return try forEachCommit(of: link, file, from: link.start, after: base, files, wanted, body)
    }

    /// Passes on the commits of a link after commit `base`, seeking to the first of them: earlier lines are not
    /// checked. A commit with a file of its own has no changes.
    static func forEachCommitNear(
        of link: Link, after base: Int, _ files: StoreFiles,
        _ body: (JournalLine, _ bytes: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        guard link.base < link.last, let file = try open(link.generation, files) else { return link.base }
        let start = try place(after: base, in: link, file.descriptor, files)
        return try forEachCommit(of: link, file, from: start, after: base, files, { _ in false }, body)
    }

    /// The place in a link near which the commits after `revision` begin.
    static func place(
        after revision: Int, in link: Link, _ journal: Int32, _ files: StoreFiles
    ) throws(StorageError) -> CommitPlace {
        do {
            return try JournalReader.place(
                after: revision, from: link.start, journal, in: files.settings.fileSystem)
        } catch {
            throw .reading(error, StoreInventory.journalName(link.generation))
        }
    }

    private static func forEachCommit(
        of link: Link, _ file: borrowing File, from start: CommitPlace, after base: Int,
        _ files: StoreFiles, _ wanted: (LongCommit.Change) -> Bool,
        _ body: (JournalLine, _ bytes: Int) throws(StorageError) -> Void
    ) throws(StorageError) -> Int {
        var reader = JournalReader(
            file.descriptor, StoreInventory.journalName(link.generation), from: start.offset,
            in: files.settings.fileSystem)
        let found = try reader.commits(after: start.revision, upTo: link.last) { (commit) throws(StorageError) in
            if commit.content.seq > base { try body(commit.content, commit.end - commit.offset) }
            return true
        }
        guard found == link.last - 1, let commit = try LongCommit.open(link.last, in: files.place) else { return found }
        let size = commit.byteCount
        try commit.withLine(wanted: { wanted($1) }) { (line, _) throws(StorageError) in
            if line.seq > base { try body(line, size) }
        }
        return link.last
    }

    /// Number of commits to read first, because one of the last is usually meant; then four times as many.
    private static let notesMin = 256

    /// Passes on the notes of the commits, from the newest back, until `body` returns false or one is not stored.
    func forEachNote(_ files: StoreFiles, _ body: (CommitNote) -> Bool) throws(StorageError) {
        for (place, link) in links.enumerated().reversed() {
            try checkNext(after: place)
            var (end, count) = (link.last, Self.notesMin)
            repeat {
                let start = max(link.base, end - count)
                var notes: [CommitNote] = []
                let found = try Self.forEachCommitNear(of: link, after: start, files) { line, _ in
                    if line.seq <= end { notes.append(CommitNote(line)) }
                }
                try checkEnd(of: place, at: found, files)
                guard found == link.last else { return }
                for note in notes.reversed() where !body(note) { return }
                end = start
                count *= 4
            } while end > link.base
        }
    }

    /// Throws if a stored part is lost, because a file is not as it was written.
    func check(_ files: StoreFiles) throws(StorageError) {
        for (place, link) in links.enumerated().reversed() {
            try checkNext(after: place)
            let found = try Self.forEachCommit(of: link, after: link.base, files) { (_, _) throws(StorageError) in }
            try checkEnd(of: place, at: found, files)
        }
        try checkNext(after: -1)
    }

    /// Throws if a link lacks commits. Only a commit that became a snapshot is in no journal; then nothing follows the
    /// last one found.
    func checkEnd(of place: Int, at found: Int, _ files: StoreFiles) throws(StorageError) {
        let link = links[place]
        guard found < link.last, let file = try Self.open(link.generation, files) else { return }
        let isLast = place + 1 == links.count
        let problem: JournalSurvey.Damage?
        do throws(SystemError) {
            let entry = try OpenJournals.examined(link.generation, file.descriptor, files.settings.fileSystem)
            problem = try JournalSurvey.damage(
                in: entry, files.settings.fileSystem, upTo: link.last,
                following: isLast ? nil : links[place + 1].generation,
                isSnapshot: files.place.inventory().hasTornEnd(link.generation))
        } catch {
            throw .reading(error, StoreInventory.journalName(link.generation))
        }
        guard let problem else { return }
        throw Self.damage(of: link.generation, isInHistory: link.isInHistory, problem.offset, problem.what)
    }

    /// Throws if a journal between a link and the next one has no whole header.
    /// - Parameter place: -1 for the journals before the first link.
    func checkNext(after place: Int) throws(StorageError) {
        let (start, end) = (
            place < 0 ? 0 : links[place].generation, place + 1 < links.count ? links[place + 1].generation : .max
        )
        guard let generation = damaged.first(where: { $0 > start && $0 < end }) else { return }
        throw Self.damage(of: generation, isInHistory: true, 0, "does not begin with a whole header")
    }

    private static func damage(of generation: Int, isInHistory: Bool, _ offset: Int, _ what: String) -> StorageError {
        let name = isInHistory ? StoreInventory.pastName(generation) : StoreInventory.journalName(generation)
        return .corrupt(
            file: name, offset: offset,
            reason: "\(name) \(what). What was before cannot be told. Put back a copy of the file, or have the history"
                + " begin later (store.compact with keepHistoryFrom). The moods themselves are not affected.")
    }

    /// The commit after which no commit is missing.
    /// - Parameter enough: a caller that asks for commits from here on need not know of earlier gaps: each journal
    ///   costs a search for its end.
    func start(_ files: StoreFiles, enough: Int = 0) throws(StorageError) -> Int {
        var start = links.last?.base ?? files.revision
        for index in links.indices.dropLast().reversed() where start > enough {
            let link = links[index]
            guard try Self.reaches(link, files) else { break }
            start = min(start, link.base)
        }
        return start
    }

    /// Whether a journal has all commits up to the base of the next one, judged by its last line, which is near its
    /// end.
    private static func reaches(_ link: Link, _ files: StoreFiles) throws(StorageError) -> Bool {
        if link.base == link.last { return true }
        guard let file = try open(link.generation, files) else { return false }
        if let last = try lastCommit(file, link, files) {
            if last >= link.last { return true }
            if last == link.last - 1, try CommitFile.isThere(link.last, files) { return true }
        }
        return try forEachCommit(of: link, after: link.last, files) { (_, _) throws(StorageError) in } >= link.last
    }

    /// Nil if the end is no whole line, or a long one.
    private static func lastCommit(
        _ file: borrowing File, _ link: Link, _ files: StoreFiles
    ) throws(StorageError) -> Int? {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        do {
            var end = try file.status().size
            while end > link.headerEnd {
                let start = max(end - chunk.count, link.headerEnd)
                let part = UnsafeMutableRawBufferPointer(rebasing: chunk[..<(end - start)])
                guard try file.read(part, at: start) == part.count else { return nil }
                let bytes = UnsafeRawBufferPointer(part)
                let lineEnd = bytes.countWithoutLastLineFeeds
                guard lineEnd > 0 else {
                    end = start
                    continue
                }
                let lineStart = bytes.lastLineStart(before: lineEnd)
                guard lineStart > 0 || start == link.headerEnd else { return nil }
                let line = UnsafeRawBufferPointer(rebasing: bytes[lineStart..<lineEnd])
                return Seal.content(of: line).flatMap { JournalLine(content: $0) }?.seq
            }
            return link.base
        } catch {
            throw .reading(error, StoreInventory.journalName(link.generation))
        }
    }
}

extension StoreFiles {
    /// Deletes the journals in `history/` whose commits all lie below `revision`; the lock is held.
    /// - Returns: the first commit from which on all are stored.
    func shortenHistory(to revision: Int?) throws(StorageError) -> Int {
        let chain = try JournalChain(self, upTo: self.revision)
        if let revision {
            var overtaken = chain.links.filter { $0.isInHistory && $0.last < revision }.map(\.generation)
            // All its commits lie below the base of the next.
            overtaken += chain.damaged.filter { generation in
                chain.links.first { $0.generation > generation }.map { $0.base < revision } ?? false
            }
            let commits: [Int]
            do { commits = try place.historyInventory().commits } catch { throw .reading(error, place.path) }
            let names = overtaken.map(StoreInventory.pastName) + commits.filter { $0 < revision }.map(CommitFile.name)
            for name in names {
                do {
                    try place.unlink(name)
                } catch {
                    guard error.code == ENOENT else { throw .writing(error, name) }
                }
            }
        }
        return try JournalChain(self, upTo: self.revision).start(self) + 1
    }
}
