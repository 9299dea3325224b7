import Platform

/// A problem of a plugin's folder, or of a file in it.
public struct PluginFolderProblem: Error, Sendable, Equatable, CustomStringConvertible {
    /// The path inside the folder; empty for the folder itself.
    public let path: String
    /// The problem and its remedy, as a clause.
    public let reason: String

    init(_ path: [UInt8], _ reason: String) {
        self.path = String(decoding: path, as: UTF8.self)
        self.reason = reason
    }

    /// Makes system calls for a path; a failure becomes a problem of that path.
    static func at<Value: ~Copyable>(
        _ path: [UInt8], _ words: String = "cannot be used", _ calls: () throws(SystemError) -> Value
    ) throws(PluginFolderProblem) -> Value {
        do throws(SystemError) {
            return try calls()
        } catch {
            throw PluginFolderProblem(
                path, error.code == ELOOP ? "is a link; put what it leads to there" : "\(words): \(error)")
        }
    }

    /// A sentence for users.
    public var description: String { (path.isEmpty ? "The folder " : "\(path) in the folder ") + reason + "." }
}

/// The relevant files of a plugin's folder: all but those in `.git` and `__pycache__`.
///
/// 1. Folder and files belong to the user or to root, and no other user may write them.
/// 2. There are only files and folders, no links, at most `filesMax` files with `bytesMax` bytes in all.
/// 3. The walk opens folders by names inside open folders, so no process can replace them during the walk.
struct PluginFolder: ~Copyable {
    static let filesMax = 4096
    static let bytesMax = 64 << 20
    static let levelsMax = 32
    static let ignored: [[UInt8]] = [Array(".git".utf8), Array("__pycache__".utf8)]

    struct Entry: Sendable, Equatable {
        /// The path from the folder on, with slashes.
        let path: [UInt8]
        let status: FileStatus

        var isExecutable: Bool { status.permissions & 0o100 != 0 }
        var size: Int { status.size }
    }

    let file: File
    let calls: FolderCalls

    /// - Parameter path: may lead through links, but must not be one.
    init(_ path: String, _ calls: FolderCalls) throws(PluginFolderProblem) {
        // Checked before opening, because opening a link says only that it is no folder.
        try Self.check(
            PluginFolderProblem.at([]) { () throws(SystemError) in try FileSystem.system.statusOfPath(path) }, [])
        let opened = try PluginFolderProblem.at([]) { () throws(SystemError) in
            try File(path, .directory, in: .system)
        }
        try Self.check(PluginFolderProblem.at([]) { () throws(SystemError) in try opened.status() }, [])
        file = opened
        self.calls = calls
    }

    private init(descriptor: Int32, _ calls: FolderCalls) {
        file = File(descriptor: descriptor, path: "", in: .system)
        self.calls = calls
    }

    /// Checks the ownership of a folder or a file.
    static func check(_ status: FileStatus, _ path: [UInt8]) throws(PluginFolderProblem) {
        switch status.kind {
        case .regular, .directory: break
        case .symbolicLink: throw PluginFolderProblem(path, "is a link; put the file itself there")
        case .other: throw PluginFolderProblem(path, "is neither a file nor a folder; take it away")
        }
        guard status.owner == 0 || status.owner == FileSystem.system.effectiveUser() else {
            throw PluginFolderProblem(path, "belongs to another user; make it yours (chown)")
        }
        guard status.permissions & 0o022 == 0 else {
            throw PluginFolderProblem(path, "can be written by other users; take that right away (chmod go-w)")
        }
    }

    /// The files, sorted by the bytes of their paths.
    func entries() throws(PluginFolderProblem) -> [Entry] {
        var entries: [Entry] = []
        var limits = Limits()
        try walk([], &limits) { (_, path, status) throws(PluginFolderProblem) in
            entries.append(Entry(path: path, status: status))
        }
        return entries.sorted { $0.path.lexicographicallyPrecedes($1.path) }
    }

    /// The limits of a folder, counted during a walk.
    struct Limits {
        private var files = 0
        private var folders = 0
        private var bytes = 0

        mutating func countFolder(_ path: [UInt8]) throws(PluginFolderProblem) {
            folders += 1
            let level = path.count { $0 == UInt8(ascii: "/") } + 1
            guard folders <= PluginFolder.filesMax, level <= PluginFolder.levelsMax else {
                throw PluginFolderProblem(path, "is one folder too many, or one too deep; a plugin needs less")
            }
        }

        mutating func countFile(_ path: [UInt8], _ size: Int) throws(PluginFolderProblem) {
            files += 1
            bytes += max(size, 0)
            guard files <= PluginFolder.filesMax else {
                throw PluginFolderProblem(path, "is one file too many; a plugin may have \(PluginFolder.filesMax)")
            }
            guard bytes <= PluginFolder.bytesMax else {
                throw PluginFolderProblem(
                    [], "has more than \(PluginFolder.bytesMax >> 20) MiB; a plugin may not be larger")
            }
        }
    }

    /// Calls `body` with each file: the open folder that contains it, its path and its status.
    private func walk(
        _ path: [UInt8], _ limits: inout Limits,
        _ body: (borrowing PluginFolder, [UInt8], FileStatus) throws(PluginFolderProblem) -> Void
    ) throws(PluginFolderProblem) {
        try limits.countFolder(path)
        for name in try names(path) {
            let inner = path.isEmpty ? name : path + [UInt8(ascii: "/")] + name
            let status = try status(name, inner)
            try Self.check(status, inner)
            if status.kind == .directory {
                try folder(name, inner).walk(inner, &limits, body)
            } else {
                try limits.countFile(inner, status.size)
                try body(self, inner, status)
            }
        }
    }

    // MARK: Contents

    /// The relevant names, in order.
    func names(_ path: [UInt8]) throws(PluginFolderProblem) -> [[UInt8]] {
        try PluginFolderProblem.at(path) { () throws(SystemError) in
            let names = try calls.names(file.descriptor)
            return names.filter { !Self.ignored.contains($0) }.sorted { $0.lexicographicallyPrecedes($1) }
        }
    }

    func status(_ name: [UInt8], _ path: [UInt8]) throws(PluginFolderProblem) -> FileStatus {
        try PluginFolderProblem.at(path) { () throws(SystemError) in try calls.status(file.descriptor, name) }
    }

    func folder(_ name: [UInt8], _ path: [UInt8]) throws(PluginFolderProblem) -> PluginFolder {
        let opened = try PluginFolderProblem.at(path) { () throws(SystemError) in
            try calls.openFolder(file.descriptor, name)
        }
        return PluginFolder(descriptor: opened, calls)
    }

    /// Passes the bytes of a file to `body`, in pieces.
    /// - Returns: the status of the open file, checked like any other.
    @discardableResult
    func read(
        _ name: [UInt8], _ path: [UInt8], _ body: (UnsafeRawBufferPointer) throws(PluginFolderProblem) -> Void
    ) throws(PluginFolderProblem) -> FileStatus {
        let opened = try PluginFolderProblem.at(path) { () throws(SystemError) in
            File(descriptor: try calls.openFile(file.descriptor, name), path: "", in: .system)
        }
        let status = try PluginFolderProblem.at(path) { () throws(SystemError) in try opened.status() }
        try Self.check(status, path)
        guard status.kind == .regular else { throw PluginFolderProblem(path, "changed while it was read; try again") }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(max(status.size, 1), 1 << 18), alignment: 16)
        defer { buffer.deallocate() }
        var at = 0
        while at < status.size {
            let piece = UnsafeMutableRawBufferPointer(rebasing: buffer[..<min(buffer.count, status.size - at)])
            let count = try PluginFolderProblem.at(path) { () throws(SystemError) in try opened.read(piece, at: at) }
            guard count > 0 else { throw PluginFolderProblem(path, "changed while it was read; try again") }
            try body(UnsafeRawBufferPointer(rebasing: piece[..<count]))
            at += count
        }
        return status
    }

    // MARK: Digest

    /// The digest of all files, in the format of `PluginDigest`.
    func digest() throws(PluginFolderProblem) -> PluginDigest { try digest(of: entries()) }

    func digest(of entries: [Entry]) throws(PluginFolderProblem) -> PluginDigest {
        var hash = SHA256()
        hash.update("moodboard-plugin-1\n")
        for entry in entries {
            hash.update(entry.path + [0, UInt8(ascii: entry.isExecutable ? "x" : "-"), 0])
            hash.update("\(entry.size)\0")
            let status = try read(entry.path, entry.path) { hash.update($0) }
            guard status.size == entry.size, (status.permissions & 0o100 != 0) == entry.isExecutable else {
                throw PluginFolderProblem(entry.path, "changed while it was read; try again")
            }
        }
        return PluginDigest(hash)
    }
}
