import JSONCodec

extension Command {
    static let share = Command(
        name: "share", summary: "Print a mood as a text to send to somebody.",
        parameters: [.init("ID", idSummary)],
        options: [
            .init("format", .text("FORMAT"), "text (default), markdown, html, json or ics."),
            .init("as", .text("KIND"), "With ics: vevent (default), or vjournal for an entry in a diary."),
            .init(
                "template", .text("TEXT"),
                "The form of the text: {emoji} {label} {notes} {tags} {relative} {date} {time} {timestamp}."),
            .init("locale", .text("LOCALE"), "The language of times, such as de_DE."),
            .init("time-zone", .text("ZONE"), "The zone of times, such as Europe/Berlin."),
            .init("now", .text("TIME"), "The time from which 'two hours ago' is counted."),
        ],
        examples: [
            .init("mood share @last", "😊 Happy, recorded two hours ago."),
            .init("mood share 0194f2a1 --format markdown --locale fr_FR", "As Markdown, in French."),
            .init("mood share @last --template '{emoji} {label} ({date})'", "In your own form."),
        ],
        run: { (client) throws(ClientError) in try client.share() })
}

extension Client {
    func share() throws(ClientError) {
        let id = try resolve(invocation.words[0])
        var params: [JSONValue.Member] = [.init("id", .string(id))]
        let names = [
            ("format", "format"), ("as", "as"), ("template", "template"), ("locale", "locale"),
            ("time-zone", "timeZone"),
        ]
        for (option, member) in names {
            if let value = invocation.value(option) { params.append(.init(member, .string(value))) }
        }
        if let now = invocation.value("now") {
            params.append(.init("now", .string(TimeInput.protocolText(now, console: console))))
        }
        let result = try call("mood.share", params)
        if wantsJSON { return try print(json: result) }
        guard let text = try tree(result)["text"]?.string else { throw unexpected() }
        // A file or another program gets the text unescaped.
        let shown = console.isOutputTerminal ? Escaping.visibleLines(text) : text
        try print(text.utf8.last == 0x0a ? shown : shown + "\n")
    }
}
