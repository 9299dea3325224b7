import JSONCodec
import JSONRPC
import MoodProtocol

/// How a message's bytes become a request, and what is answered where they do not.
extension Session {
    mutating func read(_ message: UnsafeRawBufferPointer) {
        if answerPlain(message) { return }
        let outline: JSONOutline
        do throws(JSONError) {
            outline = try validator.validate(message)
        } catch {
            return output.errorResponse(id: nil, RPCError(parsing: error))
        }
        switch outline.kind {
        case .object: answer(outline, room: .max)
        case .array: answerBatch(outline)
        default:
            output.errorResponse(
                id: nil, RPCError(.invalidRequest, "A message is a JSON object, or an array of them."))
        }
    }

    /// Answers a request that is written as most are, in one pass over it.
    /// - Returns: false, and nothing done, when the request is written otherwise or something is wrong with it.
    @inline(__always)
    private mutating func answerPlain(_ message: UnsafeRawBufferPointer) -> Bool {
        guard cancellations.isEmpty, !core.isShuttingDown,
            let head = RequestHead(message, idBytesMax: limits[.idBytes]),
            let entry = core.methods.find(bytes: head.method)
        else { return false }
        if let start = head.params {
            guard
                let end = dispatcher.arguments.readPlain(
                    message, from: start, depth: 1, for: entry.method, limits, &validator),
                end == message.count - 1, message[end] == UInt8(ascii: "}")
            else { return false }
        } else if dispatcher.arguments.read(nil, for: entry.method, limits) != nil {
            return false
        }
        dispatcher.answer(request(head.id, room: .max), entry, to: &output)
        return true
    }

    /// Answers one request, or carries out one notification.
    /// - Parameter room: how many bytes the answer may have; over that nothing is done, and the error says so.
    mutating func answer(_ outline: JSONOutline, room: Int) {
        let (envelope, fault) = Envelope.read(outline, idBytesMax: limits[.idBytes])
        if let error = fault ?? Self.duplicateOutsideParams(outline, envelope) {
            return output.errorResponse(id: envelope.id, error)
        }
        guard let name = envelope.method else { return }
        if envelope.id == nil, Cancellations.isCancellation(name) { return }
        if !cancellations.isEmpty, let id = envelope.id, let silence = cancellations.find(id, before: frameNumber) {
            if !silence { output.errorResponse(id: id, RPCError(.cancelled, "The request was cancelled.")) }
            return
        }
        let duplicate = outline.duplicate.flatMap { offset in
            envelope.params.map { offset - Self.offset(of: $0, in: outline) }
        }
        dispatcher.answer(request(envelope.id, room: room), name, envelope.params, duplicate: duplicate, to: &output)
    }

    @inline(__always)
    private func request(_ id: UnsafeRawBufferPointer?, room: Int) -> Dispatcher.Request {
        Dispatcher.Request(id: id, room: room, streaming: room == .max && sent == output.count ? framing : nil)
    }

    /// A name that stands twice in the envelope itself.
    private static func duplicateOutsideParams(_ outline: JSONOutline, _ envelope: Envelope) -> RPCError? {
        guard let offset = outline.duplicate else { return nil }
        if let params = envelope.params {
            let start = Self.offset(of: params, in: outline)
            if offset >= start, offset < start + params.bytes.count { return nil }
        }
        return RPCError(
            .invalidRequest, "A member of the request is given twice (at byte \(offset)). Give each one once.",
            [.init("offset", .number(String(offset)))])
    }

    private static func offset(of part: ValidJSON, in outline: JSONOutline) -> Int {
        guard let start = part.bytes.baseAddress, let base = outline.text.bytes.baseAddress else { return 0 }
        return start - base
    }
}
