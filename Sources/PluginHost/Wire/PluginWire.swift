import JSONCodec
import JSONRPC

/// The two directions of the pipe to a plugin, as bytes: it makes lines of requests, and takes lines apart into answers,
/// requests and rubbish. It does no I/O.
package struct PluginWire: ~Copyable {
    /// A line of the plugin.
    package enum Line {
        /// The answer to the request of this number, with its `result` or its `error`.
        case answer(Int, result: UnsafeRawBufferPointer?, error: UnsafeRawBufferPointer?)
        /// A request or a notification of its own.
        case request(UnsafeRawBufferPointer, method: JSONText, isNotification: Bool, params: ValidJSON?)
        /// Nothing that can be used; the text says why.
        case rubbish(String)
        /// Longer than it may be.
        case tooLong
    }

    /// What has been read.
    package var frames: FrameReader
    /// What is to be sent.
    private(set) var output = JSONWriter(capacity: 4096)
    private var sent = 0
    private var validator: JSONValidator

    package init(answerBytesMax: Int) {
        frames = FrameReader(messageBytesMax: answerBytesMax)
        validator = JSONValidator(depthLimit: JSONValidator.depthMax)
    }

    // MARK: To the plugin

    var sendable: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: output.buffer.bytes[sent...]) }

    mutating func didSend(_ count: Int) {
        sent += count
        guard sent == output.count else { return }
        output.rewind(to: 0)
        sent = 0
        if output.buffer.capacity > 1024 * 1024 { output.buffer.shrink(toCapacity: 64 * 1024) }
    }

    mutating func request(_ number: Int, _ method: String, _ params: UnsafeRawBufferPointer) {
        output.buffer.append("{\"jsonrpc\":\"2.0\",\"id\":" as StaticString)
        output.buffer.append(integer: number)
        output.buffer.append(",\"method\":\"" as StaticString)
        output.buffer.append(utf8: method)
        output.buffer.append("\",\"params\":" as StaticString)
        output.buffer.append(params)
        output.buffer.append("}\n" as StaticString)
    }

    /// Notifies of what has no params.
    mutating func notify(_ method: String) {
        output.buffer.append("{\"jsonrpc\":\"2.0\",\"method\":\"" as StaticString)
        output.buffer.append(utf8: method)
        output.buffer.append("\"}\n" as StaticString)
    }

    /// Tells an MCP server that nobody waits for an answer any more; it then sends none.
    mutating func cancelCall(_ number: Int) {
        output.buffer.append(
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" as StaticString)
        output.buffer.append(integer: number)
        output.buffer.append("}}\n" as StaticString)
    }

    mutating func cancel(_ number: Int) {
        output.buffer.append("{\"jsonrpc\":\"2.0\",\"method\":\"$/cancelRequest\",\"params\":{\"id\":" as StaticString)
        output.buffer.append(integer: number)
        output.buffer.append("}}\n" as StaticString)
    }

    /// A whole message.
    mutating func send(_ message: UnsafeRawBufferPointer) {
        output.buffer.append(message)
        output.buffer.append(UInt8(ascii: "\n"))
    }

    // MARK: From the plugin

    /// The next line, or nil when more bytes are needed.
    package mutating func next(isAtEnd: Bool) -> Line? {
        guard let frame = frames.next(isAtEnd: isAtEnd) else { return nil }
        switch frame {
        case .fault(.tooLarge, _), .fault(.headerTooLarge, _): return .tooLong
        case .fault: return .rubbish("a header block that cannot be read")
        case .message(let range, _): return read(UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range]))
        }
    }

    private mutating func read(_ message: UnsafeRawBufferPointer) -> Line {
        guard let envelope = Envelope.read(message, &validator) else {
            return .rubbish("a line that is no JSON object: \(Self.excerpt(message))")
        }
        if let method = envelope.method {
            guard envelope.fault == nil, validator.duplicate == nil else {
                return .rubbish("a request that is none: \(Self.excerpt(message))")
            }
            return .request(message, method: method, isNotification: envelope.id == nil, params: envelope.params)
        }
        guard let id = envelope.id, let number = JSONNumber(raw: id).integer,
            (envelope.result == nil) != (envelope.error == nil)
        else { return .rubbish("a message that is neither request nor answer: \(Self.excerpt(message))") }
        return .answer(number, result: envelope.result?.bytes, error: envelope.error?.bytes)
    }

    private static func excerpt(_ message: UnsafeRawBufferPointer) -> String {
        String(decoding: message.prefix(80), as: UTF8.self)
    }
}
