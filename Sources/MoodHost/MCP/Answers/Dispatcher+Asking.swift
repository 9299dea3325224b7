import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// The outcome of one of the host's own methods for an MCP request. A result is valid as long as its writer is unchanged.
typealias NativeOutcome = Result<ValidJSON, RPCError>

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
    /// - Throws: the work of a later result, or the wait of the request.
    mutating func ask(
        _ method: Name, _ params: ValidJSON, for request: borrowing Request, _ validator: inout JSONValidator,
        into native: inout JSONWriter
    ) throws -> NativeOutcome {
        native.rewind(to: 0)
        native.buffer.limit = limits[.messageBytes]
        defer { native.buffer.limit = .max }
        do {
            guard let entry = try core.find(JSONText(method)) else { throw RPCError.methodNotFound("\(method)", []) }
            try arguments.read(params, for: entry.method, limits, &validator)
            try perform(entry, request, to: &native)
            if native.count > limits[.messageBytes] { throw Self.tooLong(request.destination, limits) }
            return .success(ValidJSON(trusting: native.buffer.bytes))
        } catch {
            let stop = Stop(error, .read)
            if case .waits = stop { throw error }
            core.takeBack()
            guard case .refused(let error) = stop else { throw error }
            return .failure(error)
        }
    }

    /// Carries out a plan, and writes its result.
    /// - Throws: the work, if one of the calls answers later; then the request does too.
    mutating func carryOut(
        _ plan: ModelPlan, _ given: ModelParams, _ request: borrowing Request, _ validator: inout JSONValidator,
        to out: inout JSONWriter
    ) throws {
        var parts: [ModelWork.Part] = []
        var native = JSONWriter(capacity: 1024)
        for call in plan.calls {
            let params = KeptBytes(Array(call.params.text.utf8))
            let asked = ValidJSON(trusting: params.bytes)
            do {
                let outcome = try ask(call.method, asked, for: request, &validator, into: &native)
                parts.append(.done(outcome.map { Array($0.bytes) }))
            } catch {
                guard case .later(let work, _) = error as? Stop else { throw error }
                parts.append(.later(work))
            }
            extendLifetime(params)
        }
        extendLifetime(native)
        for work in plan.works { parts.append(.later(work)) }
        let work = ModelWork(parts, given.meta.progressToken, plan.finish)
        if work.isLater { throw Stop.later(work) }
        try work.finish(&core, to: &out)
    }
}
