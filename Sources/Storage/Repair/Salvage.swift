import JSONCodec
import Platform

/// Gathers what can be saved of a damaged store. It only reads.
///
/// The order in which it applies what it finds, where the last version of a record wins and deletions count:
/// 1. Where the snapshot is damaged or missing: the newest whole backup, or nothing, and the journals from there up to the
///    snapshot, but only if they lead without a gap to the commit that the snapshot names. So a record that is lost from
///    the snapshot may come back, and one that a later snapshot had left out does not.
/// 2. Every whole record of the snapshot, whatever its checksum says.
/// 3. Every line of the later journals whose checksum is right, in order, also after lines that are lost. What a journal
///    holds above the next one's base counts for nothing, as in `Recovery`.
struct Salvage: ~Copyable {
    private static let revisionMax = 1_000_000_000_000_000

    private let examination: RecordExamination
    private let schemaVersion: Int
    private var meter: ProgressMeter
    private(set) var records = GatheredRecords()
    /// Members of the document that this version does not know.
    private(set) var documentMembers: [UInt8] = []
    private(set) var report = SalvageReport(
        records: 0, bytes: 0, revision: 0, files: [], isSnapshotSealed: false, skipped: [], skippedCount: 0)

    /// Gathers from the open directory; with `storeId` the damaged store's own, where it is known.
    init(
        _ place: borrowing StoreDirectory, schemaVersion: Int, _ examination: RecordExamination
    ) throws(StorageError) {
        self.examination = examination
        self.schemaVersion = schemaVersion
        let sources = try SalvageSources(place, schemaVersion)
        meter = ProgressMeter(total: sources.totalBytes(in: place), tell: examination.progress)
        if let backup = sources.backup { readSnapshot(backup, place, isBackup: true) }
        readJournals(sources.earlier, place, upTo: sources.snapshotRevision)
        if sources.hasSnapshot { readSnapshot(StoreDirectory.snapshotName, place, isBackup: false) }
        readJournals(sources.later, place, upTo: nil)
        report.records = records.count
    }

    /// Blocks that the disk did not give back, which stand in the place of whatever was said of them.
    mutating func add(_ blocks: [BadBlocks.Block]) {
        for block in blocks {
            let name = block.path.split(separator: "/").last.map(String.init) ?? block.path
            skip(name, block.offset, "\(block.count) bytes of \(name) cannot be read from the disk.")
        }
    }

    private mutating func skip(_ file: String, _ offset: Int, _ reason: String) {
        report.skippedCount += 1
        guard report.skipped.count < VerifyReport.problemsMax else { return }
        report.skipped.append(VerifyReport.Problem(.damaged, file: file, offset: offset, reason: reason))
    }

    /// Applies a record, or says why not.
    private mutating func apply(_ bytes: UnsafeRawBufferPointer, _ name: String, _ offset: Int) {
        switch examination.inspect(bytes) {
        case .record(let id, let time, let revision):
            records.put(bytes, id: id, time: time)
            // No store has made so many commits: a number that somebody wrote must not use up those to come.
            if revision <= Self.revisionMax { report.revision = max(report.revision, revision) }
        case .problem(let what):
            skip(name, offset, "A record \(what).")
        }
    }

    // MARK: Snapshots

    private mutating func readSnapshot(_ name: String, _ place: borrowing StoreDirectory, isBackup: Bool) {
        do throws(SystemError) {
            let file = try place.open(name, .read)
            report.files.append(name)
            if try readDocument(file, name, place.fileSystem) { return }
            let survey = try SnapshotScan(file, in: place.fileSystem) { finding in
                switch finding {
                case .record(let bytes, let offset):
                    meter.advance(to: offset)
                    apply(bytes, name, offset)
                case .problem(let offset, let what):
                    skip(name, offset, "\(name) \(what).")
                }
            }
            meter.finishFile(of: survey.bytes)
            report.revision = max(report.revision, survey.header?.revision ?? 0)
            documentMembers = survey.header?.unknownMembers ?? documentMembers
            if !isBackup { report.isSnapshotSealed = survey.isSealed && survey.header?.count == survey.records }
        } catch {
            skip(name, 0, "\(name) cannot be read: \(error).")
        }
    }

    /// Whether the file is a whole store in another layout than ours, whose records were then applied.
    private mutating func readDocument(
        _ file: borrowing File, _ name: String, _ fileSystem: FileSystem
    ) throws(SystemError) -> Bool {
        let isTooLarge = try file.status().size > SchemaMigration.documentBytesMax
        if try isTooLarge ? true : SnapshotHeader.begins(file, in: fileSystem) { return false }
        let text = try file.readWhole()
        let probe = SnapshotDocument(text.bytes, schemaVersion: schemaVersion) { _, _ in nil }
        guard probe.isStore else { return false }
        let document = SnapshotDocument(text.bytes, schemaVersion: schemaVersion) { bytes, offset in
            apply(bytes, name, offset)
            return nil
        }
        meter.finishFile(of: text.count)
        report.revision = max(report.revision, document.header?.revision ?? 0)
        documentMembers = document.header?.unknownMembers ?? documentMembers
        for problem in document.problems { skip(name, problem.offset, "\(name) \(problem.reason).") }
        return true
    }

    // MARK: Journals

    private mutating func readJournals(
        _ journals: [SalvageSources.Journal], _ place: borrowing StoreDirectory, upTo revision: Int?
    ) {
        for (index, journal) in journals.enumerated() {
            let base = journals[(index + 1)...].first { $0.base != nil }?.base ?? revision
            let limit = [base, examination.revisionMax].lazy.compactMap(\.self).min()
            do throws(SystemError) {
                let open = try OpenJournals(journal.name, journal.generation, in: place)
                report.files.append(journal.name)
                guard let entry = open.entries.first else { continue }
                let survey = try JournalSurvey(entry, in: place.fileSystem, after: nil, limit: limit) { finding in
                    switch finding {
                    case .commit(let commit, let offset):
                        meter.advance(to: offset)
                        apply(commit, journal.name, offset)
                    case .problem(let offset, let what):
                        skip(journal.name, offset, "\(journal.name) \(what).")
                    }
                }
                meter.finishFile(of: survey.bytes)
            } catch {
                skip(journal.name, 0, "\(journal.name) cannot be read: \(error).")
            }
        }
    }

    private mutating func apply(_ commit: JournalLine, _ name: String, _ offset: Int) {
        report.revision = max(report.revision, commit.seq)
        let isKnown = commit.forEachChange { event in
            switch event {
            case .record(let bytes), .put(let bytes): apply(bytes, name, offset)
            case .delete(let text): if let id = RecordID(text) { records.remove(id) }
            case .clear: records.removeAll()
            }
        }
        if !isKnown { skip(name, offset, "\(name) holds a commit of a form that this version does not know.") }
    }
}

extension SnapshotHeader {
    /// Whether a file begins with a header.
    static func begins(_ file: borrowing File, in fileSystem: FileSystem) throws(SystemError) -> Bool {
        var lines = LineReader(file.descriptor, from: 0, in: fileSystem)
        guard let line = try lines.next(), line.isTerminated, !line.isOverlong else { return false }
        return SnapshotHeader(line: line.bytes) != nil
    }
}

extension OpenJournals {
    /// One journal by its name, which may lie in the history.
    init(_ name: String, _ generation: Int, in place: borrowing StoreDirectory) throws(SystemError) {
        try self.init([generation], in: place) { _ in name }
    }
}

/// Saving what can be saved of a damaged store, into another directory.
extension StoreFiles {
    /// Writes what is whole in the store of the settings as a new store into the directory `target`, an absolute path,
    /// which is made, or must be empty. The damaged store is only read, and no lock is taken on it.
    ///
    /// The new store has a `storeId` of its own, generation 1 and one snapshot. Killed on the way it has no snapshot, and
    /// the same call begins again; where it throws, it leaves at most an empty directory.
    ///
    /// - Throws: `refused`: `target` has something in it or lies in the store, or nothing could be saved. `storage`: the
    ///   damaged store cannot be looked into, the new one cannot be written, or the work was cancelled.
    public static func salvage(
        _ settings: StoreSettings, to target: String, _ examination: RecordExamination
    ) throws(RepairError) -> SalvageReport {
        do throws(RepairError) {
            return try salvage(settings.cancelled(when: examination.isCancelled), target, examination)
        } catch {
            throw examination.isCancelled() ? .storage(.cancelled) : error
        }
    }

    private static func salvage(
        _ settings: StoreSettings, _ target: String, _ examination: RecordExamination
    ) throws(RepairError) -> SalvageReport {
        let blocks = BadBlocks(in: settings.fileSystem)
        var source = settings
        source.isReadOnly = true
        source.fileSystem = blocks.fileSystem
        let place = try RepairError.storage { () throws(StorageError) in try StoreDirectory(source) }
        try checkTarget(target, beside: place)
        var salvage = try RepairError.storage { () throws(StorageError) in
            try Salvage(place, schemaVersion: settings.schemaVersion, examination)
        }
        // What could not be read for that was passed over, and the rest is not to be taken for all.
        if examination.isCancelled() { throw .storage(.cancelled) }
        salvage.add(blocks.found)
        var report = salvage.report
        guard report.records > 0 || report.skippedCount == 0 else {
            let first = report.skipped.first.map { " The first thing that is wrong: \($0.reason)" } ?? ""
            throw .refused(reason: "Nothing whole was found in \(place.path).\(first)", problems: [])
        }
        report.bytes = try write(salvage.records, salvage.documentMembers, report.revision, settings, target)
        return report
    }

    private static func checkTarget(
        _ target: String, beside place: borrowing StoreDirectory
    ) throws(RepairError) {
        let names: [String]
        do {
            names = try place.fileSystem.list(target)
        } catch {
            guard error.code == ENOENT else {
                throw .refused(reason: "\(target) cannot be used: \(error). Name another directory.", problems: [])
            }
            names = []
        }
        // Temporary files are what an attempt left that was killed.
        guard names.allSatisfy({ $0.utf8.starts(with: "temporary-".utf8) }) else {
            throw .refused(
                reason: "\(target) is not empty. Name a directory that is not there yet, or an empty one.", problems: []
            )
        }
        do throws(SystemError) {
            guard try !lies(target, in: place) else {
                throw SystemError(call: "mkdir", subject: target, code: EINVAL)
            }
        } catch {
            let reason = error.code == EINVAL ? "lies in the store itself" : "cannot be used: \(error)"
            throw .refused(reason: "\(target) \(reason). Name a directory beside it.", problems: [])
        }
    }

    /// Whether a path leads into the store: whether the nearest folder that exists, or one that this one lies in, is the
    /// store's directory. What a path says of the way there counts for nothing.
    private static func lies(_ path: String, in place: borrowing StoreDirectory) throws(SystemError) -> Bool {
        let store = place.opened
        var nearest = path
        var folder: FileStatus?
        while folder == nil {
            do throws(SystemError) {
                folder = try File(nearest, .directoryThroughLink, in: place.fileSystem).status()
            } catch {
                // What is still to be made must not lead back out of itself.
                let name = nearest.utf8.split(separator: UInt8(ascii: "/")).last
                guard error.code == ENOENT, let name, !name.elementsEqual("..".utf8) else { throw error }
                nearest = StoreDirectory.parent(of: nearest)
            }
        }
        while let present = folder {
            if present.isSameFile(as: store) { return true }
            nearest += "/.."
            let above = try File(nearest, .directoryThroughLink, in: place.fileSystem).status()
            folder = above.isSameFile(as: present) ? nil : above
        }
        return false
    }

    /// Makes the new store: the size of its snapshot.
    private static func write(
        _ records: borrowing GatheredRecords, _ documentMembers: [UInt8], _ revision: Int, _ settings: StoreSettings,
        _ target: String
    ) throws(RepairError) -> Int {
        var settings = settings
        settings.directory = target
        settings.isReadOnly = false
        settings.durability = .sync
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: settings.makeIdentifier(), generation: 1,
            revision: revision, count: records.count, unknownMembers: documentMembers)
        let place = try RepairError.storage { () throws(StorageError) in try StoreDirectory.make(settings) }
        do throws(SystemError) {
            for name in try place.inventory().temporaries { try place.unlink(name) }
        } catch {
            throw .storage(.writing(error, target))
        }
        do {
            let made = try Generation.make(
                header, backupOf: nil, carrying: nil, at: settings.timestamp(), in: place, settings
            ) { emit in records.forEach(emit) }
            return made.snapshotBytes
        } catch {
            throw .storage(error.error)
        }
    }
}

extension RepairError {
    /// Does what may fail as the store below fails.
    static func storage<Answer: ~Copyable>(
        _ body: () throws(StorageError) -> Answer
    ) throws(RepairError) -> Answer {
        do {
            return try body()
        } catch {
            throw .storage(error)
        }
    }
}

/// What `StoreFiles.salvage` saved.
public struct SalvageReport: Sendable, Equatable {
    /// The records of the new store.
    public var records: Int
    /// The size of its snapshot.
    public var bytes: Int
    /// The last commit of which anything was found; the new store counts on from there.
    public var revision: Int
    /// The files that were read, in the order in which they were applied, as names in the damaged directory.
    public var files: [String]
    /// Whether the checksum of the snapshot is right. Where it is not, any record from it may be another than was stored.
    public var isSnapshotSealed: Bool
    /// What was passed over, at most `VerifyReport.problemsMax`.
    public var skipped: [VerifyReport.Problem]
    /// How much was passed over in all.
    public var skippedCount: Int
}
