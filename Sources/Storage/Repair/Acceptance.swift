import JSONCodec
import Platform

/// An edited snapshot on its way to the next generation.
///
/// The edit counts as one commit, with the revision after the last one. Commits of the journal are later than the
/// file's content, so they are applied on top of it, as when the edited store is read: if both contain a record, the
/// journal's version stays, and deletions of the journal hold.
struct Acceptance: ~Copyable {
    private let header: SnapshotHeader
    private let recovery: Recovery
    private var last: Int
    /// The journal with bytes after its last whole line, and their offset.
    private var torn: (index: Int, offset: Int)?
    private var records = GatheredRecords()
    private var completed = 0
    private var overtaken = 0
    /// Records that the journal contains.
    private var touched: Set<RecordID> = []

    // MARK: Reading the file

    /// The whole snapshot, or nil if it is as it was written.
    static func readEdited(_ place: borrowing StoreDirectory) throws(RepairError) -> ByteBuffer? {
        do throws(SystemError) {
            let file = try place.open(StoreDirectory.snapshotName, .read)
            var isWhole = true
            let survey = try SnapshotScan(file, in: place.fileSystem) { finding in
                if case .problem = finding { isWhole = false }
            }
            if isWhole, survey.isSealed, survey.header?.count == survey.records { return nil }
            return try file.readWhole()
        } catch {
            throw .storage(.reading(error, StoreDirectory.snapshotName))
        }
    }

    /// The report for a snapshot without an edit.
    static func unedited(_ place: borrowing StoreDirectory) throws(RepairError) -> AcceptReport {
        do throws(SystemError) {
            let file = try place.open(StoreDirectory.snapshotName, .read)
            let survey = try SnapshotScan(file, in: place.fileSystem) { _ in }
            return AcceptReport(
                isAccepted: false, revision: survey.header?.revision ?? 0, records: survey.records,
                bytes: survey.bytes, completed: 0, overtaken: 0, backup: nil)
        } catch {
            throw .storage(.reading(error, StoreDirectory.snapshotName))
        }
    }

    /// The header of an edited snapshot in any layout.
    static func header(
        of text: UnsafeRawBufferPointer, _ settings: StoreSettings
    ) throws(RepairError) -> SnapshotHeader {
        let name = StoreDirectory.snapshotName
        let document = SnapshotDocument(text, schemaVersion: settings.schemaVersion) { _, _ in nil }
        if let header = document.header { return header }
        var probe = SchemaProbe()
        probe.read(text)
        if let version = probe.version, version > settings.schemaVersion {
            throw .storage(SnapshotReader(name: name, schemaVersion: settings.schemaVersion).newer(version))
        }
        throw refusal(document.problems, text)
    }

    private static func refusal(
        _ problems: [SnapshotDocument.Problem], _ text: UnsafeRawBufferPointer
    ) -> RepairError {
        var line = 1
        var counted = 0
        let listed = problems.sorted { $0.offset < $1.offset }.prefix(VerifyReport.problemsMax).map { problem in
            line += text[counted..<max(min(problem.offset, text.count), counted)].count { $0 == 0x0A }
            counted = max(min(problem.offset, text.count), counted)
            return RepairError.Problem(
                file: StoreDirectory.snapshotName, offset: problem.offset, line: line, reason: problem.reason)
        }
        let first = listed.first.map { "Line \($0.line) \($0.reason)." } ?? ""
        return .refused(
            reason: "\(StoreDirectory.snapshotName) cannot be accepted as it is. \(first) Nothing was changed.",
            problems: listed)
    }

    // MARK: The journals

    init(_ header: SnapshotHeader, _ place: borrowing StoreDirectory) throws(RepairError) {
        self.header = header
        last = header.revision
        let published = try RepairError.storage { () throws(StorageError) in
            try GenerationFiles.readPublication(place)
        }
        recovery = Recovery(header, published: Publication(bytes: published), isLocked: true)
    }

    /// The journals after the edited snapshot, open.
    static func journals(
        after header: SnapshotHeader, _ place: borrowing StoreDirectory
    ) throws(RepairError) -> OpenJournals {
        do throws(SystemError) {
            let generations = try place.inventory().journals.filter { $0 >= header.generation }
            guard generations.first == header.generation else {
                throw SystemError(call: "open", subject: StoreInventory.journalName(header.generation), code: ENOENT)
            }
            return try OpenJournals(generations, in: place)
        } catch {
            throw .storage(GenerationFiles.journalMissing(error, header))
        }
    }

    /// Checks the journals: damage in them is no edit of the snapshot.
    mutating func check(_ journals: borrowing OpenJournals) throws(RepairError) {
        do throws(StorageError) {
            let outcome = try recovery.replay(journals) { _, _, _ in }
            if let damage = outcome.damage { throw damage }
            last = outcome.last
            if outcome.hasTornTail { torn = (outcome.current, outcome.end) }
        } catch {
            throw .storage(error)
        }
    }

    /// Collects the records of the file, each as it will be stored.
    mutating func gather(
        _ text: UnsafeRawBufferPointer, _ place: borrowing StoreDirectory,
        _ seal: (UnsafeRawBufferPointer, Int, inout ByteBuffer) -> StoreFiles.EditedRecord
    ) throws(RepairError) {
        var buffer = ByteBuffer(capacity: 4096)
        var known = KnownRecords(before: header)
        let document = SnapshotDocument(text, schemaVersion: header.schemaVersion) { bytes, _ in
            buffer.truncate(to: 0)
            let (id, time, isCompleted): (RecordID, Int64, Bool)
            switch seal(bytes, last + 1, &buffer) {
            case .problem(let offset, let what):
                return (offset, "holds a record that \(what)")
            case .disputed(_, _, let offset, let what) where !known.contains(bytes, place):
                return (offset, "holds a record that \(what)")
            case .disputed(let given, let at, _, _): (id, time, isCompleted) = (given, at, false)
            case .record(let given, let at, let isFilled): (id, time, isCompleted) = (given, at, isFilled)
            }
            if records.put(buffer.bytes, id: id, time: time) {
                return (0, "holds a record with the id of one before it")
            }
            if isCompleted { completed += 1 }
            return nil
        }
        guard document.problems.isEmpty else { throw Self.refusal(document.problems, text) }
    }

    mutating func apply(
        _ journals: borrowing OpenJournals, _ inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(RepairError) {
        let recovery = recovery
        do throws(StorageError) {
            let outcome = try recovery.replay(journals) { (event, file, offset) throws(StorageError) in
                try apply(event, file, offset, inspect)
            }
            guard let held = outcome.held else { return }
            try JournalReplay.handOver(
                journals.entries[held.index], of: journals, from: held.offset, after: held.base, upTo: outcome.last
            ) { (event, file, offset) throws(StorageError) in
                try apply(event, file, offset, inspect)
            }
        } catch {
            throw .storage(error)
        }
    }

    private mutating func apply(
        _ event: LoadEvent, _ file: String, _ offset: Int, _ inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(StorageError) {
        switch event {
        case .record(let bytes), .put(let bytes):
            switch inspect(bytes) {
            case .problem(let what):
                throw .corrupt(file: file, offset: offset, reason: "A change in \(file) is not valid: it \(what).")
            case .record(let id, let time, _):
                touch(id)
                records.put(bytes, id: id, time: time)
            }
        case .delete(let text):
            guard let id = RecordID(text) else { return }
            touch(id)
            records.remove(id)
        case .clear:
            records.forEachID { if touched.insert($0).inserted { overtaken += 1 } }
            records.removeAll()
        }
    }

    private mutating func touch(_ id: RecordID) {
        if touched.insert(id).inserted, records.contains(id) { overtaken += 1 }
    }

    // MARK: Writing

    /// Makes the next generation, and publishes it.
    consuming func write(
        after journals: borrowing OpenJournals, _ place: borrowing StoreDirectory, _ lock: borrowing RepairLock,
        _ settings: StoreSettings
    ) throws(RepairError) -> AcceptReport {
        var next = header
        next.generation = (journals.entries.map(\.generation).max() ?? header.generation) + 1
        next.revision = last + 1
        next.count = records.count
        let header = header
        let forgotten = try RepairError.storage { () throws(StorageError) in
            try CommitFile.remove(in: place) { $0 == next.revision }
            return try OperationsFile.missing(
                header.generation, marked: header.markedOperations, storeId: header.storeId, in: place)
        }
        let made: Generation.Made
        do throws(Generation.Failure) {
            made = try Generation.make(
                next, backupOf: header.generation,
                carrying: .init(
                    generation: header.generation, marked: 0, revision: last, reached: last, besides: []),
                at: settings.timestamp(),
                in: place, settings, records: { emit in records.forEach(emit) }
            ) { (_) throws(StorageError) in
                do throws(SystemError) { try Self.keepTorn(torn, journals, place, settings) } catch {
                    throw .writing(error, error.subject)
                }
            }
        } catch {
            throw .storage(error.error)
        }
        var publication = ByteBuffer(capacity: Publication.byteCount)
        Publication(
            storeId: next.storeId, generation: next.generation, durable: next.revision, isSynced: true
        ).append(to: &publication)
        do {
            try lock.write(publication.bytes, at: 0)
        } catch {
            // The snapshot says it too; the publication only informs processes that watch the file sooner.
            settings.log("\(place.path(of: StoreDirectory.lockName)) could not be written: \(error)")
        }
        return AcceptReport(
            isAccepted: true, revision: next.revision, records: next.count, bytes: made.snapshotBytes,
            completed: completed, overtaken: overtaken, forgotten: forgotten, backup: made.backup)
    }
}

extension Acceptance {
    private static func keepTorn(
        _ torn: (index: Int, offset: Int)?, _ journals: borrowing OpenJournals, _ place: borrowing StoreDirectory,
        _ settings: StoreSettings
    ) throws(SystemError) {
        guard let torn else { return }
        let entry = journals.entries[torn.index]
        let source = try place.open(entry.name, .read)
        guard var kept = try place.copyTornTail(of: source, from: torn.offset, settings) else { return }
        try place.place(&kept, as: StoreInventory.tornName(entry.generation, settings))
    }
}

/// Accepting a snapshot that a person has edited, see `Acceptance`.
extension StoreFiles {
    /// A record of an edited file.
    public enum EditedRecord {
        /// Written to the buffer as it will be stored. `isCompleted`: it lacked a member that every record has.
        case record(id: RecordID, time: Int64, isCompleted: Bool)
        /// Written to the buffer too, but against a rule that records from before the edit need not keep; offset and
        /// clause are those of `problem`.
        case disputed(id: RecordID, time: Int64, offset: Int, String)
        /// The fault, as a clause about the record, and its offset in the record's bytes.
        case problem(offset: Int, String)
    }

    /// Checks every record of the edited snapshot, and if all are right writes them as the next generation. The edited
    /// file stays as the backup. A snapshot without an edit is left alone. A record that the store held before
    /// (`KnownRecords`) is right.
    ///
    /// `seal` checks one record and writes it as it will be stored; `revision` is that of the new snapshot. `inspect`
    /// checks a record of the journal. The store must not be open in this process.
    ///
    /// - Throws: `refused` with the faults of the file; the store is unchanged. `storage`: the errors of opening, and
    ///   of making the new generation.
    public static func accept(
        _ settings: StoreSettings,
        seal: (_ record: UnsafeRawBufferPointer, _ revision: Int, _ buffer: inout ByteBuffer) -> EditedRecord,
        inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(RepairError) -> AcceptReport {
        let place = try RepairError.storage { () throws(StorageError) in try StoreDirectory(settings) }
        let lock = try RepairLock(place, settings)
        return try accept(place, lock, settings, seal, inspect)
    }

    private static func accept(
        _ place: borrowing StoreDirectory, _ lock: borrowing RepairLock, _ settings: StoreSettings,
        _ seal: (UnsafeRawBufferPointer, Int, inout ByteBuffer) -> EditedRecord,
        _ inspect: (UnsafeRawBufferPointer) -> RecordFinding
    ) throws(RepairError) -> AcceptReport {
        let text = try Acceptance.readEdited(place)
        guard let text = consume text else { return try Acceptance.unedited(place) }
        let header = try Acceptance.header(of: text.bytes, settings)
        var acceptance = try Acceptance(header, place)
        let journals = try Acceptance.journals(after: header, place)
        try acceptance.check(journals)
        try acceptance.gather(text.bytes, place, seal)
        try acceptance.apply(journals, inspect)
        return try acceptance.write(after: journals, place, lock, settings)
    }
}

extension StoreFiles {
    /// Forgets the operations whose outcomes are in a missing file: the next generation no longer requires them.
    /// - Returns: the number of forgotten operations; with 0 nothing was done.
    public static func forgetLostOperations(
        _ settings: StoreSettings, _ extractor: RecordExtractor
    ) throws(RepairError) -> Int {
        try RepairError.storage { () throws(StorageError) in
            let missing = try lostOperations(settings, extractor)
            if missing > 0 { _ = try Compaction.run(settings, extractor, forgetsOperations: true) }
            return missing
        }
    }

    private static func lostOperations(
        _ settings: StoreSettings, _ extractor: RecordExtractor
    ) throws(StorageError) -> Int {
        guard let store = try RecordStore.openIfThere(settings, extractor) else { return 0 }
        switch store.files {
        case .none: return 0
        case .some(let files):
            return try OperationsFile.missing(
                files.generation, marked: files.markedOperations, storeId: files.storeId, in: files.place)
        }
    }
}

/// The result of `StoreFiles.accept`.
public struct AcceptReport: Sendable, Equatable {
    /// False if the snapshot had no edit; then nothing was changed, and the other members describe the snapshot.
    public var isAccepted: Bool
    /// The revision of the snapshot now.
    public var revision: Int
    /// The records of the new snapshot.
    public var records: Int
    /// The size of the new snapshot.
    public var bytes: Int
    /// Records of the edited file to which missing members were added.
    public var completed: Int
    /// Records of the edited file that a later commit of the journal replaced or removed.
    public var overtaken: Int
    /// Operations whose outcomes a missing file took with it.
    public var forgotten = 0
    /// The name of the file with the edited snapshot.
    public var backup: String?
}
