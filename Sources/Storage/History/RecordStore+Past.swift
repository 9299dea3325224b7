import JSONCodec
import Platform

/// The past: what was committed, told again by the journals, or by the trail of a store in memory. The states before a
/// commit are those of the newest snapshot below it that still exists, with the commits since then.
extension RecordStore {
    /// The commit after which all are stored; nil if none is.
    mutating func historyStart() throws(StorageError) -> Int? {
        guard let files else { return trail().steps.first.map { $0.revision - 1 } }
        return try JournalChain(files, upTo: files.revision).start(files)
    }

    mutating func isKept(after revision: Int) throws(StorageError) -> Bool {
        guard let files else { return try historyStart().map { $0 <= revision } ?? false }
        return try JournalChain(files, upTo: flushedRevision).start(files, enough: revision) <= revision
    }

    /// Passes on the notes of the commits, from the newest back, until `body` returns false or one is not stored.
    mutating func forEachNote(_ body: (CommitNote) -> Bool) throws(StorageError) {
        if let files { return try JournalChain(files, upTo: flushedRevision).forEachNote(files, body) }
        for step in trail().steps.reversed() where !body(CommitNote(step)) { return }
    }

    /// Passes on the commits after `revision` up to `last`, in order, until `body` returns false.
    /// - Returns: false if one of them is not stored.
    mutating func commits(
        after revision: Int, upTo last: Int, _ extent: LongCommits, _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        try commits(after: revision, upTo: last, { _ in extent }, body)
    }

    /// - Parameter extent: how much of a commit with a file of its own to pass on.
    mutating func commits(
        after revision: Int, upTo last: Int, _ extent: (Int) -> LongCommits, _ body: (Commit) -> Bool
    ) throws(StorageError) -> Bool {
        guard let files else { return commitsOfTrail(after: revision, upTo: last, body) }
        var reading = CommitReading(revision: revision)
        defer { if let place = reading.place { files.readPlace = place } }
        return try reading.read(files, upTo: last, extractor, extent, body)
    }

    /// The records before a commit, by id; nil if they are no longer stored.
    /// - Parameter wanted: the ids of the records; nil for all.
    public mutating func records(
        before revision: Int, of wanted: Set<RecordID>?
    ) throws(StorageError) -> [RecordID: [UInt8]]? {
        guard let files else { return recordsOfTrail(before: revision, of: wanted) }
        guard let start = try files.start(before: revision) else { return nil }
        var records: [RecordID: [UInt8]] = [:]
        if start.source == .snapshot, let wanted, layers.base != nil, !isBaseOvertaken {
            do throws(IndexFault) {
                for id in wanted {
                    if let bytes = try layers.bytesInBase(id) { records[id] = Array(bytes) }
                }
            } catch {
                throw error.asStorageError
            }
        } else if let name = start.name {
            try files.forEachRecord(name, extractor) { (id, bytes) throws(StorageError) in
                if wanted?.contains(id) ?? true { records[id] = Array(bytes) }
            }
        }
        guard start.base < revision - 1 else { return records }
        let isWhole = try commits(after: start.base, upTo: revision - 1, .inPieces) {
            records.follow($0, wanted)
            return true
        }
        return isWhole ? records : nil
    }

    /// Adds the values of many records before a commit to the work of an undo: as a part, except for those changed since
    /// the snapshot below it.
    /// - Parameter ids: in order.
    /// - Returns: false if they are no longer stored.
    mutating func restoreMany(
        _ ids: [RecordID], before revision: Int, to work: inout UndoWork
    ) throws(StorageError) -> Bool {
        guard let files, let start = try files.start(before: revision) else { return false }
        var changed: [RecordID: [UInt8]?] = [:]
        var isCleared = false
        if start.base < revision - 1 {
            let isWhole = try commits(after: start.base, upTo: revision - 1, .inPieces) { commit in
                if commit.isClear { (isCleared, changed) = (true, [:]) }
                for change in commit.changes where ids.place(of: change.id) != nil {
                    changed.updateValue(change.record.map { Array($0) }, forKey: change.id)
                }
                return true
            }
            guard isWhole else { return false }
        }
        var isThere = [Bool](repeating: false, count: ids.count)
        if let name = start.name, !isCleared {
            try files.forEachRecord(name, extractor) { (id, _) throws(StorageError) in
                if let place = ids.place(of: id) { isThere[place] = true }
            }
        }
        var wanted: [RecordID] = []
        for (place, id) in ids.enumerated() {
            switch changed[id] {
            case .some(let bytes?): work.targets.append((id, bytes))
            case .none where isThere[place]: wanted.append(id)
            default: work.removed.append(id)
            }
        }
        if let name = start.name, !wanted.isEmpty {
            work.parts.append(UndoPart(source: .snapshot(name: name), count: wanted.count, wanted: wanted))
        }
        return true
    }

    /// Passes on the ids of all records before a commit, in no order; memory holds only those changed since the
    /// snapshot below it.
    /// - Returns: false if they are no longer stored.
    mutating func forEachID(
        before revision: Int, _ body: (inout LayeredRecords, RecordID) -> Void
    ) throws(StorageError) -> Bool {
        guard let files else {
            guard let records = recordsOfTrail(before: revision, of: nil) else { return false }
            for id in records.keys { body(&layers, id) }
            return true
        }
        guard let start = try files.start(before: revision) else { return false }
        var changed: [RecordID: Bool] = [:]
        var isCleared = false
        if start.base < revision - 1 {
            let isWhole = try commits(after: start.base, upTo: revision - 1, .inPieces) { commit in
                if commit.isClear {
                    isCleared = true
                    changed = [:]
                }
                for change in commit.changes { changed[change.id] = change.record != nil }
                return true
            }
            guard isWhole else { return false }
        }
        if let name = start.name, !isCleared {
            try files.forEachRecord(name, extractor) { (id, _) throws(StorageError) in
                if changed[id] == nil { body(&layers, id) }
            }
        }
        for (id, isThere) in changed where isThere { body(&layers, id) }
        return true
    }

    /// Whether journals, long commits and stored snapshots have more than `bytes` together.
    /// - Parameter besidesSnapshots: whether to leave out snapshots.
    public func hasPast(over bytes: Int, besidesSnapshots: Bool = false) -> Bool {
        files?.hasPast(over: bytes, besidesSnapshots) ?? false
    }
}

extension [RecordID: [UInt8]] {
    /// Applies a commit to the records.
    mutating func follow(_ commit: Commit, _ wanted: Set<RecordID>?) {
        if commit.isClear { removeAll() }
        for change in commit.changes where wanted?.contains(change.id) ?? true {
            self[change.id] = change.record.map { Array($0) }
        }
    }
}

extension StoreFiles {
    fileprivate struct PastStart {
        enum Source { case nothing, snapshot, backup }
        let source: Source
        /// The file; nil for a store that was empty then.
        let name: String?
        /// The commit whose records it holds.
        let base: Int
    }

    /// The newest snapshot from which the state before a commit can be made.
    fileprivate func start(before revision: Int) throws(StorageError) -> PastStart? {
        let chain = try JournalChain(self, upTo: self.revision)
        let first = try chain.start(self)
        guard first < revision else { return nil }
        for link in chain.links.reversed() where link.base < revision && link.base >= first {
            if link.base == 0 { return PastStart(source: .nothing, name: nil, base: 0) }
            let isNow = link.generation == generation
            let name = isNow ? StoreDirectory.snapshotName : StoreInventory.backupName(link.generation)
            // If one cannot be read, an older one is tried.
            guard let file = try? place.open(name, .read),
                let header = try? SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
                    .header(file, in: place.fileSystem),
                header.storeId == storeId, header.revision == link.base
            else { continue }
            return PastStart(source: isNow ? .snapshot : .backup, name: name, base: link.base)
        }
        return nil
    }

    /// Passes on the records of a snapshot or backup.
    func forEachRecord(
        _ name: String, _ extractor: RecordExtractor,
        _ body: (RecordID, UnsafeRawBufferPointer) throws(StorageError) -> Void
    ) throws(StorageError) {
        let reader = SnapshotReader(name: name, schemaVersion: settings.schemaVersion)
        let file: File
        do throws(SystemError) { file = try place.open(name, .read) } catch {
            throw .unavailable(reason: "\(name) cannot be read: \(error)", advice: "Try again.")
        }
        var fault: StorageError?
        do throws(StorageError) {
            _ = try reader.read(file, in: place.fileSystem) { bytes, _ in
                guard let id = extractor.id(bytes) else { return "this line is not a record" }
                do throws(StorageError) { try body(id, bytes) } catch { fault = error }
                return fault?.reason
            }
        } catch {
            throw fault ?? error
        }
    }

    /// An error ends the count; reading the files reports it.
    fileprivate func hasPast(over bytes: Int, _ isBesidesSnapshots: Bool) -> Bool {
        do throws(SystemError) {
            let (present, past) = (try place.inventory(), try place.historyInventory())
            var names = present.journals.map(StoreInventory.journalName)
            if !isBesidesSnapshots {
                names += present.backups.map(StoreInventory.backupName) + [StoreDirectory.snapshotName]
            }
            names += past.commits.map(CommitFile.name) + past.journals.map(StoreInventory.pastName)
            var sum = 0
            for name in names {
                sum += try place.status(of: name)?.size ?? 0
                if sum > bytes { return true }
            }
        } catch {}
        return false
    }
}
