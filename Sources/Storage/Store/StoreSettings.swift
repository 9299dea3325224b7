import Platform

/// How a store is opened. Nothing here has a default that decides about somebody's data.
public struct StoreSettings: Sendable {
    public enum Durability: Sendable {
        /// Every commit is on stable storage before it is answered.
        case sync
        /// Commits are handed to the operating system only: they outlive the process, not a power cut.
        case none
    }

    /// The directory's path; the first change makes it, with its parents, when there is none.
    public var directory: String
    public var durability: Durability
    /// Whether the directory must not be written, not even to mend it.
    public var isReadOnly: Bool
    /// Whether a directory that is a symbolic link, belongs to somebody else or can be written by others will do.
    public var trustsDirectory: Bool
    /// Whether the snapshot is read as a whole and kept in memory, whatever index it has: what its bytes say now is shown, also
    /// where they are not those that were written.
    public var readsWholeSnapshot = false
    /// How long another process may hold the lock, in milliseconds; 0 does not wait.
    public var lockTimeoutMilliseconds: Int
    /// How the thread that has the store waits for the lock; nil: there.
    public var lockWait: LockWait?
    /// The schema version that is written; later ones are only read, earlier ones need a migration.
    public var schemaVersion: Int
    /// Of a group's lines, so many bytes that wait are written before the group ends, so that the disk has begun with them when
    /// it is asked to sync.
    public var aheadBytes = aheadBytesUsual
    public static let aheadBytesUsual = 256 << 10
    public var fileSystem: FileSystem
    /// Gets one line, without its end, for each thing that people should know of.
    public var log: @Sendable (String) -> Void
    /// A new random UUID, 36 bytes; also what names temporary files, so it must not repeat.
    public var makeIdentifier: @Sendable () -> String
    /// The time of day as RFC 3339 in UTC with milliseconds: 24 bytes.
    public var timestamp: @Sendable () -> String
    /// How a snapshot of an earlier schema version becomes one of this; nil: it is refused.
    public var migration: SchemaMigration?
    /// How a used store of the schema version before becomes one of this; nil: it is refused.
    public var upgrade: SchemaUpgrade?

    public init(
        directory: String, durability: Durability, isReadOnly: Bool, trustsDirectory: Bool,
        lockTimeoutMilliseconds: Int, schemaVersion: Int, fileSystem: FileSystem,
        log: @escaping @Sendable (String) -> Void, makeIdentifier: @escaping @Sendable () -> String,
        timestamp: @escaping @Sendable () -> String
    ) {
        self.directory = directory
        self.durability = durability
        self.isReadOnly = isReadOnly
        self.trustsDirectory = trustsDirectory
        self.lockTimeoutMilliseconds = lockTimeoutMilliseconds
        self.schemaVersion = schemaVersion
        self.fileSystem = fileSystem
        self.log = log
        self.makeIdentifier = makeIdentifier
        self.timestamp = timestamp
    }

    /// The same store, in which every read fails once `isCancelled` says so. What reads ends soon then, and cleans up as after
    /// any failed read. What is written is written: no step that others rely on is left half done.
    public func cancelled(when isCancelled: @escaping @Sendable () -> Bool) -> StoreSettings {
        var settings = self
        let read = fileSystem.read
        settings.fileSystem.read = { descriptor, into, offset throws(SystemError) in
            if isCancelled() { throw SystemError(call: "pread", code: ECANCELED) }
            return try read(descriptor, into, offset)
        }
        return settings
    }
}

/// The time of a commit as text, `2026-01-02T03:04:05.678Z`: RFC 3339 in UTC with milliseconds, which always takes 24
/// bytes. Inline, because every store has one, also one in memory, which never writes it down.
public struct TimeText: Sendable {
    private static let byteCount = 24

    private var text: InlineArray<24, UInt8>

    /// The first moment of 1970, until somebody says what time it is.
    init() {
        let start = "1970-01-01T00:00:00.000Z" as StaticString
        text = InlineArray { start.utf8Start[$0] }
    }

    /// Takes another time; anything but 24 bytes is no time and changes nothing.
    public mutating func set(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return }
        for index in text.indices { text[index] = bytes[index] }
    }

    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try text.span.bytes.withUnsafeBytes(body)
    }
}
