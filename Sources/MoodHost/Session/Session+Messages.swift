import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// From the bytes of a message to a request or an error.
extension Session {
    /// - Parameter end: the member at which a batch stops.
    @inline(__always)
    mutating func read(_ message: UnsafeRawBufferPointer, until end: Int) throws(Wait) {
        var cursor = JSONCursor(message)
        if message.first == UInt8(ascii: "{") || cursor.next == UInt8(ascii: "{") {
            return try answerRequest(message, room: messageBytes, Destination(framing: framing, batch: nil))
        }
        let outline: JSONOutline
        do throws(JSONError) { outline = try validator.validate(message) } catch {
            return output.errorResponse(id: nil, RPCError(parsing: error))
        }
        if outline.kind == .array { return try answerBatch(outline, until: end) }
        output.errorResponse(id: nil, RPCError(.invalidRequest, "A message is a JSON object, or an array of them."))
    }

    /// Reads one request in one pass and answers it, or carries out one notification.
    /// - Parameter room: the most bytes of the answer. A longer one reverts the request and becomes an error.
    /// - Throws: the wait of a request that has not begun.
    mutating func answerRequest(
        _ message: UnsafeRawBufferPointer, room: Int, _ destination: Destination
    ) throws(Wait) {
        var envelope = Envelope(message, idBytesMax: limits[.idBytes])
        let entry: Unmanaged<MethodTable.Entry>?
        if envelope.advance(&validator) {
            entry = takeArguments(&envelope)
            // Duplicate params become an error below.
            while envelope.advance(&validator) { envelope.skipParams(&validator) }
        } else {
            entry = takeNoArguments(envelope.method)
        }
        guard envelope.isObject else {
            return output.errorResponse(id: nil, RPCError(parsing: validator.fault(of: message)))
        }
        if envelope.method == nil, envelope.isAnswer { return passOver() }
        let duplicate = validator.duplicate
        if !envelope.isRequest || duplicate != nil,
            let error = envelope.fault ?? duplicate.flatMap({ duplicateOutsideParams($0, message, envelope) })
        {
            return output.errorResponse(id: envelope.id, error)
        }
        guard let name = envelope.method else { return }
        if envelope.id == nil, let (id, isSilent) = Cancellations.read(envelope) {
            if core.endListening(id), !isSilent {
                output.errorResponse(id: id, RPCError(.cancelled, "The subscription was cancelled."))
            }
            return dispatcher.pending.cancel(id, of: .client, isSilent: isSilent)
        }
        if !cancellations.isEmpty, let id = envelope.id, let silence = cancellations.find(id, before: frameNumber),
            !name.equals(ModelMethod.initialize.name)
        {
            if !silence { output.errorResponse(id: id, RPCError(.cancelled, "The request was cancelled.")) }
            return
        }
        let request = Request(
            id: envelope.id, room: room, caller: client, destination: destination, round: lane.round,
            ways: lane.ways)
        if let entry, duplicate == nil, !core.isShuttingDown {
            let wait: Wait? = entry._withUnsafeGuaranteedRef { entry in
                do throws(Wait) { try dispatcher.answer(request, entry, to: &output) } catch { return error }
                return nil
            }
            if let wait { throw wait }
        } else {
            let duplicate = duplicate.flatMap { offset in
                envelope.params.map { offset - Self.offset(of: $0, in: message) }
            }
            try dispatcher.answer(
                request, name, envelope.params, duplicate: duplicate, to: &output)
        }
    }

    /// Ignores a message that is an answer. The host never sends requests to its client.
    private mutating func passOver() {
        guard !hasPassedOverAnswer else { return }
        hasPassedOverAnswer = true
        core.log(
            .warning,
            "the client has sent an answer (a message with result or error and without method), and nothing was asked; such messages are passed over"
        )
    }

    /// Takes the params at which the envelope stands.
    /// - Returns: the method of the program that they are for; nil where it is another one, is not known yet, or something is wrong
    ///   with the params: then the dispatcher reads them when all of the message has been read, and answers with what is wrong.
    @inline(__always)
    private mutating func takeArguments(_ envelope: inout Envelope) -> Unmanaged<MethodTable.Entry>? {
        if let name = envelope.method, let entry = core.methods.findOwn(name) {
            let isRead = entry._withUnsafeGuaranteedRef { entry in
                do throws(Problem) { try dispatcher.readArguments(&envelope.cursor, for: entry, &validator) } catch {
                    return false
                }
                return true
            }
            if isRead { return entry }
        }
        envelope.skipParams(&validator)
        return nil
    }

    /// The method of the program that a message without params calls; nil if it needs some.
    private mutating func takeNoArguments(_ name: JSONText?) -> Unmanaged<MethodTable.Entry>? {
        guard let name, let entry = core.methods.findOwn(name) else { return nil }
        let isRead = entry._withUnsafeGuaranteedRef { entry in dispatcher.arguments.readNone(for: entry.method) }
        return isRead ? entry : nil
    }

    /// The error of a name that occurs twice in the envelope itself.
    private func duplicateOutsideParams(
        _ offset: Int, _ message: UnsafeRawBufferPointer, _ envelope: Envelope
    ) -> RPCError? {
        if let params = envelope.params {
            let start = Self.offset(of: params, in: message)
            if offset >= start, offset < start + params.bytes.count { return nil }
        }
        return RPCError(
            .invalidRequest, "A member of the request is given twice (at byte \(offset)). Give each one once.",
            [.init("offset", .number(String(offset)))])
    }

    private static func offset(of part: ValidJSON, in message: UnsafeRawBufferPointer) -> Int {
        guard let start = part.bytes.baseAddress, let base = message.baseAddress else { return 0 }
        return start - base
    }
}
