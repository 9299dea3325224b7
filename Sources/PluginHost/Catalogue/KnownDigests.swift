import Platform

/// The digests of folders whose files are unchanged as far as the system reports. Reading megabytes takes milliseconds,
/// and clients ask often. Trust never uses this cache: it reads the files.
public struct KnownDigests {
    /// The age below which a file may change again with the same time: file systems count in steps of up to two
    /// seconds.
    public static let settlingMilliseconds = 3000
    private static let foldersMax = 1024

    private let settlingMilliseconds: Int
    private var known: [String: (entries: [PluginFolder.Entry], digest: PluginDigest)] = [:]

    public init(settlingMilliseconds: Int = settlingMilliseconds) { self.settlingMilliseconds = settlingMilliseconds }

    mutating func digest(
        of folder: borrowing PluginFolder, at path: String, _ entries: [PluginFolder.Entry]
    ) throws(PluginFolderProblem) -> PluginDigest {
        if let known = known[path], known.entries == entries { return known.digest }
        known[path] = nil
        let settled = (Clock.milliseconds - Int64(settlingMilliseconds)) * 1_000_000
        let digest = try folder.digest(of: entries)
        let isSettled = entries.allSatisfy { $0.status.changed > 0 && $0.status.changed < settled }
        if isSettled, known.count < Self.foldersMax { known[path] = (entries, digest) }
        return digest
    }
}
