import JSONCodec

extension Command {
    static let show = Command(
        "show", "Show everything about moods.", Client.show,
        .word("ID", .any, idSummary),
        .options(CommandOption.filters),
        .option("no-pager", "On a terminal: no pager for a long text."),
        .note("With --json each mood is a line."),
        .example("mood show @last", "The latest mood."),
        .example("mood show @2-4", "Three rows of the latest list."),
        .example("mood show --on yesterday --json", "Yesterday's as JSON, one a line."))
}

extension Client {
    func show() throws(ClientError) {
        var cards: [String] = []
        let width = console.isOutputTerminal ? max(console.columns - 2, 1) : nil
        for id in try targets(invocation.words) {
            guard let result = try answer("mood.get", ["id": id]) else { continue }
            cards.append(try mood(result).card(console: clocks, style: style, width: width))
        }
        if !wantsJSON { try page(cards.joined(separator: "\n")) }
    }
}
