import JSONCodec

extension CommandOption {
    /// The options that select moods, for every command that takes several.
    static let filters: [CommandOption] = filters(prefix: "")

    /// - Parameter prefix: for a command whose options have these names already.
    static func filters(prefix: String) -> [CommandOption] {
        let isPlain = prefix.isEmpty
        return [
            .init(prefix + "favorite", short: isPlain ? "f" : nil, "Only favorites."),
            .init(
                prefix + "tag", short: isPlain ? "t" : nil, .text("TAG"), isRepeatable: true,
                "Only with this tag; given twice: with both; a,b: with one of them; '!a': without it."),
            .init(prefix + "emoji", .text("EMOJI"), "Only with this emoji."),
            .init(prefix + "label", .text("LABEL"), "Only with this label; upper and lower case are the same."),
            .init("text", .text("TEXT"), "Only with this text in label, notes or tags; é is found by e."),
            .init(
                "exact",
                "With --text: é is not e, upper and lower case still are the same. With a label: nothing else is it."),
            .init("from", .text("TIME"), "Only from this time or day on."),
            .init("to", .text("TIME"), "Only to the end of this time or day."),
            .init("on", .text("DAY"), "Only of this day, such as yesterday or 2026-11-20."),
            .init("in", .text("SPAN"), "Only of this span, such as 2026-11 or 'last week'."),
            .init("valence-from", .number("N"), "Only at least this pleasant, from -1 to 1."),
            .init("valence-to", .number("N"), "Only at most this pleasant."),
        ]
    }
}

/// Selection of moods.
extension Client {
    /// The prefix of filter options, if the command has options of these names already.
    private var filterPrefix: String {
        invocation.command.options.contains { $0.name == "where-tag" } ? "where-" : ""
    }

    /// The filter that the command line gives; empty without one.
    func filter() throws(ClientError) -> [JSONValue.Member] {
        let prefix = filterPrefix
        var filter: [JSONValue.Member] = []
        if invocation.has(prefix + "favorite") { filter.append(.init("isFavorite", true)) }
        if let text = invocation.value("text") { filter.append(.init("text", .string(text))) }
        if let emoji = invocation.value(prefix + "emoji") {
            filter.append(.init("emoji", .string(try TypedEmoji.required(emoji, option: "--\(prefix)emoji"))))
        }
        if let label = invocation.value(prefix + "label") { filter.append(.init("label", .string(label))) }
        if invocation.has("exact") {
            guard invocation.has("text") || invocation.has(prefix + "label") else {
                throw usage("--exact is about --text and --\(prefix)label; give one of them too.")
            }
            filter.append(.init("exact", true))
        }
        filter += try tagFilter(invocation.values(prefix + "tag"), option: "--\(prefix)tag")
        filter += try timeFilter()
        for (option, name) in [("valence-from", "valenceFrom"), ("valence-to", "valenceTo")] {
            if let number = invocation.number(option) { filter.append(.init(name, .double(number))) }
        }
        return filter
    }

    /// Reads tag filters. `a` and `#a`: moods with the tag; `a,b`: with one of them; `!a`: without it.
    private func tagFilter(_ values: [String], option: String) throws(ClientError) -> [JSONValue.Member] {
        var (all, any, none): ([String], [String], [String]) = ([], [], [])
        for value in values {
            let tags = Self.tags(value.hasPrefix("!") ? String(value.dropFirst()) : value)
            guard !tags.isEmpty else { throw usage("\(option) wants the name of a tag, not '\(value)'.") }
            if value.hasPrefix("!") {
                none += tags
            } else if tags.count == 1 {
                all += tags
            } else {
                guard any.isEmpty else { throw usage("Only one \(option) may name several tags with commas.") }
                any = tags
            }
        }
        return [("tags", all), ("anyTags", any), ("noTags", none)].filter { !$0.1.isEmpty }.map { name, tags in
            .init(name, .array(tags.map { .string($0) }))
        }
    }

    /// Tags as people write them: `#` is decoration, commas separate.
    static func tags(_ text: String) -> [String] {
        text.split(separator: ",").map { part in
            var tag = part.trimmingPrefix { $0.isWhitespace }
            while tag.last?.isWhitespace == true { tag.removeLast() }
            if tag.first == "#", tag.count > 1 { tag.removeFirst() }
            return String(tag)
        }.filter { !$0.isEmpty }
    }

    // MARK: The moods that a command is about

    /// The ids that were given one by one, or those that match the filter; at least one.
    func targets(_ words: [String]) throws(ClientError) -> [String] {
        let filter = try filter()
        guard words.isEmpty || filter.isEmpty else {
            throw usage("Give ids, or options that select moods, not both.")
        }
        if !words.isEmpty { return try resolve(words) }
        guard !filter.isEmpty else {
            throw usage("Which mood? Give @last, a row such as @3, an id, or options that select, such as --tag.")
        }
        var ids: [String] = []
        try eachPage([.init("filter", .object(filter))]) { (page) in ids += page.ids }
        guard !ids.isEmpty else { throw .remote(.notFound(invocation.command.name, "No mood matches.")) }
        return ids
    }

    /// All pages of a list, from the first.
    func eachPage(
        _ params: [JSONValue.Member], _ body: (MoodListing) throws(ClientError) -> Void
    ) throws(ClientError) {
        var cursor: String?
        repeat {
            let members = params + (cursor.map { [.init("cursor", .string($0))] } ?? [])
            guard let page = MoodListing(try call("mood.list", [.init("limit", 1000)] + members)) else {
                throw unexpected()
            }
            try body(page)
            // An equal cursor would make an endless loop.
            if let next = page.nextCursor, next == cursor { throw unexpected() }
            cursor = page.nextCursor
        } while cursor != nil
    }

    /// Shows the moods that a command will change, and asks for confirmation. It asks about a single mood only if
    /// `asksForOne` is set. Without a terminal, several moods need `--yes`.
    func confirm(_ verb: String, _ ids: [String], asksForOne: Bool = false) throws(ClientError) {
        if invocation.has("yes") || invocation.has("dry-run") { return }
        if !console.isInputTerminal {
            guard ids.count > 1 else { return }
            throw usage("This would \(verb.lowercased()) \(ids.count) moods. To confirm: --yes.")
        }
        guard ids.count > 1 else {
            guard asksForOne else { return }
            let mood = try mood(call("mood.get", [.init("id", .string(ids[0]))]))
            return try ask("\(verb) \(mood.told(clocks))?")
        }
        console.writeError(try titles(ids).map { "  \($0)\n" }.joined())
        try ask("\(verb) these \(ids.count) moods?")
    }

    private func ask(_ question: String) throws(ClientError) {
        console.writeError(question + " [y/N] ")
        let reply = console.readLine() ?? ""
        let letters = reply.lowercased().filter { !$0.isWhitespace }
        guard letters == "y" || letters == "yes" else { throw .declined("Nothing was changed.") }
    }
}
