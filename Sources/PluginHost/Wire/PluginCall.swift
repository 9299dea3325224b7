import JSONCodec

/// One request of the host to a plugin, from its beginning to its outcome.
///
/// A class, because the waiting caller and the working plugin both hold it. Both are in the loop, so there are no
/// locks.
public final class PluginCall {
    public enum Outcome {
        /// The `result` as written.
        case result([UInt8])
        /// The plugin's own `error` as written.
        case failed([UInt8])
        /// An answer that differs from its declaration, or cannot be used; the text gives the reason.
        case unusable(String)
        /// With an unreadable line that it printed meanwhile, if any.
        case timedOut(unread: String?)
        /// It does not run, and cannot.
        case unavailable(state: String, retryAfter: Int?, isRetryable: Bool)
        case cancelled
        /// The server has no such tool or capability, or the tool differs from the one that the user saw.
        case unknown
    }

    public let method: String
    /// Whether it is a request of MCP, such as `prompts/get`; else it names a method of the plugin, or a tool.
    public let isOfProtocol: Bool
    /// JSON.
    public let params: [UInt8]
    /// The timeout once it runs, in milliseconds.
    public let timeoutMilliseconds: Int
    /// The client's token, under which progress is passed on.
    public let progressToken: [UInt8]?
    /// Whether a missing answer is no fault of the plugin, because a service that it waits for may be away.
    public let isPatient: Bool
    public internal(set) var outcome: Outcome?
    /// The plugin's latest progress that was not passed on: `value` of `$/progress`.
    public internal(set) var progress: [UInt8]?
    /// Whether no request waits for it any more.
    public internal(set) var isAbandoned = false
    /// Whether a plugin has taken it.
    public internal(set) var isGiven = false
    /// The number of its request.
    var number: Int?
    var deadline: Int?

    public init(
        _ method: String, _ params: [UInt8], timeoutMilliseconds: Int, progressToken: [UInt8]? = nil,
        isOfProtocol: Bool = false, isPatient: Bool = false
    ) {
        self.method = method
        self.isOfProtocol = isOfProtocol
        self.params = params
        self.timeoutMilliseconds = timeoutMilliseconds
        self.progressToken = progressToken
        self.isPatient = isPatient
    }

    public func takeProgress() -> [UInt8]? { progress.take() }
}
