import JSONCodec
import Platform

extension Loading {
    /// The store, only to be read. Without a lock no end is judged: what is neither published nor proven may be another
    /// process's commit on its way, and is not shown.
    consuming func openedToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ lock: consuming TurnLock?,
        _ refusal: StorageError?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var shown = outcome.last
        if outcome.damage == nil, outcome.held != nil, !recovery.isLocked, let publication = recovery.publication {
            shown = min(outcome.last, max(publication.durable, outcome.proven))
        }
        let end = try handOverHeld(upTo: shown, load)
        let damage = damage(shown: shown)
        if shown < outcome.last, refusal != nil {
            settings.log(
                "\(place.path): \(outcome.last - shown) commits after \(shown) were not published; they are not shown"
                    + " until the store is opened for writing")
        }
        var store = StoreFiles(
            settings, place, files.header, revision: shown, syncedRevision: min(shown, outcome.proven),
            snapshotBytes: snapshotBytes, lock: lock)
        // What is not shown is not counted: it is when it comes.
        store.journalBytes = outcome.changeBytes - (shown < outcome.last ? outcome.end - end : 0)
        store.journalCount = files.journals.entries.count
        store.refusal = refusal
        store.damage = damage
        if outcome.held.map({ $0.index == outcome.current }) ?? true, refusal.map({ $0.isOnlyOfWriting }) ?? true {
            // Read on from here when somebody has published more; where it is gone by now, all is read anew then.
            let entry = files.journals.entries[outcome.current]
            if let file = try? store.place.open(entry.name, .read) {
                store.journal.open(file, entry.generation, end: end, isWritable: false)
            }
        }
        store.note(files.snapshotStatus, published: files.publishedBytes)
        store.index = index.take()
        return store
    }

    /// The store, to be read and written; its journal is held.
    consuming func openedToWrite(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ hold: consuming JournalHold,
        _ settings: StoreSettings, _ extractor: RecordExtractor?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        // Nothing is written for lines that will be refused: each opening would begin another journal with them.
        if let extractor, !outcome.isClean || !outcome.abandoned.isEmpty {
            try handOverHeld(upTo: outcome.last) { extractor.problem($0) }
        }
        let journal: Journal
        do {
            // A first generation may have been renamed into place by somebody who was killed before syncing that; what is
            // committed to it must not stand in a journal beside an older snapshot, or beside none, after a power cut.
            if files.header.generation == 1, outcome.changeBytes == 0 { try place.sync() }
            try removeAbandoned(place)
            journal = try outcome.isClean ? reopenedJournal(place, &hold) : nextJournal(place, settings)
        } catch {
            let refusal = error.refusing(
                "The store in \(place.path) is only read, because its journal cannot be gone on with: \(error).")
            haveOthersJudge(lock)
            return try openedToRead(place, settings, lock, refusal, load)
        }
        try handOverHeld(upTo: outcome.last, load)
        let published = recovery.publication.map { $0.generation < files.header.generation ? 0 : $0.durable } ?? 0
        let lost = published - outcome.last
        if lost > 0 {
            settings.log("\(place.path): \(lost) commits after \(outcome.last), made without sync, are gone")
        }
        let isClean = outcome.isClean
        let proven = isClean ? min(outcome.proven, outcome.last) : outcome.last
        let (end, generation, isHeld) = (journal.end, journal.generation, journal.isHeld)
        var store = StoreFiles(
            settings, place, files.header, revision: outcome.last, syncedRevision: proven,
            snapshotBytes: snapshotBytes, lock: lock)
        store.journal.open(journal.takeFile(), generation, end: end, isWritable: true, isHeld: isHeld)
        store.journalBytes = outcome.changeBytes
        store.journalCount = files.journals.entries.count - outcome.abandoned.count + (isClean ? 0 : 1)
        store.note(files.snapshotStatus, published: files.publishedBytes)
        store.tidy(clearsTemporaries: store.isNobodyCompacting())
        store.index = index.take()
        if !isClean || recovery.publication?.generation != files.header.generation { store.publishAtOpening() }
        return store
    }

    /// What was judged here is shown, and cannot be published, because it is not certain to be on the disk. Others are to show it
    /// too: who finds nothing published takes the lock and judges the end, and whoever can goes on after it.
    private func haveOthersJudge(_ lock: borrowing TurnLock) {
        guard let publication = recovery.publication, publication.durable < outcome.last else { return }
        // Written over, and not cut off: a full disk may have no room to publish in an empty file again.
        let blanks = ByteBuffer(copying: [UInt8](repeating: UInt8(ascii: " "), count: Publication.byteCount))
        // Where even that fails, nobody else can write there either.
        do throws(SystemError) { try lock.file.write(blanks.bytes, at: 0) } catch {}
    }

    private struct Journal: ~Copyable {
        let file: File
        let end: Int
        let generation: Int
        let isHeld: Bool

        consuming func takeFile() -> File { file }
    }

    /// Removes blank journals that an unfinished rewrite left. They must be gone for good before a line goes anywhere.
    private func removeAbandoned(_ place: borrowing StoreDirectory) throws(SystemError) {
        guard !outcome.abandoned.isEmpty else { return }
        for index in outcome.abandoned { try place.unlink(files.journals.entries[index].name) }
        try place.sync()
    }

    /// The names are synced first, unless it is certain that they are: whoever made the newest of them, this journal's or
    /// the snapshot's, may have been killed before it could, and what is committed from now on would go with them when
    /// the power is cut. A generation is published only after its names were synced; a journal that was begun after an
    /// unclean end bears a later number, of which nothing is published.
    private func reopenedJournal(
        _ place: borrowing StoreDirectory, _ hold: inout JournalHold
    ) throws(SystemError) -> Journal {
        let entry = files.journals.entries[outcome.current]
        let generation = files.header.generation
        if entry.generation != generation || recovery.publication?.generation != generation { try place.sync() }
        if let file = hold.take(entry.generation, in: place) {
            return Journal(file: file, end: outcome.end, generation: entry.generation, isHeld: true)
        }
        // It could not be written a moment ago; most likely this says why.
        let file = try place.open(entry.name, .readWrite)
        return Journal(file: file, end: outcome.end, generation: entry.generation, isHeld: false)
    }

    /// Rule 7 of `Recovery`: goes on in a new journal after an unclean end.
    private func nextJournal(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> Journal {
        let entry = files.journals.entries[outcome.current]
        let source = try place.open(entry.name, .read)
        let torn = try outcome.hasTornTail ? place.copyTornTail(of: source, from: outcome.end, settings) : nil

        let generation = (files.journals.entries.map(\.generation).max() ?? entry.generation) + 1
        let name = StoreInventory.journalName(generation)
        let temporary = "temporary-" + settings.makeIdentifier()
        let header = JournalHeader(
            schemaVersion: files.header.schemaVersion, storeId: files.header.storeId, generation: generation,
            baseRevision: outcome.held?.base ?? outcome.last)
        let tornName = StoreInventory.tornName(entry.generation, settings)
        let maker: JournalMaker
        do throws(SystemError) {
            maker = try beginJournal(
                header, after: source, torn.map { ($0, tornName) }, (temporary, name), in: place, settings)
        } catch {
            place.discard(temporary)
            if let torn { place.discard(torn) }
            throw error
        }
        try place.sync()
        let kept = torn == nil ? "" : ", what follows is kept in \(tornName)"
        settings.log("\(place.path(of: entry.name)) ends uncleanly at commit \(outcome.last)\(kept); \(name) goes on")
        let size = maker.size
        return Journal(
            file: maker.visible(as: place.path(of: name)), end: size, generation: generation, isHeld: true)
    }

    /// Gives names last of all, so that an attempt which fails leaves nothing.
    private func beginJournal(
        _ header: JournalHeader, after source: borrowing File, _ torn: (String, String)?, _ names: (String, String),
        in place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> JournalMaker {
        let maker = try copyHeldLines(of: source, header, settings, named: names.0, in: place)
        if let torn { try place.move(torn.0, to: torn.1) }
        try place.move(names.0, to: names.1)
        return maker
    }

    private func copyHeldLines(
        of source: borrowing File, _ header: JournalHeader, _ settings: StoreSettings, named name: String,
        in place: borrowing StoreDirectory
    ) throws(SystemError) -> JournalMaker {
        var maker = try JournalMaker(header, named: name, at: settings.timestamp(), in: place)
        try maker.copyLines(from: source, (outcome.held?.offset ?? outcome.end)..<outcome.end)
        try maker.sync()
        return maker
    }
}

extension StoreDirectory {
    /// Copies the bytes after the last valid line of a journal: the name of their file, as yet a temporary one; nil where they
    /// say nothing. More than any group of lines has stays where it is alone, in the journal.
    func copyTornTail(
        of source: borrowing File, from start: Int, _ settings: StoreSettings
    ) throws(SystemError) -> String? {
        let name = "temporary-" + settings.makeIdentifier()
        let end = try source.endOfBytes(from: start)
        guard end > start else { return nil }
        try draft(name) { (file) throws(SystemError) in
            try file.copyBytes(from: source, start..<end, to: 0)
            try file.sync()
        }
        return name
    }
}

extension RecordExtractor {
    /// What is wrong with a change, or nil; what takes it over says the same.
    fileprivate func problem(_ event: LoadEvent) -> String? {
        switch event {
        case .record(let bytes), .put(let bytes): head(bytes) == nil ? "this is not a record" : nil
        case .delete(let text): RecordID(text) == nil ? "this is not an id" : nil
        case .clear: nil
        }
    }
}

extension File {
    /// The offset after the last byte that is neither a line feed nor zero, as a file system leaves it after a power cut: at
    /// least `start`. Only the first bytes after it are looked at.
    fileprivate func endOfBytes(from start: Int) throws(SystemError) -> Int {
        let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { chunk.deallocate() }
        var end = start
        var offset = start
        while true {
            let count = try read(chunk, at: offset)
            var kept = count
            while kept > 0, chunk[kept - 1] == 0x0A || chunk[kept - 1] == 0 { kept -= 1 }
            if kept > 0 { end = offset + kept }
            offset += count
            if count < chunk.count || offset - start > StoreFiles.lineBytesMax * 4 { return end }
        }
    }
}
