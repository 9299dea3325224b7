import JSONCodec
import JSONRPC

/// Notifications that the present request causes, and those of what others did.
///
/// Usually they wait for the end of the request, so that they can be sent before its answer, and dropped with it when it
/// fails. The progress of a long request is only worth something while it works: where nothing else waits to be sent,
/// notices may leave at once. A client that does not read misses all but the latest.
///
/// A class, because the work that makes progress and the core that owns this are busy at the same time.
final class NoticeQueue {
    /// Sends what the peer can take now, and answers how many bytes that were; 0 while there is nobody to send to.
    var send: (UnsafeRawBufferPointer) -> Int = { _ in 0 }

    private var writer = JSONWriter(capacity: 64)
    private var ends: [Int] = []
    /// The rest of a notice whose beginning has left.
    private var unsent = ByteBuffer(capacity: 16)
    /// Set while notices may leave at once.
    private var streaming: Framing?
    /// How many of them are those of requests that have succeeded.
    private var keptCount = 0

    var isEmpty: Bool { ends.isEmpty && unsent.isEmpty }

    /// The bytes that wait.
    var byteCount: Int { writer.count }

    /// The request has succeeded: what it caused is not dropped with a later one of its batch.
    func keep() { keptCount = ends.count }

    /// Drops what the request has caused and has not begun to leave, because it has failed.
    func drop() {
        endStreaming()
        ends.removeLast(max(ends.count - keptCount, 0))
        writer.rewind(to: ends.last ?? 0)
    }

    private func removeAll() {
        writer.rewind(to: 0)
        ends.removeAll(keepingCapacity: true)
        keptCount = 0
    }

    /// From now on notices leave at once; everything before them must have left.
    func beginStreaming(_ framing: Framing) { streaming = framing }

    func endStreaming() { streaming = nil }

    /// Adds a notification.
    /// - Parameter params: writes one object.
    func add(_ method: StaticString, _ params: (inout JSONWriter) -> Void) {
        writer.beginNotification(method: method)
        params(&writer)
        writer.endResponse()
        ends.append(writer.count)
    }

    /// Adds `$/progress {token, value: {done, total, message}}`. LSP 3.17, "Progress Support".
    /// - Parameter token: as the request gave it.
    func addProgress(token: ValidJSON, done: Int, total: Int, message: StaticString) {
        add("$/progress") { writer in
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
        }
        if let streaming { push(streaming) }
    }

    /// Sends the latest notice, unless an earlier one is still on its way.
    private func push(_ framing: Framing) {
        sendRest()
        if ends.count > 1 {
            writer.buffer.removeFirst(ends[ends.count - 2])
            ends = [writer.count]
        }
        guard unsent.isEmpty else { return }
        var framed = framed(framing)
        swap(&framed.buffer, &unsent)
        removeAll()
        sendRest()
    }

    private func sendRest() {
        while !unsent.isEmpty {
            let count = send(unsent.bytes)
            guard count > 0 else { return }
            unsent.removeFirst(count)
        }
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
        output.buffer.insert(unsent.bytes, at: mark)
        unsent.truncate(to: 0)
        removeAll()
    }
}
