import JSONCodec

extension Command {
    static let plugin = Command(
        "plugin", "See, trust, set and write plugins.", Client.act,
        .word("ACTION", "One of those below."),
        .word("ARGUMENT", .any, "Mostly the ID of a plugin; add takes a folder."),
        .option("yes", short: "y", "For trust, add and remove: do not ask."),
        .option("digest", .text("DIGEST"), "For trust and add: only if the plugin's files are these."),
        .option("runtime", .text("DIR"), isRepeatable: true, "For trust, add and dev: a folder to run from."),
        .option("python", .text("PATH"), "For trust, add and dev: a virtual environment, or its python, to run from."),
        .option("limit", .text("NAME=VALUE"), isRepeatable: true, "A limit of the host, such as pluginHelloMs=30000."),
        .option("read", .text("DIR"), isRepeatable: true, "For trust and add: one more folder to read."),
        .option("write", .text("DIR"), isRepeatable: true, "For trust and add: one more folder to write."),
        .option("tools", .text("DIGEST"), "For trust: the tools that an MCP server has now."),
        .option("lines", .integer("N"), "For log: so many lines at most (default: 100)."),
        .option("skip", "For restart: pass over the event that it does not take."),
        .option("lang", .choice("LANGUAGE", PluginTemplate.languages), "For new: the language."),
        .actions(Client.pluginActions),
        .note(
            "list and info ID show what there is. trust ID lets a plugin run, as it is now; add DIR copies a folder into the"
                + " store and trusts it; untrust ID and remove ID are the ways back. Both show what the plugin runs and may do,"
                + " and ask; without a terminal they want --yes and --digest."),
        .note(
            "disable ID and enable ID stop it and let it run again, restart ID starts it anew, log ID shows what it said."
                + " configure ID NAME=VALUE… sets its config. call ID METHOD [PARAMS] asks it something."),
        .note(
            "dev DIR runs the plugin in DIR from where it is, isolated, shows what is said, and starts it anew when a file"
                + " changes. Lines METHOD [PARAMS] on stdin are asked of it. It may ask a store of samples, not yours. Ctrl-C"
                + " ends, and nothing is left."),
        .note("new ID --lang LANGUAGE writes a working plugin with its test into a folder of that name."),
        .example("mood plugin list", "Which plugins there are, and which of them may run."),
        .example("mood plugin new org.example.hello --lang python", "Begin one of your own."),
        .example("mood plugin dev org.example.hello", "Watch it while you write it."),
        .example("mood plugin add org.example.hello", "Look at it, and let it run."),
        .example("mood plugin call org.example.hello hello '{\"name\":\"you\"}'", "Ask it something."))
}

extension Client {
    fileprivate static let pluginActions = [
        CommandAction("list", Client.listPlugins), CommandAction("info", "ID", Client.showPlugin),
        CommandAction("trust", "ID", Client.trustPlugin), CommandAction("untrust", "ID", Client.changePlugin),
        CommandAction("enable", "ID", Client.changePlugin), CommandAction("disable", "ID", Client.changePlugin),
        CommandAction("restart", "ID", Client.changePlugin), CommandAction("log", "ID", Client.logOfPlugin),
        CommandAction("configure", "ID [NAME=VALUE…]", Client.configurePlugin),
        CommandAction("call", "ID METHOD [PARAMS]", Client.callPlugin), CommandAction("add", "DIR", Client.addPlugin),
        CommandAction("remove", "ID", Client.removePlugin), CommandAction("dev", "DIR", Client.developPlugin),
        CommandAction("new", "ID --lang LANGUAGE", Client.writePlugin),
    ]

    // MARK: Looking

    private func listPlugins() throws(ClientError) {
        guard let result = try answer("plugin.list") else { return }
        guard let plugins = result["plugins"]?.array else { throw unexpected() }
        if plugins.isEmpty {
            return tell("There are no plugins; 'mood plugin new' writes one, 'mood plugin add' adds one.")
        }
        var table = Table([
            .init("PLUGIN"), .init("STATE"), .init("NAME", isFlexible: true), .init("", isFlexible: true, role: .quiet),
        ])
        table.rows = plugins.map { plugin in
            let name = [plugin["name"]?.string, plugin["version"]?.string].compactMap { $0 }.joined(separator: " ")
            let changed = plugin.isTrue("changed") ? "its folder has changed since it was trusted" : nil
            let note = [plugin["reason"]?.string, changed].compactMap { $0 }.joined(separator: "; ")
            return [plugin["id"]?.string ?? "?", plugin["state"]?.string ?? "?", name, note].map(Escaping.visible)
        }
        try print(table.text(width: console.isOutputTerminal ? console.columns : nil, style: style))
    }

    func pluginInfo(_ id: String) throws(ClientError) -> PluginView {
        PluginView(try tree(call("plugin.info", ["id": id])))
    }

    private func showPlugin(_ id: String) throws(ClientError) {
        if let info = try answer("plugin.info", ["id": id]) { try print(text(of: PluginView(info).rows)) }
    }

    /// Terms and their values, one below the other.
    func text(of rows: [PluginView.Row]) -> String {
        let width = rows.map { DisplayWidth.of($0.term) }.max() ?? 0
        return rows.reduce(into: "") { text, row in
            let term = style.apply(.quiet, to: DisplayWidth.padded(row.term, to: width))
            text += "\(term)  \(Escaping.visible(row.text))\n"
        }
    }

    private func logOfPlugin(_ id: String) throws(ClientError) {
        guard let log = try answer("plugin.log", ["id": id, "lines": invocation.integer("lines")]) else { return }
        guard let entries = log["lines"]?.array else { throw unexpected() }
        var text = ""
        for entry in entries {
            let from = [entry["from"]?.string, entry["level"]?.string].compactMap { $0 }.joined(separator: " ")
            let head = [entry.text(of: "at"), from].map(Escaping.visible).joined(separator: "  ")
            text += style.apply(.quiet, to: head) + "  " + Escaping.visible(entry.text(of: "text")) + "\n"
        }
        try print(text)
    }

    // MARK: Setting

    private func changePlugin(_ id: String) throws(ClientError) {
        let name = invocation.words[0]
        try changePlugin("plugin." + name, id, ["skip": name == "restart" ? invocation.flag("skip") : nil])
    }

    /// Changes a plugin and prints its state afterwards.
    func changePlugin(_ method: String, _ id: String, _ params: Params = [:]) throws(ClientError) {
        guard let info = try answer(method, ["id": id] + params) else { return }
        try print(PluginView(info).sentence + "\n")
    }

    private func configurePlugin(_ words: [String]) throws(ClientError) {
        let (id, settings) = (words[0], words.dropFirst())
        let before = try pluginInfo(id)
        guard !settings.isEmpty else {
            let config = before.config.prettyText + "\n"
            return try print(console.isOutputTerminal ? Escaping.visibleLines(config) : config)
        }
        var members = Params(before.config.object ?? [])
        for setting in settings {
            guard let sign = setting.firstIndex(of: "="), sign > setting.startIndex else {
                throw usage("'\(setting)' is not NAME=VALUE.")
            }
            let (name, value) = (String(setting[..<sign]), String(setting[setting.index(after: sign)...]))
            // A value that is JSON is taken as JSON: a number, true, a list. An empty value removes the member.
            members[name] = value.isEmpty ? nil : (try? JSONValue(parsing: value)) ?? .string(value)
        }
        try changePlugin("plugin.configure", id, ["config": members])
    }

    private func callPlugin(_ words: [String]) throws(ClientError) {
        let params = words.count > 2 ? try checked(text(words[2])) : nil
        try print(json: call("x.\(words[0]).\(words[1])", bytes: params))
    }
}
