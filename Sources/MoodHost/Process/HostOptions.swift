import MoodCore
import MoodProtocol
import Platform
import Storage

/// The options from the command line and the environment.
public struct HostOptions: Sendable {
    public enum Place: Sendable {
        case memory
        case directory(String)
    }

    public var place: Place
    public var insertsSamples = false
    public var durability = StoreSettings.Durability.sync
    public var isReadOnly = false
    public var trustsDirectory = false
    public var lockTimeoutMilliseconds = 2000
    public var limits = Limits()
    /// Nil: the setting's, else `usualLocale`.
    public var locale: String?
    public static let usualLocale = "en_US"
    /// Nil: the setting's, else the system's.
    public var timeZone: String?
    public var plugins = PluginSettings()
    /// Only `sync.now` syncs.
    public var isSyncOff = false
    public var logLevel = LogLevel.info
    /// Offers AI clients a tool for each method that is meant for them, not only the usual ones.
    public var offersAllTools = false
    /// Hides notes from AI clients.
    public var hidesNotes = false
    /// The time of the first request; each later one comes a millisecond after the one before. Nil: the time of day.
    public var testTime: Timestamp?
    /// The seed of identifiers. Nil: a random one.
    public var testSeed: UInt64?
}

/// The options for plugins.
public struct PluginSettings: Sendable {
    /// Folders with plugins besides the store's own, in order.
    public var places: [String] = []
    /// Runs no plugin and asks no hook.
    public var isOff = false
    /// Refuses to run a plugin that cannot be isolated.
    public var requiresIsolation = false
    /// The program that supervises their processes; tests, which are another program, name no existing one.
    var keeper = ProcessFacts.ownProgram
}

/// The verbosity of stderr.
public enum LogLevel: String, CaseIterable, Sendable, Comparable {
    case error, warning, info, debug

    public static func < (a: LogLevel, b: LogLevel) -> Bool { a.rank < b.rank }

    private var rank: Int {
        switch self {
        case .error: 0
        case .warning: 1
        case .info: 2
        case .debug: 3
        }
    }
}
