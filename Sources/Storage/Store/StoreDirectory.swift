import Platform

/// The directory of a store: checked, open, and the only place where names become paths.
///
/// Names and their meaning:
/// - `moods.json`: the snapshot, and the one commit point
/// - `journal-G.jsonl`: a journal; `history/journal-G.jsonl`: one that the snapshot has overtaken
/// - `history/commit-R.jsonl`: the commit of revision R, which was too long for a journal
/// - `backup-G.json`: the snapshot of generation G, before a later one
/// - `operations-G.jsonl`: the outcomes of operations that are older than the journal
/// - `index-G.v5`: the places of the records in the snapshot of generation G; rebuilt when it is missing
/// - `navigation.json`: routers that a client saved by name, a `SideFile`
/// - `settings.json`: the user's settings, a `SideFile`
/// - `moods.vN.json`: the snapshot of schema version N, from before its migration
/// - `lock`: the file that writers lock, with the published durable seq
/// - `torn-…`: bytes that were cut off after the last whole line of a journal
/// - `temporary-…`: an unfinished file, without meaning once its writer is gone
/// - `set-aside-…/`: files that a reset has put away, or that stood in the place of these; `set-aside-…-unfinished/`
///   during a reset
struct StoreDirectory: ~Copyable, Sendable {
    static let snapshotName = "moods.json"
    static let lockName = "lock"
    static let historyName = "history"

    let path: String
    let fileSystem: FileSystem
    private let handle: File
    /// The status of the directory at its opening.
    let opened: FileStatus
    /// The path for later status calls: it follows a link at its end only if that was allowed.
    private let lookedAt: String

    private init(_ path: String, _ handle: consuming File, _ opened: FileStatus, _ settings: StoreSettings) {
        self.path = path
        self.handle = handle
        self.opened = opened
        lookedAt = settings.trustsDirectory ? path + "/." : path
        fileSystem = settings.fileSystem
    }

    /// Opens the directory of the settings, which must exist.
    init(_ settings: StoreSettings) throws(StorageError) {
        guard let place = try Self.openIfThere(settings) else {
            throw .unavailable(
                reason: "There is no store at \(Self.withoutTrailingSlashes(settings.directory)).",
                advice: "Check the path; the first change makes a store.")
        }
        self = place
    }

    /// Opens the directory of the settings; nil if there is none.
    static func openIfThere(_ settings: StoreSettings) throws(StorageError) -> StoreDirectory? {
        let path = withoutTrailingSlashes(settings.directory)
        let handle: File
        do {
            handle = try File(
                path, settings.trustsDirectory ? .directoryThroughLink : .directory, in: settings.fileSystem)
        } catch {
            if error.code == ENOENT { return nil }
            throw unavailable(path, error, settings)
        }
        // The status of the open directory, not of the path, which may lead elsewhere by now.
        let status: FileStatus
        do { status = try handle.status() } catch { throw unavailable(path, error, settings) }
        if !settings.trustsDirectory { try check(status, path, settings) }
        return StoreDirectory(path, handle, status, settings)
    }

    /// Opens the directory of the settings, and first makes a missing one.
    static func make(_ settings: StoreSettings) throws(StorageError) -> StoreDirectory {
        if let place = try openIfThere(settings) { return place }
        guard !settings.isReadOnly else { return try StoreDirectory(settings) }
        let path = withoutTrailingSlashes(settings.directory)
        do {
            try make(path, in: settings.fileSystem)
        } catch {
            if error.isNoSpace { throw .full(reason: "The directory \(path) cannot be made: \(error).") }
            throw .unavailable(
                reason: "The directory \(path) cannot be made: \(error).",
                advice: "Name a directory in a place where you may write.")
        }
        return try StoreDirectory(settings)
    }

    /// Makes the directory and its missing parents, and syncs each one's entry.
    private static func make(_ path: String, in fileSystem: FileSystem) throws(SystemError) {
        let parent = parent(of: path)
        do {
            try fileSystem.makeDirectory(path)
        } catch {
            guard error.code != EEXIST else { return }
            guard error.code == ENOENT, parent != path else { throw error }
            try make(parent, in: fileSystem)
            do {
                try fileSystem.makeDirectory(path)
            } catch {
                guard error.code == EEXIST else { throw error }
            }
        }
        try syncEntries(of: parent, in: fileSystem)
    }

    /// Makes the names of this directory and of its parents durable. A new store begins with this: a killed process may
    /// have made them without syncing, and the store's own syncs would be useless if a power cut lost the whole
    /// directory.
    func syncAncestors() throws(SystemError) {
        var path = path
        while true {
            let parent = Self.parent(of: path)
            guard parent != path else { return }
            try Self.syncEntries(of: parent, in: fileSystem)
            path = parent
        }
    }

    private static func syncEntries(of path: String, in fileSystem: FileSystem) throws(SystemError) {
        let directory: File
        do {
            directory = try File(path, .directoryThroughLink, in: fileSystem)
        } catch {
            // A directory that may be passed through but not read cannot be synced; its owner wanted that.
            guard error.code == EACCES else { throw error }
            return
        }
        do {
            try directory.sync()
        } catch {
            // Some file systems have no sync of directories.
            guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
        }
    }

    private static func check(
        _ status: FileStatus, _ path: String, _ settings: StoreSettings
    ) throws(StorageError) {
        guard status.owner == settings.fileSystem.effectiveUser() else {
            throw .unavailable(
                reason: "The directory \(path) belongs to another user.",
                advice: "Open another directory, or trust this one (--trust-directory) if you know why it is so.")
        }
        guard status.permissions & 0o022 == 0 else {
            throw .unavailable(
                reason: "The directory \(path) can be written by other users.",
                advice: "Take that right away (chmod go-w), or trust the directory (--trust-directory).")
        }
    }

    private static func unavailable(
        _ path: String, _ error: SystemError, _ settings: StoreSettings
    ) -> StorageError {
        // A symbolic link that is not followed gives ELOOP or, opened as a directory, ENOTDIR. This chooses only the
        // wording: without a status the system's error is reported.
        let isLink = (try? settings.fileSystem.statusOfPath(path))?.kind == .symbolicLink
        if isLink && (error.code == ELOOP || error.code == ENOTDIR) {
            return .unavailable(
                reason: "The directory \(path) is a symbolic link.",
                advice: "Open the directory that it leads to, or trust this one (--trust-directory).")
        }
        switch error.code {
        case ENOTDIR:
            return .unavailable(reason: "\(path) is not a directory.", advice: "Give the path of a directory.")
        default:
            return .unavailable(
                reason: "The directory \(path) cannot be opened: \(error).",
                advice: "Check the path and who may use it.")
        }
    }

    func path(of name: String) -> String { path + "/" + name }

    /// Opens a regular file.
    func open(_ name: String, _ access: FileSystem.Access) throws(SystemError) -> File {
        let file = try File(path(of: name), access, in: fileSystem)
        guard try file.status().kind == .regular else {
            throw SystemError(call: "open", subject: path(of: name), code: EINVAL)
        }
        return file
    }

    /// Begins a file under a temporary name.
    func draft(_ settings: StoreSettings) throws(SystemError) -> DraftFile { try draft(settings.makeIdentifier()) }

    func draft(_ identifier: String) throws(SystemError) -> DraftFile {
        try DraftFile(path(of: "temporary-" + identifier), in: fileSystem)
    }

    /// Copies a part of a file, and syncs the copy.
    func copy(
        of source: borrowing File, _ range: Range<Int>, _ settings: StoreSettings
    ) throws(SystemError) -> DraftFile {
        let draft = try draft(settings)
        try draft.file.copyBytes(from: source, range, to: 0)
        try draft.file.sync()
        return draft
    }

    /// Gives a draft its name.
    func place(_ draft: inout DraftFile, as name: String) throws(SystemError) { try draft.place(as: path(of: name)) }

    /// Opens a regular file; the caller closes the descriptor.
    func openDescriptor(_ name: String, _ access: FileSystem.Access = .read) throws(SystemError) -> Int32 {
        let descriptor = try fileSystem.open(path(of: name), access)
        do throws(SystemError) {
            guard try fileSystem.status(descriptor).kind == .regular else {
                throw SystemError(call: "open", subject: path(of: name), code: EINVAL)
            }
        } catch {
            fileSystem.close(descriptor)
            throw error
        }
        return descriptor
    }

    /// The lock file, locked shared until it is closed: no process writes meanwhile, so a reader can judge the files as
    /// a writer does. Nil if a writer holds it.
    func lockShared() throws(SystemError) -> File? {
        let file = try open(Self.lockName, .read)
        do {
            try fileSystem.lock(file.descriptor, .sharedNow)
        } catch {
            guard error.code == EWOULDBLOCK else { throw error }
            return nil
        }
        return file
    }

    /// The status of the directory that has the path now; `changed` is the time of its last name change.
    /// - Throws: `unavailable` if there is none, or not the one that was opened.
    func status() throws(StorageError) -> FileStatus {
        let status: FileStatus
        do {
            status = try fileSystem.statusOfPath(lookedAt)
        } catch {
            guard error.code == ENOENT || error.code == ENOTDIR else { throw .reading(error, path) }
            throw StoreFiles.gone(path)
        }
        guard status.isSameFile(as: opened) else { throw StoreFiles.replaced(path) }
        return status
    }

    /// Whether both are one directory, wherever their paths lead now.
    func isSame(as other: borrowing StoreDirectory) -> Bool { opened.isSameFile(as: other.opened) }

    /// Makes the entries of the directory durable.
    func sync() throws(SystemError) { try handle.sync() }

    func rename(_ name: String, to other: String) throws(SystemError) {
        try fileSystem.rename(path(of: name), path(of: other))
    }

    /// Renames; a rename that reports a failure but took place counts as done.
    func move(_ name: String, to other: String) throws(SystemError) {
        do {
            try rename(name, to: other)
        } catch {
            guard try status(of: name) == nil, try status(of: other) != nil else { throw error }
        }
    }

    func link(_ name: String, to other: String) throws(SystemError) {
        try fileSystem.link(path(of: name), path(of: other))
    }

    func unlink(_ name: String) throws(SystemError) { try fileSystem.unlink(path(of: name)) }

    /// Nil if there is no such name.
    func status(of name: String) throws(SystemError) -> FileStatus? {
        do {
            return try fileSystem.statusOfPath(path(of: name))
        } catch {
            guard error.code == ENOENT else { throw error }
            return nil
        }
    }

    /// All names in the directory, in ascending order.
    func inventory() throws(SystemError) -> StoreInventory { StoreInventory(try fileSystem.list(path)) }

    private static func withoutTrailingSlashes(_ path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func parent(of path: String) -> String {
        let bytes = Array(path.utf8)
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == 0 ? "/" : withoutTrailingSlashes(String(decoding: bytes[..<slash], as: UTF8.self))
    }
}
