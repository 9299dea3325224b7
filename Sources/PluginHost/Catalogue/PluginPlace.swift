import Platform

/// The places of plugins: `plugins` in the store, then the folders of `--plugins`, in their order.
public enum PluginPlace {
    public static let folders = "plugins"
    /// The folder of the copies that run.
    public static let copies = "plugins-run"
    /// The folder that plugins may write to.
    public static let data = "plugins-data"

    public static func all(storeDirectory: String?, others: [String]) -> [String] {
        (storeDirectory.map { [$0 + "/" + folders] } ?? []) + others
    }

    /// Expands `~/` to the home directory in a path from a manifest or the user.
    /// - Returns: nil if the home directory is unknown.
    public static func expanded(_ path: String) -> String? {
        guard path == "~" || path.utf8.starts(with: "~/".utf8) else { return path }
        return ProcessFacts.environment("HOME").map { $0 + path.dropFirst() }
    }
}

/// Folders that no plugin may be given: the store and the places of plugins.
public struct ProtectedFolders {
    private let folders: [ResolvedPath]

    /// - Parameter storeDirectory: nil in memory.
    public init(places: [String], storeDirectory: String?) {
        folders = (places + (storeDirectory.map { [$0] } ?? [])).map { ResolvedPath($0) }
    }

    /// The problem of a path that a plugin is to reach; nil if it may.
    public func problem(of path: String) -> String? {
        if let problem = Self.spellingProblem(path) { return problem }
        guard let path = PluginPlace.expanded(path) else {
            return "needs the home directory, which is not known; set HOME or write the whole path"
        }
        return touches(path) ? "holds, or lies in, the store or a folder of plugins; name another one" : nil
    }

    /// The problem of how a path is written; nil if there is none.
    static func spellingProblem(_ path: String) -> String? {
        let isAbsolute = path.utf8.first == UInt8(ascii: "/")
        guard isAbsolute || path == "~" || path.utf8.starts(with: "~/".utf8) else {
            return "must be an absolute path, or ~/ and a path in the home directory"
        }
        guard !path.utf8.contains(0), path.utf8.count <= 4096, !ExecSearch.hasParentSteps(path) else {
            return "must be written without .. and with at most 4096 bytes"
        }
        return nil
    }

    /// Whether a path is one of the folders, lies in one or contains one, under any name. Existing parts are
    /// compared as files, the missing rest of a path byte by byte.
    func touches(_ path: String) -> Bool {
        let path = ResolvedPath(path)
        return folders.contains { path.isIn($0) || $0.isIn(path) }
    }
}

/// A path whose existing part has no links.
private struct ResolvedPath {
    /// The statuses of the deepest existing folder or file and of all above it, the root first.
    private var statuses: [FileStatus] = []
    /// The names below that.
    private var rest: [Substring.UTF8View] = []

    init(_ path: String) {
        var parts = path.utf8.split(separator: UInt8(ascii: "/"))
        while true {
            let text = "/" + parts.compactMap { String($0) }.joined(separator: "/")
            if let real = FolderCalls.realPath(text) {
                statuses = Self.statuses(real)
                return
            }
            guard let last = parts.popLast() else { return }
            rest.insert(last, at: 0)
        }
    }

    private static func statuses(_ real: String) -> [FileStatus] {
        var path = ""
        // A folder that disappears meanwhile contains nothing.
        var statuses = [try? FileSystem.system.statusOfPath("/")]
        for part in real.utf8.split(separator: UInt8(ascii: "/")) {
            path += "/" + (String(part) ?? "")
            statuses.append(try? FileSystem.system.statusOfPath(path))
        }
        return statuses.compactMap { $0 }
    }

    /// Whether this is the other path or lies in it.
    func isIn(_ other: ResolvedPath) -> Bool {
        guard let end = other.statuses.last else { return false }
        guard !other.rest.isEmpty else { return statuses.contains { $0.isSameFile(as: end) } }
        guard let own = statuses.last, own.isSameFile(as: end), rest.count >= other.rest.count else { return false }
        return zip(rest, other.rest).allSatisfy { $0.elementsEqual($1) }
    }
}
