import JSONCodec
import Platform
import Replication

/// A folder in a git repository: fetched and merged before reading, committed and pushed after writing. Each file has
/// one writer, except for copies of a store (`writeAttributes`), so a merge cannot be in conflict.
struct GitTransport: Transport {
    private static let branch = "moodboard"
    private static let attemptsMax = 8

    let copiesInParts = true
    private var folder: FolderTransport
    private var git: GitCommand

    /// - Parameter path: the path of the working copy.
    init(
        _ url: SyncURL, path: String, journal: UUID, in fileSystem: FileSystem,
        isCancelled: @escaping @Sendable () -> Bool
    ) {
        git = GitCommand(path: path, remote: url.address, isCancelled: isCancelled)
        folder = FolderTransport(path, journal: journal, in: fileSystem)
    }

    mutating func open() throws(SyncError) -> [UUID] {
        do throws(SystemError) { try folder.fileSystem.makeDirectoryIfMissing(folder.root) } catch {
            throw SyncPlace.error(error)
        }
        try git.readReaching()
        do throws(SyncError) { try prepare() } catch {
            guard case .refused = error else { throw error }
            // Git was killed halfway, or the copy is damaged. It holds nothing unique: it is made again from the other
            // side and our records.
            Self.remove(folder.root, in: folder.fileSystem)
            try prepare()
        }
        return try folder.open()
    }

    private func prepare() throws(SyncError) {
        if try !git.run(["rev-parse", "--git-dir"]).isOwn {
            try git.need(["init", "-q", "-b", Self.branch, "."])
        }
        try writeAttributes()
        // A killed process may have left a merge or uncommitted files.
        if try git.run(["rev-parse", "-q", "--verify", "MERGE_HEAD"]).isDone { try git.need(["merge", "--abort"]) }
        try commit()
        try fetch()
    }

    /// Removes all files below a folder; git ignores empty folders.
    static func remove(_ path: String, in fileSystem: FileSystem) {
        for name in (try? fileSystem.list(path)) ?? [] {
            let entry = path + "/" + name
            let kind = try? fileSystem.statusOfPath(entry).kind
            if kind == .directory { remove(entry, in: fileSystem) } else { try? fileSystem.unlink(entry) }
        }
    }

    /// Writes merge rules. A copied store and its original may both send identical records. A merge keeps the lines of
    /// both, and readers take each record once. The attributes in the branch do not apply.
    private func writeAttributes() throws(SyncError) {
        let (path, fileSystem) = (folder.root + "/.git/info", folder.fileSystem)
        let text = Array(
            "* -text -ident !eol !filter !working-tree-encoding\n*.jsonl merge=union\nsnapshot.jsonl merge=ours\n".utf8)
        do throws(SystemError) {
            try fileSystem.makeDirectoryIfMissing(path)
            try fileSystem.replaceWhole(path + "/attributes", by: path + "/temporary") { _ in text }
        } catch {
            throw SyncPlace.error(error)
        }
    }

    private func fetch() throws(SyncError) {
        let heads = try git.reach(["ls-remote", "--heads", git.remote, Self.branch])
        // The first replica that pushes makes the branch.
        if heads.isEmpty { return }
        _ = try git.reach(["fetch", "-q", git.remote, Self.branch])
        if try git.run(["rev-parse", "-q", "--verify", "HEAD"]).isDone {
            try git.need(["merge", "-q", "--no-edit", "--allow-unrelated-histories", "FETCH_HEAD"])
        } else {
            try git.need(["reset", "-q", "--hard", "FETCH_HEAD"])
        }
    }

    private func commit() throws(SyncError) {
        try git.need(["add", "-A", "-f", "."])
        if try git.run(["diff", "--cached", "--quiet"]).isDone { return }
        try git.need(["commit", "-q", "-m", "moods"])
    }

    /// Pushes, and retries with back-off if another replica was faster.
    mutating func finish() throws(SyncError) {
        try commit()
        guard try git.run(["rev-parse", "-q", "--verify", "HEAD"]).isDone else { return }
        var pause = 50
        for attempt in 1...Self.attemptsMax {
            let push = try git.run(["push", "-q", git.remote, "HEAD:refs/heads/\(Self.branch)"])
            if push.isDone { return }
            if attempt == Self.attemptsMax { throw .offline(reason: "git push: \(git.shown(push.output))") }
            try git.pause(milliseconds: pause + Int(Clock.milliseconds % 50))
            pause *= 2
            try fetch()
        }
    }

    let sendsLater = true
    func push(_ lines: [TransportLine], of replica: UUID) throws(SyncError) -> Int {
        try folder.push(lines, of: replica)
    }
    func pull(_ have: Vector) throws(SyncError) -> Pulled { try folder.pull(have) }
    var files: [String]? { folder.files }
    var passedOver: [String] { folder.passedOver }
    func snapshots() throws(SyncError) -> [TransportSnapshot] { try folder.snapshots() }
    func text(of snapshot: TransportSnapshot) throws(SyncError) -> [UInt8]? { try folder.text(of: snapshot) }
    func put(_ text: [UInt8], as snapshot: TransportSnapshot) throws(SyncError) {
        try folder.put(text, as: snapshot)
    }
    func drop(_ replica: UUID, upTo number: Int, snapshots: [TransportSnapshot]) throws(SyncError) {
        try folder.drop(replica, upTo: number, snapshots: snapshots)
    }
}
