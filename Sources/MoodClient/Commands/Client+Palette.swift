import JSONCodec

extension Command {
    static let palette = Command(
        "palette", "Show the words that you have for feelings, and change them.", Client.showOrChangePalette,
        .word("ACTION", .optional, "add, rm or mv; without it the feelings are shown."),
        .word("WORD", .any, "For add an emoji and a label; for rm names; for mv a name and its new position."),
        .option("valence", .number("N"), "With add: how pleasant it is, from -1 to 1."),
        .option("alias", .text("NAME"), isRepeatable: true, "With add: another name of it, or several with commas."),
        .note(
            "A name is a label, an alias, or the emoji. No name stands for two feelings. Moods that are there stay as they are."
        ),
        .example("mood palette", "The feelings, in their order."),
        .example("mood palette add 🫠 Melting --valence -0.2 --alias gooey", "A word of your own."),
        .example("mood palette mv melting 1", "The first one from now on."),
        .example("mood palette rm melting", "Without it."))
}

extension Client {
    func showOrChangePalette() throws(ClientError) {
        let words = Array(invocation.words.dropFirst())
        let action = invocation.words.first ?? "list"
        if action != "add", let option = ["valence", "alias"].first(where: invocation.has) {
            throw usage("--\(option) belongs to 'mood palette add'.")
        }
        var entries = try tree(call("settings.get"))["palette"]?.array ?? []
        switch action {
        case "list", "ls": return try list(entries)
        case "add": try addFeeling(words, to: &entries)
        case "rm", "delete", "remove": try removeFeelings(words, from: &entries)
        case "mv", "move": try moveFeeling(words, in: &entries)
        default:
            let nearest = Suggestion.question(Suggestion.nearest(to: action, among: ["add", "list", "mv"]))
            throw usage("'\(action)' is none of add, rm and mv.\(nearest)")
        }
    }

    private func list(_ entries: [JSONValue]) throws(ClientError) {
        if wantsJSON { return try print(json: call("settings.get")) }
        var table = Table([
            .init("", role: .quiet), .init("FEELING", isFlexible: true), .init("VALENCE"),
            .init("ALIASES", isFlexible: true, role: .quiet),
        ])
        for (index, entry) in entries.enumerated() {
            let aliases = entry.texts(of: "aliases")
            table.rows.append([
                "\(index + 1)", Self.title(entry), entry["valence"]?.text ?? "",
                Escaping.visible(aliases.joined(separator: ", ")),
            ])
        }
        if console.isOutputTerminal { return try print(table.text(width: max(console.columns - 2, 1), style: style)) }
        for (row, entry) in zip(table.rows, entries) {
            try print(MoodView.fields([entry.text(of: "emoji"), entry.text(of: "label"), row[2], row[3]]))
        }
    }

    private static func title(_ entry: JSONValue) -> String {
        Escaping.visible("\(entry.text(of: "emoji")) \(entry.text(of: "label"))")
    }

    private func addFeeling(_ words: [String], to entries: inout [JSONValue]) throws(ClientError) {
        let words = words.first.flatMap(TypedEmoji.parted).map { [$0.emoji, $0.label] + words.dropFirst() } ?? words
        guard words.count > 1 else {
            throw usage("Give an emoji and a label: mood palette add 🫠 Melting --valence -0.2")
        }
        let emoji = try TypedEmoji.required(words[0], option: "EMOJI")
        let label = words.dropFirst().joined(separator: " ")
        guard let valence = invocation.number("valence") else {
            throw usage("How pleasant is it? Give --valence, from -1 to 1.")
        }
        let aliases = invocation.values("alias").flatMap(Self.tags)
        let entry: JSONValue = [
            "emoji": .string(emoji), "label": .string(label), "valence": .double(valence),
            "aliases": .array(aliases.map { .string($0) }),
        ]
        try keep(entries + [entry], adding: [label] + aliases)
        if !wantsJSON { try print("Added \(Self.title(entry)) to your palette\n") }
    }

    private func removeFeelings(_ words: [String], from entries: inout [JSONValue]) throws(ClientError) {
        guard !words.isEmpty else { throw usage("Which feeling? Give its label, an alias, or its emoji.") }
        // A name of several words needs no quotes.
        let whole = words.joined(separator: " ")
        let names = words.count > 1 && Self.place(of: whole, in: entries) != nil ? [whole] : words
        var removed: [JSONValue] = []
        for name in names { removed.append(entries.remove(at: try place(of: name, in: entries))) }
        try keep(entries)
        if wantsJSON { return }
        try print(removed.map { "Removed \(Self.title($0)) from your palette\n" }.joined())
    }

    private func moveFeeling(_ words: [String], in entries: inout [JSONValue]) throws(ClientError) {
        guard words.count > 1, let position = Int(words[words.count - 1]) else {
            throw usage("Give a feeling and its new position: mood palette mv calm 1")
        }
        let place = try place(of: words.dropLast().joined(separator: " "), in: entries)
        guard (1...entries.count).contains(position) else {
            throw .badInput("There are \(entries.count) positions; \(position) is none.", advice: nil)
        }
        let entry = entries.remove(at: place)
        entries.insert(entry, at: position - 1)
        try keep(entries)
        if !wantsJSON { try print("\(Self.title(entry)) is number \(position) now\n") }
    }

    private func place(of name: String, in entries: [JSONValue]) throws(ClientError) -> Int {
        if let place = Self.place(of: name, in: entries) { return place }
        let known = entries.compactMap { $0["label"]?.string }
        let nearest = Suggestion.question(Suggestion.nearest(to: Folding.folded(name), among: known))
        throw .nothing("Your palette has no '\(Escaping.visible(name))'.\(nearest)")
    }

    private static func place(of name: String, in entries: [JSONValue]) -> Int? {
        let emoji = (try? TypedEmoji.read(name)) ?? nil
        let folded = Folding.folded(name)
        return entries.firstIndex { entry in
            if let emoji { return TypedEmoji.isSame(entry.text(of: "emoji"), emoji) }
            let names = [entry.text(of: "label")] + entry.texts(of: "aliases")
            return names.contains { Folding.folded($0) == folded }
        }
    }

    /// - Parameter adding: the names of the last entry, for error messages.
    private func keep(_ entries: [JSONValue], adding names: [String] = []) throws(ClientError) {
        let result: [UInt8]
        do throws(ClientError) {
            result = try call("settings.set", ["palette": entries])
        } catch {
            guard case .remote(let failure) = error, failure.code == -32602,
                let reason = failure.data?["reason"]?.string,
                let path = failure.data?["path"]?.string
            else { throw error }
            // `/palette/12/label` or `/palette/12/aliases/0`
            let parts = path.split(separator: "/")
            let number = parts.count > 3 ? (Int(parts[3]) ?? 0) + 1 : 0
            let subject =
                switch parts.dropFirst(2).first {
                case "label", "aliases": number < names.count ? "'\(names[number])'" : "The palette"
                case "valence": "--valence"
                case "emoji": "The emoji"
                default: "The palette"
                }
            throw .badInput("\(subject) \(reason).", advice: nil)
        }
        if wantsJSON { try print(json: result) }
    }
}
