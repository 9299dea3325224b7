import JSONCodec

/// One request of the host to a plugin, from the moment that somebody wants it until it has an outcome.
///
/// A class, because the one who waits and the plugin that works both hold it. Both are in the loop, so nothing is locked.
public final class PluginCall {
    public enum Outcome {
        /// The `result`, as it was written.
        case result([UInt8])
        /// The plugin's own `error`, as it was written.
        case failed([UInt8])
        /// Its answer is not what it has declared, or cannot be used; the text says why.
        case unusable(String)
        /// With a line that it printed meanwhile and that could not be read, where there is one.
        case timedOut(unread: String?)
        /// It does not run, and cannot.
        case unavailable(state: String, retryAfter: Int?, isRetryable: Bool)
        case cancelled
        /// The server has no such tool, or not as a person has seen it; or nothing of that kind at all.
        case unknown
    }

    public let method: String
    /// Whether it is a request that MCP has, such as `prompts/get`; else it names a method of the plugin's, or a tool.
    public let isOfProtocol: Bool
    /// JSON.
    public let params: [UInt8]
    /// How long it may take once it runs, in milliseconds.
    public let timeoutMilliseconds: Int
    /// As the client gave it; progress is passed on under it.
    public let progressToken: [UInt8]?
    /// Whether the plugin may fail to answer without that being counted as a fault of its own: what it waits for may be away.
    public let isPatient: Bool
    public internal(set) var outcome: Outcome?
    /// What the plugin has told of its progress and nobody has passed on: `value` of `$/progress`.
    public internal(set) var progress: [UInt8]?
    /// Nobody waits for it any more.
    public internal(set) var isAbandoned = false
    /// Whether a plugin has taken it.
    public internal(set) var isGiven = false
    /// Under which number it was sent.
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
