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
            let number = catalogue.find(bytes: head.method)
        else { return false }
        let entry = methods[number]
        if let start = head.params {
            guard
                let end = arguments.readPlain(message, from: start, depth: 1, for: entry.method, limits, &validator),
                end == message.count - 1, message[end] == UInt8(ascii: "}")
            else { return false }
        } else if arguments.read(nil, for: entry.method, limits) != nil {
            return false
        }
        let mark = output.count
        do throws(RPCError) { try perform(entry, head.id, mark, .max) } catch { fail(error, head.id, mark) }
        if head.id == nil { output.rewind(to: mark) }
        return true
    }

    /// Answers one request, or carries out one notification.
    /// - Parameter room: how many bytes the answer may have; over that nothing is done, and the error says so.
    mutating func answer(_ outline: JSONOutline, room: Int) {
        let mark = output.count
        let (envelope, fault) = Envelope.read(outline, idBytesMax: limits[.idBytes])
        if let error = fault ?? Self.duplicateOutsideParams(outline, envelope) {
            return output.errorResponse(id: envelope.id, error)
        }
        guard let name = envelope.method else { return }
        if !cancellations.isEmpty, let id = envelope.id, let silence = cancellations.find(id, before: frameNumber) {
            if !silence { output.errorResponse(id: id, RPCError(.cancelled, "The request was cancelled.")) }
            return
        }
        do throws(RPCError) {
            try call(name, envelope, outline, mark, room)
        } catch {
            fail(error, envelope.id, mark)
        }
        if envelope.id == nil { output.rewind(to: mark) }
    }

    private mutating func call(
        _ name: JSONText, _ envelope: Envelope, _ outline: JSONOutline, _ mark: Int, _ room: Int
    ) throws(RPCError) {
        guard let number = catalogue.find(name) else {
            if envelope.id == nil, Cancellations.isCancellation(name) { return }
            let text = name.string
            throw .methodNotFound(text, catalogue.suggestions(for: text))
        }
        if core.isShuttingDown { throw RPCError(.shuttingDown, "The host is shutting down.") }
        let entry = methods[number]
        if let offset = outline.duplicate, let params = envelope.params {
            throw Arguments.duplicate(at: offset - Self.offset(of: params, in: outline), in: params)
        }
        if let error = arguments.read(envelope.params, for: entry.method, limits) { throw error }
        try perform(entry, envelope.id, mark, room)
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
