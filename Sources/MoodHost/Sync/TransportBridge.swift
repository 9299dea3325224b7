import JSONCodec
import MoodSync
import Platform
import PluginHost
import Synchronization

/// The connection of a sync round to plugins: the sync thread asks and waits; the loop, which owns the plugins, calls
/// the plugin. One question is pending at a time.
final class TransportBridge: Sendable {
    struct Question: Sendable {
        let scheme: String
        let method: String
        /// The params as JSON.
        let params: [UInt8]
    }

    private struct State {
        var question: Question?
        var answer: Result<[UInt8], SyncError>?
        var isClosed = false
    }

    private let state = Mutex(State())
    private let bell = Bell()
    private let thread: HelperThread

    /// - Parameter thread: the sync thread; the loop listens to its wake-ups.
    init(_ thread: HelperThread) { self.thread = thread }

    private static let lookMilliseconds = 50

    /// Asks a question; called on the sync thread.
    func ask(
        _ scheme: String, _ method: String, _ params: [UInt8], isCancelled: () -> Bool
    ) throws(SyncError) -> [UInt8] {
        // Off the sync thread, the work would wait for itself.
        guard let bell, thread.isRunning else { throw .offline(reason: "There are no threads or descriptors left.") }
        let isClosed = state.withLock { state in
            if !state.isClosed {
                state.question = Question(scheme: scheme, method: method, params: params)
                state.answer = nil
            }
            return state.isClosed
        }
        if isClosed { throw .cancelled }
        thread.wake()
        while true {
            if let answer = state.withLock({ $0.answer.take() }) { return try answer.get() }
            if isCancelled() {
                state.withLock { $0.question = nil }
                throw .cancelled
            }
            bell.wait(milliseconds: Self.lookMilliseconds)
        }
    }

    /// Takes the question; called by the loop.
    func takeQuestion() -> Question? { state.withLock { $0.question.take() } }

    /// Passes the answer on; called by the loop.
    func answer(_ answer: Result<[UInt8], SyncError>) {
        state.withLock { $0.answer = answer }
        bell?.ring()
    }

    /// Refuses all questions; called by the loop when plugins no longer answer.
    func close() {
        state.withLock { state in
            state.isClosed = true
            state.question = nil
            state.answer = .failure(.cancelled)
        }
        bell?.ring()
    }
}

/// The loop's part in a round that asks plugins.
extension Core {
    /// Time for an answer of a transport, unless its manifest allows more.
    private static let transportMilliseconds = 30_000

    /// The connection to plugins, for a round.
    mutating func transportPeer(isCancelled: @escaping @Sendable () -> Bool = { false }) -> TransportPeer {
        seePlugins()
        return TransportPeer(schemes: plugins.schemes) {
            [bridge = sync.bridge] (scheme, method, params) throws(SyncError) in
            try bridge.ask(scheme, method, params, isCancelled: isCancelled)
        }
    }

    /// Passes the next question to the plugin, and its answer back.
    mutating func attendTransport() {
        if let question = sync.bridge.takeQuestion() {
            guard let plugin = plugins.transport(question.scheme) else {
                return sync.bridge.answer(
                    .failure(.offline(reason: "No transport that may run has the scheme \(question.scheme).")))
            }
            let time = max(plugin.manifest.limits.timeoutMilliseconds, Self.transportMilliseconds)
            let call = PluginCall(question.method, question.params, timeoutMilliseconds: time, isPatient: true)
            // The round that asked before was cancelled.
            if let (plugin, call) = sync.asked { plugin.hosted.abandon(call) }
            sync.asked = (plugin, call)
            plugin.hosted.call(call)
        }
        guard let (plugin, call) = sync.asked, let outcome = call.outcome else { return }
        sync.asked = nil
        sync.bridge.answer(Self.answer(outcome, of: plugin.id.text, call))
    }

    private static func answer(
        _ outcome: PluginCall.Outcome, of id: String, _ call: PluginCall
    ) -> Result<[UInt8], SyncError> {
        switch outcome {
        case .result(let bytes): .success(bytes)
        case .failed(let error): .failure(failure(error, of: id))
        case .unusable(let reason): .failure(.offline(reason: "\(id): \(reason)"))
        case .timedOut:
            .failure(
                .offline(reason: "\(id) did not answer \(call.method) within \(call.timeoutMilliseconds) ms."))
        case .unavailable(let state, _, _):
            .failure(.offline(reason: "\(id) does not run (\(state)). See mood plugin info \(id)."))
        case .cancelled: .failure(.cancelled)
        case .unknown: .failure(.refused(reason: "\(id) has no \(call.method)."))
        }
    }

    /// The meaning of a plugin's error. Usually the engine is offline.
    private static func failure(_ error: [UInt8], of id: String) -> SyncError {
        let value = error.withUnsafeBytes { JSONValue(ValidJSON(trusting: $0)) }
        let text = "\(id): \(value["message"]?.string.map { String($0.prefix(500)) } ?? "it answered with an error")"
        return switch value["code"]?.integer {
        case 1001: .notFound("transport", reason: text)
        case 1002, 1003, -32601, -32602: .refused(reason: text)
        default: .offline(reason: text)
        }
    }
}

extension PluginRegistry {
    /// The plugin that is the transport of a scheme: the first one of several.
    func transport(_ scheme: String) -> TrustedPlugin? {
        plugins(that: .transports).first { plugin in
            plugin.manifest.provides.transports.contains { $0.scheme.utf8.elementsEqual(scheme.utf8) }
        }
    }

    /// The schemes of plugins that may run.
    var schemes: [String] {
        plugins(that: .transports).flatMap { $0.manifest.provides.transports.map(\.scheme) }
    }

    /// Whether a transport has reported changes since the last call.
    func takeTransportNews() -> Bool {
        var hasChanged = false
        for plugin in hosted where plugin.hasTransportNews {
            plugin.hasTransportNews = false
            hasChanged = true
        }
        return hasChanged
    }
}
