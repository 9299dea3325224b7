import Platform

/// Where a plugin's program is.
public enum ExecSearch {
    /// Where a bare name is looked for; also the PATH of every plugin.
    public static let path = "/usr/local/bin:/usr/bin:/bin"

    public struct Found: Sendable, Equatable {
        /// What is started: absolute, by the name under which it was found, because some programs look at theirs.
        public let path: String
        /// The same file without any link: what people are shown, and what trust is pinned to.
        public let realPath: String
    }

    /// `./…` with no step to a parent.
    static func isInFolder(_ program: String) -> Bool {
        program.utf8.starts(with: "./".utf8) && program.utf8.count > 2 && program.utf8.last != UInt8(ascii: "/")
            && !hasParentSteps(program)
    }

    /// A file's name alone.
    static func isBareName(_ program: String) -> Bool {
        !program.isEmpty && program != "." && program != ".." && !program.utf8.contains(UInt8(ascii: "/"))
    }

    static func hasParentSteps(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }

    /// Finds `exec[0]` of a manifest.
    /// - Parameters:
    ///   - folder: the trusted copy, or the folder itself before it is trusted.
    ///   - runtimes: folders that the person has granted, such as a venv: they, and `bin` in them, come first.
    /// - Returns: nil where there is no such file that may be executed.
    public static func find(_ program: String, folder: String, runtimes: [String]) -> Found? {
        if isInFolder(program) { return found(folder + program.dropFirst(1)) }
        guard isBareName(program) else { return nil }
        let places = runtimes.flatMap { [$0 + "/bin", $0] } + path.split(separator: ":").map(String.init)
        for place in places { if let found = found(place + "/" + program) { return found } }
        return nil
    }

    private static func found(_ path: String) -> Found? {
        guard FolderCalls.isExecutableFile(path), let real = FolderCalls.realPath(path) else { return nil }
        return Found(path: path, realPath: real)
    }
}
