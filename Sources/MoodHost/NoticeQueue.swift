import JSONCodec
import JSONRPC

/// Notifications that wait for the end of the request that caused them, so that they can be sent before its answer and
/// dropped with it when it fails.
struct NoticeQueue: ~Copyable {
    private var writer = JSONWriter(capacity: 64)
    private var ends: [Int] = []

    var isEmpty: Bool { ends.isEmpty }

    mutating func removeAll() {
        writer.rewind(to: 0)
        ends.removeAll(keepingCapacity: true)
    }

    /// Adds `$/progress {token, value: {done, total, message}}`. LSP 3.17, "Progress Support".
    /// - Parameter token: as the request gave it.
    mutating func addProgress(token: ValidJSON, done: Int, total: Int, message: StaticString) {
        writer.beginNotification(method: "$/progress")
        writer.beginObject()
        writer.key("token")
        writer.raw(token.bytes)
        writer.key("value")
        writer.beginObject()
        writer.key("done")
        writer.integer(done)
        writer.key("total")
        writer.integer(total)
        writer.key("message")
        writer.string(message)
        writer.endObject()
        writer.endObject()
        writer.endResponse()
        ends.append(writer.count)
    }

    /// Puts all of them, framed, before what `output` holds from `mark` on.
    mutating func insert(into output: inout JSONWriter, at mark: Int, framing: Framing) {
        var framed = JSONWriter(capacity: writer.count + 64)
        var start = 0
        for end in ends {
            let frameStart = framed.count
            framed.buffer.append(UnsafeRawBufferPointer(rebasing: writer.buffer.bytes[start..<end]))
            framed.endMessage(from: frameStart, framing: framing)
            start = end
        }
        output.buffer.insert(framed.buffer.bytes, at: mark)
        removeAll()
    }
}
