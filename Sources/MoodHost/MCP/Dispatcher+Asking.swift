import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// What one of the host's own methods has answered to a request of the Model Context Protocol.
enum NativeOutcome {
    /// Valid as long as the writer that it was written to is not changed.
    case result(ValidJSON)
    case failure(RPCError)
    case later(any LaterWork)
    /// The request has to wait and is handled again; whatever is written now is dropped.
    case parked
}

/// A call of one of the host's own methods.
struct NativeCall {
    let method: Name
    let params: JSONValue

    init(_ method: Name, _ params: JSONValue = .object([])) {
        self.method = method
        self.params = params
    }
}

extension Dispatcher {
    /// Carries out a method for a request, as if that had asked for it.
    /// - Parameter native: takes what the method answers.
    mutating func ask(
        _ method: Name, _ params: ValidJSON, for request: borrowing Request, _ validator: inout JSONValidator,
        into native: inout JSONWriter
    ) throws(RPCError) -> NativeOutcome {
        native.rewind(to: 0)
        failure = nil
        do throws(RPCError) {
            guard let entry = try core.find(JSONText(method)) else { throw .methodNotFound("\(method)", []) }
            try arguments.read(params, for: entry.method, limits, &validator)
            let staged = pending.staged.count
            let inner = Request(
                id: request.id, room: limits[.messageBytes], caller: request.caller, destination: request.destination,
                ways: request.ways)
            answer(inner, entry, to: &native)
            if pending.staged.count > staged, let work = pending.takeLastStaged()?.work { return .later(work) }
        } catch {
            return .failure(error)
        }
        if core.wantedRound != nil || core.store.lockWait.isAsked || core.awaitsWork { return .parked }
        if let failure = failure.take() { return .failure(failure) }
        // {"jsonrpc":"2.0","id":ID,"result":RESULT}
        let start = 32 + (request.id?.count ?? 4)
        let answer = native.buffer.bytes
        guard answer.count > start else { return .failure(RPCError(.internalError, "\(method) has not answered.")) }
        return .result(ValidJSON(trusting: UnsafeRawBufferPointer(rebasing: answer[start..<answer.count - 1])))
    }

    /// Makes several calls and writes one result of what they have answered; where one of them comes later, so does the result.
    /// - Parameters:
    ///   - besides: what else is asked; its outcomes come after those of the calls.
    ///   - finish: writes the result.
    /// - Returns: false where the answer comes later, or the request has to wait.
    mutating func ask(
        _ calls: [NativeCall], besides works: [any LaterWork] = [], _ given: ModelParams, _ request: borrowing Request,
        _ validator: inout JSONValidator, to out: inout JSONWriter, _ finish: @escaping ModelWork.Finish
    ) throws(RPCError) -> Bool {
        var parts: [ModelWork.Part] = []
        var native = JSONWriter(capacity: 1024)
        for call in calls {
            let params = Array(call.params.text.utf8)
            let asked = params.withUnsafeBytes { bytes in
                Result { () throws(RPCError) in
                    try ask(call.method, ValidJSON(trusting: bytes), for: request, &validator, into: &native)
                }
            }
            switch try asked.get() {
            case .result(let value): parts.append(.done(.success(Array(value.bytes))))
            case .failure(let error): parts.append(.done(.failure(error)))
            case .later(let work): parts.append(.later(work))
            case .parked: return false
            }
        }
        extendLifetime(native)
        for work in works { parts.append(.later(work)) }
        let work = ModelWork(parts, finish)
        guard work.isLater else {
            try work.finish(&core, to: &out)
            return true
        }
        stage(work, request, progressToken: given.meta.progressToken)
        return false
    }
}
