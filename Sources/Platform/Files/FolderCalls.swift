import CPlatform

/// System calls on the content of a folder, one closure for each, so that a test can make any of them fail. Names are
/// bytes, as in the system, and are resolved in an open folder, which no other process can replace meanwhile.
public struct FolderCalls: Sendable {
    /// fstatat(2) without following a link.
    public var status: @Sendable (_ folder: Int32, _ name: [UInt8]) throws(SystemError) -> FileStatus
    /// openat(2) of a file to read, which is no link.
    public var openFile: @Sendable (_ folder: Int32, _ name: [UInt8]) throws(SystemError) -> Int32
    /// openat(2) of a folder, which is no link.
    public var openFolder: @Sendable (_ folder: Int32, _ name: [UInt8]) throws(SystemError) -> Int32
    /// openat(2) of a file to write that must not be there yet, with mode 0600.
    public var makeFile: @Sendable (_ folder: Int32, _ name: [UInt8]) throws(SystemError) -> Int32
    /// mkdirat(2) with mode 0700.
    public var makeFolder: @Sendable (_ folder: Int32, _ name: [UInt8]) throws(SystemError) -> Void
    /// The names in a folder, in no order, without `.` and `..`.
    public var names: @Sendable (_ folder: Int32) throws(SystemError) -> [[UInt8]]
    /// fchmod(2).
    public var setPermissions: @Sendable (_ descriptor: Int32, _ permissions: UInt16) throws(SystemError) -> Void
    /// renameat(2) inside one folder.
    public var rename: @Sendable (_ folder: Int32, _ from: [UInt8], _ to: [UInt8]) throws(SystemError) -> Void
    /// unlinkat(2) of a file, or of an empty folder.
    public var remove: @Sendable (_ folder: Int32, _ name: [UInt8], _ isFolder: Bool) throws(SystemError) -> Void

    /// syncfs(2): the whole file system of an open folder. Elsewhere fsync(2) of the folder, which promises less.
    public var syncAll: @Sendable (_ descriptor: Int32) throws(SystemError) -> Void

    /// The operating system's calls.
    public static let system = FolderCalls(
        status: { folder, name throws(SystemError) in
            var status = stat()
            try check("fstatat", name, withName(name) { Int(fstatat(folder, $0, &status, AT_SYMLINK_NOFOLLOW)) })
            return FileStatus(status)
        },
        openFile: { folder, name throws(SystemError) in try open(folder, name, O_RDONLY) },
        openFolder: { folder, name throws(SystemError) in try open(folder, name, O_RDONLY | O_DIRECTORY) },
        makeFile: { folder, name throws(SystemError) in try open(folder, name, O_RDWR | O_CREAT | O_EXCL) },
        makeFolder: { folder, name throws(SystemError) in
            try check("mkdirat", name, withName(name) { Int(mkdirat(folder, $0, 0o700)) })
        },
        names: { folder throws(SystemError) in try names(folder) },
        setPermissions: { descriptor, permissions throws(SystemError) in
            try check("fchmod", [], Int(fchmod(descriptor, mode_t(permissions))))
        },
        rename: { folder, from, to throws(SystemError) in
            try check(
                "renameat", to, withName(from) { from in withName(to) { Int(renameat(folder, from, folder, $0)) } })
        },
        remove: { folder, name, isFolder throws(SystemError) in
            try check("unlinkat", name, withName(name) { Int(unlinkat(folder, $0, isFolder ? AT_REMOVEDIR : 0)) })
        },
        syncAll: { descriptor throws(SystemError) in
            try check("syncfs", [], Int(cplatform_sync_file_system(descriptor)))
        })

    /// Whether a path leads, also through links, to a file that this process may execute.
    public static func isExecutableFile(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }

    /// The path without any link, realpath(3); nil if there is no such file.
    public static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    @discardableResult
    private static func check(_ call: String, _ name: [UInt8], _ result: Int) throws(SystemError) -> Int {
        guard result < 0 else { return result }
        let code = cplatform_errno()
        throw SystemError(call: call, subject: String(decoding: name, as: UTF8.self), code: code)
    }

    private static func withName(_ name: [UInt8], _ call: (UnsafePointer<CChar>) -> Int) -> Int {
        let terminated = name + [0]
        return terminated.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return -1 }
            return retryingInterrupted { call(start.assumingMemoryBound(to: CChar.self)) }
        }
    }

    private static func open(_ folder: Int32, _ name: [UInt8], _ flags: Int32) throws(SystemError) -> Int32 {
        let flags = flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY
        let opened = try check("openat", name, withName(name) { Int(openat(folder, $0, flags, 0o600)) })
        return Int32(truncatingIfNeeded: opened)
    }

    private static func names(_ folder: Int32) throws(SystemError) -> [[UInt8]] {
        // A descriptor of its own, because reading moves its position and closing closes it.
        let own = try open(folder, [UInt8(ascii: ".")], O_RDONLY | O_DIRECTORY)
        guard let stream = fdopendir(own) else {
            let code = cplatform_errno()
            close(own)
            throw SystemError(call: "fdopendir", code: code)
        }
        defer { _ = closedir(stream) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = cplatform_errno()
                guard code == 0 else { throw SystemError(call: "readdir", code: code) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in Array(bytes.prefix { $0 != 0 }) }
            if name != [UInt8(ascii: ".")], name != Array("..".utf8) { names.append(name) }
        }
    }
}
