import JSONCodec
import Platform

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
        report.bytes = try write(salvage.records, report.revision, settings, target)
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
        guard !lies(target, in: place) else {
            throw .refused(
                reason: "\(target) lies in the store itself. Name a directory beside it.", problems: [])
        }
    }

    /// Whether a path, as far as it exists, leads into the directory.
    private static func lies(_ path: String, in place: borrowing StoreDirectory) -> Bool {
        // What is not there yet, or may not be opened, is no directory of the store's.
        func status(_ path: String) -> FileStatus? {
            guard let directory = try? File(path, .directoryThroughLink, in: place.fileSystem) else { return nil }
            return try? directory.status()
        }
        guard let store = status(place.path) else { return false }
        var rest = path[...]
        while !rest.isEmpty {
            if let ancestor = status(String(rest)), ancestor.isSameFile(as: store) { return true }
            guard let slash = rest.lastIndex(of: "/") else { return false }
            rest = rest[..<slash]
        }
        return false
    }

    /// Makes the new store: the size of its snapshot.
    private static func write(
        _ records: borrowing GatheredRecords, _ revision: Int, _ settings: StoreSettings, _ target: String
    ) throws(RepairError) -> Int {
        var settings = settings
        settings.directory = target
        settings.isReadOnly = false
        settings.durability = .sync
        let header = SnapshotHeader(
            schemaVersion: settings.schemaVersion, storeId: settings.makeIdentifier(), generation: 1,
            revision: revision, count: records.count)
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
