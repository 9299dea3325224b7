import JSONCodec
import MoodCore
import Storage

/// What takes long on a store and needs nothing but its files: the whole check, compaction, salvage. Each can be done on a
/// thread of its own beside the `MoodRecords` that has the store open, as another process could.
///
///     guard let work = moods.work(isCancelled: { flag.load(ordering: .relaxed) }) else { … }   // in memory
///     try moods.flushEarly()                       // the work sees what is in the files
///     let report = try work.verify { done, total in … }
///
/// `isCancelled` is asked before each read; the work then ends with `StorageError.cancelled` and has changed nothing.
/// (SQLite: `integrity_check` and `VACUUM`, each with a progress handler.)
public struct StoreWork: Sendable {
    let settings: StoreSettings
    let isCancelled: @Sendable () -> Bool
    /// The last commit of the state that it works on; nil where the store cannot be read.
    let revision: Int?

    /// Reads everything again from the disk and checks it.
    /// - Parameter progress: called now and then with the bytes read so far and in all.
    /// - Throws: `cancelled` only.
    public func verify(
        progress: @escaping (_ done: Int, _ total: Int) -> Void
    ) throws(StorageError) -> VerifyReport {
        var report = try StoreFiles.verify(settings, examination(progress))
        // Half of a reset: whatever is left is about to be set aside.
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
                // Where the directory cannot be looked into, that has been said already.
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

    /// Writes every mood that is whole into a new store, and the files beside them.
    /// - Parameter target: an absolute path, of nothing or of an empty directory.
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
                // The moods are safe; that this is not must not make it look as if they were not either.
                settings.log("\(file.rawValue) was not salvaged: \(error.reason)")
            }
        }
        return report
    }

    /// The files beside the moods that are checked and salvaged too.
    private static let sideFiles: [SideFile] = [.navigation, .settings]

    /// Those of plugins are checked only: a salvaged store trusts none.
    private static let pluginFiles: [SideFile] = [.plugins, .pluginSecrets]
    /// More bytes no such file has.
    private static let pluginBytesMax = 64 << 20

    /// A file as it is, if it can be used. The store need not be one that can be opened.
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
    /// Nil in memory.
    public func work(isCancelled: @escaping @Sendable () -> Bool) -> StoreWork? {
        guard let settings = settingsBeside else { return nil }
        return StoreWork(settings: settings, isCancelled: isCancelled, revision: isOpen ? records.revision : nil)
    }
}
