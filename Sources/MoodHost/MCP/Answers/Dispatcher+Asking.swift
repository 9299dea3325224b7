import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// The outcome of one of the host's own methods for an MCP request.
enum NativeOutcome {
    /// Valid as long as its writer is unchanged.
    case result(ValidJSON)
    case failure(RPCError)
    case later(any LaterWork)
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

/// A plan for a request of an AI client: one result of several calls of the host's own methods, and of work. The result
/// follows the last of them.
struct ModelPlan {
    let calls: [NativeCall]
    /// Work whose outcomes follow those of the calls.
    let works: [any LaterWork]
    /// Writes the result.
    let finish: ModelWork.Finish

    init(_ calls: [NativeCall] = [], besides works: [any LaterWork] = [], _ finish: @escaping ModelWork.Finish) {
        (self.calls, self.works, self.finish) = (calls, works, finish)
    }
}

extension Dispatcher {
    /// Runs a method on behalf of a request, which settles the changes.
    /// - Parameter native: gets the method's result.
    /// - Throws: the wait of the request.
    mutating func ask(
        _ method: Name, _ params: ValidJSON, for request: borrowing Request, _ validator: inout JSONValidator,
        into native: inout JSONWriter
    ) throws(Stop) -> NativeOutcome {
        native.rewind(to: 0)
        native.buffer.limit = limits[.messageBytes]
        defer { native.buffer.limit = .max }
        do throws(Stop) {
            try carryOut(method, params, for: request, &validator, into: &native)
            return .result(ValidJSON(trusting: native.buffer.bytes))
        } catch {
            if case .waits = error { throw error }
            core.takeBack()
            switch error {
            case .refused(let error): return .failure(error)
            case .later(let work, _): return .later(work)
            case .waits: throw error
            }
        }
    }

    private mutating func carryOut(
        _ method: Name, _ params: ValidJSON, for request: borrowing Request, _ validator: inout JSONValidator,
        into native: inout JSONWriter
    ) throws(Stop) {
        let entry: MethodTable.Entry
        do throws(RPCError) {
            guard let found = try core.find(JSONText(method)) else { throw .methodNotFound("\(method)", []) }
            entry = found
            try arguments.read(params, for: entry.method, limits, &validator)
        } catch {
            throw .refused(error)
        }
        try perform(entry, request, to: &native)
        if native.count > limits[.messageBytes] { throw .refused(Self.tooLong(request.destination, limits)) }
    }

    /// Carries out a plan, and writes its result.
    /// - Throws: the work, if one of the calls answers later; then the request does too.
    mutating func carryOut(
        _ plan: ModelPlan, _ given: ModelParams, _ request: borrowing Request, _ validator: inout JSONValidator,
        to out: inout JSONWriter
    ) throws(Stop) {
        var parts: [ModelWork.Part] = []
        var native = JSONWriter(capacity: 1024)
        for call in plan.calls {
            let params = KeptBytes(Array(call.params.text.utf8))
            let asked = ValidJSON(trusting: params.bytes)
            switch try ask(call.method, asked, for: request, &validator, into: &native) {
            case .result(let value): parts.append(.done(.success(Array(value.bytes))))
            case .failure(let error): parts.append(.done(.failure(error)))
            case .later(let work): parts.append(.later(work))
            }
            extendLifetime(params)
        }
        extendLifetime(native)
        for work in plan.works { parts.append(.later(work)) }
        let work = ModelWork(parts, given.meta.progressToken, plan.finish)
        if work.isLater { throw .later(work) }
        do throws(RPCError) { try work.finish(&core, to: &out) } catch { throw .refused(error) }
    }
}
