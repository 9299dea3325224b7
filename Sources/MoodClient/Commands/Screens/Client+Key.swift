import JSONCodec
import Platform

extension Command {
    static let key = Command(
        "key", "Remember a mood by one key; so does 'mood' alone.", Client.addByKey,
        .example("mood key", "The feelings that you have most; Esc keeps nothing."))
}

extension Client {
    /// The number of latest moods in which to count feelings.
    private static let countedMax = 500

    func addByKey() throws(ClientError) {
        try checkTerminal()
        let feelings = try usedMost()
        guard !feelings.isEmpty else {
            throw settingsFault
                ?? .badInput("There is no palette to choose from.", advice: "Use 'mood add EMOJI LABEL'.")
        }
        guard
            let choice = try onScreen({ (terminal) throws(ClientError) in
                try QuickAdd(feelings, terminal, style: style).choose()
            })
        else { return tell("Nothing was kept.") }
        var params: Params = ["emoji": choice.emoji, "label": choice.label]
        if !choice.note.isEmpty { params["notes"] = .string(choice.note) }
        let result = try create(params, time: nil)
        try report("Added", result)
        tellOfAdded(try mood(result))
    }

    /// The palette, with the most used feelings of the latest moods first.
    private func usedMost() throws(ClientError) -> [PersonalPalette.Feeling] {
        let feelings = palette().feelings
        guard let page = MoodListing(try call("mood.list", ["limit": Self.countedMax])) else {
            throw unexpected()
        }
        var counts = feelings.map { _ in 0 }
        for mood in page.moods {
            let label = Folding.folded(mood.label)
            if let index = feelings.firstIndex(where: { Folding.folded($0.label) == label }) { counts[index] += 1 }
        }
        // Feelings with equal counts keep the palette's order.
        return feelings.indices.sorted { counts[$0] != counts[$1] ? counts[$0] > counts[$1] : $0 < $1 }.map {
            feelings[$0]
        }
    }

    func checkTerminal() throws(ClientError) {
        guard console.isInputTerminal, console.isOutputTerminal else {
            throw usage(
                "'mood \(invocation.command.name)' draws on a terminal; elsewhere 'mood add' and 'mood list' serve.")
        }
        if console.environment("TERM") == "dumb" { throw usage("This terminal (TERM=dumb) cannot be drawn on.") }
    }

    /// Gives the terminal to the body, and restores it in any case.
    func onScreen<Answer>(_ body: (BrowseTerminal) throws(ClientError) -> Answer) throws(ClientError) -> Answer {
        let screen = try orBadInput("The terminal cannot be drawn on") { () throws(SystemError) in try TerminalScreen()
        }
        defer { screen.leave() }
        return try body(.of(screen, console))
    }
}
