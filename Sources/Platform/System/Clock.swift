import CPlatform
import Synchronization

/// Two clocks: the time of day, and the time elapsed.
public enum Clock {
    /// Milliseconds since 1970-01-01T00:00:00Z. It may go back; do not derive an order from it.
    public static var milliseconds: Int64 {
        let shown = shown.load(ordering: .relaxed)
        if shown != .min { return shown }
        let now = read(CLOCK_REALTIME)
        return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
    }

    /// The time that a test has set; `Int64.min`: the time of day.
    private static let shown = Atomic<Int64>(.min)

    /// Stops the clock at this time, so that a test can repeat its results.
    public static func set(milliseconds: Int64) { shown.store(milliseconds, ordering: .relaxed) }

    /// The time of a stopped clock, which then advances by a millisecond.
    public static func step() -> Int64 { shown.wrappingAdd(1, ordering: .relaxed).oldValue }

    /// Has the next step tell again what the last one told.
    public static func stepBack() { shown.wrappingSubtract(1, ordering: .relaxed) }

    /// Milliseconds since some fixed moment; it never goes back.
    public static var monotonicMilliseconds: Int {
        let now = read(CLOCK_MONOTONIC)
        return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
    }

    /// Waits; a signal may end the wait earlier.
    public static func sleep(milliseconds: Int) {
        var interval = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
        nanosleep(&interval, nil)
    }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        _ = clock_gettime(clock, &time)
        return time
    }
}

/// Facts about this process and its machine.
public enum ProcessFacts {
    public static var processID: Int { Int(getpid()) }

    /// The machine's name; nil if it has none. gethostname(2).
    public static var hostName: String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { room in
            guard let start = room.baseAddress, gethostname(start, room.count) == 0 else { return nil }
            // A longer name may lack its terminating NUL.
            room[room.count - 1] = 0
            let name = String(cString: start)
            return name.isEmpty ? nil : name
        }
    }

    /// The arguments after the program's name.
    public static var arguments: ProgramArguments { ProgramArguments() }

    /// The path to start this program again: the file itself if /proc names it, else the path by which it was started.
    public static var ownProgram: String { String(cString: cplatform_own_program()) }

    /// Begins a session, so that signals to a terminal's processes do not reach this one. setsid(2).
    public static func beginSession() { _ = setsid() }

    /// The value of an environment variable; nil if it is unset, empty or not UTF-8.
    public static func environment(_ name: String) -> String? {
        Terminal.environment(name).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The value of an environment variable that names a path; nil if it is unset or empty.
    /// - Throws: if it is not UTF-8: a converted value would be another path.
    public static func path(_ name: String) throws(NotText) -> String? {
        guard let value = getenv(name) else { return nil }
        guard let text = String(validatingCString: value) else {
            throw NotText(source: name, UnsafePointer(value))
        }
        return text.isEmpty ? nil : text
    }
}

/// Bytes from outside that should be text but are not UTF-8: an argument, or an environment variable.
public struct NotText: Error, Sendable, Equatable {
    /// The place of the bytes: `HOME`, `argument 2`.
    public let source: String
    /// The bytes for people: those outside printable ASCII as `\xff`.
    public let shown: String

    public init(source: String, shown: String) {
        self.source = source
        self.shown = shown
    }

    init(source: String, _ bytes: UnsafePointer<CChar>) {
        let digits = Array("0123456789abcdef".utf8)
        var shown: [UInt8] = []
        for byte in UnsafeBufferPointer(start: bytes, count: strlen(bytes)).lazy.map({ UInt8(bitPattern: $0) }) {
            if (0x20...0x7E).contains(byte) {
                shown.append(byte)
            } else {
                shown += [UInt8(ascii: "\\"), UInt8(ascii: "x"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        self.init(source: source, shown: String(decoding: shown, as: UTF8.self))
    }
}

/// A program's arguments after its name, made one by one: for a program that starts often and has one or two. Bytes
/// that are not UTF-8 become replacement characters, as in `CommandLine.arguments`; `fault` reports them.
public struct ProgramArguments: Sequence, IteratorProtocol {
    private var index: Int32 = 0

    /// The first argument that is not UTF-8, if any.
    public var fault: NotText? {
        for index in 1..<Swift.max(CArguments.count, 1) {
            guard let bytes = CArguments[index], String(validatingCString: bytes) == nil else { continue }
            return NotText(source: "argument \(index)", bytes)
        }
        return nil
    }

    public mutating func next() -> String? {
        guard index + 1 < CArguments.count else { return nil }
        index += 1
        return CArguments[index].map { String(cString: $0) }
    }
}

/// The arguments as C strings, the program's name first.
enum CArguments {
    static var count: Int32 {
        let count = cplatform_argument_count()
        return count >= 0 ? count : CommandLine.argc
    }

    static subscript(index: Int32) -> UnsafeMutablePointer<CChar>? {
        cplatform_argument_count() >= 0 ? cplatform_argument(index) : CommandLine.unsafeArgv[Int(index)]
    }
}
