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

    var isEmpty: Bool { ends.isEmpty }

    /// The bytes that wait.
    var byteCount: Int { writer.count }

    /// The request has succeeded: what it caused is not dropped with a later one of its batch.
    func keep() { keptCount = ends.count }

    /// Drops what the request has caused and has not begun to leave, because it has failed.
    func drop() {
        ends.removeLast(max(ends.count - keptCount, 0))
        writer.rewind(to: ends.last ?? 0)
    }

    private func removeAll() {
        writer.rewind(to: 0)
        ends.removeAll(keepingCapacity: true)
        keptCount = 0
    }

    /// Adds a notification.
    /// - Parameter params: writes one object.
    func add(_ method: StaticString, _ params: (inout JSONWriter) -> Void) {
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
