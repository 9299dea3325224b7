import JSONCodec

/// The last 64 KiB of lines that a plugin printed on stderr or sent with `plugin.log`, and separately the last 8 KiB of
/// the host's own lines: a plugin that floods its log cannot hide the host's.
public struct PluginLog: Sendable {
    public enum Source: String, Sendable { case stderr, log, host }

    public struct Line: Sendable {
        /// RFC 3339.
        public let at: String
        public let from: Source
        public let level: String?
        public let text: String
        fileprivate let number: Int

        /// `{at, from, level?, text}`.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.key("at")
            writer.string(at)
            writer.key("from")
            writer.string(from.rawValue)
            if let level {
                writer.key("level")
                writer.string(level)
            }
            writer.key("text")
            writer.string(text)
            writer.endObject()
        }
    }

    /// The most bytes of a line; a longer one is cut.
    static let lineBytesMax = 4 * 1024
    static let pluginBytesMax = 64 * 1024
    static let hostBytesMax = 8 * 1024
    /// The least bytes that a line counts, so that the number of short lines is bounded too.
    private static let lineBytesMin = 16

    private var ofPlugin: [Line] = []
    private var ofHost: [Line] = []
    private var pluginBytes = 0
    private var hostBytes = 0
    private var count = 0
    /// The line of stderr whose end has not come.
    private var partial: [UInt8] = []

    public init() {}

    /// Adds bytes of stderr: whole lines now, the rest with the next bytes.
    public mutating func append(errors bytes: UnsafeRawBufferPointer, at time: @autoclosure () -> String) {
        var rest = bytes[...]
        while let end = rest.firstIndex(of: 0x0a) {
            let room = Self.lineBytesMax - partial.count
            partial.append(contentsOf: rest[rest.startIndex..<end].prefix(max(room, 0)))
            add(.stderr, nil, String(decoding: partial, as: UTF8.self), at: time())
            partial.removeAll(keepingCapacity: true)
            rest = rest[(end + 1)...]
        }
        let room = Self.lineBytesMax - partial.count
        if room > 0 { partial.append(contentsOf: rest.prefix(room)) }
    }

    /// Adds the unfinished line, because no more comes.
    public mutating func endErrors(at time: @autoclosure () -> String) {
        guard !partial.isEmpty else { return }
        add(.stderr, nil, String(decoding: partial, as: UTF8.self), at: time())
        partial.removeAll()
    }

    public mutating func add(_ from: Source, _ level: String?, _ text: String, at time: String) {
        let bytes = text.utf8.count > Self.lineBytesMax ? Array(text.utf8.prefix(Self.lineBytesMax)) : nil
        let text = bytes.map { String(decoding: $0, as: UTF8.self) } ?? text
        count += 1
        let line = Line(at: time, from: from, level: level, text: text, number: count)
        if from == .host {
            Self.append(line, &ofHost, &hostBytes, Self.hostBytesMax)
        } else {
            Self.append(line, &ofPlugin, &pluginBytes, Self.pluginBytesMax)
        }
    }

    private static func append(_ line: Line, _ lines: inout [Line], _ bytes: inout Int, _ bytesMax: Int) {
        lines.append(line)
        bytes += Self.bytes(of: line.text)
        // Half as much again, so that a flood of lines seldom moves the rest.
        guard bytes > bytesMax / 2 * 3 else { return }
        let kept = last(lines, bytesMax)
        lines = Array(kept)
        bytes = lines.reduce(0) { $0 + Self.bytes(of: $1.text) }
    }

    /// The bytes of a line with its end.
    static func bytes(of text: String) -> Int { max(text.utf8.count + 1, lineBytesMin) }

    private static func last(_ lines: [Line], _ bytesMax: Int) -> ArraySlice<Line> {
        var (first, bytes) = (lines.endIndex, 0)
        while first > lines.startIndex {
            bytes += Self.bytes(of: lines[first - 1].text)
            if bytes > bytesMax { break }
            first -= 1
        }
        return lines[first...]
    }

    /// The last lines, in order of arrival.
    public func last(_ limit: Int) -> [Line] {
        let plugin = Self.last(ofPlugin, Self.pluginBytesMax).suffix(limit)
        let host = Self.last(ofHost, Self.hostBytesMax).suffix(limit)
        return (plugin + host).sorted { $0.number < $1.number }.suffix(limit)
    }

    /// Whether there is no whole line.
    var isEmpty: Bool { ofPlugin.isEmpty && ofHost.isEmpty }

    /// Takes the whole lines.
    mutating func takeLines() -> PluginLog {
        var lines = self
        lines.partial = []
        removeAll()
        return lines
    }

    /// Forgets the whole lines.
    mutating func removeAll() {
        ofPlugin.removeAll()
        ofHost.removeAll()
        (pluginBytes, hostBytes) = (0, 0)
    }

    /// Adds the lines of another log.
    mutating func add(_ other: PluginLog) {
        for line in other.last(.max) { add(line.from, line.level, line.text, at: line.at) }
    }
}
