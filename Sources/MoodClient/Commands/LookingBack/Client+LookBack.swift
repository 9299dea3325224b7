import JSONCodec

extension Command {
    private static let spanSummary = "The span: 'last week', 2026-11, 'last 30 days'; without it, everything."
    static let stats = Command(
        "stats", "Sum up your moods: how many, how pleasant, which, when.", Client.stats,
        .word("SPAN", .any, spanSummary),
        .options(CommandOption.filters),
        .option("by", .choice("STEP", ["day", "week", "month"]), "With --json: the length of an entry of series."),
        .note("A tag is compared where five moods have it and five do not. What goes together need not be the cause."),
        .example("mood stats", "Everything."),
        .example("mood stats last month", "The month before this one."),
        .example("mood stats 2026 --tag work", "A year, with one tag."),
        .example("mood stats this year --json | jq .average", "One number, for another program."))

    static let year = Command(
        "year", "Show a year, a sign for each day.", Client.days,
        .word("YEAR", .any, "Which: 2025, 'last year'; without it, this one."),
        .example("mood year", "This year."),
        .example("mood year 2025", "Another one."))

    static let month = Command(
        "month", "Show a month as a calendar of moods.", Client.days,
        .word("MONTH", .any, "Which: 2026-11, nov, 'last month'; without it, this one."),
        .example("mood month", "This month."),
        .example("mood month last month", "The one before."))

    static let report = Command(
        "report", "Write a report to keep or print, as one file.", Client.report,
        .word("SPAN", .any, "The span: 2026, 'last month'; without it, this year."),
        .options(CommandOption.filters),
        .option(
            "output", short: "o", .text("FILE"),
            "Where to: a new file that ends with .html, .svg or .txt. Without it HTML goes to stdout."),
        .option("force", "Replace a file that is there."),
        .note("The file holds everything: it needs no network and no script. Open it in a browser to print it."),
        .example("mood report -o 2026.html", "This year."),
        .example("mood report last month -o month.svg", "A month, as a picture."))
}

extension Client {
    /// The words as one phrase of the language of time, and the options with it.
    private func spanParams() throws(ClientError) -> Params {
        var words: String?
        if !invocation.words.isEmpty {
            if let option = ["from", "to", "on", "in"].first(where: invocation.has) {
                throw usage("Give SPAN or --\(option), not both.")
            }
            let phrase = invocation.words.joined(separator: " ")
            _ = try span(phrase, option: "SPAN")
            words = phrase
        }
        // The times are the span of the statistics, not a condition on single moods.
        var filter = try filter()
        for name in ["from", "to", "dayFrom", "dayTo"] { filter[name] = nil }
        return [
            "span": words ?? invocation.value("on") ?? invocation.value("in"), "from": invocation.value("from"),
            "to": invocation.value("to"), "filter": filter.unlessEmpty, "by": invocation.value("by"),
        ]
    }

    /// The output of `stats.render` for the terminal.
    private func drawn(
        _ what: String, _ params: Params, format: String = "text", in category: LocaleCategory = .words
    ) throws(ClientError) -> String {
        let form: Params = ["what": what, "format": format]
        let look: Params = ["width": min(max(console.columns, 20), 500), "color": style.isColored]
        let result = try call("stats.render", form + params + look, in: category)
        guard let text = try tree(result)["text"]?.string else { throw unexpected() }
        tellOfMissingStore()
        return text
    }

    func stats() throws(ClientError) {
        var params = try spanParams()
        if wantsJSON { return try print(json: call("stats.summary", params)) }
        params["by"] = nil
        try page(drawn("summary", params))
    }

    func days() throws(ClientError) {
        let what = invocation.command.name
        let words = invocation.words.isEmpty ? "this \(what)" : invocation.words.joined(separator: " ")
        guard let date = try span(words, option: what.uppercased()).days?.from else {
            throw usage("\(what.uppercased()) must name days, not a part of one.")
        }
        let isYear = what == Command.year.name
        let params: Params = isYear ? ["year": Int(date.prefix(4)) ?? 1] : ["month": String(date.prefix(7))]
        if wantsJSON { return try print(json: call("stats.\(what)", params)) }
        try print(drawn(what, params, in: .dates))
    }

    func report() throws(ClientError) {
        let params = try spanParams()
        guard let file = invocation.value("output") else { return try print(drawn("report", params, format: "html")) }
        let forms = [".html": "html", ".svg": "svg", ".txt": "text"]
        guard let form = forms.first(where: { file.hasSuffix($0.key) })?.value else {
            throw usage("--output needs a name that ends with .html, .svg or .txt.")
        }
        let text = try drawn("report", params, format: form)
        let output = try OutputFile(file, replaces: invocation.has("force"))
        try output.write(Array(text.utf8))
        _ = try output.finish()
        tell("Written to \(Escaping.visible(file)).")
    }
}
