import JSONCodec

extension Command {
    static let show = Command(
        name: "show", summary: "Show everything about moods.",
        parameters: [.init("ID", .any, idSummary)],
        options: CommandOption.filters + [.init("no-pager", "On a terminal: no pager for a long text.")],
        notes: ["With --json each mood is a line."],
        examples: [
            .init("mood show @last", "The latest mood."),
            .init("mood show @2-4", "Three rows of the latest list."),
            .init("mood show --on yesterday --json", "Yesterday's as JSON, one a line."),
        ],
        run: { (client) throws(ClientError) in try client.show() })
}

extension Client {
    func show() throws(ClientError) {
        var cards: [String] = []
        let width = console.isOutputTerminal ? max(console.columns - 2, 1) : nil
        for id in try targets(invocation.words) {
            let result = try call("mood.get", [.init("id", .string(id))])
            if wantsJSON {
                try print(json: result)
            } else {
                cards.append(try mood(result).card(console: clocks, style: style, width: width))
            }
        }
        if !wantsJSON { try page(cards.joined(separator: "\n")) }
    }
}
