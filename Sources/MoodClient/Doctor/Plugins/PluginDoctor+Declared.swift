import JSONCodec

/// Promises of the manifest.
extension PluginDoctor {
    var timeoutMilliseconds: Int { (info["limits"]?["timeoutMs"]?.integer ?? 5000) + 1000 }

    /// The plugin's own methods, each with params that match.
    var ownMethods: [(name: String, params: JSONValue)] {
        list("methods").compactMap { method in
            method["name"]?.string.map { ($0, SchemaSample(method["params"] ?? .object([])).value) }
        }
    }

    private static let mood: JSONValue = [
        "id": "0194f2a1-7c1e-7b3a-8f00-5b1a2c3d4e5f", "emoji": "😊", "label": "Happy <b>&amp;</b> \"well\"",
        "timestamp": "2026-01-02T03:04:05.678Z", "isFavorite": true, "notes": "", "tags": ["sea"], "attachments": [],
        "createdAt": "2026-01-02T03:04:05.678Z", "updatedAt": "2026-01-02T03:04:05.678Z", "revision": 1,
    ]

    /// A request that follows from the manifest, and the check of its result.
    private struct Promise {
        let method: String
        let params: JSONValue
        let fits: (JSONValue) -> Bool
        let shape: String
    }

    private var promises: [Promise] {
        let around: [JSONValue.Member] = [
            .init("mood", Self.mood), .init("locale", "en_US"), .init("timeZone", "UTC"),
            .init("now", "2026-01-02T05:04:05.678Z"),
        ]

        var all: [Promise] = names("shareFormats", "name").map { name in
            Promise(
                method: "share.render", params: .object([.init("format", name)] + around),
                fits: { $0["text"]?.string != nil }, shape: "{text}")
        }
        if !list("cells").isEmpty {
            all.append(
                Promise(
                    method: "detail.cells", params: .object(around), fits: { $0["cells"]?.array != nil },
                    shape: "{cells[], maxAge?}"))
        }
        let change: JSONValue = ["type": "created", "id": Self.mood["id"] ?? .null, "after": Self.mood]
        for hook in names("hooks", "on") {
            let isChange = hook.string == "change"
            all.append(
                Promise(
                    method: isChange ? "hook.change" : "hook.navigate",
                    params: isChange
                        ? ["changes": [change]] : ["route": ["name": "menu"], "router": ["stack": [["name": "menu"]]]],
                    fits: { Self.isAnswer($0, ofChange: isChange) },
                    shape: isChange ? "{}, {veto: reason} or {set: [{id, set}]}" : "{} or {veto: reason}"))
        }
        if !list("events").isEmpty {
            all.append(
                Promise(
                    method: "events.deliver",
                    params: ["topic": "mood", "seq": 1, "at": "2026-01-02T03:04:05.678Z", "changes": [change]],
                    fits: { $0.object != nil }, shape: "{}"))
        }
        all += names("importers", "format").map { format in
            Promise(
                method: "import.read", params: ["format": format, "text": ""],
                fits: { $0["moods"]?.array != nil && $0["problems"]?.array != nil },
                shape: "{moods[], problems[], cursor?}")
        }
        all += names("exporters", "format").map { format in
            Promise(
                method: "export.write",
                params: ["format": format, "moods": [Self.mood], "isFirst": true, "isLast": true],
                fits: { $0["text"]?.string != nil }, shape: "{text}")
        }
        return all
    }

    /// Whether a hook's answer has one of the forms; a host ignores any other.
    private static func isAnswer(_ result: JSONValue, ofChange isChange: Bool) -> Bool {
        guard let members = result.object, members.count <= 1 else { return false }
        if members.isEmpty || result["veto"]?.string != nil { return true }
        guard isChange, let sets = result["set"]?.array else { return false }
        return sets.allSatisfy { $0.object?.count == 2 && $0["id"]?.string != nil && $0["set"]?.object != nil }
    }

    private func list(_ name: String) -> [JSONValue] { info["provides"]?[name]?.array ?? [] }
    /// A member of each element of what it provides.
    func names(_ list: String, _ member: String) -> [JSONValue] { self.list(list).compactMap { $0[member] } }

    /// Checks that all that is declared exists and answers in its shape. The plugin's own errors count as answers.
    func declared() throws(ClientError) {
        let asked =
            promises + ownMethods.map { Promise(method: $0.name, params: $0.params, fits: { _ in true }, shape: "") }
        guard !asked.isEmpty else { return }
        try attempt("what the manifest declares") { talk in
            for (number, promise) in asked.enumerated() {
                let id = JSONValue.number(String(number + 1))
                talk.send(ask(promise.method, promise.params, id: id))
                expectAnswers(talk, to: [id], within: timeoutMilliseconds)
                guard let answer = talk.answers(to: id).first else { return }
                if answer.errorCode == -32601 {
                    note(
                        Clause.manifest,
                        "It declares what leads to \(promise.method), and says that there is no such method.")
                } else if let result = answer.value?["result"], !promise.fits(result) {
                    note(
                        Clause.asks,
                        "\(promise.method) is answered with \(promise.shape), not with \(Inspection.excerpt(answer))")
                }
            }
        }
    }
}
