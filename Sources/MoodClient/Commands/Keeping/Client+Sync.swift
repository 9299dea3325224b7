import JSONCodec

extension Command {
    static let sync = Command(
        name: "sync", summary: "Keep one journal on several machines.",
        parameters: [
            .init("ACTION", "setup, now, status, conflicts, settle, leave or forget."),
            .init(
                "ARGUMENT", .any,
                "For setup a URL, for settle a conflict's number or id and which value, for forget the end of an id."),
        ],
        options: [
            .init("new", "For setup: begin a journal; else the one that is there is joined."),
            .init("journal", .text("ID"), "For setup: which journal, where there are several."),
            .init("config", .text("JSON"), "For setup: what the transport of a plugin is told, an object."),
            .init(
                "filter-push", .text("COMMAND"),
                "For setup: what each line goes through before it leaves, its words apart by spaces."),
            .init("filter-pull", .text("COMMAND"), "For setup: what makes of that the line again."),
            .init("yes", short: "y", "For setup: both this store and the journal may have moods."),
        ],
        notes: [
            "setup URL lets this store take part: folder:/path for a folder that something else copies (Syncthing, Dropbox,"
                + " a USB stick), git+ssh://…, git+https://… or git+file:///… for a git repository.",
            "now sends what was done here and brings in what others did; it also happens by itself. status tells how far it is.",
            "What was set on two machines at once is kept: conflicts lists it, settle NUMBER shown and settle NUMBER other choose.",
            "leave ends it here; nothing is removed on either side. forget ID is for a machine that will not come back; the last"
                + " six digits of its id, or more, are enough.",
            "setup with another URL, once it is set up, goes on there: a new password, server or folder needs no leaving.",
        ],
        examples: [
            .init("mood sync setup folder:/home/me/Sync/moods --new", "Begin a journal, on the first machine."),
            .init("mood sync setup folder:/home/me/Sync/moods", "Join it, on the others."),
            .init("mood sync now", "Do it at once."),
            .init("mood sync conflicts", "What was set twice."),
        ],
        run: { (client) throws(ClientError) in try client.sync() })
}

extension Client {
    /// The number of words and their form after each action's name.
    private static let syncActions: [(name: String, words: Int, form: String)] = [
        ("setup", 1, " URL"), ("now", 0, ""), ("status", 0, ""), ("conflicts", 0, ""),
        ("settle", 2, " NUMBER shown|other"), ("leave", 0, ""), ("forget", 1, " ID"),
    ]

    func sync() throws(ClientError) {
        let (name, words) = (invocation.words[0], Array(invocation.words.dropFirst()))
        guard let action = Self.syncActions.first(where: { $0.name == name }) else {
            let nearest = Suggestion.nearest(to: name, among: Self.syncActions.map(\.name))
            throw usage("There is no action '\(name)'.\(Suggestion.question(nearest))")
        }
        guard action.words == words.count else { throw usage("It is: mood sync \(name)\(action.form)") }
        switch name {
        case "setup": try setUpSync(words[0])
        case "now": try syncNow()
        case "status": try show(status: call("sync.status"))
        case "conflicts": try listConflicts()
        case "settle": try settle(words[0], words[1])
        case "leave": try show(status: call("sync.leave"))
        default: try show(status: call("sync.forget", [.init("replica", .string(try replica(words[0])))]))
        }
    }

    /// The replica whose id ends in these digits.
    private func replica(_ end: String) throws(ClientError) -> String {
        let digits = end.lowercased()
        guard digits.utf8.count < 36 else { return digits }
        let isEnd =
            digits.utf8.count >= 6
            && digits.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) || $0 == 45 }
        guard isEnd else { throw usage("Give the last six hexadecimal digits of the replica's id, or more.") }
        let ids = (try tree(call("sync.status"))["replicas"]?.array ?? []).compactMap { $0["id"]?.string }
        let found = ids.filter { $0.hasSuffix(digits) }
        guard found.count <= 1 else {
            throw usage("Several replicas end with \(digits): \(found.joined(separator: ", ")). Give more digits.")
        }
        guard let id = found.first else {
            throw usage("No replica ends with \(Escaping.visible(digits)). See mood sync status.")
        }
        return id
    }

    private func setUpSync(_ url: String) throws(ClientError) {
        var params: [JSONValue.Member] = [.init("url", .string(url))]
        if invocation.has("new") { params.append(.init("new", true)) }
        if invocation.has("yes") { params.append(.init("confirm", true)) }
        if let journal = invocation.value("journal") { params.append(.init("journal", .string(journal))) }
        if let text = invocation.value("config") {
            guard let config = try? JSONValue.parse(Array(text.utf8)), config.object != nil else {
                throw usage("--config has to be a JSON object.")
            }
            params.append(.init("config", config))
        }
        if let filter = try filter() { params.append(.init("filter", filter)) }
        try show(status: callLong("sync.setup", params))
    }

    /// The filter commands, split at spaces. A word with spaces needs a script.
    private func filter() throws(ClientError) -> JSONValue? {
        let (push, pull) = (invocation.value("filter-push"), invocation.value("filter-pull"))
        if push == nil, pull == nil { return nil }
        guard let push, let pull else { throw usage("--filter-push and --filter-pull go together.") }
        func words(_ text: String) -> JSONValue { .array(text.split(separator: " ").map { .string(String($0)) }) }
        return ["push": words(push), "pull": words(pull)]
    }

    private func syncNow() throws(ClientError) {
        let result = try callLong("sync.now")
        if wantsJSON { return try print(json: result) }
        let counts = try tree(result)
        guard let pushed = counts["pushed"]?.integer, let applied = counts["applied"]?.integer,
            let conflicts = counts["conflicts"]?.integer
        else { throw unexpected() }
        let status = try tree(call("sync.status"))
        if status["state"]?.string == "incomplete" {
            try print("Incomplete: \(lastError(status) ?? "")\n")
        }
        if status["state"]?.string == "offline" {
            return try print("Not reached: \(lastError(status) ?? "")\n")
        }
        try print("Sent \(pushed), brought in \(applied).\n")
        if conflicts > 0 { try print("In conflict: \(conflicts). See mood sync conflicts.\n") }
    }

    /// The last error in the words of the command, safe for a terminal.
    private func lastError(_ status: JSONValue) -> String? {
        status["lastError"]?.string.map {
            Escaping.visible(CommandLineMessages.text($0, path: nil, command: invocation.command))
        }
    }

    private func show(status result: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: result) }
        let status = try tree(result)
        guard let state = status["state"]?.string, let pending = status["pending"]?.integer,
            let replicas = status["replicas"]?.array
        else { throw unexpected() }
        if state == "off" { return try print("This store takes no part in a sync.\n") }
        func line(_ name: String, _ value: String?) throws(ClientError) {
            guard let value else { return }
            let room = String(repeating: " ", count: max(12 - name.utf8.count, 1))
            try print("\(name)\(room)\(Escaping.visible(value))\n")
        }
        try line("state", state)
        try line("to", status["url"]?.string)
        try line("journal", status["journal"]?.string)
        try line("replica", status["replica"]?.string)
        try line("last sync", status["lastSync"]?.string)
        try line("last error", lastError(status))
        try line("not sent", String(pending))
        for replica in replicas where replica["id"]?.string != status["replica"]?.string {
            guard let id = replica["id"]?.string else { throw unexpected() }
            let (end, name) = (String(id.suffix(8)), replica["name"]?.string)
            try line("with", name == nil || name == end ? end : "\(name ?? "") (\(end))")
        }
        for gap in status["missing"]?.array ?? [] {
            guard let id = gap["replica"]?.string, let from = gap["from"]?.integer, let to = gap["to"]?.integer else {
                throw unexpected()
            }
            let name = replicas.first { $0["id"]?.string == id }?["name"]?.string
            try line("missing", "\(from == to ? "\(from)" : "\(from) to \(to)") of \(name ?? String(id.suffix(8)))")
        }
        for name in ["refused", "passedOver"] {
            for text in status[name]?.array ?? [] {
                try line(name == "refused" ? "refused" : "passed over", text.string)
            }
        }
    }

    private func listConflicts() throws(ClientError) {
        let result = try call("sync.conflicts")
        if wantsJSON { return try print(json: result) }
        guard let items = try tree(result)["items"]?.array else { throw unexpected() }
        if items.isEmpty { return try print("Nothing is in conflict.\n") }
        let names = try names(ofMoods: items.compactMap { $0["mood"]?.string })
        for (number, item) in items.enumerated() {
            guard let id = item["id"]?.string, let member = item["member"]?.string, let shown = item["shown"],
                let other = item["other"]
            else { throw unexpected() }
            try print(
                "\(number + 1)  \(item["mood"]?.string.flatMap { names[$0] }.map { $0 + "\n   " } ?? "")"
                    + "\(Escaping.visible(id))\n   \(Escaping.visible(member)): shown \(Escaping.visible(shown.text)),"
                    + " other \(Escaping.visible(other.text))\n")
        }
    }

    /// `😊 Happy of 2026-01-02 06:04` for each mood that is there, by its id.
    private func names(ofMoods ids: [String]) throws(ClientError) -> [String: String] {
        var names: [String: String] = [:]
        for id in Set(ids) {
            do throws(ClientError) {
                names[id] = try mood(call("mood.get", [.init("id", .string(id))])).told(clocks)
            } catch {
                guard case .remote = error else { throw error }
            }
        }
        return names
    }

    private func settle(_ id: String, _ choice: String) throws(ClientError) {
        guard ["shown", "other"].contains(choice) else { throw usage("Say which value: shown or other.") }
        let result = try call("sync.settle", [.init("id", .string(try conflict(id))), .init("take", .string(choice))])
        if wantsJSON { return try print(json: result) }
        try print("Settled.\n")
    }

    /// The id of a conflict, from its number in the output of `conflicts`.
    private func conflict(_ text: String) throws(ClientError) -> String {
        guard let number = Int(text) else { return text }
        let items = try tree(call("sync.conflicts"))["items"]?.array ?? []
        guard items.indices.contains(number - 1), let id = items[number - 1]["id"]?.string else {
            throw usage("There is no conflict \(number). See mood sync conflicts.")
        }
        return id
    }
}
