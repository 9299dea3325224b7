import JSONCodec

extension Command {
    static let navigate = Command(
        "nav", "Show the menu, addresses, and where a step leads.", Client.act,
        .word("STEP", .optional, "state (default), open, go, back, root, menu or url."),
        .word(
            "ROUTE", .optional,
            "For go and url: menu, introState, observation, architecture, crudList or moodDetail. For open: a URL."),
        .word("ID", .optional, "For moodDetail. " + idSummary),
        .actions(Client.steps),
        .note(
            "Your place belongs to the host's session, and every 'mood' command starts its own session, at"
                + " the menu. So 'nav state' always shows the root, 'nav back' and 'nav root' change nothing, and 'nav go'"
                + " and 'nav open' show where that one step leads. To go further, keep a session: send several requests"
                + " through 'mood rpc'."),
        .example("mood nav menu", "The screens there are."),
        .example("mood nav go moodDetail @last", "Where that step leads."),
        .example("mood nav open moodboard://moods", "The same for an address."),
        .example("mood nav url moodDetail @last", "The address of a mood."))
}

extension Client {
    fileprivate static let steps = [
        CommandAction("state") { client in { () throws(ClientError) in try client.showState("nav.state") } },
        CommandAction("open", "URL", Client.openURL), CommandAction("go", "ROUTE [ID]", Client.go),
        CommandAction("back") { client in { () throws(ClientError) in try client.showState("nav.goBack") } },
        CommandAction("root") { client in { () throws(ClientError) in try client.showState("nav.goBackToRoot") } },
        CommandAction("menu", Client.showMenu), CommandAction("url", "ROUTE [ID]", Client.showURL),
    ]

    private func openURL(_ url: String) throws(ClientError) { try showState("nav.open", ["url": url]) }
    private func go(_ words: [String]) throws(ClientError) { try showState("nav.navigate", ["route": route(words)]) }

    private func route(_ words: [String]) throws(ClientError) -> Params {
        ["name": words[0], "id": words.count == 2 ? try resolve(words[1]) : nil]
    }

    private func showState(_ method: String, _ params: Params = [:]) throws(ClientError) {
        guard let state = try answer(method, params) else { return }
        guard let path = state["path"]?.array else { throw unexpected() }
        let names = ["menu"] + path.map(Self.routeText)
        try print(names.map(Escaping.visible).joined(separator: " › ") + "\n")
        tell("This was its own session; it began at the menu and has ended. See 'mood help nav'.")
    }

    private static func routeText(_ route: JSONValue) -> String {
        [route["name"]?.string, route["id"]?.string].compactMap { $0 }.joined(separator: " ")
    }

    private func showURL(_ words: [String]) throws(ClientError) {
        guard let result = try answer("nav.url", ["route": route(words)]) else { return }
        guard let url = result["url"]?.string else { throw unexpected() }
        try print(Escaping.visible(url) + "\n")
    }

    private func showMenu() throws(ClientError) {
        guard let result = try answer("nav.menu") else { return }
        guard let sections = result["sections"]?.array else { throw unexpected() }
        var text = ""
        for section in sections {
            if !text.isEmpty { text += "\n" }
            text += style.apply(.heading, to: Escaping.visible(section.text(of: "title"))) + "\n"
            var table = Table([
                .init("NUMBER"), .init("SCREEN"), .init("ROUTE"), .init("ABOUT", isFlexible: true, role: .quiet),
            ])
            for item in section.list(of: "items") {
                let cells = [
                    item["number"]?.string, item["title"]?.string, item["route"].map(Self.routeText),
                    item["description"]?.string,
                ]
                table.rows.append(cells.map { Escaping.visible($0 ?? "") })
            }
            text += table.text(width: console.isOutputTerminal ? console.columns : nil, style: style)
            if let footer = section["footer"]?.string {
                text += style.apply(.quiet, to: Escaping.visible(footer)) + "\n"
            }
        }
        try print(text)
    }
}
