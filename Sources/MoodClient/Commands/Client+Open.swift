import JSONCodec

extension Command {
    static let open = Command(
        "open", "Open an address and show its screen, such as that of a mood.", Client.open,
        .word(
            "URL",
            "moodboard://mood/ID (whole), or moodboard:// and menu, intro-state, observation, architecture or moods."),
        .option(DeclaredParams.NavScreen.locale, "LOCALE"),
        .option(DeclaredParams.NavScreen.timeZone, "ZONE"),
        .option(DeclaredParams.NavScreen.now, "TIME"),
        .note(
            "The screen is shown as text, with what can be done there in brackets. With --json it is what 'nav.screen'"
                + " answers: typed cells and complete actions, for a program that draws it. 'mood nav url moodDetail"
                + " @last' prints the address of a mood."),
        .example("mood open moodboard://moods", "The list."),
        .example("mood open moodboard://mood/0194f2a1-0000-7000-8000-000000000001", "A mood, close up."),
        .example("mood open moodboard://architecture --locale fr_FR", "Another screen, in French."))
}

extension Client {
    func open() throws(ClientError) {
        let params = try screenParams()
        _ = try call("nav.open", ["url": invocation.words[0]])
        guard let screen = try told(call("nav.screen", params, in: .words)) else { return }
        guard screen["cells"]?.array != nil else { throw unexpected() }
        try print(
            ScreenView.text(
                of: screen, style: style, width: console.isOutputTerminal ? console.columns : nil,
                shorten: { self.shown($0) }))
    }
}
