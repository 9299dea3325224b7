import JSONCodec

extension Command {
    static let list = Command(
        name: "list", summary: "Show the moods, newest first.",
        options: [
            .init(DeclaredParams.MoodList.limit, short: "l", "N"),
            .init("all", short: "a", "All of them. With --json: one page of the result a line."),
            .init("favorite", short: "f", "Only favourites."),
            .init("text", .text("TEXT"), "Only with this text in label, notes or tags."),
            .init("tag", short: "t", .text("TAG"), isRepeatable: true, "Only with this tag; several: with all."),
            .init("emoji", .text("EMOJI"), "Only with this emoji."),
            .init("label", .text("LABEL"), "Only with this label."),
            .init("from", .text("TIME"), "Only from this time on: \(TimeInput.forms)."),
            .init("to", .text("TIME"), "Only before this time."),
            .init(DeclaredParams.MoodList.sort, "KEY"), .init(DeclaredParams.MoodList.order, "ORDER"),
            .init("count", "Print only how many there are. With --json: add the total to the result."),
            .init("cursor", .text("CURSOR"), "Go on after a page: the nextCursor of its --json."),
        ],
        notes: [
            "Times are those of your clock. Ids are as short as they can be and still be unique;"
                + " favourites have a ★."
        ],
        examples: [
            .init("mood list", "The fifty newest."),
            .init("mood list --favorite --tag work --from 2026-01-01", "This year's favourites from work."),
            .init("mood list --count --text coffee", "How many contain coffee."),
            .init("mood list --all --json | jq -r '.items[].label'", "Every label, for another program."),
        ],
        run: { (client) throws(ClientError) in try client.list() })

    static let show = Command(
        name: "show", summary: "Show everything about one mood.",
        parameters: [.init("ID", idSummary)],
        examples: [
            .init("mood show @last", "The newest mood."),
            .init("mood show 0194f2a1 --json", "One mood as JSON."),
        ],
        run: { (client) throws(ClientError) in try client.show() })
}

extension Client {
    func show() throws(ClientError) {
        let result = try call("mood.get", [.init("id", .string(resolve(invocation.words[0])))])
        if wantsJSON { return try print(json: result) }
        try print(mood(result).card(console: console, style: style))
    }

    func list() throws(ClientError) {
        if invocation.has("all"), invocation.has("count"), !wantsJSON {
            throw usage("--count needs no --all: it counts every mood that matches.")
        }
        let params = listParams()
        if wantsJSON { return try listJSON(params) }
        if invocation.has("count") { return try count(params) }

        var moods: [MoodView] = []
        var cursor: String?
        var first: JSONValue = .null
        repeat {
            let page = try tree(call("mood.list", params + cursorMember(cursor)))
            guard let items = page["items"]?.array else { throw unexpected() }
            if moods.isEmpty { first = page }
            moods += items.compactMap(MoodView.init)
            let next = page["nextCursor"]?.string
            if let next, next == cursor { throw unexpected() }
            cursor = next
        } while cursor != nil && invocation.has("all")

        guard !moods.isEmpty else {
            tellOfMissingStore()
            return try print(emptyText(first))
        }
        let total = first["total"]?.integer
        if total == moods.count, !isFiltered { directory = IDDirectory(moods.map(\.id)) }
        let table = MoodView.table(moods, console: console, shorten: shown)
        try print(table.text(width: console.isOutputTerminal ? console.columns : nil, style: style))
        if cursor != nil {
            let number = total.map { "\(moods.count) of \($0)" } ?? "The first \(moods.count)"
            tell("\(number) moods; 'mood list --all' shows all that match.")
        }
    }

    private func listJSON(_ params: [JSONValue.Member]) throws(ClientError) {
        var cursor: String?
        repeat {
            let result = try call("mood.list", params + cursorMember(cursor))
            try print(json: result)
            guard invocation.has("all") else { return }
            guard let page = IDPage(result) else { throw unexpected() }
            if let next = page.nextCursor, next == cursor { throw unexpected() }
            cursor = page.nextCursor
        } while cursor != nil
    }

    private func count(_ params: [JSONValue.Member]) throws(ClientError) {
        let page = try tree(call("mood.list", params))
        guard let total = page["total"]?.integer else { throw unexpected() }
        if total == 0 { tellOfMissingStore() }
        try print("\(total)\n")
    }

    /// An empty list may come from a mistyped path.
    private func tellOfMissingStore() {
        do throws(ClientError) {
            let store = try tree(call("store.info"))
            guard Self.isNotMade(store) else { return }
            tell("There is no store in \(Escaping.visible(store["path"]?.string ?? "")) yet. The first mood makes it.")
        } catch {
            // This is only a remark; the list itself has been answered.
        }
    }

    private var isFiltered: Bool { !filter().isEmpty || invocation.has("cursor") }

    private func listParams() -> [JSONValue.Member] {
        var params: [JSONValue.Member] = []
        if let limit = invocation.integer("limit") {
            params.append(.init("limit", .number(String(limit))))
        } else if invocation.has("all") {
            params.append(.init("limit", 1000))
        } else if invocation.has("count"), !wantsJSON {
            params.append(.init("limit", 1))
        }
        for name in ["sort", "order"] {
            if let value = invocation.value(name) { params.append(.init(name, .string(value))) }
        }
        let filter = filter()
        if !filter.isEmpty { params.append(.init("filter", .object(filter))) }
        if invocation.has("count") { params.append(.init("count", true)) }
        return params
    }

    private func filter() -> [JSONValue.Member] {
        var filter: [JSONValue.Member] = []
        if invocation.has("favorite") { filter.append(.init("isFavorite", true)) }
        for name in ["text", "emoji", "label"] {
            if let value = invocation.value(name) { filter.append(.init(name, .string(value))) }
        }
        if invocation.has("tag") { filter.append(.init("tags", .array(invocation.values("tag").map { .string($0) }))) }
        for name in ["from", "to"] {
            if let time = invocation.value(name) {
                filter.append(.init(name, .string(TimeInput.protocolText(time, console: console))))
            }
        }
        return filter
    }

    /// - Parameter cursor: of the next page; nil is what the command line says.
    private func cursorMember(_ cursor: String?) -> [JSONValue.Member] {
        (cursor ?? invocation.value("cursor")).map { [.init("cursor", .string($0))] } ?? []
    }

    /// What the host says about an empty list. It knows whether the store is empty or nothing matches.
    private func emptyText(_ page: JSONValue) -> String {
        let empty = page["empty"]
        let lines = [empty?["title"]?.string, empty?["hint"]?.string].compactMap { $0 }.filter { !$0.isEmpty }
        if !lines.isEmpty { return lines.map { Escaping.visible($0) + "\n" }.joined() }
        return isFiltered ? "No mood matches.\n" : "No moods yet. 'mood add 😊 Happy' remembers the first one.\n"
    }
}
