import JSONCodec
import Platform

extension Loading {
    /// The store, for reading only. Without a lock no end is judged: lines that are neither published nor proven may be
    /// another process's unfinished commit, and are not shown.
    consuming func openedToRead(
        _ place: consuming StoreDirectory, _ settings: StoreSettings, _ lock: consuming TurnLock?,
        _ refusal: StorageError?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        var shown = min(outcome.last, max(last, files.header.revision))
        if outcome.damage == nil, outcome.held != nil, !recovery.isLocked, let publication = recovery.publication {
            shown = min(shown, max(publication.durable, outcome.proven))
        }
        let end = try handOverHeld(upTo: shown, load)
        let damage = damage(shown: shown)
        if shown < outcome.last, refusal != nil {
            settings.log(
                "\(place.path): \(outcome.last - shown) commits after \(shown) were not published; they are not shown"
                    + " until the store is opened for writing")
        }
        let store = StoreFiles(
            settings, place, files.header, revision: shown, syncedRevision: min(shown, outcome.proven),
            snapshotBytes: snapshotBytes, lock: lock)
        // Lines that are not shown are counted when they are.
        store.journalBytes = outcome.changeBytes - (shown < outcome.last ? outcome.end - end : 0)
        store.journalCount = files.journals.entries.count
        store.refusal = refusal
        store.damage = damage
        if outcome.held.map({ $0.index == outcome.current }) ?? true, refusal.map({ $0.isOnlyOfWriting }) ?? true {
            // For reading on after later commits. If the file is gone by then, everything is read again.
            let entry = files.journals.entries[outcome.current]
            if let file = try? store.place.open(entry.name, .read) {
                store.journal.open(file, entry.generation, end: end, isWritable: false)
            }
        }
        store.note(files.snapshotStatus, published: files.publishedBytes)
        store.index = index.take()
        return store
    }

    /// The store, for reading and writing; its journal is held.
    consuming func openedToWrite(
        _ place: consuming StoreDirectory, _ lock: consuming TurnLock, _ hold: consuming JournalHold,
        _ settings: StoreSettings, _ extractor: RecordExtractor?, _ load: (LoadEvent) -> String?
    ) throws(StorageError) -> StoreFiles {
        // Checks the lines first: each opening would begin another journal with lines that are then refused.
        if let extractor, !outcome.isClean || !outcome.abandoned.isEmpty {
            try handOverHeld(upTo: outcome.last) { extractor.problem($0) }
        }
        let journal: Journal
        do {
            // A killed process may have renamed the first snapshot into place without syncing the directory. After a
            // power cut, commits to it must not stand in a journal beside an older snapshot, or beside none.
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
        let store = StoreFiles(
            settings, place, files.header, revision: outcome.last, syncedRevision: proven,
            snapshotBytes: snapshotBytes, lock: lock)
        store.journal.open(journal.takeFile(), generation, end: end, isWritable: true, isHeld: isHeld)
        store.journalBytes = outcome.changeBytes
        store.journalCount = files.journals.entries.count - outcome.abandoned.count + (isClean ? 0 : 1)
        store.note(files.snapshotStatus, published: files.publishedBytes)
        store.tidy(clearsTemporaries: store.isNobodyCompacting())
        store.dropCommits { $0 > max(files.header.revision, published) }
        store.index = index.take()
        if !isClean || recovery.publication?.generation != files.header.generation { store.publishAtOpening() }
        return store
    }

    /// Blanks the publication. The recovered end is visible here but not published: it may not be on the disk yet. A
    /// reader that finds no publication takes the lock and judges the end; a process that can write continues after it.
    private func haveOthersJudge(_ lock: borrowing TurnLock) {
        guard let publication = recovery.publication, publication.durable < outcome.last else { return }
        // Overwritten, not cut off: a full disk may have no room to publish in an empty file again.
        let blanks = ByteBuffer(copying: [UInt8](repeating: UInt8(ascii: " "), count: Publication.byteCount))
        // If even this fails, no other process can write there either.
        do throws(SystemError) { try lock.file.write(blanks.bytes, at: 0) } catch {}
    }

    private struct Journal: ~Copyable {
        let file: File
        let end: Int
        let generation: Int
        let isHeld: Bool

        consuming func takeFile() -> File { file }
    }

    /// Removes blank journals of an unfinished rewrite. They must be gone durably before any line is written.
    private func removeAbandoned(_ place: borrowing StoreDirectory) throws(SystemError) {
        guard !outcome.abandoned.isEmpty else { return }
        for index in outcome.abandoned { try place.unlink(files.journals.entries[index].name) }
        try place.sync()
    }

    /// Reopens the journal after syncing its name, unless that is certainly durable: a killed process may have made the
    /// journal or the snapshot without syncing its name, and a power cut would take later commits with it. A generation
    /// is published only after its names were synced. A journal begun after an unclean end has a later number, of which
    /// nothing is published.
    private func reopenedJournal(
        _ place: borrowing StoreDirectory, _ hold: inout JournalHold
    ) throws(SystemError) -> Journal {
        let entry = files.journals.entries[outcome.current]
        let generation = files.header.generation
        if entry.generation != generation || recovery.publication?.generation != generation { try place.sync() }
        if let file = hold.take(entry.generation, in: place) {
            return Journal(file: file, end: outcome.end, generation: entry.generation, isHeld: true)
        }
        // The journal could not be opened for writing a moment ago; this most likely throws the reason.
        let file = try place.open(entry.name, .readWrite)
        return Journal(file: file, end: outcome.end, generation: entry.generation, isHeld: false)
    }

    /// Continues in a new journal after an unclean end (rule 7 of `Recovery`).
    private func nextJournal(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(SystemError) -> Journal {
        let entry = files.journals.entries[outcome.current]
        let source = try place.open(entry.name, .read)
        var torn = try outcome.hasTornTail ? place.copyTornTail(of: source, from: outcome.end, settings) : nil

        let generation = (files.journals.entries.map(\.generation).max() ?? entry.generation) + 1
        let name = StoreInventory.journalName(generation)
        let header = JournalHeader(
            schemaVersion: files.header.schemaVersion, storeId: files.header.storeId, generation: generation,
            baseRevision: outcome.held?.base ?? outcome.last)
        let tornName = StoreInventory.tornName(entry.generation, settings)
        var maker = try JournalMaker(header, at: settings.timestamp(), in: place, settings)
        try maker.copyLines(from: source, (outcome.held?.offset ?? outcome.end)..<outcome.end)
        try maker.sync()
        // Renamed last of all, so that a failed attempt leaves nothing.
        try torn?.place(as: place.path(of: tornName))
        try maker.place(as: place.path(of: name))
        try place.sync()
        let kept = torn == nil ? "" : ", what follows is kept in \(tornName)"
        settings.log("\(place.path(of: entry.name)) ends uncleanly at commit \(outcome.last)\(kept); \(name) goes on")
        let size = maker.size
        return Journal(file: maker.takeFile(), end: size, generation: generation, isHeld: true)
    }
}

extension StoreDirectory {
    /// Copies the bytes after the last valid line of a journal.
    /// - Returns: nil if only blanks follow. The copy ends soon after four times `lineBytesMax`, more than any group of
    ///   lines has; the rest stays in the journal.
    func copyTornTail(
        of source: borrowing File, from start: Int, _ settings: StoreSettings
    ) throws(SystemError) -> DraftFile? {
        let end = try source.endOfBytes(from: start)
        return end > start ? try copy(of: source, start..<end, settings) : nil
    }
}

extension RecordExtractor {
    /// The fault of a change, or nil, as `load` would find it.
    fileprivate func problem(_ event: LoadEvent) -> String? {
        switch event {
        case .record(let bytes), .put(let bytes): head(bytes) == nil ? "this is not a record" : nil
        case .delete(let text): RecordID(text) == nil ? "this is not an id" : nil
        case .clear: nil
        }
    }
}

extension File {
    /// The offset after the last byte that is neither a line feed nor zero (as file systems leave after a power cut),
    /// at least `start`. Looks only at the first bytes after it.
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
