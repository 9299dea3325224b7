import Platform

/// An event that wakes the loop.
enum Event {
    /// The client has sent something, or has closed its end.
    case input
    /// The client takes answers.
    case output
    /// The client has closed its end of the output.
    case outputClosed
    /// A signal asks the process to end.
    case interrupted
    /// Another process may have changed the store.
    case storeChanged
    /// The lock of the store is free for the waiting request.
    case lockReady
    /// Another thread has done something, or reports progress.
    case workAdvanced
    /// A plugin has printed something, takes input, or has ended.
    case plugin(slot: Int, PluginWatch.End)
    /// Another process has changed which plugins may run.
    case pluginsChanged
    /// Another process has set up the sync, or has left it.
    case syncChanged
    case timer(Timer)

    enum Timer {
        /// The wait for the client to read its last answers is over.
        case farewell
        /// The wait for the lock of the store is over.
        case lock
        /// The next check for changes of the store is due.
        case look
        /// A sync of the store is due.
        case sync
        /// The time of a plugin, or of a request that waits for one, is over.
        case plugins
        /// The client has read nothing for too long while other processes change the store.
        case stall
        /// The host has run long enough to watch other hosts.
        case staying
    }
}

extension EventSources.Name {
    static let interruption = Self(0)
    static let input = Self(1)
    static let output = Self(2)
    static let store = Self(3)
    static let helper = Self(4)
    static let farewell = Self(5)
    static let stall = Self(6)
    static let lock = Self(7)
    static let plugins = Self(8)
    static let sync = Self(9)
    static let syncFile = Self(10)
    static let staying = Self(11)
    static let reader = Self(12)
}

extension Event {
    /// Nil for an event that no part of the loop listens to any more.
    init?(_ occurrence: EventSources.Occurrence) {
        switch occurrence {
        case .readable(.interruption): self = .interrupted
        case .readable(.input): self = .input
        case .writable(.output): self = .output
        case .closed(.output): self = .outputClosed
        case .readable(.store): self = .storeChanged
        case .readable(.lock): self = .lockReady
        case .readable(.helper), .readable(.reader), .readable(.sync): self = .workAdvanced
        case .due(.farewell): self = .timer(.farewell)
        case .due(.lock): self = .timer(.lock)
        case .due(.store): self = .timer(.look)
        case .due(.stall): self = .timer(.stall)
        case .due(.plugins): self = .timer(.plugins)
        case .due(.sync): self = .timer(.sync)
        case .due(.staying): self = .timer(.staying)
        case .readable(.plugins): self = .pluginsChanged
        case .readable(.syncFile): self = .syncChanged
        case .readable(let name), .writable(let name), .closed(let name):
            guard let (slot, end) = PluginWatch.place(of: name) else { return nil }
            self = .plugin(slot: slot, end)
        case .due: return nil
        }
    }
}
