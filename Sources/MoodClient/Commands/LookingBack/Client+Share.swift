import JSONCodec

extension Command {
    static let share = Command(
        name: "share", summary: "Print moods as a text to send to somebody.",
        parameters: [.init("ID", .any, idSummary)],
        options: CommandOption.filters + [
            .init(DeclaredParams.MoodShare.format, "FORMAT", isOpen: true),
            .init(DeclaredParams.MoodShare.component, "KIND"),
            .init(DeclaredParams.MoodShare.template, "TEXT"),
            .init(DeclaredParams.MoodShare.locale, "LOCALE"),
            .init(DeclaredParams.MoodShare.timeZone, "ZONE"),
            .init(DeclaredParams.MoodShare.now, "TIME"),
        ],
        examples: [
            .init("mood share @last", "😊 Happy, recorded two hours ago."),
            .init("mood share @2 --format markdown --locale fr_FR", "As Markdown, in French."),
            .init("mood share @last --template '{emoji} {label} ({date})'", "In your own form."),
        ],
        run: { (client) throws(ClientError) in try client.share() })
}

extension Client {
    func share() throws(ClientError) {
        typealias Param = DeclaredParams.MoodShare
        var params: [JSONValue.Member] = []
        for param in [Param.format, Param.component, Param.template, Param.locale, Param.timeZone] {
            if let value = invocation.value(param.option) { params.append(.init(param.name, .string(value))) }
        }
        if let now = invocation.value("now") {
            params.append(.init("now", .string(try moment(now, option: "--now"))))
        }
        // A template without words has dates at most.
        let template = invocation.value("template")
        let category: LocaleCategory = template.map { !$0.contains("{relative}") } == true ? .dates : .words
        var isFirst = true
        for id in try targets(invocation.words) {
            let result = try call("mood.share", [.init("id", .string(id))] + params, in: category)
            if wantsJSON {
                try print(json: result)
                continue
            }
            guard let text = try tree(result)["text"]?.string else { throw unexpected() }
            // A file or another program gets the text unescaped.
            let shown = console.isOutputTerminal ? Escaping.visibleLines(text) : text
            try print((isFirst ? "" : "\n") + (text.utf8.last == 0x0a ? shown : shown + "\n"))
            isFirst = false
        }
    }
}
