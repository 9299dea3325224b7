import CPlatform

/// Small files that are read whole and replaced whole.
extension FileSystem {
    /// No file that is read whole is longer, in bytes: a hole of a terabyte would take all memory.
    public static let wholeMax = 1 << 32

    /// What a file holds; nil where there is none.
    /// - Parameter bytesMax: of more, only so many and one more are read, so that the caller can tell.
    /// - Throws: EFBIG where the file is longer than `wholeMax`, and all of it was asked for.
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

    /// Replaces a file, or makes it: whoever reads sees the old one or the new one, also after a power cut.
    /// - Parameters:
    ///   - temporary: a path on the same file system that nobody else uses.
    ///   - contents: made when it is known which file they will be in.
    public func replaceWhole(
        _ path: String, by temporary: String, _ contents: (FileStatus) -> [UInt8]
    ) throws(SystemError) {
        // Left by somebody who was killed.
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
