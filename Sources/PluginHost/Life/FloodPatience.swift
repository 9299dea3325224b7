/// The bound of the lines of a plugin that answer no call: its requests, notifications and errors. After a flood the
/// host does not read from the plugin for a while, so that it has time for others. (Networks: a token bucket.)
struct FloodPatience {
    /// The lines at once.
    static let linesMax = 256
    /// The lines a millisecond after those.
    static let linesPerMillisecond = 8
    /// The bytes on stderr that count as a line.
    static let lineBytes = 256

    /// The lines that it may still print; negative after a flood.
    private var left = linesMax
    private var time = 0
    /// The time from which the host reads again; nil: it reads.
    private(set) var end: Int?

    /// Notes lines, which were read.
    mutating func spend(_ lines: Int, at now: Int) {
        guard lines > 0 else { return }
        let rest = min(max(now - time, 0), Self.linesMax)
        time = now
        left = min(left + rest * Self.linesPerMillisecond, Self.linesMax) - lines
        if left < 0 { end = now + (-left - 1) / Self.linesPerMillisecond + 1 }
    }

    /// Lets the host read again, if it is time.
    mutating func recover(at now: Int) {
        if let end, now >= end { self.end = nil }
    }
}
