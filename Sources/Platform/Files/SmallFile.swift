import CPlatform

/// A file that is read and written as a whole: settings, notes of a program. Not for data that must survive a power
/// cut.
public enum SmallFile {
    /// The bytes; nil if there is no such file. A pipe without a writer is empty.
    /// - Throws: the system's error; `EFBIG` above the limit.
    public static func read(_ path: String, bytesMax: Int) throws(SystemError) -> [UInt8]? {
        let descriptor = retryingInterrupted { Int(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) }
        guard descriptor >= 0 else {
            let code = cplatform_errno()
            if code == ENOENT || code == ENOTDIR { return nil }
            throw SystemError(call: "open", subject: path, code: code)
        }
        let file = Int32(clamping: descriptor)
        defer { close(file) }
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        while true {
            let count = try StandardStream.read(from: file, into: buffer)
            if count == 0 { return bytes }
            bytes.append(contentsOf: buffer[..<count])
            guard bytes.count <= bytesMax else { throw SystemError(call: "read", subject: path, code: EFBIG) }
        }
    }

    /// Replaces a file atomically: a reader sees the old or the new one. Makes missing folders.
    public static func write(_ bytes: [UInt8], to path: String) throws(SystemError) {
        try makeFolders(above: path)
        try FileSystem.system.replaceWhole(path, by: "\(path).\(getpid())", isDurable: false) { _ in bytes }
    }

    private static func makeFolders(above path: String) throws(SystemError) {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.startIndex else { return }
        let folder = String(path[..<slash])
        if access(folder, F_OK) == 0 { return }
        try makeFolders(above: folder)
        do throws(SystemError) {
            try FileSystem.system.makeDirectory(folder)
        } catch {
            // Another process may have been first.
            if error.code != EEXIST { throw error }
        }
    }
}
