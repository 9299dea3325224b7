import JSONCodec
import Versions

extension Command {
    static let info = Command(
        "info", "Show the host, its store and its limits.", Client.info,
        .example("mood info", "Which host, which store, how many moods."),
        .example("mood info --json", "The same for programs, with every limit."))
}

extension Client {
    func info() throws(ClientError) {
        guard let info = try answer("host.info") else { return }
        guard info.object != nil else { throw unexpected() }
        var rows = [
            ("host", [info["name"]?.string, info["version"]?.string].compactMap { $0 }.joined(separator: " ")),
            ("client", "mood \(Version.program)"),
            ("protocol", Self.plain(info["protocolVersion"])),
        ]
        rows += storeRows(info["store"])
        let features = info.texts(of: "features")
        if !features.isEmpty { rows.append(("features", features.joined(separator: ", "))) }
        try print(text(of: rows.filter { !$0.1.isEmpty }.map { PluginView.Row(term: $0.0, text: $0.1) }))
    }

    private func storeRows(_ store: JSONValue?) -> [(String, String)] {
        guard let store else { return [] }
        let place = store.isTrue("inMemory") ? "in memory, kept nowhere" : Self.plain(store["path"])
        if let error = store["error"] {
            return [("store", place), ("cannot be opened", Self.plain(error["message"]))]
        }
        var rows = [("store", Self.isNotMade(store) ? place + ", not there yet" : place)]
        if let moods = store["moods"]?.integer {
            let favorites = store.number(of: "favorites")
            rows.append(("moods", "\(moods) (\(favorites) \(favorites == 1 ? "favorite" : "favorites"))"))
        }
        rows.append(("revision", Self.plain(store["revision"])))
        rows.append(("schema", Self.plain(store["schemaVersion"])))
        if let bytes = store["bytes"]?.integer { rows.append(("size", Self.size(bytes))) }
        if store.isTrue("readOnly") {
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
