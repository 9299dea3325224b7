import CPlatform

/// The content of a pipe, copied into a file that another process can read.
///
/// The file has mode 0600. It loses its name at once if the system shows the files of a process in `/proc`, so that
/// nothing remains of it in any case; else `remove` removes it.
public struct SpooledInput {
    /// The path for other processes of this user, valid as long as this one lives.
    public let path: String
    private let name: String?

    /// The most bytes of input; longer input fails.
    public static let bytesMax = 1 << 30
    private static let standardInput = ["/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"]

    /// - Parameter source: nil for stdin.
    /// - Returns: nil if the source is a file that every process can open by its path, or cannot be opened.
    public static func copy(of source: String?) throws(SystemError) -> SpooledInput? {
        guard let source, !standardInput.contains(source) else { return try SpooledInput(copying: 0, "stdin") }
        let descriptor = open(source, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let isOwn = source.hasPrefix("/dev/") || source.hasPrefix("/proc/")
        let kind = try FileSystem.system.status(descriptor).kind
        guard kind == .other || kind == .regular && isOwn else { return nil }
        return try SpooledInput(copying: descriptor, source)
    }

    private init(copying source: Int32, _ subject: String) throws(SystemError) {
        let root = ProcessFacts.environment("TMPDIR").flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(root)/mood-import-XXXXXX".utf8CString)
        let copy = mkstemp(&template)
        guard copy >= 0 else { throw SystemError(call: "mkstemp", subject: root, code: cplatform_errno()) }
        let made = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        do throws(SystemError) {
            _ = fcntl(copy, F_SETFD, FD_CLOEXEC)
            try Self.fill(copy, from: source, subject)
        } catch {
            close(copy)
            try? FileSystem.system.unlink(made)
            throw error
        }
        // The descriptor stays open: its name in /proc lasts as long.
        let anonymous = "/proc/\(ProcessFacts.processID)/fd/\(copy)"
        do throws(SystemError) {
            _ = try File(anonymous, .readThroughLink, in: .system)
            try FileSystem.system.unlink(made)
            (path, name) = (anonymous, nil)
        } catch {
            (path, name) = (made, made)
        }
    }

    /// An existing file.
    public init(path: String) { (self.path, name) = (path, nil) }

    private static func fill(_ copy: Int32, from source: Int32, _ subject: String) throws(SystemError) {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { buffer.deallocate() }
        var written = 0
        while true {
            let count = try StandardStream.read(from: source, into: buffer)
            if count == 0 { return }
            guard written + count <= bytesMax else { throw SystemError(call: "read", subject: subject, code: EFBIG) }
            try FileSystem.system.writeAll(copy, UnsafeRawBufferPointer(rebasing: buffer[..<count]), at: written)
            written += count
        }
    }

    public func remove() {
        if let name { try? FileSystem.system.unlink(name) }
    }
}
