import JSONCodec

/// Functions that no screen has: going to the list, searching it, undo and redo. They use the protocol's methods.
extension Browser {
    /// Opens the list of moods, which people come for. The menu is a step back.
    func openList() throws(ClientError) {
        try attempt { (client) throws(ClientError) in
            _ = try client.call("nav.navigate", ["route": ["name": "crudList"] as Params])
        }
        mustLoad = true
    }

    func askForSearch() {
        mode = .typing(title: "Search", LineEditor(search ?? "")) { (browser, text) throws(ClientError) in
            browser.search = text.allSatisfy(\.isWhitespace) ? nil : text
            browser.focus = 0
            browser.mustLoad = true
            if !browser.isOnList { try browser.openList() }
        }
    }

    /// The list's screen with the moods that match a search in place of all.
    func found(_ search: String, in list: JSONValue) throws(ClientError) -> JSONValue {
        var items: [JSONValue] = []
        do throws(ClientError) {
            let filter = try filter(search)
            let page = try client.tree(
                client.call("mood.list", ["filter": filter, "rows": true]))
            items = page.list(of: "items")
        } catch {
            guard let line = error.lines(for: client.invocation.command).first else { throw error }
            message = line
        }
        let cells = items.isEmpty ? [Self.nothing] : items.compactMap(row)
        var screen = Params(list.object ?? [])
        screen["cells"] = .array(cells)
        screen["title"] = .string("\(list.text(of: "title")): \(search)")
        screen["footer"] = nil
        return screen.json
    }

    private static let nothing: JSONValue = ["type": "empty", "title": "No mood matches", "text": "Esc shows all."]

    /// A row as the list has it, with the day in place of the relative time.
    private func row(_ mood: JSONValue) -> JSONValue? {
        guard let view = MoodView(mood) else { return nil }
        let note = view.notes.split(separator: "\n").first.map { "  \($0)" } ?? ""
        return [
            "id": .string("mood-" + view.id), "type": "moodRow", "emoji": .string(view.emoji),
            "title": .string(view.label),
            "text": .string((view.localTime(client.clocks)?.time.text ?? view.timestamp) + note),
            "isFavorite": .boolean(view.isFavorite), "actions": mood["actions"] ?? [],
        ]
    }

    /// Reads a search: `#sea` is a tag, `@yesterday` and `@2026-11` are days, the rest is text.
    private func filter(_ search: String) throws(ClientError) -> Params {
        var (texts, tags, filter) = ([String](), [String](), Params())
        for word in search.split(whereSeparator: \.isWhitespace).map(String.init) {
            if word.hasPrefix("#"), word.count > 1 {
                tags += Client.tags(word)
            } else if word.hasPrefix("@"), word.count > 1 {
                filter = try client.span(String(word.dropFirst()), option: word).filter
            } else {
                texts.append(word)
            }
        }
        return filter + [
            "tags": tags.isEmpty ? nil : tags, "text": texts.isEmpty ? nil : texts.joined(separator: " "),
        ]
    }

    /// Undoes or redoes the last change of the store. The line below says which, and how to reverse that.
    func reverse(_ method: String) throws(ClientError) {
        let isRedo = method == "store.redo"
        try attempt { (client) throws(ClientError) in
            let result = try client.tree(client.call(method, ["scope": "store"]))
            guard let revision = result["undone"]?.array?.first?["revision"]?.integer else {
                self.message = isRedo ? "There is nothing to make again." : "There is nothing to undo."
                return
            }
            let what = try client.summaries()[revision] ?? "change \(revision)"
            self.message = isRedo ? "Made again: \(what). u takes it back." : "Took back: \(what). U makes it again."
        }
        let said = message
        try noteRevision()
        message = said
    }
}
