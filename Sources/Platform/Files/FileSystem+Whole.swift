import CPlatform

/// Small files that are read and replaced as a whole.
extension FileSystem {
    /// Longest file to read as a whole, in bytes: a hole of a terabyte would take all memory.
    public static let wholeMax = 1 << 32

    /// The content of a file; nil if there is none.
    /// - Parameter bytesMax: of a longer file, this many bytes and one more are read, so that the caller notices.
    /// - Throws: EFBIG if the whole file is requested and longer than `wholeMax`.
    public func readWhole(_ path: String, bytesMax: Int = .max - 1) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let file = try File(path, .read, in: self)
            let size = min(try file.status().size, bytesMax) + 1
            guard size <= Self.wholeMax + 1 else { throw SystemError(call: "read", subject: path, code: EFBIG) }
            var bytes = [UInt8](repeating: 0, count: size)
            let count = try bytes.withMutableBytes { (room) throws(SystemError) in try file.read(room, at: 0) }
            bytes.removeLast(size - count)
            return bytes
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Replaces or makes a file: a reader sees the old or the new one.
    /// - Parameters:
    ///   - temporary: an unused path on the same file system.
    ///   - isDurable: whether that holds after a power cut too.
    ///   - contents: makes the bytes, given the status of their file.
    public func replaceWhole(
        _ path: String, by temporary: String, isDurable: Bool = true, _ contents: (FileStatus) -> [UInt8]
    ) throws(SystemError) {
        // A killed process may have left the file.
        try? unlink(temporary)
        var draft = try DraftFile(temporary, in: self)
        try draft.file.write(contents(try draft.file.status()), at: 0)
        if isDurable { try draft.file.sync() }
        try draft.place(as: path)
        guard isDurable, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        try File(String(path[..<slash]), .directoryThroughLink, in: self).sync()
    }

    /// Makes a directory, unless there is one.
    public func makeDirectoryIfMissing(_ path: String) throws(SystemError) {
        do throws(SystemError) { try makeDirectory(path) } catch {
            if error.code != EEXIST { throw error }
        }
    }
}

extension File {
    public func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
        try bytes.withBytes { (bytes) throws(SystemError) in try write(bytes, at: offset) }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes; `withUnsafeBytes` has no typed errors.
    public func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (bytes) throws(Failure) in try body(UnsafeRawBufferPointer(bytes)) }
    }

    /// Calls `body` with the bytes, which it may change.
    public mutating func withMutableBytes<Result, Failure: Error>(
        _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeMutableBufferPointer { (bytes) throws(Failure) in try body(UnsafeMutableRawBufferPointer(bytes)) }
    }
}
