import Platform

/// The search for a plugin's program.
public enum ExecSearch {
    /// The folders in which a bare name is searched; also the PATH of every plugin.
    public static let path = "/usr/local/bin:/usr/bin:/bin"

    public struct Found: Sendable, Equatable {
        /// The path to start: absolute, with the name under which it was found, because some programs read their own
        /// name.
        public let path: String
        /// The path of the file without links: users see it, and trust pins it.
        public let realPath: String
    }

    /// Whether a program is `./…` without a step to a parent.
    static func isInFolder(_ program: String) -> Bool {
        program.utf8.starts(with: "./".utf8) && program.utf8.count > 2 && program.utf8.last != UInt8(ascii: "/")
            && !hasParentSteps(program)
    }

    /// Whether a program is a file's name alone.
    static func isBareName(_ program: String) -> Bool {
        !program.isEmpty && program != "." && program != ".." && !program.utf8.contains(UInt8(ascii: "/"))
    }

    static func hasParentSteps(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains { $0.elementsEqual("..".utf8) }
    }

    /// Finds `exec[0]` of a manifest.
    /// - Parameters:
    ///   - folder: the trusted copy, or the folder itself before it is trusted.
    ///   - runtimes: folders that the user has granted, such as a venv: they, and `bin` in them, come first.
    /// - Returns: nil if there is no such executable file.
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
