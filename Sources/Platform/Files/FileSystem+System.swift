import CPlatform

extension FileSystem {
    /// The operating system's calls.
    public static let system = FileSystem(
        open: { path, access throws(SystemError) in try SystemFiles.open(path, access) },
        close: { descriptor in SystemFiles.close(descriptor) },
        read: { descriptor, into, offset throws(SystemError) in try SystemFiles.read(descriptor, into, offset) },
        write: { descriptor, bytes, offset throws(SystemError) in try SystemFiles.write(descriptor, bytes, offset) },
        startWriting: { descriptor, offset, count in SystemFiles.startWriting(descriptor, offset, count) },
        syncData: { descriptor throws(SystemError) in try SystemFiles.syncData(descriptor) },
        sync: { descriptor throws(SystemError) in try SystemFiles.syncAll(descriptor) },
        truncate: { descriptor, size throws(SystemError) in try SystemFiles.truncate(descriptor, size) },
        status: { descriptor throws(SystemError) in try SystemFiles.status(descriptor) },
        statusOfPath: { path throws(SystemError) in try SystemFiles.status(of: path) },
        rename: { from, to throws(SystemError) in try SystemFiles.move(from, to) },
        link: { from, to throws(SystemError) in try SystemFiles.addName(from, to) },
        unlink: { path throws(SystemError) in try SystemFiles.removeName(path) },
        makeDirectory: { path throws(SystemError) in try SystemFiles.makeDirectory(path) },
        list: { path throws(SystemError) in try SystemFiles.list(path) },
        lock: { descriptor, lock throws(SystemError) in try SystemFiles.lock(descriptor, lock) },
        effectiveUser: { geteuid() })
}

/// One function per call, so that each closure above stays one line.
private enum SystemFiles {
    /// Limit of one read: a process can end only between two calls.
    private static let readBytesMax = 1 << 20

    @discardableResult @inline(__always)
    static func check(_ call: String, on subject: String = "", _ result: Int) throws(SystemError) -> Int {
        guard result < 0 else { return result }
        throw SystemError(call: call, subject: subject, code: cplatform_errno())
    }

    static func open(_ path: String, _ access: FileSystem.Access) throws(SystemError) -> Int32 {
        // Non-blocking, because opening a FIFO in the file's place would block forever.
        var flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY
        switch access {
        case .read: flags |= O_RDONLY | O_NOFOLLOW
        case .readThroughLink: flags |= O_RDONLY
        case .readWrite: flags |= O_RDWR | O_NOFOLLOW
        case .readWriteOrCreate: flags |= O_RDWR | O_NOFOLLOW | O_CREAT
        case .create: flags |= O_RDWR | O_NOFOLLOW | O_CREAT | O_EXCL
        case .directory: flags |= O_RDONLY | O_DIRECTORY | O_NOFOLLOW
        case .directoryThroughLink: flags |= O_RDONLY | O_DIRECTORY
        }
        let result = retryingInterrupted { Int(systemOpen(path, flags, 0o600)) }
        let opened = Int32(truncatingIfNeeded: try check("open", on: path, result))
        guard opened < 3 else { return opened }
        // If the process was started without standard descriptors, its output would go into the store.
        let raised = fcntl(opened, F_DUPFD_CLOEXEC, 3)
        let code = cplatform_errno()
        close(opened)
        guard raised >= 3 else { throw SystemError(call: "fcntl", subject: path, code: code) }
        return raised
    }

    static func close(_ descriptor: Int32) { _ = systemClose(descriptor) }

    static func read(
        _ descriptor: Int32, _ into: UnsafeMutableRawBufferPointer, _ offset: Int
    ) throws(SystemError) -> Int {
        if Interruption.isOverdue { throw SystemError(call: "pread", code: ECANCELED) }
        let count = min(into.count, readBytesMax)
        return try check("pread", retryingInterrupted { pread(descriptor, into.baseAddress, count, off_t(offset)) })
    }

    static func write(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int
    ) throws(SystemError) -> Int {
        let result = retryingInterrupted { pwrite(descriptor, bytes.baseAddress, bytes.count, off_t(offset)) }
        let written = try check("pwrite", result)
        // A write may return 0; repeating it would be an endless loop.
        guard written > 0 || bytes.isEmpty else { throw SystemError(call: "pwrite", code: EIO) }
        return written
    }

    static func startWriting(_ descriptor: Int32, _ offset: Int, _ count: Int) {
        cplatform_start_writing(descriptor, Int64(offset), Int64(count))
    }

    #if os(Linux)
        static func syncData(_ descriptor: Int32) throws(SystemError) {
            try check("fdatasync", retryingInterrupted { Int(fdatasync(descriptor)) })
        }

        static func syncAll(_ descriptor: Int32) throws(SystemError) {
            try check("fsync", retryingInterrupted { Int(fsync(descriptor)) })
        }
    #else
        static func syncData(_ descriptor: Int32) throws(SystemError) { try syncAll(descriptor) }

        /// fsync(2) on Apple's systems stops at the disk's own cache; F_FULLFSYNC does not, where it is supported.
        static func syncAll(_ descriptor: Int32) throws(SystemError) {
            if retryingInterrupted({ Int(fcntl(descriptor, F_FULLFSYNC)) }) >= 0 { return }
            let code = cplatform_errno()
            guard code == ENOTSUP || code == EINVAL || code == ENOTTY else {
                throw SystemError(call: "fcntl", code: code)
            }
            try check("fsync", retryingInterrupted { Int(fsync(descriptor)) })
        }
    #endif

    static func truncate(_ descriptor: Int32, _ size: Int) throws(SystemError) {
        try check("ftruncate", retryingInterrupted { Int(ftruncate(descriptor, off_t(size))) })
    }

    static func status(_ descriptor: Int32) throws(SystemError) -> FileStatus {
        var status = stat()
        try check("fstat", Int(fstat(descriptor, &status)))
        return FileStatus(status)
    }

    static func status(of path: String) throws(SystemError) -> FileStatus {
        var status = stat()
        try check("lstat", on: path, Int(lstat(path, &status)))
        return FileStatus(status)
    }

    static func move(_ from: String, _ to: String) throws(SystemError) {
        try check("rename", on: from, retryingInterrupted { Int(rename(from, to)) })
    }

    static func addName(_ from: String, _ to: String) throws(SystemError) {
        try check("link", on: to, retryingInterrupted { Int(link(from, to)) })
    }

    static func removeName(_ path: String) throws(SystemError) {
        try check("unlink", on: path, retryingInterrupted { Int(unlink(path)) })
    }

    static func makeDirectory(_ path: String) throws(SystemError) {
        try check("mkdir", on: path, retryingInterrupted { Int(mkdir(path, 0o700)) })
    }

    static func list(_ path: String) throws(SystemError) -> [String] {
        guard let stream = opendir(path) else {
            throw SystemError(call: "opendir", subject: path, code: cplatform_errno())
        }
        defer { _ = closedir(stream) }
        var names: [String] = []
        while true {
            errno = 0
            guard let entry = readdir(stream) else {
                let code = cplatform_errno()
                guard code == 0 else { throw SystemError(call: "readdir", subject: path, code: code) }
                return names
            }
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
    }

    static func lock(_ descriptor: Int32, _ lock: FileSystem.Lock) throws(SystemError) {
        let operation =
            switch lock {
            case .exclusive: LOCK_EX
            case .exclusiveNow: LOCK_EX | LOCK_NB
            case .sharedNow: LOCK_SH | LOCK_NB
            case .none: LOCK_UN
            }
        try check("flock", retryingInterrupted { Int(flock(descriptor, operation)) })
    }
}

// The two calls whose names the functions above share.
private func systemOpen(_ path: String, _ flags: Int32, _ mode: mode_t) -> Int32 { open(path, flags, mode) }
private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

extension FileStatus {
    init(_ status: stat) {
        kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .regular
            case S_IFDIR: .directory
            case S_IFLNK: .symbolicLink
            default: .other
            }
        size = Int(status.st_size)
        device = UInt64(truncatingIfNeeded: status.st_dev)
        inode = UInt64(status.st_ino)
        owner = status.st_uid
        permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
        links = Int(truncatingIfNeeded: status.st_nlink)
        #if os(Linux)
            (modified, changed) = (Self.nanoseconds(status.st_mtim), Self.nanoseconds(status.st_ctim))
        #else
            (modified, changed) = (Self.nanoseconds(status.st_mtimespec), Self.nanoseconds(status.st_ctimespec))
        #endif
    }

    /// A time beyond the year 2262 wraps around; it is only compared.
    private static func nanoseconds(_ time: timespec) -> Int64 {
        Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
