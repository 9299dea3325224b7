import JSONCodec
import JSONRPC
import MoodFormats
import MoodProtocol
import Platform
import Synchronization

/// The text to import.
struct FileToImport: Sendable {
    /// Nil if the text came in the params.
    private let path: String?
    private let text: [UInt8]
    let byteCount: Int
    /// Whether reading takes so long that the helper thread does it.
    var isLarge: Bool { byteCount > Self.bytesAtOnceMax }
    private static let bytesAtOnceMax = 128 << 10

    init(text: [UInt8]) {
        path = nil
        self.text = text
        byteCount = text.count
    }

    /// - Throws: an error if the path names no readable file.
    init(_ path: String) throws(RPCError) {
        self.path = path
        text = []
        do throws(SystemError) {
            byteCount = try Self.size(File(path, .readThroughLink, in: .system), path)
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// The name of its param.
    var param: String { path == nil ? "text" : "path" }

    /// Reads all of it.
    func bytes() throws(RPCError) -> [UInt8] {
        guard let path else { return text }
        do throws(SystemError) {
            let file = try File(path, .readThroughLink, in: .system)
            let size = try Self.size(file, path)
            var bytes = ByteBuffer(capacity: size + 1)
            try bytes.append(upTo: size) { (room) throws(SystemError) in try file.read(room, at: 0) }
            return Array(bytes.bytes)
        } catch {
            throw Self.unreadable(error)
        }
    }

    /// Opens it for reading piece by piece.
    func contents() throws(RPCError) -> ImportedContents {
        guard let path else { return ImportedContents(text) }
        do throws(SystemError) { return try ImportedContents(path, count: byteCount) } catch {
            throw Self.unreadable(error)
        }
    }

    fileprivate static func unreadable(_ error: SystemError) -> RPCError {
        if error.code == EINVAL { return Arguments.error("is no file: it is a folder, or a device", at: "/path") }
        return Arguments.error("cannot be read: \(error)", at: "/path")
    }

    private static func size(_ file: borrowing File, _ path: String) throws(SystemError) -> Int {
        let status = try file.status()
        guard status.kind == .regular else { throw SystemError(call: "open", subject: path, code: EINVAL) }
        guard status.size <= MoodImport.bytesMax else { throw SystemError(call: "read", subject: path, code: EFBIG) }
        return status.size
    }
}

/// The bytes of an import, and whether they could be read.
struct ImportedContents {
    let bytes: ImportBytes
    private let file: OpenFile?

    init(_ text: [UInt8]) { (bytes, file) = (ImportBytes(text), nil) }

    init(_ path: String, count: Int) throws(SystemError) {
        let file = OpenFile(try File(path, .readThroughLink, in: .system))
        self.file = file
        bytes = ImportBytes(count: count) { file.bytes($0) }
    }

    /// - Throws: an error if a part of the file could not be read, so that the import has not seen the file.
    func check() throws(RPCError) {
        if let failure = file?.failure.withLock({ $0 }) { throw FileToImport.unreadable(failure) }
    }

    private final class OpenFile: Sendable {
        private let file: File
        let failure = Mutex<SystemError?>(nil)

        init(_ file: consuming File) { self.file = file }

        func bytes(_ range: Range<Int>) -> [UInt8] {
            do throws(SystemError) {
                var bytes = ByteBuffer(capacity: range.count + 1)
                try bytes.append(upTo: range.count) { (room) throws(SystemError) in
                    try file.read(room, at: range.lowerBound)
                }
                guard bytes.count == range.count else {
                    throw SystemError(call: "read", subject: file.path, code: EIO)
                }
                return Array(bytes.bytes)
            } catch {
                failure.withLock { $0 = error }
                return []
            }
        }
    }
}
