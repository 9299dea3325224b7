import Platform

/// What the loop wakes up for, one thing at a time.
enum Event {
    /// The client has sent something, or has closed its end.
    case input
    /// The client takes answers.
    case output
    /// Nobody reads the answers any more.
    case outputClosed
    /// A signal asks the process to end.
    case interrupted
    /// Another process may have changed the store.
    case storeChanged
    /// The lock of the store is there for the request that waits for it.
    case lockReady
    /// The helper thread has done something, or tells how far it is.
    case workAdvanced
    /// A plugin has printed something, takes something, or has ended.
    case plugin(slot: Int, PluginWatch.End)
    /// Somebody has changed which plugins may run.
    case pluginsChanged
    /// Somebody has set up the sync, or has left it.
    case syncChanged
    case timer(Timer)

    enum Timer {
        /// Nobody is waited for any longer.
        case farewell
        /// The lock of the store is waited for no longer.
        case lock
        /// It is time to look at the store.
        case look
        /// The store is to be synced.
        case sync
        /// A plugin, or a request that waits for one, has had its time.
        case plugins
        /// The client has taken nothing for too long while others go on.
        case stall
        /// The host stays.
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
}

extension Event {
    /// Nil for what nobody listens to any more.
    init?(_ occurrence: EventSources.Occurrence) {
        switch occurrence {
        case .readable(.interruption): self = .interrupted
        case .readable(.input): self = .input
        case .writable(.output): self = .output
        case .closed(.output): self = .outputClosed
        case .readable(.store): self = .storeChanged
        case .readable(.lock): self = .lockReady
        case .readable(.helper), .readable(.sync): self = .workAdvanced
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
