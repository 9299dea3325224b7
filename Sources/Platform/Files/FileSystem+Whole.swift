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
            let result: Result<Int, SystemError> = bytes.withUnsafeMutableBytes { room in
                do throws(SystemError) { return .success(try file.read(room, at: 0)) } catch { return .failure(error) }
            }
            bytes.removeLast(size - (try result.get()))
            return bytes
        } catch {
            if error.code == ENOENT { return nil }
            throw error
        }
    }

    /// Replaces or makes a file: a reader sees the old or the new one, also after a power cut.
    /// - Parameters:
    ///   - temporary: an unused path on the same file system.
    ///   - contents: makes the bytes, given the status of their file.
    public func replaceWhole(
        _ path: String, by temporary: String, _ contents: (FileStatus) -> [UInt8]
    ) throws(SystemError) {
        // A killed process may have left the file.
        try? unlink(temporary)
        do throws(SystemError) {
            let file = try File(temporary, .create, in: self)
            try file.write(contents(try file.status()), at: 0)
            try file.sync()
            try rename(temporary, path)
        } catch {
            try? unlink(temporary)
            throw error
        }
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
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
        let result: Result<Void, SystemError> = bytes.withUnsafeBytes { bytes in
            do throws(SystemError) { return .success(try write(bytes, at: offset)) } catch { return .failure(error) }
        }
        try result.get()
    }
}
