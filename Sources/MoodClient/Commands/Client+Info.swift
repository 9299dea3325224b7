import JSONCodec
import Versions

extension Command {
    static let info = Command(
        name: "info", summary: "Show the host, its store and its limits.",
        examples: [
            .init("mood info", "Which host, which store, how many moods."),
            .init("mood info --json", "The same for programs, with every limit."),
        ],
        run: { (client) throws(ClientError) in try client.info() })
}

extension Client {
    func info() throws(ClientError) {
        let result = try call("host.info")
        if wantsJSON { return try print(json: result) }
        let info = try tree(result)
        guard info.object != nil else { throw unexpected() }
        var rows = [
            ("host", [info["name"]?.string, info["version"]?.string].compactMap { $0 }.joined(separator: " ")),
            ("client", "mood \(Version.program)"),
            ("protocol", Self.plain(info["protocolVersion"])),
        ]
        rows += storeRows(info["store"])
        let features = (info["features"]?.array ?? []).compactMap(\.string)
        if !features.isEmpty { rows.append(("features", features.joined(separator: ", "))) }
        let width = rows.map { DisplayWidth.of($0.0) }.max() ?? 0
        var text = ""
        for (name, value) in rows where !value.isEmpty {
            let term = style.apply(.quiet, to: DisplayWidth.padded(name, to: width))
            text += "\(term)  \(Escaping.visible(value))\n"
        }
        try print(text)
    }

    private func storeRows(_ store: JSONValue?) -> [(String, String)] {
        guard let store else { return [] }
        let place = store["inMemory"]?.boolean == true ? "in memory, kept nowhere" : Self.plain(store["path"])
        if let error = store["error"] {
            return [("store", place), ("cannot be opened", Self.plain(error["message"]))]
        }
        var rows = [("store", Self.isNotMade(store) ? place + ", not there yet" : place)]
        if let moods = store["moods"]?.integer {
            let favorites = store["favorites"]?.integer ?? 0
            rows.append(("moods", "\(moods) (\(favorites) \(favorites == 1 ? "favorite" : "favorites"))"))
        }
        rows.append(("revision", Self.plain(store["revision"])))
        rows.append(("schema", Self.plain(store["schemaVersion"])))
        if let bytes = store["bytes"]?.integer { rows.append(("size", Self.size(bytes))) }
        if store["readOnly"]?.boolean == true {
            rows.append(("read only", store["readOnlyReason"]?.string ?? "yes"))
        }
        if let damaged = store["damaged"] {
            let durable = damaged["durable"].map { " of \($0.text)" } ?? ""
            let shown = "shown is revision \(Self.plain(damaged["shown"]))\(durable)"
            rows.append(("not whole", "\(Self.plain(damaged["file"])), \(shown)"))
        }
        return rows
    }

    /// Whether the store does not exist yet.
    static func isNotMade(_ store: JSONValue) -> Bool {
        store["inMemory"]?.boolean == false && store["bytes"]?.integer == 0
    }

    private static func plain(_ value: JSONValue?) -> String {
        guard let value else { return "" }
        return value.string ?? value.text
    }

    static func size(_ bytes: Int) -> String {
        if bytes < 1_000 { return "\(bytes) bytes" }
        let units = ["kB", "MB", "GB", "TB"]
        var tenths = bytes / 100
        var unit = 0
        while tenths >= 10_000, unit < units.count - 1 {
            tenths /= 1_000
            unit += 1
        }
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
