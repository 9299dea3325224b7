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
    func filter() throws(ClientError) -> Params {
        let prefix = filterPrefix
        let (text, label) = (invocation.value("text"), invocation.value(prefix + "label"))
        if invocation.has("exact"), text == nil, label == nil {
            throw usage("--exact is about --text and --\(prefix)label; give one of them too.")
        }
        let filter: Params = [
            "isFavorite": invocation.flag(prefix + "favorite"), "text": text, "emoji": try emoji(of: prefix + "emoji"),
            "label": label, "exact": invocation.flag("exact"),
        ]
        let tags = try tagFilter(invocation.values(prefix + "tag"), option: "--\(prefix)tag")
        let valence: Params = [
            "valenceFrom": invocation.number("valence-from"), "valenceTo": invocation.number("valence-to"),
        ]
        return try filter + tags + timeFilter() + valence
    }

    /// The emoji of an option; nil if it was not given.
    func emoji(of option: String) throws(ClientError) -> String? {
        guard let emoji = invocation.value(option) else { return nil }
        return try TypedEmoji.required(emoji, option: "--\(option)")
    }

    /// Reads tag filters. `a` and `#a`: moods with the tag; `a,b`: with one of them; `!a`: without it.
    private func tagFilter(_ values: [String], option: String) throws(ClientError) -> Params {
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
        func unlessEmpty(_ tags: [String]) -> [String]? { tags.isEmpty ? nil : tags }
        return ["tags": unlessEmpty(all), "anyTags": unlessEmpty(any), "noTags": unlessEmpty(none)]
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
        try eachPage(["filter": filter]) { (page) in ids += page.ids }
        guard !ids.isEmpty else { throw .remote(.notFound(invocation.command.name, "No mood matches.")) }
        return ids
    }

    /// All pages of a list, from the first.
    func eachPage(
        _ params: Params, _ body: (MoodListing) throws(ClientError) -> Void
    ) throws(ClientError) {
        var cursor: String?
        repeat {
            let page = try page(["limit": 1000] + params, after: &cursor)
            try body(page)
        } while cursor != nil
    }

    /// A page of a list.
    /// - Parameter cursor: that of the page, and then of the next one; nil at both ends.
    func page(_ params: Params, after cursor: inout String?) throws(ClientError) -> MoodListing {
        let own: Params = ["cursor": cursor]
        guard let page = MoodListing(try call("mood.list", params + own)) else { throw unexpected() }
        // An equal cursor would make an endless loop.
        if let next = page.nextCursor, next == cursor { throw unexpected() }
        cursor = page.nextCursor
        return page
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
            if asksForOne { try ask("\(verb) \(mood(id: ids[0]).told(clocks))?") }
            return
        }
        console.writeError(try titles(ids).map { "  \($0)\n" }.joined())
        try ask("\(verb) these \(ids.count) moods?")
    }

    /// Asks a person, who answers yes or no.
    func ask(_ question: String, orElse refusal: String = "Nothing was changed.") throws(ClientError) {
        console.writeError(question + " [y/N] ")
        let letters = (console.readLine() ?? "").lowercased().filter { !$0.isWhitespace }
        guard letters == "y" || letters == "yes" else { throw .declined(refusal) }
    }
}
