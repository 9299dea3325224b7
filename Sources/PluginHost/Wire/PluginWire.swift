import JSONCodec
import JSONRPC

/// The two directions of the pipe to a plugin, as bytes: it writes requests as lines, and parses lines as answers,
/// requests and rubbish. It does no I/O.
package struct PluginWire: ~Copyable {
    /// A line of the plugin.
    package enum Line {
        /// The answer to the request of this number, with its `result` or its `error`.
        case answer(Int, result: UnsafeRawBufferPointer?, error: UnsafeRawBufferPointer?)
        /// A request or a notification of its own.
        case request(UnsafeRawBufferPointer, method: JSONText, isNotification: Bool, params: ValidJSON?)
        /// An unusable answer to the request of this number; the text describes the line.
        case unreadable(Int, String)
        /// An invalid request with its error answer.
        case refused(answer: [UInt8], String)
        /// An unusable line; the text describes it.
        case rubbish(String)
        /// A line over the limit.
        case tooLong
    }

    /// The bytes read so far.
    package var frames: FrameReader
    /// The bytes to send.
    private(set) var output = JSONWriter(capacity: 4096)
    private var sent = 0
    private var validator: JSONValidator
    /// The members of a batch that are still to be read, in the buffer of the frames.
    private var members: ArraySlice<Range<Int>> = []
    private static let membersMax = 128

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

    /// Writes a notification without params.
    mutating func notify(_ method: String) {
        output.buffer.append("{\"jsonrpc\":\"2.0\",\"method\":\"" as StaticString)
        output.buffer.append(utf8: method)
        output.buffer.append("\"}\n" as StaticString)
    }

    /// Tells an MCP server that a request was abandoned; it then sends no answer.
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

    /// Writes a whole message.
    mutating func send(_ message: UnsafeRawBufferPointer) {
        output.buffer.append(message)
        output.buffer.append(UInt8(ascii: "\n"))
    }

    // MARK: From the plugin

    /// The next line, or nil if more bytes are needed.
    package mutating func next(isAtEnd: Bool) -> Line? {
        if let range = members.popFirst() { return read(UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])) }
        guard let frame = frames.next(isAtEnd: isAtEnd) else { return nil }
        switch frame {
        case .fault(.tooLarge, _), .fault(.headerTooLarge, _): return .tooLong
        case .fault: return .rubbish("a header block that cannot be read")
        case .message(let range, _):
            let message = UnsafeRawBufferPointer(rebasing: frames.buffer.bytes[range])
            guard message.first(where: { $0 > 0x20 }) == UInt8(ascii: "[") else { return read(message) }
            return readBatch(message, at: range.lowerBound) ?? next(isAtEnd: isAtEnd)
        }
    }

    /// Parses a batch: each member is handled and answered as if it had been sent alone.
    /// - Returns: the problem of the batch as a whole.
    private mutating func readBatch(_ message: UnsafeRawBufferPointer, at offset: Int) -> Line? {
        guard let text = try? validator.validate(message).text else {
            return .rubbish(unreadable(message, "JSON"))
        }
        var reader = JSONReader(text)
        var found: [Range<Int>] = []
        if reader.enterArray(), let base = message.baseAddress {
            while reader.nextElement() {
                let member = reader.skip().bytes
                let start = member.baseAddress.map { offset + (UnsafeRawPointer($0) - base) } ?? offset
                found.append(start..<start + member.count)
            }
        }
        guard (1...Self.membersMax).contains(found.count) else {
            return refused(
                message, nil, "A batch has 1 to \(Self.membersMax) members; this one has \(found.count).", "a batch")
        }
        members = found[...]
        return nil
    }

    private mutating func read(_ message: UnsafeRawBufferPointer) -> Line {
        guard let envelope = Envelope.read(message, &validator) else {
            let text = unreadable(message, "JSON object")
            return Self.claimedNumber(message).map { .unreadable($0, text) } ?? .rubbish(text)
        }
        if let method = envelope.method {
            guard envelope.fault == nil, validator.duplicate == nil else {
                let reason = envelope.fault?.message ?? "A member is given twice."
                return refused(message, envelope.id, reason, "a request that is none")
            }
            return .request(message, method: method, isNotification: envelope.id == nil, params: envelope.params)
        }
        let number = envelope.id.flatMap { JSONNumber(raw: $0).integer }
        guard let number, (envelope.result == nil) != (envelope.error == nil) else {
            let text = "a message that is neither request nor answer: \(Self.excerpt(message))"
            return number.map { .unreadable($0, text) } ?? .rubbish(text)
        }
        return .answer(number, result: envelope.result?.bytes, error: envelope.error?.bytes)
    }

    /// A description of a line that is not what it should be.
    private mutating func unreadable(_ message: UnsafeRawBufferPointer, _ wanted: String) -> String {
        let reason = validator.fault(of: message).reason
        if case .tooDeep = reason { return "a line that is \(reason): \(Self.excerpt(message))" }
        return "a line that is no \(wanted): \(Self.excerpt(message))"
    }

    private func refused(
        _ message: UnsafeRawBufferPointer, _ id: UnsafeRawBufferPointer?, _ reason: String, _ what: String
    ) -> Line {
        var out = JSONWriter(capacity: 256)
        out.errorResponse(id: id, RPCError(.invalidRequest, reason))
        return .refused(answer: Array(out.buffer.bytes), "\(what): \(Self.excerpt(message))")
    }

    /// The number that an unreadable line seems to answer: that of its member `id`. Nil if there is none.
    private static func claimedNumber(_ line: UnsafeRawBufferPointer) -> Int? {
        var (at, depth) = (0, 0)
        var number: Int?
        while at < line.count {
            switch line[at] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            // Some languages print their own objects with other quotes.
            case let quote where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
                let start = at + 1
                at = start
                while at < line.count, line[at] != quote { at += line[at] == UInt8(ascii: "\\") ? 2 : 1 }
                guard at < line.count else { return number }
                guard depth == 1, let value = Self.value(line[(at + 1)...]) else { break }
                if line[start..<at].elementsEqual("method".utf8) { return nil }
                if line[start..<at].elementsEqual("id".utf8) { number = Self.integer(value) }
            default: break
            }
            at += 1
        }
        return number
    }

    /// The text after a name and its colon; nil if that is no name.
    private static func value(_ rest: Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
        let rest = rest.drop { $0 <= 0x20 }
        return rest.first == UInt8(ascii: ":") ? rest.dropFirst().drop { $0 <= 0x20 } : nil
    }

    private static func integer(_ text: Slice<UnsafeRawBufferPointer>) -> Int? {
        Int(String(decoding: text.prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }, as: UTF8.self))
    }

    private static func excerpt(_ message: UnsafeRawBufferPointer) -> String {
        String(decoding: message.prefix(80), as: UTF8.self)
    }
}
