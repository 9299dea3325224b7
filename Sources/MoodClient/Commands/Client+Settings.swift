import JSONCodec
import Platform

extension Command {
    static let settings = Command(
        "settings", "Show what you have chosen, and choose.", Client.showOrChange,
        .word("NAME", .optional, "One of those that 'mood settings' shows."),
        .word("VALUE", .optional, "What it is from now on; without it, what it is."),
        .option("unset", .text("NAME"), "Go back to what is there without a choice."),
        .note(
            "A command line comes before the environment, that before what is chosen here. Those of the store go with it to every"
                + " program; the others are this client's, in ~/.config/moodboard/config.json."),
        .example("mood settings", "All of them, with where each comes from."),
        .example("mood settings dayStartsAt 04:00", "What is felt before four belongs to the day before."),
        .example("mood settings keepZone false", "Moods are added without the zone of the place."),
        .example("mood settings --unset timeZone", "The zone of the system again."))
}

/// `mood settings`: those of the store, which the host keeps, and those of the client.
extension Client {
    private static let hostNames = ["dayStartsAt", "locale", "palette", "timeZone", "weekStartsOn"]
    private static let settingsFileBytesMax = 1 << 20

    func showOrChange() throws(ClientError) {
        if let given = invocation.value("unset") {
            guard invocation.words.isEmpty else { throw usage("Give NAME and VALUE, or --unset, not both.") }
            return try change(settingName(given), to: nil)
        }
        guard let word = invocation.words.first else { return try showAll() }
        let name = try settingName(word)
        guard invocation.words.count > 1 else {
            if wantsJSON {
                return try print(json: Array(JSONValue.object([.init(name, json(name) ?? .null)]).text.utf8))
            }
            return try print(Escaping.visible(setting(name).value) + "\n")
        }
        try change(name, to: invocation.words[1])
    }

    /// The usual spelling of a setting's name.
    private func settingName(_ word: String) throws(ClientError) -> String {
        func plain(_ text: String) -> String { text.lowercased().filter { $0 != "-" && $0 != "_" } }
        let names = Self.hostNames + Configuration.names
        if let name = names.first(where: { plain($0) == plain(word) }) { return name }
        let nearest = Suggestion.question(Suggestion.nearest(to: word, among: names))
        throw usage("There is no setting '\(word)'; there are \(names.sorted().joined(separator: ", ")).\(nearest)")
    }

    // MARK: Showing

    private func showAll() throws(ClientError) {
        if wantsJSON { return try print(json: call("settings.get")) }
        // Without an answer of the host this throws.
        _ = try call("settings.get")
        var table = Table([
            .init("NAME"), .init("VALUE", isFlexible: true), .init("FROM", isFlexible: true, role: .quiet),
        ])
        for name in (Self.hostNames + Configuration.names).sorted() {
            let (value, source) = setting(name)
            table.rows.append([name, Escaping.visible(value), Escaping.visible(source)])
        }
        guard console.isOutputTerminal else { return try print(table.rows.map(MoodView.fields).joined()) }
        try print(table.text(width: max(console.columns - 2, 1), style: style))
    }

    /// The chosen value as JSON; nil if none was chosen.
    private func json(_ name: String) -> JSONValue? {
        Self.hostNames.contains(name) ? settings()[name] : configuration.members.first { $0.name == name }?.value
    }

    /// A value as people read it, and its source.
    private func setting(_ name: String) -> (value: String, source: String) {
        if Self.hostNames.contains(name) { return hostSetting(name) }
        let chosen = configuration.members.first { $0.name == name }?.value
        for (variable, owner) in [("MOODBOARD_STORE", "store"), ("MOOD_PAGER", "pager"), ("NO_COLOR", "color")]
        where owner == name {
            guard let value = console.environment(variable), variable == "MOOD_PAGER" || !value.isEmpty else {
                continue
            }
            return (name == "color" ? "never" : value, "environment: \(variable)")
        }
        if let chosen { return (chosen.string ?? chosen.text, configuration.path ?? "") }
        switch name {
        case "pager":
            if let pager = console.environment("PAGER") { return (pager, "environment: PAGER") }
            return (Self.usualPager, "default")
        case "store":
            let path = tried("store.info")?["path"]?.string
            return (invocation.value("store") ?? path ?? "", invocation.has("store") ? "option" : "default")
        case "color": return ("auto", "default")
        default: return ("true", "default")
        }
    }

    private func hostSetting(_ name: String) -> (value: String, source: String) {
        let chosen = chosenNames().contains(name)
        switch name {
        case "palette":
            let count = palette().feelings.count
            return ("\(count) \(count == 1 ? "feeling" : "feelings"): mood palette", chosen ? "chosen" : "default")
        case "timeZone" where !chosen: return (console.timeZoneName() ?? "", "system")
        case "locale" where !chosen:
            let (words, dates) = (environmentLocale(.words), environmentLocale(.dates))
            guard words != nil || dates != nil else { return ("en_US", "default") }
            let isOne = words == dates
            return (
                (words ?? "en_US") + (isOne ? "" : ", dates \(dates ?? "en_US")"), "environment"
            )
        default: return (settings()[name]?.string ?? "", chosen ? "chosen" : "default")
        }
    }

    /// The names in the store's file of settings; the host's answer has all settings.
    private func chosenNames() -> Set<String> {
        let settings = settings()
        var names = Set(["timeZone", "locale"].filter { settings[$0] != nil })
        let store = tried("store.info")?["path"]?.string
        guard let store, let bytes = try? console.readFile(store + "/settings.json", Self.settingsFileBytesMax),
            let members = (try? JSONValue.parse(bytes))?.object
        else { return names }
        names.formUnion(members.map(\.name))
        return names
    }

    // MARK: Changing

    private func change(_ name: String, to text: String?) throws(ClientError) {
        if Self.hostNames.contains(name) { return try changeHost(name, to: text) }
        guard let path = configuration.path else {
            throw .badInput("There is no place for the settings of the client.", advice: "Set HOME or XDG_CONFIG_HOME.")
        }
        var value = text.map { JSONValue.string($0) }
        if let text, Configuration.switches.contains(name) {
            guard let isOn = Self.isOn(text) else { throw usage("\(name) is true or false, not '\(text)'.") }
            value = .boolean(isOn)
        }
        let bytes: [UInt8]
        do throws(ClientError) {
            bytes = try configuration.bytes(setting: name, to: value, home: console.environment("HOME"))
        } catch {
            guard case .badInput(let message, _) = error else { throw error }
            // Leave out the place in the file, which is not written yet.
            let reason = message.split(separator: ": ", maxSplits: 1).last.map(String.init) ?? message
            throw .badInput("\(name): \(reason)", advice: nil)
        }
        try orBadInput("\(Escaping.visible(path)) cannot be written") { () throws(SystemError) in
            try console.writeFile(path, bytes)
        }
        try report(name, value.map { $0.string ?? $0.text })
    }

    private static func isOn(_ text: String) -> Bool? {
        ["true": true, "yes": true, "on": true, "false": false, "no": false, "off": false][text.lowercased()]
    }

    private func changeHost(_ name: String, to text: String?) throws(ClientError) {
        guard name != "palette" || text == nil else {
            throw usage("The palette is changed by 'mood palette add', 'rm' and 'mv'.")
        }
        var value = text
        // Accept people's spellings.
        if name == "weekStartsOn" { value = value?.lowercased() }
        if name == "dayStartsAt", let text, text.utf8.count == 4, text.contains(":") { value = "0" + text }
        let result: [UInt8]
        do throws(ClientError) {
            result = try call("settings.set", Params([.init(name, value.map { .string($0) } ?? .null)]))
        } catch {
            guard case .remote(let failure) = error, failure.code == -32602 else { throw error }
            throw .badInput("\(name): '\(text ?? "")' \(failure.bareMessage)", advice: nil)
        }
        if wantsJSON { return try print(json: result) }
        try report(name, value)
    }

    private func report(_ name: String, _ value: String?) throws(ClientError) {
        if wantsJSON { return }
        try print(value.map { "\(name): \(Escaping.visible($0))\n" } ?? "\(name) is no longer chosen.\n")
    }
}
