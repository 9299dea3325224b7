import JSONCodec
import JSONRPC

/// Notifications that the present request causes, and those of what others did. They wait for the end of the request, are sent
/// before its answer, and are dropped with it when it fails.
///
/// A class, because work that notifies and the core that owns this are busy at the same time. `ends` is not checked for
/// being used twice at once: every request asks whether there are any, and nobody is called while it is used.
final class NoticeQueue {
    private var writer = JSONWriter(capacity: 64)
    @exclusivity(unchecked) private var ends: [Int] = []
    /// How many of them are those of requests that have succeeded.
    private var keptCount = 0
    /// Those for plugins, by their sessions, whole messages. They leave when their group is durable.
    private var forPlugins: [(session: Int, message: [UInt8])] = []
    private var keptForPlugins = 0

    var isEmpty: Bool { ends.isEmpty }

    /// The bytes that wait.
    var byteCount: Int { writer.count }

    /// The request has succeeded: what it caused is not dropped with a later one of its batch.
    func keep() {
        keptCount = ends.count
        keptForPlugins = forPlugins.count
    }

    /// Drops what the request has caused and has not begun to leave, because it has failed.
    func drop() {
        ends.removeLast(max(ends.count - keptCount, 0))
        writer.rewind(to: ends.last ?? 0)
        forPlugins.removeLast(max(forPlugins.count - keptForPlugins, 0))
    }

    /// The group is to be answered again.
    func dropForPlugins() {
        forPlugins.removeAll()
        keptForPlugins = 0
    }

    /// What plugins are told, once it is durable.
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
    ///   - session: who is told: 0 is the client, the others are plugins.
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

    /// Puts what has not left, framed, before what `output` holds from `mark` on.
    func insert(into output: inout JSONWriter, at mark: Int, framing: Framing) {
        let framed = framed(framing)
        framed.buffer.withBytes { output.buffer.insert($0, at: mark) }
        removeAll()
    }
}
