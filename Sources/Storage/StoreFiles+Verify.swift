import Platform

/// The whole check: everything is read from the disk again, nothing is changed.
extension StoreFiles {
    /// Reads snapshot and journals again; `check` answers nil, or what is wrong with a record.
    ///
    /// Complexity: linear in the size of the store, in bounded memory.
    public func verify(check: (UnsafeRawBufferPointer) -> String?) -> VerifyReport {
        Self.verify(place, settings, isLocked: isLocked, check)
    }

    /// The same for a store that is not open, perhaps because it cannot be opened. Takes no lock.
    public static func verify(
        _ settings: StoreSettings, check: (UnsafeRawBufferPointer) -> String?
    ) -> VerifyReport {
        var settings = settings
        settings.isReadOnly = true
        do {
            return verify(try StoreDirectory(settings), settings, isLocked: false, check)
        } catch {
            var report = VerifyReport(records: 0, bytes: 0, problems: [])
            report.add(error)
            return report
        }
    }

    private static func verify(
        _ place: borrowing StoreDirectory, _ settings: StoreSettings, isLocked: Bool,
        _ check: (UnsafeRawBufferPointer) -> String?
    ) -> VerifyReport {
        var report = VerifyReport(records: 0, bytes: 0, problems: [])
        let reader = SnapshotReader(name: StoreDirectory.snapshotName, schemaVersion: settings.schemaVersion)
        do {
            let files = try GenerationFiles(in: place, reader)
            report.verifySnapshot(files, reader, place.fileSystem, check)
            try report.verifyJournals(
                files, Recovery(files.header, published: files.published, isLocked: isLocked), check)
        } catch .olderSchema(let version, let reason) {
            return OlderDocument.report(on: .olderSchema(version: version, reason: reason), in: place, settings)
        } catch {
            report.add(error)
        }
        return report
    }
}

extension VerifyReport {
    fileprivate mutating func add(file: String, offset: Int, reason: String) {
        guard problems.count < Self.problemsMax else { return }
        problems.append(Problem(file: file, offset: offset, reason: reason))
    }

    mutating func add(_ error: StorageError) {
        if case .corrupt(let file, let offset, let reason) = error {
            add(file: file, offset: offset, reason: reason)
        } else {
            add(file: StoreDirectory.snapshotName, offset: 0, reason: error.reason)
        }
    }

    fileprivate mutating func check(
        _ record: UnsafeRawBufferPointer, _ file: String, _ offset: Int, _ check: (UnsafeRawBufferPointer) -> String?
    ) {
        records += 1
        if let reason = check(record) { add(file: file, offset: offset, reason: reason) }
    }

    fileprivate mutating func verifySnapshot(
        _ files: borrowing GenerationFiles, _ reader: SnapshotReader, _ fileSystem: FileSystem,
        _ isValid: (UnsafeRawBufferPointer) -> String?
    ) {
        do {
            let content = try reader.read(files.snapshot, in: fileSystem) { record, offset in
                check(record, reader.name, offset, isValid)
                return nil
            }
            bytes += content.bytes
            if let edit = content.edit { add(file: reader.name, offset: content.bytes, reason: edit) }
        } catch {
            add(error)
        }
    }

    fileprivate mutating func verifyJournals(
        _ files: borrowing GenerationFiles, _ recovery: Recovery, _ isValid: (UnsafeRawBufferPointer) -> String?
    ) throws(StorageError) {
        let outcome = try recovery.replay(files.journals) { (event, file, offset) in
            if case .put(let record) = event { check(record, file, offset, isValid) }
        }
        let entries = files.journals.entries
        bytes += outcome.changeBytes + entries.reduce(0) { $0 + $1.headerEnd }
        if let damage = outcome.damage { add(damage) }
        if let held = outcome.held {
            try JournalScan.handOver(
                entries[held.index], in: files.journals.fileSystem, from: held.offset, upTo: outcome.last
            ) { (event, file, offset) in
                if case .put(let record) = event { check(record, file, offset, isValid) }
            }
        }
        if outcome.hasTornTail, outcome.damage == nil {
            add(
                file: entries[outcome.current].name, offset: outcome.end,
                reason:
                    "There are bytes behind commit \(outcome.last), the last whole one; they were never acknowledged.")
        }
    }
}
