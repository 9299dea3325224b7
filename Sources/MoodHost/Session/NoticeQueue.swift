import JSONCodec
import JSONRPC

/// The notifications that the present request causes, and those about other processes. They wait for the end of the
/// request, precede its answer, and are dropped if it fails.
///
/// A class, because work that notifies and the core that owns this are busy at the same time. `ends` has no exclusivity
/// checks: every request asks whether it is empty, and nothing is called while it is used.
final class NoticeQueue {
    private var writer = JSONWriter(capacity: 64)
    @exclusivity(unchecked) private var ends: [Int] = []
    /// The number of notifications of requests that have succeeded.
    private var keptCount = 0
    /// Whole messages for plugins, by their sessions. They leave when their group is durable.
    private var forPlugins: [(session: Int, message: [UInt8])] = []
    private var keptForPlugins = 0

    var isEmpty: Bool { ends.isEmpty }

    /// The number of waiting bytes.
    var byteCount: Int { writer.count }

    /// Keeps the notifications of a request that succeeded, so that a later failure in its batch does not drop them.
    func keep() {
        keptCount = ends.count
        keptForPlugins = forPlugins.count
    }

    /// Drops the notifications of a request that failed.
    func drop() {
        ends.removeLast(max(ends.count - keptCount, 0))
        writer.rewind(to: ends.last ?? 0)
        forPlugins.removeLast(max(forPlugins.count - keptForPlugins, 0))
    }

    /// Drops the messages for plugins, because the group is answered again.
    func dropForPlugins() {
        forPlugins.removeAll()
        keptForPlugins = 0
    }

    /// Takes the messages for plugins, whose changes are durable.
    func takeForPlugins() -> [(session: Int, message: [UInt8])] {
        if forPlugins.isEmpty { return [] }
        defer { dropForPlugins() }
        return forPlugins
    }

    private func removeAll() {
        writer.rewind(to: 0)
        ends.removeAll(keepingCapacity: true)
        keptCount = 0
        keptForPlugins = forPlugins.count
    }

    /// Adds a notification.
    /// - Parameters:
    ///   - session: the recipient: 0 is the client, the others are plugins.
    ///   - params: writes one object.
    func add(_ method: StaticString, to session: Int = 0, _ params: (inout JSONWriter) -> Void) {
        guard session == 0 else {
            var message = JSONWriter(capacity: 512)
            message.beginNotification(method: method)
            params(&message)
            message.endResponse()
            return forPlugins.append((session, Array(message.buffer.bytes)))
        }
        writer.beginNotification(method: method)
        params(&writer)
        writer.endResponse()
        ends.append(writer.count)
    }

    private func framed(_ framing: Framing) -> JSONWriter {
        var framed = JSONWriter(capacity: writer.count + 64)
        var start = 0
        for end in ends {
            let frameStart = framed.count
            framed.buffer.append(UnsafeRawBufferPointer(rebasing: writer.buffer.bytes[start..<end]))
            framed.endMessage(from: frameStart, framing: framing)
            start = end
        }
        return framed
    }

    /// Inserts the waiting notifications, framed, at `mark` in `output`.
    func insert(into output: inout JSONWriter, at mark: Int, framing: Framing) {
        let framed = framed(framing)
        framed.buffer.withBytes { output.buffer.insert($0, at: mark) }
        removeAll()
    }
}
