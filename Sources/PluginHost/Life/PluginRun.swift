import JSONCodec
import Platform

/// The parameters to run a plugin: the trusted copy, and the user's grants.
public struct PluginRun: Sendable {
    public let id: PluginID
    public let process: KeptProcess.Plan
    public let times: PluginLife.Times
    /// The default timeout of a running call.
    public let timeoutMilliseconds: Int
    /// The most calls at the same time.
    public let concurrency: Int
    /// The longest answer, in bytes.
    public let answerBytesMax: Int
    public let dialect: Dialect
    /// Whether it keeps running while idle: a transport reports changes by others.
    public let staysIdle: Bool

    /// The protocol that it speaks.
    public enum Dialect: Sendable {
        /// The protocol of this host; with the params of `plugin.hello` without `revision`: an object without its
        /// closing brace.
        case moodboard(hello: [UInt8])
        /// MCP, as a server that gets this version of the host.
        case mcp(hostVersion: String)
    }

    public init(
        id: PluginID, process: KeptProcess.Plan, times: PluginLife.Times, timeoutMilliseconds: Int, concurrency: Int,
        answerBytesMax: Int, dialect: Dialect, staysIdle: Bool = false
    ) {
        self.id = id
        self.process = process
        self.times = times
        self.timeoutMilliseconds = timeoutMilliseconds
        self.concurrency = concurrency
        self.answerBytesMax = answerBytesMax
        self.dialect = dialect
        self.staysIdle = staysIdle
    }
}

/// The services of the host for plugins.
public struct PluginSurroundings {
    /// The time in RFC 3339, for the log.
    public let timestamp: () -> String
    /// The time by the monotonic clock.
    public let milliseconds: () -> Int
    /// The store's revision, for the greeting.
    public let revision: () -> Int
    /// Called when a state has changed.
    public let stateChanged: (HostedPlugin) -> Void
    /// Called when an MCP server has listed its tools, to set `mayBeCalled`.
    public let toolsListed: (HostedPlugin) -> Void

    public init(
        timestamp: @escaping () -> String, milliseconds: @escaping () -> Int, revision: @escaping () -> Int,
        stateChanged: @escaping (HostedPlugin) -> Void, toolsListed: @escaping (HostedPlugin) -> Void
    ) {
        self.timestamp = timestamp
        self.milliseconds = milliseconds
        self.revision = revision
        self.stateChanged = stateChanged
        self.toolsListed = toolsListed
    }
}
