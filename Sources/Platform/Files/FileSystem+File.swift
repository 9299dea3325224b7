/// An open file or directory; its owner's end closes it once.
///
/// Errors name the path that it was opened by.
public struct File: ~Copyable, Sendable {
    public let descriptor: Int32
    /// The path in errors; set it when the file is renamed.
    public var path: String
    private let fileSystem: FileSystem

    public init(_ path: String, _ access: FileSystem.Access, in fileSystem: FileSystem) throws(SystemError) {
        descriptor = try fileSystem.open(path, access)
        self.path = path
        self.fileSystem = fileSystem
    }

    /// Takes over an open descriptor.
    public init(descriptor: Int32, path: String, in fileSystem: FileSystem) {
        self.descriptor = descriptor
        self.path = path
        self.fileSystem = fileSystem
    }

    deinit { fileSystem.close(descriptor) }

    /// Reads until `buffer` is full or the file ends; returns the number of bytes.
    public func read(_ buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int {
        try naming { () throws(SystemError) in try fileSystem.readAll(descriptor, into: buffer, at: offset) }
    }

    /// Writes all of `bytes`; short writes are continued.
    public func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
        try naming { () throws(SystemError) in try fileSystem.writeAll(descriptor, bytes, at: offset) }
    }

    /// Lets the system begin to write these bytes to the disk; `syncData` waits for them.
    public func startWriting(_ range: Range<Int>) {
        fileSystem.startWriting(descriptor, range.lowerBound, range.count)
    }

    public func syncData() throws(SystemError) {
        try naming { () throws(SystemError) in try fileSystem.syncData(descriptor) }
    }

    public func sync() throws(SystemError) {
        try naming { () throws(SystemError) in try fileSystem.sync(descriptor) }
    }

    public func truncate(to size: Int) throws(SystemError) {
        try naming { () throws(SystemError) in try fileSystem.truncate(descriptor, size) }
    }

    public func status() throws(SystemError) -> FileStatus {
        try naming { () throws(SystemError) in try fileSystem.status(descriptor) }
    }

    @inline(__always)
    private func naming<Answer>(_ call: () throws(SystemError) -> Answer) throws(SystemError) -> Answer {
        do {
            return try call()
        } catch {
            throw SystemError(call: error.call, subject: path, code: error.code)
        }
    }
}

extension FileSystem {
    /// Reads until `buffer` is full or the file ends; returns the number of bytes.
    public func readAll(
        _ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer, at offset: Int
    ) throws(SystemError) -> Int {
        var filled = 0
        while filled < buffer.count {
            let count = try read(
                descriptor, UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]), offset + filled)
            if count <= 0 { break }
            filled += count
        }
        return filled
    }

    /// Linux keeps the bytes of one call in pieces as large as it can, up to 2 MiB. A random read finds its page sooner
    /// in a larger piece; but for pieces of 2 MiB it may have to request fresh memory, which makes the write ten times
    /// slower.
    public static let pieceBytes = 1 << 20

    /// Writes all of `bytes`; if it throws, any part of them may have been written.
    public func writeAll(
        _ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, at offset: Int
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count {
            let start = offset + written
            let piece = bytes[written..<min(written + Self.pieceBytes - start % Self.pieceBytes, bytes.count)]
            written += try write(descriptor, UnsafeRawBufferPointer(rebasing: piece), start)
        }
    }
}
