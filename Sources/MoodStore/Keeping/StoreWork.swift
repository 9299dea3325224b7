import JSONCodec
import MoodCore
import Storage

/// Long work that needs only the store's files: the whole check, compaction, salvage. It can run on another thread
/// while the `MoodRecords` has the store open, as another process could.
///
///     guard let work = moods.work(isCancelled: { flag.load(ordering: .relaxed) }) else { … }   // in memory
///     try moods.flushEarly()                       // the work sees the files
///     let report = try work.verify { done, total in … }
///
/// It calls `isCancelled` before each read. If true, the work ends with `StorageError.cancelled` and has changed
/// nothing. (SQLite: `integrity_check` and `VACUUM`, each with a progress handler.)
public struct StoreWork: Sendable {
    let settings: StoreSettings
    let isCancelled: @Sendable () -> Bool
    /// The last commit of the state to work on; nil if the store cannot be read, or not all of it: then whole commits
    /// may stand after the last one that is shown.
    let revision: Int?

    /// Reads everything again from the disk and checks it.
    /// - Parameter progress: called now and then with the bytes read so far and in all.
    /// - Throws: `cancelled` only.
    public func verify(
        progress: @escaping (_ done: Int, _ total: Int) -> Void
    ) throws(StorageError) -> VerifyReport {
        var report = try StoreFiles.verify(settings, examination(progress))
        // A reset was interrupted: the remaining files are about to be moved away.
        if report.problems.contains(where: { $0.kind == .interrupted }) { return report }
        for file in Self.sideFiles + Self.pluginFiles {
            Self.check(file.rawValue, in: &report) { () throws(StorageError) in try bytes(of: file)?.count ?? 0 }
        }
        Self.check(ReplicaFile.folder + "/" + ReplicaFile.fileName, in: &report) { () throws(StorageError) in
            try ReplicaFile.read(settings.directory, in: settings.fileSystem)?.byteCount ?? 0
        }
        return report
    }

    private static func check(
        _ name: String, in report: inout VerifyReport, _ byteCount: () throws(StorageError) -> Int
    ) {
        do throws(StorageError) { report.bytes += try byteCount() } catch {
            if case .corrupt(_, let offset, let reason) = error {
                report.problems.append(.init(.unreadable, file: name, offset: offset, reason: reason))
            } else if report.isWhole {
                // A problem of the directory is in the report already.
                report.problems.append(.init(.unreadable, file: name, offset: 0, reason: error.reason))
            }
        }
    }

    /// Writes a new snapshot and begins a new journal.
    /// - Parameter progress: called now and then with the number of moods written so far and in all.
    public func compact(
        progress: @escaping (_ done: Int, _ total: Int) -> Void
    ) throws(StorageError) -> RewriteReport {
        try Compaction.run(settings, .moods, from: revision ?? 0, progress, isCancelled: isCancelled)
    }

    /// Writes every undamaged mood into a new store, and the auxiliary files.
    /// - Parameter target: an absolute path of an empty directory, or of nothing.
    public func salvage(
        to target: String, progress: @escaping (_ done: Int, _ total: Int) -> Void
    ) throws(RepairError) -> SalvageReport {
        var report = try StoreFiles.salvage(settings, to: target, examination(progress))
        for file in Self.sideFiles {
            do throws(StorageError) {
                guard let bytes = try bytes(of: file) else { continue }
                try StoreFiles.add(file, bytes, toStoreIn: target, settings)
                report.files.append(file.rawValue)
            } catch {
                // The moods are safe; a failure here must not look like theirs.
                settings.log("\(file.rawValue) was not salvaged: \(error.reason)")
            }
        }
        return report
    }

    /// The auxiliary files that are checked and salvaged too.
    private static let sideFiles: [SideFile] = [.navigation, .settings]

    /// The files of plugins, which are only checked: a salvaged store trusts no plugin.
    private static let pluginFiles: [SideFile] = [.plugins, .pluginSecrets]
    /// The largest file of plugins.
    private static let pluginBytesMax = 64 << 20

    /// The bytes of a file, if it is valid. Works even if the store cannot be opened.
    private func bytes(of file: SideFile) throws(StorageError) -> [UInt8]? {
        switch file {
        case .navigation: return try MoodRecords.savedNavigationBytes(settings)
        case .settings:
            let bytes = try StoreFiles.read(file, of: settings, bytesMax: Settings.fileBytesMax)?.bytes
            if let bytes { _ = try MoodRecords.settings(bytes) }
            return bytes
        case .plugins, .pluginSecrets:
            let bytes = try StoreFiles.read(file, of: settings, bytesMax: Self.pluginBytesMax)?.bytes
            if let bytes, (try? JSONValue.parse(bytes))?.object == nil {
                throw .corrupt(
                    file: file.rawValue, offset: 0,
                    reason: "\(file.rawValue) is no JSON object. Mend it, or move it away and trust the plugins again.")
            }
            return bytes
        }
    }

    private func examination(_ progress: @escaping (Int, Int) -> Void) -> RecordExamination {
        let inspector = MoodInspector()
        return RecordExamination(
            inspect: { inspector.finding($0) }, progress: progress, isCancelled: isCancelled,
            revisionMax: revision)
    }
}

extension MoodRecords {
    /// The work on this store; nil in memory.
    public func work(isCancelled: @escaping @Sendable () -> Bool) -> StoreWork? {
        guard let settings = settingsBeside else { return nil }
        let isWhole = isOpen && records.damage == nil
        return StoreWork(settings: settings, isCancelled: isCancelled, revision: isWhole ? records.revision : nil)
    }
}
