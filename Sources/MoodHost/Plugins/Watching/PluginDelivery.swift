import JSONCodec
import Platform
import PluginHost

/// The delivery of events to a plugin. Of the hosts that share the store, the one with the lease delivers them. The
/// lease is a lock on `plugins-data/<id>.lease`, which also keeps the last acknowledged event. (Kafka: a consumer's
/// offset.)
final class PluginDelivery {
    private static let lookMilliseconds = 1000
    private static let retryMilliseconds = 500
    private static let retryMillisecondsMax = 60_000

    private let path: String?
    private let begin: Int
    private var lease: FileLock?
    /// The time of the next attempt to take the lease.
    private var lookTime = 0
    /// The last acknowledged event; known while this host has the lease, and always in memory.
    private(set) var acknowledged: Int?
    private(set) var call: PluginCall?
    /// The event of `call`.
    private var seq = 0
    private var failures = 0
    private var retryTime = 0
    /// The unacknowledged events of a store in memory, oldest first: it has no journal to read again.
    private var queue: [(seq: Int, params: [UInt8])] = []
    private static let queueMax = 10_000

    /// - Parameters:
    ///   - path: the path of the lease; nil in memory.
    ///   - begin: the store's revision when the plugin was trusted.
    init(_ path: String?, from begin: Int) {
        self.path = path
        self.begin = begin
        if path == nil { acknowledged = begin }
    }

    /// Whether this host delivers events to the plugin.
    func isOurs(at now: Int) -> Bool {
        guard let path else { return true }
        if hasLease { return true }
        guard now >= lookTime else { return false }
        lookTime = now + Self.lookMilliseconds
        do throws(FileLock.Failure) {
            lease = try FileLock.acquire(path, timeoutMilliseconds: 0, in: .system)
        } catch {
            return false
        }
        acknowledged = max(read() ?? begin, begin)
        return true
    }

    private var hasLease: Bool {
        switch lease {
        case .some: true
        case .none: false
        }
    }

    /// The last acknowledged event, also if another host delivers.
    var lastAcknowledged: Int? {
        guard let path, !hasLease else { return acknowledged }
        // A missing file means that no host has delivered anything.
        guard let file = try? File(path, .read, in: .system) else { return begin }
        return max(Self.read(file) ?? begin, begin)
    }

    private func read() -> Int? {
        switch lease {
        case .some(let lease): Self.read(lease.file)
        case .none: nil
        }
    }

    private static func read(_ file: borrowing File) -> Int? {
        withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { buffer in
            // An unreadable file counts as no acknowledgement: events are delivered again.
            let count = (try? file.read(buffer, at: 0)) ?? 0
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            return Int(text.filter(\.isNumber))
        }
    }

    private func write(_ seq: Int) {
        let digits = String(seq)
        let text = Array((String(repeating: "0", count: max(20 - digits.utf8.count, 0)) + digits + "\n").utf8)
        switch lease {
        // If the write fails, the next host delivers the event again.
        case .some(let lease): text.withUnsafeBytes { bytes in try? lease.write(bytes, at: 0) }
        case .none: break
        }
    }

    /// Takes the outcome of the event under way, if it has one.
    /// - Parameter note: adds a line to the plugin's log.
    /// - Returns: whether the next may be delivered now.
    func advance(at now: Int, note: (String) -> Void) -> Bool {
        guard let call else { return now >= retryTime }
        guard let outcome = call.outcome else { return false }
        self.call = nil
        if case .result = outcome {
            acknowledge()
            return true
        }
        if case .failed(let error) = outcome, failures == 0 {
            let text = String(decoding: error.prefix(200), as: UTF8.self)
            note("events.deliver: It answered event \(seq) with an error, and gets it again: \(text)")
        }
        failures += 1
        retryTime = now + min(Self.retryMilliseconds << min(failures - 1, 10), Self.retryMillisecondsMax)
        return false
    }

    private func acknowledge() {
        failures = 0
        retryTime = 0
        acknowledged = seq
        if queue.first?.seq == seq { queue.removeFirst() }
        write(seq)
    }

    /// Skips the event that the plugin has refused.
    /// - Returns: its number; nil if it has refused none.
    func skip() -> Int? {
        guard failures > 0 else { return nil }
        call = nil
        acknowledge()
        return seq
    }

    /// Tries a restarted plugin without delay.
    func hurry() { retryTime = 0 }

    func begin(_ call: PluginCall, of seq: Int) {
        self.call = call
        self.seq = seq
    }

    /// The time of the next retry, or of the next attempt to take the lease; nil if there is none.
    func deadline(isBehind: Bool) -> Int? {
        guard isBehind, call == nil else { return nil }
        return path == nil || hasLease ? retryTime : lookTime
    }

    // MARK: In memory

    func add(_ params: [UInt8], of seq: Int) {
        queue.append((seq, params))
        if queue.count > Self.queueMax { queue.removeFirst(queue.count - Self.queueMax) }
    }

    var next: (seq: Int, params: [UInt8])? { queue.first }
}
