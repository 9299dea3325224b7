import JSONCodec
import Platform
import Versions

/// The folder of a plugin in development: it starts the plugin in place, and has its own host on a temporary store.
final class PluginBench {
    /// The number of attempts to remove the temporary files, and the time between them.
    private static let removalsMax = 50
    private static let removalMilliseconds = 50
    private static let searchPath = ["/usr/local/bin", "/usr/bin", "/bin"]

    let folder: String
    /// The folder's name, which is the plugin's id.
    let id: String
    private let host: HostConnection
    private let keeper: String
    private let scratch: String
    private let temporary = TemporaryFolder("mood-plugin")

    /// - Parameter folder: absolute, without links; none for a bench that only checks values by schemas.
    init(_ folder: String? = nil, program: String?, launcher: HostLauncher, limits: [String] = []) throws(ClientError) {
        self.folder = folder ?? ""
        let parts = self.folder.split(separator: "/")
        id = parts.last.map(String.init) ?? ""
        let above = "/" + parts.dropLast().joined(separator: "/")
        let keeper = try HostLocation.ofThisProcess().find(program)
        self.keeper = Terminal.realPath(keeper) ?? keeper
        do throws(SystemError) {
            scratch = try temporary.path()
            try FileSystem.system.makeDirectory(scratch + "/data")
        } catch {
            throw .unavailable("There is no place for files: \(error).", advice: "Set TMPDIR to a folder of yours.")
        }
        host = try launcher.connect(
            HostLaunch(
                program: program, store: .directory(scratch + "/store"),
                more: (folder == nil ? [] : ["--plugins", above]) + ["--durability", "none", "--samples"]
                    + limits.flatMap { ["--limit", $0] }))
    }

    /// Ends the host and removes the temporary files.
    func close() {
        // A host that cannot be called has ended.
        _ = try? host.call("host.shutdown", nil, nil)
        host.close()
        // The host and its plugins may still run for a moment.
        for _ in 0..<Self.removalsMax {
            if (try? PluginFiles.remove(scratch)) != nil { return }
            var pause = EventSources()
            pause.setDeadline(EventSources.Name(0), at: Clock.monotonicMilliseconds + Self.removalMilliseconds)
            _ = pause.next()
        }
    }

    func call(_ method: String, _ params: JSONValue) throws(ClientError) -> Answer {
        try host.call(method, Array(params.text.utf8), nil)
    }

    /// The result of a call; nil for an error.
    func result(_ method: String, _ params: Params = [:]) throws(ClientError) -> JSONValue? {
        guard case .result(let bytes) = try call(method, params.json) else { return nil }
        return try? JSONValue.parse(bytes)
    }

    /// The host's description of the folder in its present state.
    /// - Throws: the host's reason, if it is not a plugin.
    func look() throws(ClientError) -> JSONValue {
        guard let info = try result("plugin.info", ["id": id]) else {
            throw .badInput(
                "\(Escaping.visible(folder)) is no plugin's folder.",
                advice: "It holds a plugin.json, and its name is the plugin's id, such as org.example.hello.")
        }
        return info
    }

    /// Whether it is an MCP server.
    var isServer: Bool {
        let manifest = try? PluginFiles.contents(of: folder + "/plugin.json", bytesMax: 256 * 1024)
        return manifest.flatMap { try? JSONValue.parse($0) }?["kind"]?.string == "mcp"
    }

    /// Writes a plugin of the bench's own, in place of an earlier one.
    func writeInStore(_ id: String, _ files: [PluginTemplate.File]) throws(ClientError) {
        let place = PluginFiles.folder(inStore: scratch + "/store", id)
        // There may be no earlier one.
        try? PluginFiles.remove(place)
        try PluginFiles.makeFolder(PluginFiles.above(place))
        try PluginFiles.write(files, to: place)
    }

    /// The permission that each method of the host needs, by the method's name.
    func permissions() throws(ClientError) -> [String: String] {
        (try result("rpc.discover")?.list(of: "methods") ?? []).reduce(into: [:]) { all, method in
            if let name = method["name"]?.string { all[name] = method["x-permission"]?.string }
        }
    }

    /// The way to start the plugin as a host would, but in place.
    /// - Throws: if its program does not exist.
    /// - Parameter runtimes: folders to run from besides the system's, such as a venv.
    func plan(_ info: JSONValue, runtimes: [String] = []) throws(ClientError) -> KeptProcess.Plan {
        let command = info.texts(of: "command")
        let path = runtimes.flatMap { [$0 + "/bin", $0] } + Self.searchPath
        guard let name = command.first, let program = program(name, path) else {
            throw .badInput(
                "The program '\(Escaping.visible(command.first ?? ""))' of the plugin is not there, or may not be run.",
                advice: "Build it, or mend `exec` in the manifest.")
        }
        let (permissions, limits) = (info["permissions"], info["limits"])
        func limit(_ name: String, _ usual: Int) -> Int { limits?[name]?.integer ?? usual }
        let data = scratch + "/data"
        let zone = Terminal.environment("TZ") ?? "UTC"
        return KeptProcess.Plan(
            keeper: keeper, program: program, arguments: [program] + command.dropFirst(),
            environment: [
                "PATH=" + path.joined(separator: ":"), "HOME=\(data)", "TMPDIR=\(data)", "LANG=C.UTF-8",
                "LC_ALL=C.UTF-8", "TZ=\(zone)", "MOODBOARD_PLUGIN=1", "MOODBOARD_PLUGIN_DATA=\(data)",
                "PYTHONNOUSERSITE=1", "PYTHONDONTWRITEBYTECODE=1",
            ],
            directory: folder, dataDirectory: data, isDataReadOnly: false, runtimes: runtimes,
            readable: paths(permissions?["files"]?["read"]), writable: paths(permissions?["files"]?["write"]),
            network: permissions?["network"]?.boolean ?? false, memoryBytes: limit("memoryMB", 256) << 20,
            cpuSeconds: limit("cpuSeconds", 600), fileBytes: limit("diskMB", 64) << 20, processes: 1024,
            openFiles: 256, requiresIsolation: false)
    }

    private func program(_ name: String, _ searchPath: [String]) -> String? {
        if name.utf8.starts(with: "./".utf8) {
            let path = folder + "/" + name.dropFirst(2)
            return Terminal.isExecutable(path) ? path : nil
        }
        return searchPath.map { $0 + "/" + name }.first(where: Terminal.isExecutable)
    }

    private func paths(_ list: JSONValue?) -> [String] {
        let home = Terminal.environment("HOME")
        return (list?.array ?? []).compactMap(\.string).compactMap { path in
            path.utf8.starts(with: "~/".utf8) ? home.map { $0 + path.dropFirst(1) } : path
        }
    }

    /// The params of `plugin.hello`.
    func hello(_ info: JSONValue) -> JSONValue {
        [
            "protocol": 1, "host": ["name": "moodboard", "version": .string(Version.program)], "id": .string(id),
            "config": info["config"] ?? .object([]), "locale": "en_US",
            "timeZone": .string(Terminal.environment("TZ") ?? "UTC"), "dataDirectory": .string(scratch + "/data"),
            "revision": 1,
        ]
    }
}
