import JSONCodec
import Platform

/// Collects the readable records of a damaged store. It only reads.
///
/// It applies its sources in this order; the last version of a record wins, and deletions count:
/// 1. If the snapshot is damaged or missing: the newest whole backup, or nothing, and the journals from there up to the
///    snapshot, but only if they lead without a gap to the snapshot's commit. So a record lost from the snapshot may
///    come back, and a record that a later snapshot left out does not.
/// 2. Every whole record of the snapshot, whatever its checksum.
/// 3. Every line with a right checksum of the later journals, in order, also after lost lines. Lines of a journal above
///    the next one's base count for nothing, as in `Recovery`.
struct Salvage: ~Copyable {
    private static let revisionMax = 1_000_000_000_000_000

    private let examination: RecordExamination
    private let schemaVersion: Int
    private var meter: ProgressMeter
    private(set) var records = GatheredRecords()
    /// Members of the snapshot's header that this version does not know.
    private(set) var documentMembers: [UInt8] = []
    private(set) var report = SalvageReport(
        records: 0, bytes: 0, revision: 0, files: [], isSnapshotSealed: false, skipped: [], skippedCount: 0)

    /// Collects from an open directory.
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

    /// Reports blocks that the disk did not return, in place of other problems there.
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

    /// Applies a record, or reports why not.
    private mutating func apply(_ bytes: UnsafeRawBufferPointer, _ name: String, _ offset: Int) {
        switch examination.inspect(bytes) {
        case .record(let id, let time, let revision):
            records.put(bytes, id: id, time: time)
            // No store has made so many commits: a number that a person wrote must not use up later revisions.
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

    /// Reads a whole store in another layout and applies its records; false if the file is none.
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
    /// Opens one journal by its name, which may lie in the history.
    init(_ name: String, _ generation: Int, in place: borrowing StoreDirectory) throws(SystemError) {
        try self.init([generation], in: place) { _ in name }
    }
}

/// Saving the readable records of a damaged store, into another directory.
extension StoreFiles {
    /// Writes the readable records of the settings' store as a new store into the directory `target`, an absolute path
    /// that is made, or must be empty. The damaged store is only read, without a lock.
    ///
    /// The new store has a `storeId` of its own, generation 1 and one snapshot. A killed call leaves no snapshot, and
    /// the next call begins again; a call that throws leaves at most an empty directory.
    ///
    /// - Throws: `refused`: `target` is not empty or lies in the store, or nothing could be saved. `storage`: the
    ///   damaged store cannot be opened, the new one cannot be written, or the work was cancelled.
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
        // A cancelled read skips records, so the result is incomplete.
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
        // Temporary files are left by a killed attempt.
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

    /// Whether a path leads into the store: whether the nearest existing folder, or one above it, is the store's
    /// directory. Only the folders count, not the path's text.
    private static func lies(_ path: String, in place: borrowing StoreDirectory) throws(SystemError) -> Bool {
        let store = place.opened
        var nearest = path
        var folder: FileStatus?
        while folder == nil {
            do throws(SystemError) {
                folder = try File(nearest, .directoryThroughLink, in: place.fileSystem).status()
            } catch {
                // A folder that does not exist yet must not lead out of itself.
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

    /// Makes the new store; returns the size of its snapshot.
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
    /// Calls `body`, and wraps its error in `storage`.
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

/// The result of `StoreFiles.salvage`.
public struct SalvageReport: Sendable, Equatable {
    /// The records of the new store.
    public var records: Int
    /// The size of its snapshot.
    public var bytes: Int
    /// The last commit found; the new store counts on from there.
    public var revision: Int
    /// The files that were read, in the order of their application, as names in the damaged directory.
    public var files: [String]
    /// Whether the checksum of the snapshot is right. If not, any record from it may differ from the stored one.
    public var isSnapshotSealed: Bool
    /// The skipped parts, at most `VerifyReport.problemsMax`.
    public var skipped: [VerifyReport.Problem]
    /// Number of all skipped parts.
    public var skippedCount: Int
}
