import JSONCodec

/// The words that may come next on a command line. Without a host, it completes what it knows itself.
struct Completion {
    private struct Candidate {
        let word: String
        var about = ""
    }

    /// Names that the shell itself completes.
    private enum Names: String { case files, folders }

    private enum Answer {
        case words([Candidate])
        case names(Names)
    }

    private static let handlesMax = 50
    private static let zonesFile = "/usr/share/zoneinfo/tzdata.zi"
    private static let zonesBytesMax = 1 << 20

    let client: Client

    init(_ client: Client) { self.client = client }

    /// - Parameter words: the words on the line so far; the last one is to be completed.
    /// - Returns: a candidate, a tab and its meaning; or a tab and the names that the shell should complete.
    func lines(_ words: [String]) -> [String] {
        let current = words.last ?? ""
        switch answer(after: Array(words.dropLast()), current) {
        case .names(let names): return ["\t\(names.rawValue)"]
        case .words(let candidates):
            let wanted = Folding.folded(current)
            return candidates.filter { Folding.folded($0.word).hasPrefix(wanted) }.map {
                "\(Escaping.visible($0.word))\t\(Escaping.visible($0.about))"
            }
        }
    }

    private func answer(after before: [String], _ current: String) -> Answer {
        let command = Self.command(before)
        let options = (command?.options ?? []) + CommandOption.everywhere
        func option(_ word: String) -> CommandOption? {
            options.first { word == "--" + $0.name || $0.short.map { word == "-\($0)" } == true }
        }
        if let last = before.last, let option = option(last), option.value.placeholder != nil {
            return values(of: option, current)
        }
        if current.hasPrefix("--"), let sign = current.firstIndex(of: "="),
            let option = option(String(current[..<sign]))
        {
            let start = String(current[...sign])
            guard case .words(let found) = values(of: option, String(current.dropFirst(start.count))) else {
                return .words([])
            }
            return .words(found.map { Candidate(word: start + $0.word, about: $0.about) })
        }
        guard let command else {
            let isFirst = before.allSatisfy { $0.hasPrefix("-") || $0 == "help" }
            guard isFirst || Self.isAfterOptions(before) else { return .words([]) }
            return .words(Self.commands + [Candidate(word: "help", about: "Show help.")])
        }
        if current.hasPrefix("-") {
            return .words(options.map { Candidate(word: "--" + $0.name, about: $0.summary) })
        }
        return parameters(of: command, Self.words(before, option), current)
    }

    /// Finds the command on the line.
    private static func command(_ before: [String]) -> Command? {
        let rest = before.drop { word in !Command.all.contains { $0.name == word || $0.aliases.contains(word) } }
        // Only options of every command, with their values, may stand before it.
        guard let name = rest.first, isAfterOptions(Array(before.prefix(before.count - rest.count))) else { return nil }
        return Command.all.first { $0.name == name || $0.aliases.contains(name) }
    }

    private static func isAfterOptions(_ words: [String]) -> Bool {
        var rest = words[...]
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else { return false }
            let option = CommandOption.everywhere.first { "--" + $0.name == word }
            if option?.value.placeholder != nil { _ = rest.popFirst() }
        }
        return true
    }

    /// The words that are neither options, nor their values, nor the command.
    private static func words(_ before: [String], _ option: (String) -> CommandOption?) -> [String] {
        var (words, rest) = ([String](), before[...])
        while let word = rest.popFirst() {
            if word.hasPrefix("-"), word.count > 1 {
                if option(word)?.value.placeholder != nil { _ = rest.popFirst() }
            } else {
                words.append(word)
            }
        }
        return Array(words.dropFirst())
    }

    private static var commands: [Candidate] { Command.all.map { Candidate(word: $0.name, about: $0.summary) } }

    // MARK: Values of options

    private func values(of option: CommandOption, _ current: String) -> Answer {
        if case .choice(_, let words) = option.value { return .words(words.map { Candidate(word: $0) }) }
        switch option.name {
        case "tag", "where-tag": return .words(tags(current))
        case "emoji", "where-emoji":
            return .words(client.palette().feelings.map { Candidate(word: $0.emoji, about: $0.label) })
        case "label", "where-label": return .words(labels())
        case "format":
            let words = client.invocation.command.name == Command.share.name ? Self.shareFormats : Self.formats
            return .words((words + Self.formats.filter { !words.contains($0) }).map { Candidate(word: $0) })
        case "unset": return .words(Self.settings)
        default: break
        }
        switch option.value.placeholder {
        case "FILE", "PATH": return .names(.files)
        case "DIR": return .names(.folders)
        case "ZONE": return .words(zones())
        default: return .words([])
        }
    }

    /// Completes a tag after `+`, `!`, `#`, or other tags and a comma.
    private func tags(_ current: String) -> [Candidate] {
        var start = current.prefix { "+!".contains($0) }
        if let comma = current.lastIndex(of: ",") { start = current[...comma] }
        if current.dropFirst(start.count).first == "#" { start = current.prefix(start.count + 1) }
        return (client.tried("mood.tags")?.list(of: "tags") ?? []).compactMap { tag in
            tag["tag"]?.string.map { Candidate(word: start + $0, about: "\(tag["count"]?.text ?? "") moods") }
        }
    }

    /// The labels that the moods have most, then those of the palette.
    private func labels() -> [Candidate] {
        var seen: Set<String> = []
        let used = (client.tried("stats.summary")?.list(of: "feelings") ?? []).compactMap { feeling in
            feeling["label"]?.string.map { Candidate(word: $0, about: feeling.text(of: "emoji")) }
        }
        let known = client.palette().feelings.map { Candidate(word: $0.label, about: $0.emoji) }
        return (used + known).filter { seen.insert(Folding.folded($0.word)).inserted }
    }

    /// The zones in this system's zone data.
    private func zones() -> [Candidate] {
        let bytes = (try? client.console.readFile(Self.zonesFile, Self.zonesBytesMax)) ?? nil
        let lines = String(decoding: bytes ?? Array("Z UTC".utf8), as: UTF8.self).split(separator: "\n")
        return lines.compactMap { line in
            // `Z Europe/Helsinki …` and `L Europe/Kyiv Europe/Kiev`
            let words = line.split(separator: " ")
            guard words.count > 1, words[0] == "Z" || words[0] == "L" else { return nil }
            return Candidate(word: String(words[0] == "Z" ? words[1] : words[words.count - 1]))
        }
    }

    // MARK: Parameters

    private static let formats = ["jsonl", "csv", "daylio", "jrnl", "ics", "markdown", "html"]
    private static let shareFormats = ["text", "markdown", "html", "json", "ics"]
    private static let settings =
        (["dayStartsAt", "locale", "palette", "timeZone", "weekStartsOn"] + Configuration.names).sorted().map {
            Candidate(word: $0)
        }
    /// The first words that may follow a command with few choices.
    static func actions(of command: Command) -> [String] {
        switch command.name {
        case Command.palette.name: ["add", "rm", "mv"]
        case Command.completion.name: ["bash", "zsh", "fish"]
        case Command.export.name: formats
        case Command.open.name:
            ["menu", "intro-state", "observation", "architecture", "moods"].map { "moodboard://" + $0 }
        default: command.actions.map(\.name).filter { !$0.isEmpty }
        }
    }

    private func parameters(of command: Command, _ words: [String], _ current: String) -> Answer {
        let actions = Self.actions(of: command)
        if words.isEmpty, !actions.isEmpty { return .words(actions.map { Candidate(word: $0) }) }
        switch command.name {
        case Command.add.name: return .words(addWords(words, current))
        case Command.note.name where !words.isEmpty && !current.hasPrefix("@"): return .words([])
        case Command.settings.name: return .words(words.isEmpty ? Self.settings : settingValues(words[0]))
        case Command.palette.name: return .words(words[0] == "add" ? [] : feelings())
        case Command.call.name: return .words(words.isEmpty ? methods() : [])
        case Command.plugin.name:
            return ["add", "dev", "new"].contains(words[0])
                ? .names(.folders) : .words(words.count == 1 ? plugins() : [])
        case Command.doctor.name: return .names(.folders)
        default: break
        }
        let place = min(words.count, max(command.parameters.count - 1, 0))
        guard command.parameters.indices.contains(place),
            words.count < command.parameters.count || command.parameters[place].isRepeatable
        else { return .words([]) }
        switch command.parameters[place].name {
        case "ID": return .words(handles())
        case "FILE", "FILE|DIR": return .names(.files)
        case "DIR": return .names(.folders)
        case "COMMAND": return .words(Self.commands)
        case "DAY", "SPAN", "MONTH", "YEAR": return .words(["today", "yesterday"].map { Candidate(word: $0) })
        default: return .words([])
        }
    }

    private func addWords(_ words: [String], _ current: String) -> [Candidate] {
        if current.hasPrefix("+") { return tags(current) }
        return words.contains { !$0.hasPrefix("+") && !$0.hasPrefix("@") } ? [] : feelings()
    }

    private func feelings() -> [Candidate] {
        client.palette().feelings.flatMap { feeling in
            [Candidate(word: feeling.label.lowercased(), about: feeling.emoji)]
                + feeling.aliases.map { Candidate(word: $0, about: "\(feeling.emoji) \(feeling.label)") }
        }
    }

    private func settingValues(_ name: String) -> [Candidate] {
        switch name {
        case "timeZone": zones()
        case "weekStartsOn":
            ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map { Candidate(word: $0) }
        case "color": ["auto", "never", "always"].map { Candidate(word: $0) }
        case let name where Configuration.switches.contains(name): ["true", "false"].map { Candidate(word: $0) }
        default: []
        }
    }

    private func methods() -> [Candidate] {
        return (client.tried("rpc.discover")?.list(of: "methods") ?? []).compactMap { method in
            method["name"]?.string.map { Candidate(word: $0, about: method.text(of: "summary")) }
        }
    }

    private func plugins() -> [Candidate] {
        return (client.tried("plugin.list")?.list(of: "plugins") ?? []).compactMap { plugin in
            plugin["id"]?.string.map { Candidate(word: $0, about: plugin.text(of: "name")) }
        }
    }

    private func handles() -> [Candidate] {
        var candidates = [
            Candidate(word: "@last", about: "the latest mood"), Candidate(word: "@added", about: "the one added last"),
        ]
        guard let listed = try? client.handles()?.listed(), !listed.isOld else { return candidates }
        for (index, id) in listed.ids.prefix(Self.handlesMax).enumerated() {
            guard let mood = try? client.mood(id: id) else { continue }
            candidates.append(Candidate(word: "@\(index + 1)", about: mood.told(client.clocks)))
        }
        return candidates
    }
}
