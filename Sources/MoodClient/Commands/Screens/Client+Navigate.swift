import JSONCodec

extension Command {
    static let navigate = Command(
        name: "nav", summary: "Show the menu, addresses, and where a step leads.",
        parameters: [
            .init("STEP", .optional, "state (default), open, go, back, root, menu or url."),
            .init(
                "ROUTE", .optional,
                "For go and url: menu, introState, observation, architecture, crudList or moodDetail. For open: a URL."),
            .init("ID", .optional, "For moodDetail. " + idSummary),
        ],
        notes: [
            "Your place belongs to the host's session, and every 'mood' command starts its own session, at"
                + " the menu. So 'nav state' always shows the root, 'nav back' and 'nav root' change nothing, and 'nav go'"
                + " and 'nav open' show where that one step leads. To go further, keep a session: send several requests"
                + " through 'mood rpc'."
        ],
        examples: [
            .init("mood nav menu", "The screens there are."),
            .init("mood nav go moodDetail @last", "Where that step leads."),
            .init("mood nav open moodboard://moods", "The same for an address."),
            .init("mood nav url moodDetail @last", "The address of a mood."),
        ],
        run: { (client) throws(ClientError) in try client.navigate() })
}

extension Client {
    private enum Step: String, CaseIterable {
        case state, open, go, back, root, menu, url

        /// The number of words that follow it.
        var words: ClosedRange<Int> {
            switch self {
            case .state, .back, .root, .menu: 0...0
            case .open: 1...1
            case .go, .url: 1...2
            }
        }
    }

    func navigate() throws(ClientError) {
        let name = invocation.words.first ?? Step.state.rawValue
        guard let step = Step(rawValue: name) else {
            let names = Step.allCases.map(\.rawValue)
            let question = Suggestion.question(Suggestion.nearest(to: name, among: names))
            throw usage("There is no step '\(name)'; it is one of \(names.joined(separator: ", ")).\(question)")
        }
        let words = Array(invocation.words.dropFirst())
        guard step.words.contains(words.count) else {
            let form =
                switch step {
                case .open: "mood nav open URL"
                case .go, .url: "mood nav \(step) ROUTE [ID]"
                case .state, .back, .root, .menu: "mood nav \(step)"
                }
            throw usage("'nav \(step)' is written so: \(form)")
        }
        switch step {
        case .state: try showState(call("nav.state"))
        case .back: try showState(call("nav.goBack"))
        case .root: try showState(call("nav.goBackToRoot"))
        case .open: try showState(call("nav.open", [.init("url", .string(words[0]))]))
        case .go: try showState(call("nav.navigate", [.init("route", route(words))]))
        case .url: try showURL(call("nav.url", [.init("route", route(words))]))
        case .menu: try showMenu(call("nav.menu"))
        }
    }

    private func route(_ words: [String]) throws(ClientError) -> JSONValue {
        var members: [JSONValue.Member] = [.init("name", .string(words[0]))]
        if words.count == 2 { members.append(.init("id", .string(try resolve(words[1])))) }
        return .object(members)
    }

    private func showState(_ result: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: result) }
        let state = try tree(result)
        guard let path = state["path"]?.array else { throw unexpected() }
        let names = ["menu"] + path.map(Self.routeText)
        try print(names.map(Escaping.visible).joined(separator: " › ") + "\n")
        tell("This was its own session; it began at the menu and has ended. See 'mood help nav'.")
    }

    private static func routeText(_ route: JSONValue) -> String {
        [route["name"]?.string, route["id"]?.string].compactMap { $0 }.joined(separator: " ")
    }

    private func showURL(_ result: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: result) }
        guard let url = try tree(result)["url"]?.string else { throw unexpected() }
        try print(Escaping.visible(url) + "\n")
    }

    private func showMenu(_ result: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: result) }
        guard let sections = try tree(result)["sections"]?.array else { throw unexpected() }
        var text = ""
        for section in sections {
            if !text.isEmpty { text += "\n" }
            text += style.apply(.heading, to: Escaping.visible(section["title"]?.string ?? "")) + "\n"
            var table = Table([
                .init("NUMBER"), .init("SCREEN"), .init("ROUTE"), .init("ABOUT", isFlexible: true, role: .quiet),
            ])
            for item in section["items"]?.array ?? [] {
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
