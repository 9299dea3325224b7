import MoodCore
import MoodProtocol
import Platform
import Storage

/// What the command line and the environment say.
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
    /// Nothing is synced but by `sync.now`.
    public var isSyncOff = false
    public var logLevel = LogLevel.info
    /// AI clients have a tool for each method that is meant for them, not the usual ones alone.
    public var offersAllTools = false
    /// AI clients see no notes.
    public var hidesNotes = false
    /// The time of the first request; each later one comes a millisecond after the one before. Nil: the time of day.
    public var testTime: Timestamp?
    /// What identifiers are made from. Nil: from nothing that anybody knows.
    public var testSeed: UInt64?
}

/// What is said of plugins.
public struct PluginSettings: Sendable {
    /// Folders with plugins besides the store's own, in order.
    public var places: [String] = []
    /// No plugin runs, and no hook is asked.
    public var isOff = false
    /// What cannot be isolated does not run.
    public var requiresIsolation = false
    /// The program that keeps their processes; tests, which are another program, name none that is there.
    var keeper = ProcessFacts.ownProgram
}

/// How much is said on stderr.
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
