import JSONCodec

extension Command {
    static let day = Command(
        "day", "Show the moods of a day, from morning to night.", Client.day,
        .word("DAY", .any, "Which: 2026-11-20, yesterday, 'last fri'; without it, today."),
        .example("mood day", "Today."),
        .example("mood day last fri", "Another one."))

    static let onThisDay = Command(
        "on-this-day", "Show the moods of this day in earlier years.", Client.onThisDay,
        .word("DAY", .any, "Which: 2026-11-20, yesterday; without it, today."),
        .example("mood on-this-day", "A year ago, two years ago, …"))

    static let tags = Command(
        "tags", "Show the tags, the most used first.", Client.tags,
        .note("Tags that differ in case alone are one; it is shown as it was spelled first."),
        .example("mood tags", "Every tag, how often, and when it was last used."))
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
        let filter: Params = ["dayFrom": date, "dayTo": date]
        guard let page = try answer("mood.list", ["filter": filter, "order": "asc", "limit": 1000]) else { return }
        let moods = page.list(of: "items").compactMap(MoodView.init)
        guard !moods.isEmpty else { return tell(ofNothing: "There is no mood on \(date).") }
        try show(moods)
        if console.isOutputTerminal { try? handles()?.keep(listed: moods.map(\.id)) }
    }

    func onThisDay() throws(ClientError) {
        guard let items = try answer("stats.onThisDay", ["date": date()])?.list(of: "items") else { return }
        if items.isEmpty { return tell(ofNothing: "There is no mood on this day in earlier years.") }
        for item in items {
            if console.isOutputTerminal { try print(style.apply(.heading, to: item["year"]?.text ?? "") + "\n") }
            try show(item.list(of: "moods").compactMap(MoodView.init))
        }
    }

    func tags() throws(ClientError) {
        guard let tags = try answer("mood.tags")?.list(of: "tags") else { return }
        if tags.isEmpty { return tell(ofNothing: "No mood has a tag. 'mood add … --tag work' gives it one.") }
        guard console.isOutputTerminal else {
            let lines = tags.map { tag in
                [tag.text(of: "tag"), tag["count"]?.text ?? "", tag.text(of: "last")].joined(separator: "\t")
                    + "\n"
            }
            return try print(lines.joined())
        }
        var table = Table([.init("TAG", isFlexible: true), .init("COUNT"), .init("LAST")])
        for tag in tags {
            table.rows.append([
                Escaping.visible(tag.text(of: "tag")), tag["count"]?.text ?? "",
                String((tag.text(of: "last")).prefix(10)),
            ])
        }
        try print(table.text(width: max(console.columns - 2, 1), style: style))
    }
}
