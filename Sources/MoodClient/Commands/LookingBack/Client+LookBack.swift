import JSONCodec

extension Command {
    private static let spanSummary = "The span: 'last week', 2026-11, 'last 30 days'; without it, everything."
    static let stats = Command(
        name: "stats", summary: "Sum up your moods: how many, how pleasant, which, when.",
        parameters: [.init("SPAN", .any, spanSummary)],
        options: CommandOption.filters + [
            .init("by", .choice("STEP", ["day", "week", "month"]), "With --json: the length of an entry of series.")
        ],
        notes: [
            "A tag is compared where five moods have it and five do not. What goes together need not be the cause."
        ],
        examples: [
            .init("mood stats", "Everything."), .init("mood stats last month", "The month before this one."),
            .init("mood stats 2026 --tag work", "A year, with one tag."),
            .init("mood stats this year --json | jq .average", "One number, for another program."),
        ],
        run: { (client) throws(ClientError) in try client.stats() })

    static let year = Command(
        name: "year", summary: "Show a year, a sign for each day.",
        parameters: [.init("YEAR", .any, "Which: 2025, 'last year'; without it, this one.")],
        examples: [.init("mood year", "This year."), .init("mood year 2025", "Another one.")],
        run: { (client) throws(ClientError) in try client.days("year", digits: 4) })

    static let month = Command(
        name: "month", summary: "Show a month as a calendar of moods.",
        parameters: [.init("MONTH", .any, "Which: 2026-11, nov, 'last month'; without it, this one.")],
        examples: [.init("mood month", "This month."), .init("mood month last month", "The one before.")],
        run: { (client) throws(ClientError) in try client.days("month", digits: 7) })

    static let report = Command(
        name: "report", summary: "Write a report to keep or print, as one file.",
        parameters: [.init("SPAN", .any, "The span: 2026, 'last month'; without it, this year.")],
        options: CommandOption.filters + [
            .init(
                "output", short: "o", .text("FILE"),
                "Where to: a new file that ends with .html, .svg or .txt. Without it HTML goes to stdout."),
            .init("force", "Replace a file that is there."),
        ],
        notes: ["The file holds everything: it needs no network and no script. Open it in a browser to print it."],
        examples: [
            .init("mood report -o 2026.html", "This year."),
            .init("mood report last month -o month.svg", "A month, as a picture."),
        ],
        run: { (client) throws(ClientError) in try client.report() })
}

extension Client {
    /// The words as one phrase of the language of time, and the options with it.
    private func spanParams() throws(ClientError) -> [JSONValue.Member] {
        let given = ["from", "to", "on", "in"].filter { invocation.has($0) }
        var params: [JSONValue.Member] = []
        if !invocation.words.isEmpty {
            if let option = given.first { throw usage("Give SPAN or --\(option), not both.") }
            let words = invocation.words.joined(separator: " ")
            _ = try span(words, option: "SPAN")
            params.append(.init("span", .string(words)))
        }
        for option in given {
            let name = option == "on" || option == "in" ? "span" : option
            params.append(.init(name, .string(invocation.value(option) ?? "")))
        }
        // The times are the span of the statistics, not a condition on single moods.
        let filter = try filter().filter { !["from", "to", "dayFrom", "dayTo"].contains($0.name) }
        if !filter.isEmpty { params.append(.init("filter", .object(filter))) }
        if let step = invocation.value("by") { params.append(.init("by", .string(step))) }
        return params
    }

    /// The output of `stats.render` for the terminal.
    private func drawn(
        _ what: String, _ params: [JSONValue.Member], format: String = "text", in category: LocaleCategory = .words
    ) throws(ClientError) -> String {
        let result = try call(
            "stats.render",
            [.init("what", .string(what)), .init("format", .string(format))] + params + [
                .init("width", .number(String(min(max(console.columns, 20), 500)))),
                .init("color", .boolean(style.isColored)),
            ], in: category)
        guard let text = try tree(result)["text"]?.string else { throw unexpected() }
        return text
    }

    func stats() throws(ClientError) {
        let params = try spanParams()
        if wantsJSON { return try print(json: call("stats.summary", params)) }
        try page(drawn("summary", params.filter { $0.name != "by" }))
    }

    /// - Parameter digits: the part of a date that names the year or the month.
    func days(_ what: String, digits: Int) throws(ClientError) {
        let words = invocation.words.isEmpty ? "this \(what)" : invocation.words.joined(separator: " ")
        guard let date = try span(words, option: what.uppercased()).days?.from else {
            throw usage("\(what.uppercased()) must name days, not a part of one.")
        }
        let name = String(date.prefix(digits))
        let member = JSONValue.Member(what, what == "year" ? .number(String(Int(name) ?? 1)) : .string(name))
        if wantsJSON { return try print(json: call("stats.\(what)", [member])) }
        try print(drawn(what, [member], in: .dates))
    }

    func report() throws(ClientError) {
        let params = try spanParams()
        guard let file = invocation.value("output") else { return try print(drawn("report", params, format: "html")) }
        let forms = [".html": "html", ".svg": "svg", ".txt": "text"]
        guard let form = forms.first(where: { file.hasSuffix($0.key) })?.value else {
            throw usage("--output needs a name that ends with .html, .svg or .txt.")
        }
        let text = try drawn("report", params, format: form)
        try KeptFile.write(Array(text.utf8), to: file, isForced: invocation.has("force"))
        tell("Written to \(Escaping.visible(file)).")
    }
}
