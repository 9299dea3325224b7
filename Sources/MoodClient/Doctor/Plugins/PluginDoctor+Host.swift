import JSONCodec
import Platform
import Versions

/// Trials of a plugin in a real host, which checks all that passes, and says in the plugin's log what it found.
extension PluginDoctor {
    private static let logLines: JSONValue = 1000
    private static let pauseMilliseconds = 50

    /// Has a host use what the manifest provides, and reads its log.
    func examine(through bench: PluginBench) throws(ClientError) {
        guard let digest = info["digest"] else { return }
        begin("what it provides, through a host, which checks it")
        let id = JSONValue.Member("id", .string(bench.id))
        let runtimes = JSONValue.Member("runtimes", .array(runtimes.map { .string($0) }))
        if case .failure(let error) = try bench.call("plugin.trust", .object([id, .init("digest", digest), runtimes])) {
            return note(Clause.manifest, "The host does not take it: \(error.message)")
        }
        if bench.isServer { try waitForServer(bench) }
        for method in ownMethods {
            guard case .failure(let error) = try bench.call("x.\(bench.id).\(method.name)", method.params) else {
                continue
            }
            switch error.code {
            case 1031 where error.data?["error"] == nil:
                note(Clause.asks, "\(method.name): \(error.message)")
            case 1030, 1032: note(Clause.life, "\(method.name): \(error.message)")
            default: break
            }
        }
        // The answers are the host's. What is wrong with the plugin's stands in its log.
        for (method, params) in try requests(bench) { _ = try bench.call(method, params) }
        let log = try bench.result("plugin.log", ["id": bench.id, "lines": Self.logLines])
        for line in log?.list(of: "lines") ?? [] where line["from"]?.string == "host" {
            note(Clause.log, "The host says: \(line.text(of: "text"))")
        }
    }

    /// The requests of clients that lead to what it provides.
    private func requests(_ bench: PluginBench) throws(ClientError) -> [(method: String, params: JSONValue)] {
        if bench.isServer {
            let client: JSONValue = [
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientInfo": ["name": "mood", "version": .string(Version.program)],
                "io.modelcontextprotocol/clientCapabilities": [:],
            ]
            return ["prompts/list", "resources/list", "resources/templates/list"].map { ($0, ["_meta": client]) }
        }

        guard let mood = try bench.result("mood.list", ["limit": 1])?["items"]?.array?.first?["id"] else { return [] }
        let hooks: [String: (method: String, params: JSONValue)] = [
            "change": ("mood.create", ["emoji": "😊", "label": "Happy"]),
            "navigate": ("nav.navigate", ["route": ["name": "observation"]]),
        ]
        return names("hooks", "on").compactMap { $0.string.flatMap { hooks[$0] } }
            + names("shareFormats", "name").map { ("mood.share", ["id": mood, "format": $0]) }
            + names("cells", "type").prefix(1).map { _ in ("mood.detail", ["id": mood, "waitMs": 5000]) }
    }

    /// Waits until the tools of an MCP server are known, or it cannot be started.
    private func waitForServer(_ bench: PluginBench) throws(ClientError) {
        let deadline = Clock.monotonicMilliseconds + helloMilliseconds
        while Clock.monotonicMilliseconds < deadline {
            guard let info = try bench.result("plugin.info", ["id": bench.id]) else { return }
            if info["state"]?.string == "running" { return }
            if let error = info["lastError"] {
                return note(Clause.life, error["reason"]?.string ?? "It cannot be started.")
            }
            var pause = EventSources()
            pause.setDeadline(EventSources.Name(0), at: Clock.monotonicMilliseconds + Self.pauseMilliseconds)
            _ = pause.next()
        }
    }
}
