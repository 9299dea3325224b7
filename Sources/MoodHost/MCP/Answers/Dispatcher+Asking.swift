import JSONCodec
import JSONRPC
import MCP
import MoodProtocol

/// The outcome of one of the host's own methods for an MCP request. A result is valid until the next call.
typealias NativeOutcome = Result<ValidJSON, RPCError>

/// The params of a call of one of the host's own methods.
enum NativeParams {
    case whole(ValidJSON)
    /// - Parameter said: the same in the client's own words; empty if these are the same.
    case named([Arguments.Given], said: [Arguments.Given] = [])
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

/// The memory of results of the host's own methods, for one call after the other.
final class NativeResult {
    var writer = JSONWriter(capacity: 1024)
    /// The most bytes that stay between calls.
    static let bytesKept = 64 * 1024
}

extension Dispatcher {
    /// Runs a method on behalf of a request, which settles the changes.
    /// - Throws: the work of a later result, or the wait of the request.
    mutating func ask(_ method: Name, _ params: NativeParams, for request: borrowing Request) throws -> NativeOutcome {
        let native = native
        native.writer.rewind(to: 0)
        native.writer.buffer.shrink(toCapacity: NativeResult.bytesKept)
        native.writer.buffer.limit = limits[.messageBytes]
        do {
            guard let entry = try core.find(JSONText(method)) else { throw RPCError.methodNotFound("\(method)", []) }
            validator.begin()
            switch params {
            case .whole(let params): try arguments.read(params, for: entry.method, modelLimits, &validator)
            case .named(let params, let said):
                try arguments.read(params, for: entry.method, modelLimits, &validator)
                if !said.isEmpty { arguments.said = said }
            }
            defer { if !arguments.said.isEmpty { arguments.said = [] } }
            try perform(entry, request, to: &native.writer)
            if native.writer.count > limits[.messageBytes] { throw Self.tooLong(request.destination, limits) }
            return .success(ValidJSON(trusting: native.writer.buffer.bytes))
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
        _ plan: ModelPlan, _ given: ModelParams, _ request: borrowing Request, to out: inout JSONWriter
    ) throws {
        var parts: [ModelWork.Part] = []
        for call in plan.calls {
            do {
                let outcome = try KeptBytes(Array(call.params.text.utf8)).withJSON {
                    try ask(call.method, .whole($0), for: request)
                }
                parts.append(.done(outcome.map { Array($0.bytes) }))
            } catch {
                guard case .later(let work, _) = error as? Stop else { throw error }
                parts.append(.later(work))
            }
        }
        for work in plan.works { parts.append(.later(work)) }
        let work = ModelWork(parts, given.meta.progressToken, plan.finish)
        if work.isLater { throw Stop.later(work) }
        try work.finish(&core, to: &out)
    }
}
