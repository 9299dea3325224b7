import JSONCodec

/// Actions: the host performs them, and the client its part.
extension Browser {
    /// Handles Enter on the chosen target.
    func activate() throws(ClientError) {
        guard let target else { return }
        if let field = target.field { return edit(field) }
        if let offer = target.primary ?? target.offers.first { try take(offer) }
    }

    /// Asks for confirmation of a destructive action, and for the text that an action carries.
    func take(_ offer: BrowseLayout.Offer) throws(ClientError) {
        if offer.isDestructive { return mode = .confirming(offer) }
        guard offer.action["type"]?.string == "editNotes" else { return try perform(offer.action) }
        let action = offer.action
        mode = .typing(title: "Notes", LineEditor(action.text(of: "notes"))) {
            (browser, text) throws(ClientError) in
            var written = Params(action.object ?? [])
            written["notes"] = .string(text)
            try browser.perform(written.json)
        }
    }

    private func edit(_ field: (name: String, title: String, text: String)) {
        let isSuggestion = field.name == "label" && field.text == suggestedLabel
        mode = .typing(title: field.title, LineEditor(field.text, isSuggestion: isSuggestion)) {
            (browser, text) throws(ClientError) in
            browser.isFormTouched = true
            let value: JSONValue =
                field.name == "tags" ? .array(Client.tags(text).map { .string($0) }) : .string(text)
            try browser.attempt { (client) throws(ClientError) in
                _ = try client.call("editor.set", Params([.init(field.name, value)]))
            }
            try browser.noteRevision()
        }
    }

    /// Performs an action of the host.
    func perform(_ action: JSONValue) throws(ClientError) {
        let isChoice = action["type"]?.string == "selectEmoji"
        let before = isChoice ? try client.tree(client.call("editor.state")) : nil
        var result: JSONValue?
        try attempt { (client) throws(ClientError) in
            result = try client.tree(client.call("action.perform", ["action": action]))
        }
        try noteRevision()
        guard let result else { return }
        if let isPresented = result["editor"]?["isPresented"]?.boolean {
            if isPresented, !isEditing {
                isFormTouched = false
                suggestedLabel = nil
                // A new mood begins with an emoji that is chosen already.
                if let state = result["editor"], state["editing"] == nil {
                    try fillLabel(of: state.text(of: "selectedEmoji"), state)
                }
            }
            isEditing = isPresented
        }
        if let before {
            isFormTouched = true
            try fillLabel(of: action.text(of: "emoji"), before)
        }
        for effect in result.list(of: "effects") { show(effect) }
    }

    /// Fills in the palette's label of a chosen emoji, unless a person typed a label.
    private func fillLabel(of emoji: String, _ before: JSONValue) throws(ClientError) {
        let palette = client.palette()
        guard let label = before["label"]?.string, let feeling = palette.feeling(emoji: emoji) else { return }
        let usual = palette.feeling(emoji: before.text(of: "selectedEmoji"))?.label
        guard label.isEmpty || label == usual else { return }
        suggestedLabel = feeling.label
        try attempt { (client) throws(ClientError) in
            _ = try client.call("editor.set", ["label": feeling.label])
        }
    }

    /// Shows an error of the host, and keeps the screen.
    func attempt(_ body: (Client) throws(ClientError) -> Void) throws(ClientError) {
        do throws(ClientError) {
            try body(client)
        } catch {
            guard case .remote(let failure) = error else { throw error }
            message = failure.lines(for: client.invocation.command).first ?? ""
        }
    }

    /// Shows an effect for the client: a text, or an address to open elsewhere.
    private func show(_ effect: JSONValue) {
        switch effect["type"]?.string {
        case "present": mode = .reading(title: "To share", effect.text(of: "text"))
        case "openURL": mode = .reading(title: "Open", effect.text(of: "url"))
        case "openEmail": mode = .reading(title: "Write to", effect.text(of: "address"))
        case "showMap":
            let place = [effect["latitude"], effect["longitude"]].compactMap { $0?.text }.joined(separator: ", ")
            mode = .reading(title: effect["label"]?.string ?? "Map", "geo:" + place)
        case "showImage", "playAudio":
            let source = effect["path"]?.string ?? effect.text(of: "url")
            mode = .reading(title: effect["alt"]?.string ?? effect["title"]?.string ?? "File", source)
        case "showEvents":
            let events = effect.list(of: "events").compactMap { $0["title"]?.string }
            mode = .reading(title: effect["hostName"]?.string ?? "Events", events.joined(separator: "\n"))
        default: break
        }
    }
}
