import JSONCodec

extension Command {
    static let sync = Command(
        "sync", "Keep one journal on several machines.", Client.act,
        .word("ACTION", "setup, now, status, conflicts, settle, leave or forget."),
        .word(
            "ARGUMENT", .any,
            "For setup a URL, for settle a conflict's number or id and which value, for forget the end of an id."),
        .option("new", "For setup: begin a journal; else the one that is there is joined."),
        .option("journal", .text("ID"), "For setup: which journal, where there are several."),
        .option("config", .text("JSON"), "For setup: what the transport of a plugin is told, an object."),
        .option(
            "filter-push", .text("COMMAND"),
            "For setup: what each line goes through before it leaves, its words apart by spaces."),
        .option("filter-pull", .text("COMMAND"), "For setup: what makes of that the line again."),
        .option("yes", short: "y", "For setup: both this store and the journal may have moods."),
        .actions(Client.syncActions),
        .note(
            "setup URL lets this store take part: folder:/path for a folder that something else copies (Syncthing, Dropbox,"
                + " a USB stick), git+ssh://…, git+https://… or git+file:///… for a git repository."),
        .note(
            "now sends what was done here and brings in what others did; it also happens by itself. status tells how far it is."
        ),
        .note(
            "What was set on two machines at once is kept: conflicts lists it, settle NUMBER shown and settle NUMBER other choose."
        ),
        .note(
            "leave ends it here; nothing is removed on either side. forget ID is for a machine that will not come back; the last"
                + " six digits of its id, or more, are enough."),
        .note(
            "setup with another URL, once it is set up, goes on there: a new password, server or folder needs no leaving."
        ),
        .example("mood sync setup folder:/home/me/Sync/moods --new", "Begin a journal, on the first machine."),
        .example("mood sync setup folder:/home/me/Sync/moods", "Join it, on the others."),
        .example("mood sync now", "Do it at once."),
        .example("mood sync conflicts", "What was set twice."))
}

extension Client {
    fileprivate static let syncActions = [
        CommandAction("setup", "URL", Client.setUpSync), CommandAction("now", Client.syncNow),
        CommandAction("status", Client.showSync),
        CommandAction("conflicts", Client.listConflicts), CommandAction("settle", "NUMBER shown|other", Client.settle),
        CommandAction("leave", Client.showSync), CommandAction("forget", "ID", Client.forgetReplica),
    ]

    /// `status` and `leave`.
    private func showSync() throws(ClientError) { try show(status: call("sync.\(invocation.words[0])")) }

    private func forgetReplica(_ end: String) throws(ClientError) {
        try show(status: call("sync.forget", ["replica": replica(end)]))
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
        let params: Params = [
            "url": url, "new": invocation.flag("new"), "confirm": invocation.flag("yes"),
            "journal": invocation.value("journal"), "config": try givenConfig(), "filter": try filter(),
        ]
        try show(status: callLong("sync.setup", params))
    }

    /// The object of `--config`; nil if it was not given.
    func givenConfig() throws(ClientError) -> JSONValue? {
        guard let text = invocation.value("config") else { return nil }
        guard let config = try? JSONValue.parse(Array(text.utf8)), config.object != nil else {
            throw usage("--config has to be a JSON object.")
        }
        return config
    }

    /// The filter commands, split at spaces. A word with spaces needs a script.
    private func filter() throws(ClientError) -> Params? {
        let (push, pull) = (invocation.value("filter-push"), invocation.value("filter-pull"))
        if push == nil, pull == nil { return nil }
        guard let push, let pull else { throw usage("--filter-push and --filter-pull go together.") }
        func words(_ text: String) -> [String] { text.split(separator: " ").map(String.init) }
        return ["push": words(push), "pull": words(pull)]
    }

    private func syncNow() throws(ClientError) {
        guard let counts = try told(callLong("sync.now")) else { return }
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
        guard let status = try told(result) else { return }
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
        for gap in status.list(of: "missing") {
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
        guard let result = try answer("sync.conflicts") else { return }
        guard let items = result["items"]?.array else { throw unexpected() }
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
                names[id] = try mood(id: id).told(clocks)
            } catch {
                guard case .remote = error else { throw error }
            }
        }
        return names
    }

    private func settle(_ words: [String]) throws(ClientError) {
        let (id, choice) = (words[0], words[1])
        guard ["shown", "other"].contains(choice) else { throw usage("Say which value: shown or other.") }
        if try answer("sync.settle", ["id": conflict(id), "take": choice]) != nil { try print("Settled.\n") }
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
