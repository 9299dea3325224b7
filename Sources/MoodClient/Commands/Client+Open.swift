import JSONCodec

extension Command {
    static let open = Command(
        name: "open", summary: "Open an address and show its screen, such as that of a mood.",
        parameters: [
            .init(
                "URL",
                "moodboard://mood/ID (whole), or moodboard:// and menu, intro-state, observation, architecture or moods."
            )
        ],
        options: [
            .init(DeclaredParams.NavScreen.locale, "LOCALE"), .init(DeclaredParams.NavScreen.timeZone, "ZONE"),
            .init(DeclaredParams.NavScreen.now, "TIME"),
        ],
        notes: [
            "The screen is shown as text, with what can be done there in brackets. With --json it is what 'nav.screen'"
                + " answers: typed cells and complete actions, for a program that draws it. 'mood nav url moodDetail"
                + " @last' prints the address of a mood."
        ],
        examples: [
            .init("mood open moodboard://moods", "The list."),
            .init("mood open moodboard://mood/0194f2a1-0000-7000-8000-000000000001", "A mood, close up."),
            .init("mood open moodboard://architecture --locale fr_FR", "Another screen, in French."),
        ],
        run: { (client) throws(ClientError) in try client.open() })
}

extension Client {
    func open() throws(ClientError) {
        var params: [JSONValue.Member] = []
        for param in [DeclaredParams.NavScreen.locale, DeclaredParams.NavScreen.timeZone] {
            if let value = invocation.value(param.option) { params.append(.init(param.name, .string(value))) }
        }
        if let now = invocation.value("now") {
            params.append(.init("now", .string(try moment(now, option: "--now"))))
        }
        _ = try call("nav.open", [.init("url", .string(invocation.words[0]))])
        let result = try call("nav.screen", params, in: .words)
        if wantsJSON { return try print(json: result) }
        let screen = try tree(result)
        guard screen["cells"]?.array != nil else { throw unexpected() }
        try print(
            ScreenView.text(
                of: screen, style: style, width: console.isOutputTerminal ? console.columns : nil,
                shorten: { self.shown($0) }))
    }
}
