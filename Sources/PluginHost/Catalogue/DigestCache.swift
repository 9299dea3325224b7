import Platform

/// The digests of folders whose files are unchanged as far as the system reports. Reading megabytes takes long, and
/// clients ask often. Trust never uses this cache: it reads the files.
public struct DigestCache: Sendable {
    /// The age below which a file may change again with the same time: file systems count in steps of up to two
    /// seconds.
    public static let settlingMilliseconds = 3000
    private static let foldersMax = 1024
    /// The most bytes of a folder that a request reads itself.
    private static let bytesMax = 256 << 10
    /// The time for which another thread's reading of a folder counts.
    private static let readingMilliseconds = 2000

    /// A folder that was read.
    public struct Reading: Sendable {
        let path: String
        let entries: [PluginFolder.Entry]
        /// Nil if it could not be read.
        let digest: PluginDigest?
        /// Whether no file can have changed since without another time.
        var isSettled = false
        var end = Int.max
    }

    private let settlingMilliseconds: Int
    private var known: [String: Reading] = [:]
    /// Large folders for another thread to read; nil: all are read here.
    private var unread: [String]?

    public init(settlingMilliseconds: Int = settlingMilliseconds) { self.settlingMilliseconds = settlingMilliseconds }

    /// Leaves large folders to another thread, until `takeUnread`.
    public mutating func leaveLarge() { unread = [] }

    /// The folders that were left since `leaveLarge`.
    public mutating func takeUnread() -> [String] { unread.take() ?? [] }

    /// Reads folders, on any thread.
    public static func read(_ paths: [String]) -> [Reading] {
        paths.map { path in
            do throws(PluginFolderProblem) {
                let folder = try PluginFolder(path, .system)
                let entries = try folder.entries()
                let isSettled = areSettled(entries, milliseconds: settlingMilliseconds)
                return Reading(
                    path: path, entries: entries, digest: try folder.digest(of: entries), isSettled: isSettled)
            } catch {
                // The request reads it again, and reports the problem.
                return Reading(path: path, entries: [], digest: nil)
            }
        }
    }

    /// Takes what another thread has read.
    public mutating func take(_ readings: [Reading]) {
        let end = Clock.monotonicMilliseconds + Self.readingMilliseconds
        for var reading in readings where known.count < Self.foldersMax || known[reading.path] != nil {
            if !reading.isSettled { reading.end = end }
            known[reading.path] = reading
        }
    }

    /// - Returns: nil for a folder that is left to another thread.
    mutating func digest(
        of folder: borrowing PluginFolder, at path: String, _ entries: [PluginFolder.Entry]
    ) throws(PluginFolderProblem) -> PluginDigest? {
        let reading = known[path].flatMap { Clock.monotonicMilliseconds < $0.end ? $0 : nil }
        if let reading, let digest = reading.digest, reading.entries == entries { return digest }
        let wasReadBeside = reading.map { $0.end < .max } ?? false
        if unread != nil, !wasReadBeside, entries.reduce(0, { $0 + $1.size }) > Self.bytesMax {
            unread?.append(path)
            return nil
        }
        known[path] = nil
        let isSettled = Self.areSettled(entries, milliseconds: settlingMilliseconds)
        let digest = try folder.digest(of: entries)
        if isSettled, known.count < Self.foldersMax {
            known[path] = Reading(path: path, entries: entries, digest: digest, isSettled: true)
        }
        return digest
    }

    /// Whether the last change of each file is longer ago.
    private static func areSettled(_ entries: [PluginFolder.Entry], milliseconds: Int) -> Bool {
        let settled = (Clock.milliseconds - Int64(milliseconds)) * 1_000_000
        return entries.allSatisfy { $0.status.changed > 0 && $0.status.changed < settled }
    }
}
