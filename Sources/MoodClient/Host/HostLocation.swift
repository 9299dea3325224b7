import Platform

/// Finds the host's program.
///
/// The order is: the requested one, then `moodboard` beside this program, then `moodboard` on PATH. Beside comes first
/// so that a client and a host that were built together stay together.
struct HostLocation {
    static let programName = "moodboard"

    /// This program's own path, if the system tells it.
    let ownPath: String?
    /// The name by which this program was called.
    let calledAs: String?
    /// The value of PATH.
    let searchPath: String?
    let isExecutable: (String) -> Bool

    static func ofThisProcess() -> HostLocation {
        HostLocation(
            ownPath: Terminal.executablePath(), calledAs: Terminal.arguments().first ?? nil,
            searchPath: Terminal.searchPath(), isExecutable: Terminal.isExecutable)
    }

    /// - Parameter asked: a path if it has a slash, else a name on PATH; nil is the usual host.
    func find(_ asked: String?) throws(ClientError) -> String {
        if let asked { return try findAsked(asked) }
        if let directory = ownDirectory {
            let path = Self.join(directory, Self.programName)
            if isExecutable(path) { return path }
        }
        if let path = onSearchPath(Self.programName) { return path }
        let places = ownDirectory.map { "neither in \($0) nor on PATH" } ?? "not on PATH"
        throw .unavailable(
            "The program '\(Self.programName)', which keeps the moods, is \(places).",
            advice: "Install it beside 'mood' or on PATH, or say where it is: mood --host PATH …")
    }

    private func findAsked(_ asked: String) throws(ClientError) -> String {
        if asked.utf8.contains(UInt8(ascii: "/")) {
            if isExecutable(asked) { return asked }
            throw .unavailable(
                "There is no program '\(asked)', or you may not run it.",
                advice: "Check the path that --host names (ls -l), or leave --host out to use the usual host.")
        }
        if let path = onSearchPath(asked) { return path }
        throw .unavailable(
            "The program '\(asked)' is not on PATH.",
            advice: "For a file in this directory write --host ./\(asked).")
    }

    private var ownDirectory: String? {
        if let ownPath { return Self.directory(of: ownPath) }
        guard let calledAs, !calledAs.isEmpty else { return nil }
        if calledAs.utf8.contains(UInt8(ascii: "/")) { return Self.directory(of: calledAs) }
        return onSearchPath(calledAs).map(Self.directory)
    }

    private func onSearchPath(_ name: String) -> String? {
        Self.program(name, searchPath: searchPath, isExecutable)
    }

    /// The first program of this name in the directories of PATH.
    static func program(_ name: String, searchPath: String?, _ isExecutable: (String) -> Bool) -> String? {
        guard let searchPath, !name.isEmpty else { return nil }
        for part in searchPath.split(separator: ":") {
            let path = join(String(part), name)
            if isExecutable(path) { return path }
        }
        return nil
    }

    private static func directory(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func join(_ directory: String, _ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
