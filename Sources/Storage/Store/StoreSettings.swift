import Platform

/// The settings to open a store with. No default here decides about a user's data.
public struct StoreSettings: Sendable {
    public enum Durability: Sendable {
        /// Every commit is on stable storage before it is answered.
        case sync
        /// Commits are passed to the operating system only: they outlive the process, not a power cut.
        case none
    }

    /// The directory's path; the first change makes it, with its parents.
    public var directory: String
    public var durability: Durability
    /// Whether to write nothing to the directory, not even to mend it.
    public var isReadOnly: Bool
    /// Whether to accept a directory that is a symbolic link, belongs to another user or can be written by others.
    public var trustsDirectory: Bool
    /// Whether to read the whole snapshot into memory in spite of an index: it then shows the bytes as they are now,
    /// even if they changed since they were written.
    public var readsWholeSnapshot = false
    /// How long another process may hold the lock, in milliseconds; 0 does not wait.
    public var lockTimeoutMilliseconds: Int
    /// How the thread of the store waits for the lock; nil: it blocks.
    public var lockWait: LockWait?
    /// The schema version to write; later ones are only readable, earlier ones need a migration.
    public var schemaVersion: Int
    /// Bytes of waiting lines that are written before the group ends, so that the disk has begun with them before the
    /// sync.
    public var aheadBytes = aheadBytesUsual
    public static let aheadBytesUsual = 256 << 10
    /// Bytes of one commit that are kept in memory while it is made; later records are written to its file at once.
    public var commitBytesInMemory = commitBytesInMemoryUsual
    public static let commitBytesInMemoryUsual = 16 << 20
    public var fileSystem: FileSystem
    /// Gets one line, without its end, for each event to log.
    public var log: @Sendable (String) -> Void
    /// A new random UUID, 36 bytes. It also names temporary files, so it must not repeat.
    public var makeIdentifier: @Sendable () -> String
    /// The time of day as RFC 3339 in UTC with milliseconds: 24 bytes.
    public var timestamp: @Sendable () -> String
    /// The migration of a snapshot from an earlier schema version; nil to refuse such a snapshot.
    public var migration: SchemaMigration?
    /// The upgrade of a used store from the schema version before; nil to refuse such a store.
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

    /// A copy in which every read fails once `isCancelled` is true. Readers then end soon and clean up as after any
    /// failed read. Writes go on: no step that other processes rely on is left half done.
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

/// The time of a commit as text, `2026-01-02T03:04:05.678Z`: RFC 3339 in UTC with milliseconds, always 24 bytes.
/// Inline, because every store has one, also a store in memory, which never writes it.
public struct TimeText: Sendable {
    private static let byteCount = 24

    private var text: InlineArray<24, UInt8>

    /// The first moment of 1970, until `set`.
    init() {
        let start = "1970-01-01T00:00:00.000Z" as StaticString
        text = InlineArray { start.utf8Start[$0] }
    }

    /// Sets the time; ignores anything but 24 bytes.
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
