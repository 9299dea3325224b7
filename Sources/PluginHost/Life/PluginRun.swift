import JSONCodec
import Platform

/// What is needed to run a plugin: the trusted copy, and what a person has granted.
public struct PluginRun: Sendable {
    public let id: PluginID
    public let process: KeptProcess.Plan
    public let times: PluginLife.Times
    /// How long a call may take once it runs, where nothing else is said.
    public let timeoutMilliseconds: Int
    /// How many calls may run at the same time.
    public let concurrency: Int
    /// The longest answer, in bytes.
    public let answerBytesMax: Int
    public let dialect: Dialect
    /// Whether it goes on running while it has nothing to do: a transport tells of what others do.
    public let staysIdle: Bool

    /// What it speaks.
    public enum Dialect: Sendable {
        /// The protocol of this host; with the params of `plugin.hello`, but `revision`: an object without its closing brace.
        case moodboard(hello: [UInt8])
        /// It is an MCP server, which is told this version of the host.
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

/// What plugins need of the host that runs them.
public struct PluginSurroundings {
    /// RFC 3339, for the log.
    public let timestamp: () -> String
    /// By the monotonic clock.
    public let milliseconds: () -> Int
    /// The store's revision, for the greeting.
    public let revision: () -> Int
    /// A state has changed.
    public let stateChanged: (HostedPlugin) -> Void
    /// An MCP server has listed its tools; `mayBeCalled` is to be set.
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
