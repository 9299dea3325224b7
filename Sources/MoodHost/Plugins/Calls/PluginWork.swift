import JSONCodec
import JSONRPC
import MoodProtocol
import Platform
import PluginHost

/// A request that waits for plugins: for one answer, or for those of several until a deadline.
final class PluginWork: LaterWork {
    private let calls: [(plugin: HostedPlugin, call: PluginCall)]
    private let conclusion: Conclusion
    /// The time by `Clock.monotonicMilliseconds` at which it is concluded with the answers it has. Nil: it waits for
    /// all.
    let deadline: Int?
    /// The token of `$/progress`, if the request has one.
    let progressToken: [UInt8]?
    private var isCancelled = false
    private var hasBegun = false

    /// - Parameter conclusion: writes the result, once the calls have their outcomes.
    init(
        _ calls: [(plugin: HostedPlugin, call: PluginCall)], until deadline: Int? = nil, progressToken: [UInt8]? = nil,
        _ conclusion: @escaping Conclusion
    ) {
        self.calls = calls
        self.deadline = deadline
        self.progressToken = progressToken
        self.conclusion = conclusion
    }

    func begin(_ core: inout Core) -> Bool {
        hasBegun = true
        for (plugin, call) in calls where call.outcome == nil && !call.isGiven { plugin.call(call) }
        return isReady
    }

    private var isReady: Bool {
        if isCancelled || calls.allSatisfy({ $0.call.outcome != nil }) { return true }
        return deadline.map { Clock.monotonicMilliseconds >= $0 } ?? false
    }

    func cancel() {
        isCancelled = true
        for (plugin, call) in calls { plugin.abandon(call) }
    }

    func takeProgress() -> JSONValue? {
        for (_, call) in calls {
            // Progress that is not JSON is dropped.
            if let progress = call.takeProgress() { return try? JSONValue.parse(progress) }
        }
        return nil
    }

    func takeConclusion() -> Conclusion? {
        guard hasBegun, isReady else { return nil }
        if isCancelled {
            return { (_, _) throws(RPCError) in
                throw RPCError(.cancelled, "The request was cancelled.")
            }
        }
        return conclusion
    }
}

extension PluginCall {
    /// The result as written.
    /// - Throws: `pluginUnavailable`, `pluginFailed` or `pluginTimeout`.
    func result(of plugin: String) throws(RPCError) -> [UInt8] {
        switch outcome {
        case .result(let bytes): return bytes
        case .failed(let error): throw .pluginFailed(plugin, error)
        case .unusable(let reason): throw .pluginFailed(plugin, reason)
        case .timedOut(let unread):
            let clause = "\(plugin) did not answer \(method) within \(timeoutMilliseconds) ms"
            throw RPCError(
                .pluginTimeout, unread.map { "\(clause). It printed \($0)" } ?? "\(clause).",
                [.init("plugin", .string(plugin))] + (unread.map { [.init("unread", .string($0))] } ?? []))
        case .unavailable(let state, let retryAfter, let isRetryable):
            throw .pluginUnavailable(plugin, state: state, retryAfter: retryAfter, isRetryable: isRetryable)
        case .unknown:
            let reason =
                "\(plugin) has no tool \(method), or not as it was when it was trusted. See mood plugin info \(plugin), and trust them: mood plugin trust \(plugin) --tools DIGEST."
            throw RPCError(.methodNotFound, reason, [.init("suggestions", [])])
        case .cancelled, nil: throw RPCError(.cancelled, "The request was cancelled.")
        }
    }
}

extension RPCError {
    /// - Parameter error: the plugin's own error as written.
    static func pluginFailed(_ plugin: String, _ error: [UInt8]) -> RPCError {
        let value = error.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        let message = value["message"]?.string.map { ": \($0.prefix(500))" } ?? ""
        return RPCError(
            .pluginFailed, "\(plugin) answered with an error\(message)",
            [.init("plugin", .string(plugin)), .init("error", value)])
    }

    static func pluginFailed(_ plugin: String, _ reason: String, path: String? = nil) -> RPCError {
        RPCError(
            .pluginFailed, "\(plugin) failed: \(reason)",
            [.init("plugin", .string(plugin)), .init("reason", .string(reason))]
                + (path.map { [.init("path", .string($0))] } ?? []))
    }

    static func pluginUnavailable(
        _ plugin: String, state: String, retryAfter: Int? = nil, isRetryable: Bool = false
    ) -> RPCError {
        let advice: String
        switch state {
        case "untrusted": advice = "A person has to trust it first: mood plugin trust \(plugin)."
        case "disabled": advice = "Enable it: mood plugin enable \(plugin)."
        case "failed":
            advice = "See mood plugin log \(plugin), mend it, then mood plugin restart \(plugin)."
        case "backingOff": advice = "It has crashed and is started again soon; mood plugin log \(plugin) says why."
        case "stopped": advice = "It was set, trusted or started anew meanwhile. Ask again."
        default: advice = "See mood plugin info \(plugin)."
        }
        var details: [JSONValue.Member] = [.init("plugin", .string(plugin)), .init("state", .string(state))]
        if let retryAfter { details.append(.init("retryAfter", .number(String(retryAfter)))) }
        return RPCError(
            isRetryable ? .pluginResting : .pluginUnavailable,
            isRetryable
                ? "Too many calls wait for \(plugin). Try again."
                : "\(plugin) does not run (\(state)). \(advice)", details)
    }
}
