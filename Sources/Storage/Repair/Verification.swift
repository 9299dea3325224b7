import JSONCodec
import Platform

/// The whole check: it reads everything from the disk again, changes nothing, and reports every fault, to the last byte
/// of the last file. It ignores files that do not belong to the store.
///
/// Snapshot: header, every record, order by (time, id), no id twice, the count, the checksum. Journals: headers, every
/// line's checksum and sequence, and the verdict of `Recovery`; then every record in them. Operations file: as a whole,
/// because a damaged one is not used at all. Past: the journals of `history/` and the backup.
struct Verification {
    private var examination: RecordExamination
    private let blocks: BadBlocks
    private var report = VerifyReport(records: 0, bytes: 0, problems: [])
    private var meter: ProgressMeter
    /// The ids of the snapshot's records, which must differ, with their offsets.
    private var ids: [(id: RecordID, offset: Int)] = []
    private var previous: (time: Int64, id: RecordID)?

    /// Checks the store of the settings. Other processes may read and change it meanwhile.
    static func run(_ settings: StoreSettings, _ examination: RecordExamination) -> VerifyReport {
        var settings = settings.cancelled(when: examination.isCancelled)
        settings.isReadOnly = true
        let blocks = BadBlocks(in: settings.fileSystem)
        settings.fileSystem = blocks.fileSystem
        var verification = Verification(examination, blocks)
        do {
            try verification.check(try StoreDirectory(settings), settings)
        } catch {
            verification.add(.unreadable, error)
        }
        return verification.finished()
    }

    private init(_ examination: RecordExamination, _ blocks: BadBlocks) {
        self.examination = examination
        self.blocks = blocks
        meter = ProgressMeter(total: 0, tell: examination.progress)
    }

    private mutating func check(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings
    ) throws(StorageError) {
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
        let files: GenerationFiles
        do {
            files = try GenerationFiles(in: place, reader)
        } catch {
            if let upgrade = settings.upgrade, upgrade.isMeant(by: error, in: place) {
                examination = examination.upgraded(upgrade)
                return try check(place, upgrade.settingsBefore(settings))
            }
            if case .olderSchema = error {
                report = OlderDocument.report(on: error, in: place, settings)
                return
            }
            return checkSeparately(place, settings, after: error)
        }
        // For the progress alone: a file without a size fails again when it is read.
        var total = (try? files.snapshot.status().size) ?? 0
        for entry in files.journals.entries { total += (try? place.fileSystem.status(entry.descriptor).size) ?? 0 }
        meter = ProgressMeter(total: total, tell: examination.progress)
        checkSnapshot(files.snapshot, place.fileSystem)
        checkJournals(files, Recovery(files.header, published: files.published, isLocked: false), place)
        checkOperations(files.header, place)
        checkPast(files, place)
        checkLock(place)
    }

    private mutating func checkLock(_ place: borrowing StoreDirectory) {
        do throws(SystemError) {
            _ = try place.lockShared()
        } catch {
            // Without a lock file, no process has written yet.
            guard error.code != ENOENT else { return }
            add(
                .unreadable, StoreDirectory.lockName, 0,
                "Whether the last commits were acknowledged cannot be told: \(error).")
        }
    }

    // MARK: The snapshot

    private mutating func checkSnapshot(_ file: borrowing File, _ fileSystem: FileSystem) {
        let name = StoreDirectory.snapshotName
        let before = report.problems.count
        do {
            let survey = try SnapshotScan(file, in: fileSystem) { finding in
                switch finding {
                case .problem(let offset, let what): add(.damaged, name, offset, "\(name) \(what).")
                case .record(let bytes, let offset): checkRecord(bytes, name, offset, isInSnapshot: true)
                }
            }
            report.bytes += survey.bytes
            meter.finishFile(of: survey.bytes)
            if survey.isClosed, !survey.isSealed {
                add(
                    .damaged, name, survey.bytes,
                    "Its checksum is wrong: it was changed by something else than this program.")
            } else if let header = survey.header, survey.isSealed, header.count != survey.records {
                add(.damaged, name, 0, "\(name) counts \(header.count) records but holds \(survey.records).")
            }
            checkIdentities(name)
            // An edited file is still a document; a file that a disk damaged seldom is.
            guard !survey.isSealed, report.problems.count > before, Self.isDocument(file) else { return }
            for index in before..<report.problems.count { report.problems[index].kind = .edited }
        } catch {
            add(error, of: name)
        }
    }

    static func isDocument(_ file: borrowing File) -> Bool {
        // A file that cannot be read as a whole stays `damaged`.
        guard let text = try? file.readWhole() else { return false }
        return SnapshotDocument(text.bytes, schemaVersion: 0) { _, _ in nil }.isStore
    }

    private mutating func checkRecord(
        _ bytes: UnsafeRawBufferPointer, _ name: String, _ offset: Int, isInSnapshot: Bool
    ) {
        report.records += 1
        meter.advance(to: offset)
        switch examination.inspect(bytes) {
        case .problem(let what):
            add(.damaged, name, offset, "A record \(what).")
        case .record(let id, let time, _):
            guard isInSnapshot else { return }
            if let previous, (previous.time, previous.id) >= (time, id) {
                add(.damaged, name, offset, "A record stands out of order: they are sorted by time, then by id.")
            }
            previous = (time, id)
            ids.append((id, offset))
        }
    }

    /// Reports records with one id. Two of one id and time are out of order already; these have different times.
    private mutating func checkIdentities(_ name: String) {
        ids.sort { a, b in a.id != b.id ? a.id < b.id : a.offset < b.offset }
        for (a, b) in zip(ids, ids.dropFirst()) where a.id == b.id {
            add(.damaged, name, b.offset, "A record has the id of the one at byte \(a.offset).")
        }
        ids = []
    }

    // MARK: The journals

    private mutating func checkJournals(
        _ files: borrowing GenerationFiles, _ recovery: Recovery, _ place: borrowing StoreDirectory
    ) {
        let entries = files.journals.entries
        // Another process may have put a later snapshot in place: then that is the state.
        let isLater = files.header.revision > examination.revisionMax ?? .max
        let revisionMax = isLater ? files.header.revision : examination.revisionMax ?? .max
        if isLater { report.laterRecords = files.header.count }
        do {
            let outcome = try recovery.replay(files.journals, upTo: revisionMax) { (event, file, offset) in
                if case .put(let record) = event { checkRecord(record, file, offset, isInSnapshot: false) }
            }
            report.bytes += outcome.changeBytes + entries.reduce(0) { $0 + $1.headerEnd }
            if let held = outcome.held {
                try JournalReplay.handOver(
                    entries[held.index], of: files.journals, from: held.offset, after: held.base,
                    upTo: min(outcome.last, revisionMax)
                ) { (event, file, offset) in
                    if case .put(let record) = event { checkRecord(record, file, offset, isInSnapshot: false) }
                }
            }
            if let damage = outcome.damage {
                add(damage)
                surveyJournals(files.journals)
            } else if outcome.hasTornTail, try isTorn(entries[outcome.current], after: outcome, place) {
                // No process writes there, so the end can be judged.
                let recovery = Recovery(files.header, published: files.published, isLocked: true)
                if let damage = try recovery.replay(files.journals, apply: { _, _, _ in }).damage {
                    add(damage)
                    return surveyJournals(files.journals)
                }
                add(
                    .unfinished, entries[outcome.current].name, outcome.end,
                    "There are bytes after commit \(outcome.last), the last whole one; they were never acknowledged.")
            }
        } catch {
            add(error)
            surveyJournals(files.journals)
        }
    }

    /// Whether a dead process left the bytes after the last commit. While a process holds the lock it may be writing
    /// them; once it is free, they have become a commit, are gone, or stay as they are.
    private func isTorn(
        _ entry: OpenJournals.Entry, after outcome: Recovery.Outcome, _ place: borrowing StoreDirectory
    ) throws(StorageError) -> Bool {
        do throws(SystemError) {
            let lock = try place.open(StoreDirectory.lockName, .read)
            try place.fileSystem.lock(lock.descriptor, .exclusiveNow)
            var reader = JournalReader(entry.descriptor, entry.name, from: outcome.end, in: place.fileSystem)
            guard let step = try reader.next() else { return false }
            guard case .commit(let commit) = step, commit.isTerminated else { return true }
            return commit.content.seq != outcome.last + 1
        } catch {
            switch error.code {
            case EWOULDBLOCK: return false
            case ENOENT: return true
            default: throw .reading(error, error.subject.isEmpty ? entry.name : error.subject)
            }
        }
    }

    /// Reports the faults of each journal, once damage is known.
    private mutating func surveyJournals(_ journals: borrowing OpenJournals) {
        let entries = journals.entries
        for (index, entry) in entries.enumerated() where index == 0 || !entry.isBlank {
            let next = entries[(index + 1)...].first { !$0.isBlank && $0.header != nil }
            do {
                _ = try JournalSurvey(
                    entry, in: journals.fileSystem, after: nil, limit: next?.header?.baseRevision
                ) { finding in
                    guard case .problem(let offset, let what) = finding else { return }
                    add(.damaged, entry.name, offset, "\(entry.name) \(what).")
                }
            } catch {
                add(error, of: entry.name)
            }
        }
    }

    // MARK: The operations

    private mutating func checkOperations(_ header: SnapshotHeader, _ place: borrowing StoreDirectory) {
        do {
            let generation = header.generation
            let missing = try OperationsFile.forEach(
                generation, marked: header.markedOperations, storeId: header.storeId, in: place
            ) { _, _, _ in }
            // Operations of a generation that has ended meanwhile are not missing.
            guard missing > 0, Self.isPresent(header, place) else { return }
            add(.missing, OperationsFile.lost(generation, missing))
        } catch {
            add(error)
        }
    }

    private static func isPresent(_ header: SnapshotHeader, _ place: borrowing StoreDirectory) -> Bool {
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: header.schemaVersion)
        guard let file = try? place.open(reader.name, .read) else { return true }
        return (try? reader.header(file, in: place.fileSystem))?.generation == header.generation
    }

    // MARK: Files that do not make a store

    private mutating func checkSeparately(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings, after error: StorageError
    ) {
        if case .newerSchema = error { return add(.version, error) }
        let inventory: StoreInventory
        do {
            inventory = try place.inventory()
        } catch {
            return add(error, of: place.path)
        }
        guard inventory.hasSnapshot else {
            if let name = inventory.unfinishedResets.first {
                add(.interrupted, name, 0, "A reset was interrupted; a part of the files is in \(name).")
            } else {
                add(.missing, error)
            }
            return surveyAll(inventory.journals, place)
        }
        do throws(SystemError) {
            let snapshot = try place.open(StoreDirectory.snapshotName, .read)
            if checkDocument(snapshot, settings) { return surveyAll(inventory.journals, place) }
            let line = try SnapshotScan(snapshot, in: place.fileSystem) { _ in }.header
            let isJournalMissing = line.map { !inventory.journals.contains($0.generation) } ?? false
            add(isJournalMissing ? .missing : Self.kind(of: error), error)
            // A blank file, or one of another kind, has no lines worth reporting.
            if line != nil { checkSnapshot(snapshot, place.fileSystem) }
        } catch {
            add(error, of: StoreDirectory.snapshotName)
        }
        surveyAll(inventory.journals, place)
    }

    /// Checks and reports a snapshot that is a store in another layout; false if it is none.
    private mutating func checkDocument(_ file: borrowing File, _ settings: StoreSettings) -> Bool {
        // The survey reports an unreadable file line by line.
        guard let text = try? file.readWhole(), !text.isEmpty else { return false }
        let name = StoreDirectory.snapshotName
        var records = 0
        let document = SnapshotDocument(text.bytes, schemaVersion: settings.schemaVersion) { bytes, _ in
            records += 1
            guard case .problem(let what) = examination.inspect(bytes) else { return nil }
            return (0, "holds a record that \(what)")
        }
        guard document.isStore, !isLaidOut(text.bytes) else { return false }
        report.bytes += text.count
        report.records += records
        add(.edited, name, 0, "\(name) is not laid out as this program writes it: it was changed by something else.")
        for problem in document.problems { add(.edited, name, problem.offset, "\(name) \(problem.reason).") }
        return true
    }

    /// Whether the first line is a header.
    private func isLaidOut(_ text: UnsafeRawBufferPointer) -> Bool {
        let end = text.firstIndex(of: UInt8(ascii: "\n")) ?? text.count
        return SnapshotHeader(line: UnsafeRawBufferPointer(rebasing: text[..<end])) != nil
    }

    private mutating func surveyAll(_ generations: [Int], _ place: borrowing StoreDirectory) {
        do throws(SystemError) {
            surveyJournals(try OpenJournals(generations, in: place))
        } catch {
            add(error, of: error.subject)
        }
    }

    // MARK: The report

    private static func kind(of error: StorageError) -> VerifyReport.Kind {
        if case .corrupt = error { return .damaged }
        return .unreadable
    }

    /// Reports a file, or the directory, that cannot be read.
    mutating func add(_ error: SystemError, of subject: String) {
        let name = StoreInventory.name(ofPath: subject)
        switch StorageError.reading(error, name) {
        case .unavailable(let reason, let advice): add(.unreadable, name, 0, "\(reason) \(advice)")
        case let failure: add(failure)
        }
    }

    mutating func add(_ error: StorageError) { add(Self.kind(of: error), error) }

    private mutating func add(_ kind: VerifyReport.Kind, _ error: StorageError) {
        switch error {
        case .corrupt(let file, let offset, let reason): add(kind, file, offset, reason)
        case .unavailable(let reason, let advice): add(kind, StoreDirectory.snapshotName, 0, "\(reason) \(advice)")
        default: add(kind, StoreDirectory.snapshotName, 0, error.reason)
        }
    }

    /// Reports a problem. The first one at an offset is the most important; later ones there are omitted.
    mutating func add(_ kind: VerifyReport.Kind, _ file: String, _ offset: Int, _ reason: String) {
        guard report.problems.count < VerifyReport.problemsMax else { return }
        guard !report.problems.contains(where: { $0.file == file && $0.offset == offset }) else { return }
        report.problems.append(VerifyReport.Problem(kind, file: file, offset: offset, reason: reason))
    }

    private consuming func finished() -> VerifyReport {
        for block in blocks.found {
            let name = StoreInventory.name(ofPath: block.path)
            let offset = block.offset
            report.problems.removeAll { $0.file == name && (offset..<offset + block.count).contains($0.offset) }
            add(.damaged, name, offset, "\(block.count) bytes of \(name) cannot be read from the disk.")
        }
        return report
    }
}

extension File {
    /// All its bytes, unless they are more than a document may have.
    func readWhole() throws(SystemError) -> ByteBuffer {
        let size = try status().size
        guard size <= SchemaMigration.documentBytesMax else {
            throw SystemError(call: "read", subject: path, code: EFBIG)
        }
        var buffer = ByteBuffer(capacity: size)
        try buffer.append(upTo: size) { (room) throws(SystemError) in try read(room, at: 0) }
        return buffer
    }
}
