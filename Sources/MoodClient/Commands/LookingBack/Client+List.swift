import JSONCodec

extension Command {
    static let list = Command(
        "list", "Show the moods, newest first.", Client.list,
        .aliases(["ls"]),
        .option(DeclaredParams.MoodList.limit, short: "l", "N"),
        .option("all", short: "a", "All of them; off a terminal that is so without --limit."),
        .options(CommandOption.filters),
        .options(.timeZone),
        .option(DeclaredParams.MoodList.sort, "KEY"),
        .option(DeclaredParams.MoodList.order, "ORDER"),
        .option("count", "Print only how many there are. With --json: add the total to the result."),
        .option("cursor", .text("CURSOR"), "Go on after a page: the nextCursor of its --json."),
        .option("jsonl", "Each mood as JSON, one a line."),
        .option("template", .text("TEXT"), "A line for each mood: \(MoodTemplate.namesText)."),
        .option("no-pager", "On a terminal: no pager for a long list."),
        .option("deleted", "Show what was deleted, the last one first; see 'mood undelete'."),
        .note(
            "On a terminal the rows have numbers: other commands take @3 or @3-7 for them, in this terminal, for a day."
                + " Days and times are those of the place where the mood was lived."),
        .note(
            "Off a terminal there is a line for each mood, of fields with a tab between them: id, time (RFC 3339), emoji,"
                + " label, valence, tags with commas, note. In a field \\t, \\n and \\\\ are a tab, a line's end, a backslash."
        ),
        .example("mood list", "The fifty newest."),
        .example("mood list --favorite --tag work --in 2026", "Favorites of a year from work."),
        .example("mood list --tag sea,sun --tag '!work' --on yesterday", "Yesterday's with one of two tags, not work."),
        .example("mood list --count --text coffee", "How many contain coffee."),
        .example("mood list --template '{date} {emoji} {label}'", "In your own form."),
        .example("mood list --jsonl | jq -r .label", "Every label, for another program."))
}

extension Client {
    private enum ListForm { case page, wholeJSON, lines, template(MoodTemplate), fields, table }

    func list() throws(ClientError) {
        if invocation.has("deleted") { return try listDeleted() }
        if invocation.has("all"), invocation.has("count"), !wantsJSON {
            throw usage("--count needs no --all: it counts every mood that matches.")
        }
        let form = try listForm()
        let filter = try filter()
        if invocation.has("count"), !wantsJSON { return try count(listParams(filter)) }
        switch form {
        case .page: try print(json: call("mood.list", listParams(filter) + ["cursor": invocation.value("cursor")]))
        case .wholeJSON: try listWhole(filter)
        case .lines:
            try eachMood(filter) { (page) throws(ClientError) in
                for item in page.items { try print(json: item) }
            }
        case .template(let template):
            try eachMood(filter) { (page) throws(ClientError) in
                try print(page.moods.map { template.line(of: $0, console: clocks) + "\n" }.joined())
            }
        case .fields:
            try eachMood(filter) { (page) throws(ClientError) in
                try print(page.moods.map { $0.fields + "\n" }.joined())
            }
        case .table: try listTable(filter)
        }
    }

    private func listForm() throws(ClientError) -> ListForm {
        let given = ["json", "jsonl", "template"].filter { invocation.has($0) }
        guard given.count < 2 else { throw usage("Give only one of --\(given.joined(separator: " and --")).") }
        if wantsJSON { return invocation.has("all") ? .wholeJSON : .page }
        if invocation.has("jsonl") { return .lines }
        if let text = invocation.value("template") {
            do throws(MoodTemplate.Fault) {
                return .template(try MoodTemplate(text))
            } catch {
                throw usage("--template: \(error.message)")
            }
        }
        return console.isOutputTerminal ? .table : .fields
    }

    // MARK: For programs

    /// The moods in a page: few in the first one, so that output starts soon.
    private static func limit(isFirst: Bool) -> Int { isFirst ? 100 : 1_000 }

    /// All pages, or as many moods as `--limit` says. Says so if there is no mood.
    private func eachMood(
        _ filter: Params, _ body: (MoodListing) throws(ClientError) -> Void
    ) throws(ClientError) {
        var rest = invocation.integer("limit") ?? .max
        var cursor = invocation.value("cursor")
        var isFirst = true
        repeat {
            let limit = min(rest, Self.limit(isFirst: isFirst))
            let page = try page(listParams(filter, limit: limit), after: &cursor)
            if isFirst, page.items.isEmpty { tellOfNoMoods(page.empty, isFiltered: !filter.isEmpty) }
            isFirst = false
            try body(page)
            rest -= page.items.count
        } while cursor != nil && rest > 0
    }

    /// All pages as one: the items of each, byte for byte.
    private func listWhole(_ filter: Params) throws(ClientError) {
        var cursor = invocation.value("cursor")
        var (isFirst, total) = (true, Int?.none)
        var separator = #"{"items":["#
        repeat {
            let page = try page(listParams(filter, limit: Self.limit(isFirst: isFirst)), after: &cursor)
            isFirst = false
            total = total ?? page.total
            var bytes: [UInt8] = []
            for item in page.items {
                bytes += Array(separator.utf8) + item
                separator = ","
            }
            try write(console.isOutputTerminal ? Escaping.visible(json: bytes) : bytes)
        } while cursor != nil
        let start = separator == "," ? "" : separator
        try print(start + "]" + (total.map { ",\"total\":\($0)" } ?? "") + "}\n")
    }

    private func count(_ params: Params) throws(ClientError) {
        let page = try tree(call("mood.list", params))
        guard let total = page["total"]?.integer else { throw unexpected() }
        if total == 0 { tellOfMissingStore() }
        try print("\(total)\n")
    }

    // MARK: On a terminal

    private func listTable(_ filter: Params) throws(ClientError) {
        var moods: [MoodView] = []
        var cursor = invocation.value("cursor")
        var total: Int?
        repeat {
            let page = try page(listParams(filter), after: &cursor)
            if moods.isEmpty, page.items.isEmpty { return tellOfNoMoods(page.empty, isFiltered: !filter.isEmpty) }
            total = total ?? page.total
            moods += page.moods
        } while cursor != nil && invocation.has("all")
        let table = MoodView.table(moods, palette: palette(), console: clocks, shorten: shown)
        try page(table.text(width: max(console.columns - 2, 1), style: style))
        try? handles()?.keep(listed: moods.map(\.id))
        if cursor != nil {
            let number = total.map { "\(moods.count) of \($0)" } ?? "The first \(moods.count)"
            tell("\(number) moods; 'mood list --all' shows all that match.")
        }
    }

    // MARK: Nothing to show

    /// Says that the store is empty or nothing matches, in the host's words, with advice for the shell.
    private func tellOfNoMoods(_ empty: JSONValue?, isFiltered: Bool) {
        let title = empty?["title"]?.string ?? (isFiltered ? "No mood matches" : "No moods yet")
        tell(ofNothing: Escaping.visible(title) + ".")
        if !isFiltered { tell("'mood add 😊 Happy' remembers the first one.") }
    }

    /// Says that there is nothing to show.
    func tell(ofNothing text: String) {
        tellOfMissingStore()
        tell(text)
    }

    /// Says that the store does not exist: an empty answer may come from a mistyped path.
    func tellOfMissingStore() {
        if wantsJSON { return }
        do throws(ClientError) {
            let store = try tree(call("store.info"))
            guard Self.isNotMade(store) else { return }
            tell("There is no store in \(Escaping.visible(store.text(of: "path"))) yet. The first mood makes it.")
        } catch {
            // The list was printed; an error of this remark does not matter.
        }
    }

    // MARK: Params

    /// - Parameter limit: the page's; nil takes it from the command line.
    private func listParams(_ filter: Params, limit: Int? = nil) -> Params {
        var limit = limit ?? invocation.integer("limit")
        if limit == nil, invocation.has("all") { limit = 1000 }
        if limit == nil, invocation.has("count"), !wantsJSON { limit = 1 }
        return [
            "limit": limit, "sort": invocation.value("sort"), "order": invocation.value("order"),
            "filter": filter.unlessEmpty, "count": invocation.flag("count"),
        ]
    }
}
