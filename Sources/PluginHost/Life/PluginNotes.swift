import JSONCodec
import Platform
import Synchronization

/// The last fault of a plugin, and its time.
public struct LastError: Sendable {
    /// RFC 3339.
    public let at: String
    public let fault: PluginLife.Fault
}

/// The last fault and the log of a plugin, which outlive its processes through restarts, disable and configure. The log
/// is in a file next to the plugin's data directory: every host of the store can read it, the plugin cannot.
///
/// Each line of the file is a line of the log, a JSON object. Several hosts write to it, each briefly under a lock on
/// the file. Now and then a host cuts off the excess over the bounds of `PluginLog`.
public final class PluginNotes {
    /// The time that lines wait, so that a flood of them is not written one by one.
    private static let waitMilliseconds = 100
    /// The size at which the file is cut.
    private static let fileBytesMax = 1 << 20
    /// The bytes of a line in the file, for each that it counts in a `PluginLog`, at most: escapes, the time.
    private static let expansionMax = 10
    /// The time to wait for another host's lock.
    private static let lockMilliseconds = 100

    public internal(set) var lastError: LastError?
    /// The newest lines; all lines without a file.
    private var log = PluginLog()
    private let path: String?
    private let isReadOnly: Bool
    private let helper: HelperThread?
    /// The lines that the helper thread writes. The lock is held while it does, which is too long for the loop.
    private let unwritten = Unwritten()
    /// The time to write the waiting lines; by the monotonic clock.
    public private(set) var deadline: Int?

    private final class Unwritten: Sendable {
        let log = Mutex(PluginLog())
    }

    /// - Parameters:
    ///   - path: the path of the file; nil in memory.
    ///   - isReadOnly: whether the file is only read.
    ///   - helper: writes the file; nil: the caller's thread does.
    public init(_ path: String?, isReadOnly: Bool, _ helper: HelperThread? = nil) {
        self.path = path
        self.isReadOnly = isReadOnly
        self.helper = helper
    }

    /// Forgets its last fault.
    public func forgetError() { lastError = nil }

    // MARK: Writing

    public func add(_ from: PluginLog.Source, _ level: String?, _ text: String, at time: String) {
        log.add(from, level, text, at: time)
        wait()
    }

    func append(errors bytes: UnsafeRawBufferPointer, at time: @autoclosure () -> String) {
        log.append(errors: bytes, at: time())
        wait()
    }

    func endErrors(at time: @autoclosure () -> String) {
        log.endErrors(at: time())
        wait()
    }

    private func wait() {
        guard path != nil, !isReadOnly, deadline == nil, !log.isEmpty else { return }
        deadline = Clock.monotonicMilliseconds + Self.waitMilliseconds
    }

    /// Has the helper thread write the waiting lines. Lines that cannot be written stay, and are tried again with the next.
    public func flush() {
        deadline = nil
        guard let path, !isReadOnly, !log.isEmpty else { return }
        let areTaken = unwritten.log.withLockIfAvailable { waiting in
            guard waiting.isEmpty else { return false }
            waiting = log.takeLines()
            return true
        }
        if areTaken != true { wait() }
        let write: @Sendable () -> Void = { [unwritten] in unwritten.log.withLock { Self.write(&$0, to: path) } }
        if helper?.run(write) != true { write() }
    }

    /// Writes all lines before it returns.
    public func settle() {
        deadline = nil
        guard let path, !isReadOnly else { return }
        unwritten.log.withLock { waiting in
            waiting.add(log.takeLines())
            Self.write(&waiting, to: path)
        }
    }

    private static func write(_ log: inout PluginLog, to path: String) {
        if log.isEmpty { return }
        guard let lock = try? FileLock.acquire(path, timeoutMilliseconds: lockMilliseconds, in: .system) else { return }
        do throws(SystemError) {
            try write(text(log.last(.max)), to: lock, path)
            log.removeAll()
        } catch {}
    }

    private static func write(_ lines: [UInt8], to lock: borrowing FileLock, _ path: String) throws(SystemError) {
        let size = try lock.file.status().size
        if size + lines.count <= fileBytesMax { return try lock.file.write(lines, at: size) }
        let whole = kept(of: bytes(path)) + lines
        try lock.file.write(whole, at: 0)
        try lock.file.truncate(to: whole.count)
    }

    /// The last lines of a file, and the host's lines before them. It parses none: a flood has this done again and again.
    private static func kept(of bytes: [UInt8]) -> [UInt8] {
        var rest = bytes[..<max(bytes.count - expansionMax * PluginLog.pluginBytesMax, 0)]
        // The line at the cut goes too.
        let first = bytes[rest.endIndex...].firstIndex(of: newline).map { $0 + 1 } ?? bytes.endIndex
        var ofHost: [ArraySlice<UInt8>] = []
        var room = expansionMax * PluginLog.hostBytesMax
        while room > 0, let line = takeLast(&rest) {
            guard isOfHost(line), line.last == newline else { continue }
            ofHost.append(line)
            room -= line.count
        }
        return ofHost.reversed().flatMap { $0 } + bytes[first...]
    }

    private static func text(_ lines: [PluginLog.Line]) -> [UInt8] {
        var writer = JSONWriter(capacity: 4096)
        for line in lines {
            line.write(to: &writer)
            writer.buffer.append(newline)
        }
        return Array(writer.buffer.bytes)
    }

    // MARK: Reading

    /// The last lines, in order of arrival.
    public func last(_ limit: Int) -> [PluginLog.Line] {
        settle()
        guard path != nil else { return log.last(limit) }
        var whole = Self.read(path)
        whole.add(unwritten.log.withLock { $0 })
        whole.add(log)
        return whole.last(limit)
    }

    private static func bytes(_ path: String?) -> [UInt8] {
        path.flatMap { try? FileSystem.system.readWhole($0, bytesMax: 2 * fileBytesMax) } ?? []
    }

    /// Reads the last lines of the file, from its end on, because a flood before them may be long. Skips unreadable
    /// parts, because it is only a log.
    private static func read(_ path: String?) -> PluginLog {
        var log = PluginLog()
        let bytes = bytes(path)
        var room = (plugin: PluginLog.pluginBytesMax, host: PluginLog.hostBytesMax)
        var lines: [(PluginLog.Source, String?, String, String)] = []
        var rest = bytes[...]
        while room.plugin > 0 || room.host > 0, let line = takeLast(&rest) {
            let isOfHost = isOfHost(line)
            guard isOfHost ? room.host > 0 : room.plugin > 0, let value = try? JSONValue.parse(Array(line)),
                let from = value["from"]?.string, let source = PluginLog.Source(rawValue: from),
                let text = value["text"]?.string, let time = value["at"]?.string
            else { continue }
            if isOfHost { room.host -= PluginLog.bytes(of: text) } else { room.plugin -= PluginLog.bytes(of: text) }
            lines.append((source, value["level"]?.string, text, time))
        }
        for (source, level, text, time) in lines.reversed() { log.add(source, level, text, at: time) }
        return log
    }

    /// The last line with its end.
    private static func takeLast(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard !rest.isEmpty else { return nil }
        let start = rest.dropLast().lastIndex(of: newline).map { $0 + 1 } ?? rest.startIndex
        defer { rest = rest[..<start] }
        return rest[start...]
    }

    private static func isOfHost(_ line: ArraySlice<UInt8>) -> Bool {
        line.dropFirst(hostMark.at).starts(with: hostMark.text)
    }

    private static let newline = UInt8(ascii: "\n")
    /// The text that shows a line of the host in the file, and its place: after the time.
    private static let hostMark = (at: #"{"at":"2026-01-02T03:04:05.678Z""#.utf8.count, text: #","from":"host""#.utf8)
}
