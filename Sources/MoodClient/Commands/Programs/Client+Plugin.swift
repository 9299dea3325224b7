import JSONCodec

extension Command {
    static let plugin = Command(
        name: "plugin", summary: "See, trust, set and write plugins.",
        parameters: [
            .init("ACTION", "One of those below."),
            .init("ARGUMENT", .any, "Mostly the ID of a plugin; add takes a folder."),
        ],
        options: [
            .init("yes", short: "y", "For trust, add and remove: do not ask."),
            .init("digest", .text("DIGEST"), "For trust and add: only if the plugin's files are these."),
            .init(
                "runtime", .text("DIR"), isRepeatable: true, "For trust, add and dev: a folder to run from."),
            .init(
                "python", .text("PATH"), "For trust, add and dev: a virtual environment, or its python, to run from."),
            .init(
                "limit", .text("NAME=VALUE"), isRepeatable: true, "A limit of the host, such as pluginHelloMs=30000."),
            .init("read", .text("DIR"), isRepeatable: true, "For trust and add: one more folder to read."),
            .init("write", .text("DIR"), isRepeatable: true, "For trust and add: one more folder to write."),
            .init("tools", .text("DIGEST"), "For trust: the tools that an MCP server has now."),
            .init("lines", .integer("N"), "For log: so many lines at most (default: 100)."),
            .init("skip", "For restart: pass over the event that it does not take."),
            .init("lang", .choice("LANGUAGE", PluginTemplate.languages), "For new: the language."),
        ],
        notes: [
            "list and info ID show what there is. trust ID lets a plugin run, as it is now; add DIR copies a folder into the"
                + " store and trusts it; untrust ID and remove ID are the ways back. Both show what the plugin runs and may do,"
                + " and ask; without a terminal they want --yes and --digest.",
            "disable ID and enable ID stop it and let it run again, restart ID starts it anew, log ID shows what it said."
                + " configure ID NAME=VALUE… sets its config. call ID METHOD [PARAMS] asks it something.",
            "dev DIR runs the plugin in DIR from where it is, isolated, shows what is said, and starts it anew when a file"
                + " changes. Lines METHOD [PARAMS] on stdin are asked of it. It may ask a store of samples, not yours. Ctrl-C"
                + " ends, and nothing is left.",
            "new ID --lang LANGUAGE writes a working plugin with its test into a folder of that name.",
        ],
        examples: [
            .init("mood plugin list", "Which plugins there are, and which of them may run."),
            .init("mood plugin new org.example.hello --lang python", "Begin one of your own."),
            .init("mood plugin dev org.example.hello", "Watch it while you write it."),
            .init("mood plugin add org.example.hello", "Look at it, and let it run."),
            .init("mood plugin call org.example.hello hello '{\"name\":\"you\"}'", "Ask it something."),
        ],
        run: { (client) throws(ClientError) in try client.plugin() })
}

extension Client {
    /// The number of words and their form after each action's name.
    private static let pluginActions: [(name: String, words: ClosedRange<Int>, form: String)] = [
        ("list", 0...0, ""), ("info", 1...1, " ID"), ("trust", 1...1, " ID"), ("untrust", 1...1, " ID"),
        ("enable", 1...1, " ID"), ("disable", 1...1, " ID"), ("restart", 1...1, " ID"), ("log", 1...1, " ID"),
        ("configure", 1...100, " ID [NAME=VALUE…]"), ("call", 2...3, " ID METHOD [PARAMS]"), ("add", 1...1, " DIR"),
        ("remove", 1...1, " ID"), ("new", 1...1, " ID --lang LANGUAGE"), ("dev", 1...1, " DIR"),
    ]

    func plugin() throws(ClientError) {
        let (name, words) = (invocation.words[0], Array(invocation.words.dropFirst()))
        guard let action = Self.pluginActions.first(where: { $0.name == name }) else {
            let nearest = Suggestion.nearest(to: name, among: Self.pluginActions.map(\.name))
            throw usage("There is no action '\(name)'.\(Suggestion.question(nearest))")
        }
        guard action.words.contains(words.count) else {
            throw usage("It is: mood plugin \(name)\(action.form)")
        }
        switch name {
        case "list": try listPlugins()
        case "info": try showPlugin(words[0])
        case "trust": try trustPlugin(words[0])
        case "restart":
            let skip: [JSONValue.Member] = invocation.has("skip") ? [.init("skip", true)] : []
            try changePlugin("plugin.restart", words[0], skip)
        case "untrust", "enable", "disable": try changePlugin("plugin." + name, words[0])
        case "log": try logOfPlugin(words[0])
        case "configure": try configurePlugin(words[0], Array(words.dropFirst()))
        case "call": try callPlugin(words)
        case "add": try addPlugin(words[0])
        case "remove": try removePlugin(words[0])
        case "dev": try developPlugin(words[0])
        default: try writePlugin(words[0])
        }
    }

    // MARK: Looking

    private func listPlugins() throws(ClientError) {
        let result = try call("plugin.list")
        if wantsJSON { return try print(json: result) }
        guard let plugins = try tree(result)["plugins"]?.array else { throw unexpected() }
        if plugins.isEmpty {
            return tell("There are no plugins; 'mood plugin new' writes one, 'mood plugin add' adds one.")
        }
        var table = Table([
            .init("PLUGIN"), .init("STATE"), .init("NAME", isFlexible: true), .init("", isFlexible: true, role: .quiet),
        ])
        table.rows = plugins.map { plugin in
            let name = [plugin["name"]?.string, plugin["version"]?.string].compactMap { $0 }.joined(separator: " ")
            let changed = plugin["changed"]?.boolean == true ? "its folder has changed since it was trusted" : nil
            let note = [plugin["reason"]?.string, changed].compactMap { $0 }.joined(separator: "; ")
            return [plugin["id"]?.string ?? "?", plugin["state"]?.string ?? "?", name, note].map(Escaping.visible)
        }
        try print(table.text(width: console.isOutputTerminal ? console.columns : nil, style: style))
    }

    private func showPlugin(_ id: String) throws(ClientError) {
        let result = try call("plugin.info", [.init("id", .string(id))])
        if wantsJSON { return try print(json: result) }
        try print(text(of: PluginView(try tree(result)).rows))
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
        let lines: [JSONValue.Member] = invocation.integer("lines").map { [.init("lines", .number(String($0)))] } ?? []
        let result = try call("plugin.log", [.init("id", .string(id))] + lines)
        if wantsJSON { return try print(json: result) }
        guard let entries = try tree(result)["lines"]?.array else { throw unexpected() }
        var text = ""
        for entry in entries {
            let from = [entry["from"]?.string, entry["level"]?.string].compactMap { $0 }.joined(separator: " ")
            let head = [entry["at"]?.string ?? "", from].map(Escaping.visible).joined(separator: "  ")
            text += style.apply(.quiet, to: head) + "  " + Escaping.visible(entry["text"]?.string ?? "") + "\n"
        }
        try print(text)
    }

    // MARK: Setting

    /// Changes a plugin and prints its state afterwards.
    func changePlugin(_ method: String, _ id: String, _ params: [JSONValue.Member] = []) throws(ClientError) {
        let result = try call(method, [.init("id", .string(id))] + params)
        if wantsJSON { return try print(json: result) }
        try print(PluginView(try tree(result)).sentence + "\n")
    }

    private func configurePlugin(_ id: String, _ settings: [String]) throws(ClientError) {
        let before = PluginView(try tree(call("plugin.info", [.init("id", .string(id))])))
        guard !settings.isEmpty else {
            let config = before.config.prettyText + "\n"
            return try print(console.isOutputTerminal ? Escaping.visibleLines(config) : config)
        }
        var members = before.config.object ?? []
        for setting in settings {
            guard let sign = setting.firstIndex(of: "="), sign > setting.startIndex else {
                throw usage("'\(setting)' is not NAME=VALUE.")
            }
            let (name, value) = (String(setting[..<sign]), String(setting[setting.index(after: sign)...]))
            members.removeAll { $0.name.utf8.elementsEqual(name.utf8) }
            // A value that is JSON is taken as JSON: a number, true, a list. An empty value removes the member.
            if !value.isEmpty { members.append(.init(name, (try? JSONValue(parsing: value)) ?? .string(value))) }
        }
        try changePlugin("plugin.configure", id, [.init("config", .object(members))])
    }

    private func callPlugin(_ words: [String]) throws(ClientError) {
        let params = words.count > 2 ? try checked(text(words[2])) : nil
        try print(json: call("x.\(words[0]).\(words[1])", bytes: params))
    }
}
