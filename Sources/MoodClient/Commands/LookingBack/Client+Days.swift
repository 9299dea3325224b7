import JSONCodec

extension Command {
    static let day = Command(
        name: "day", summary: "Show the moods of a day, from morning to night.",
        parameters: [.init("DAY", .any, "Which: 2026-11-20, yesterday, 'last fri'; without it, today.")],
        examples: [.init("mood day", "Today."), .init("mood day last fri", "Another one.")],
        run: { (client) throws(ClientError) in try client.day() })

    static let onThisDay = Command(
        name: "on-this-day", summary: "Show the moods of this day in earlier years.",
        parameters: [.init("DAY", .any, "Which: 2026-11-20, yesterday; without it, today.")],
        examples: [.init("mood on-this-day", "A year ago, two years ago, …")],
        run: { (client) throws(ClientError) in try client.onThisDay() })

    static let tags = Command(
        name: "tags", summary: "Show the tags, the most used first.",
        notes: ["Tags that differ in case alone are one; it is shown as it was spelled first."],
        examples: [.init("mood tags", "Every tag, how often, and when it was last used.")],
        run: { (client) throws(ClientError) in try client.tags() })
}

extension Client {
    /// The date that the command's words mean.
    private func date() throws(ClientError) -> String {
        let words = invocation.words.isEmpty ? "today" : invocation.words.joined(separator: " ")
        guard let days = try span(words, option: "DAY").days, days.from == days.to else {
            throw usage("DAY must be one day, such as yesterday or 2026-11-20.")
        }
        return days.from
    }

    /// Prints a table on a terminal, else a line of fields for each mood.
    private func show(_ moods: [MoodView]) throws(ClientError) {
        guard console.isOutputTerminal else { return try print(moods.map { $0.fields + "\n" }.joined()) }
        let table = MoodView.table(moods, palette: palette(), console: clocks, shorten: shown)
        try print(table.text(width: max(console.columns - 2, 1), style: style))
    }

    func day() throws(ClientError) {
        let date = try date()
        let filter: JSONValue = ["dayFrom": .string(date), "dayTo": .string(date)]
        let result = try call("mood.list", [.init("filter", filter), .init("order", "asc"), .init("limit", 1000)])
        if wantsJSON { return try print(json: result) }
        let moods = (try tree(result)["items"]?.array ?? []).compactMap(MoodView.init)
        guard !moods.isEmpty else { return tell("There is no mood on \(date).") }
        try show(moods)
        if console.isOutputTerminal { try? handles()?.keep(listed: moods.map(\.id)) }
    }

    func onThisDay() throws(ClientError) {
        let result = try call("stats.onThisDay", [.init("date", .string(date()))])
        if wantsJSON { return try print(json: result) }
        let items = try tree(result)["items"]?.array ?? []
        if items.isEmpty { return tell("There is no mood on this day in earlier years.") }
        for item in items {
            if console.isOutputTerminal { try print(style.apply(.heading, to: item["year"]?.text ?? "") + "\n") }
            try show((item["moods"]?.array ?? []).compactMap(MoodView.init))
        }
    }

    func tags() throws(ClientError) {
        let result = try call("mood.tags")
        if wantsJSON { return try print(json: result) }
        let tags = try tree(result)["tags"]?.array ?? []
        if tags.isEmpty { return tell("No mood has a tag. 'mood add … --tag work' gives it one.") }
        guard console.isOutputTerminal else {
            let lines = tags.map { tag in
                [tag["tag"]?.string ?? "", tag["count"]?.text ?? "", tag["last"]?.string ?? ""].joined(separator: "\t")
                    + "\n"
            }
            return try print(lines.joined())
        }
        var table = Table([.init("TAG", isFlexible: true), .init("COUNT"), .init("LAST")])
        for tag in tags {
            table.rows.append([
                Escaping.visible(tag["tag"]?.string ?? ""), tag["count"]?.text ?? "",
                String((tag["last"]?.string ?? "").prefix(10)),
            ])
        }
        try print(table.text(width: max(console.columns - 2, 1), style: style))
    }
}
