import JSONCodec

extension Command {
    static let share = Command(
        name: "share", summary: "Print a mood as a text to send to somebody.",
        parameters: [.init("ID", idSummary)],
        options: [
            .init(DeclaredParams.MoodShare.format, "FORMAT", isOpen: true),
            .init(DeclaredParams.MoodShare.as, "KIND"),
            .init(DeclaredParams.MoodShare.template, "TEXT"),
            .init(DeclaredParams.MoodShare.locale, "LOCALE"),
            .init(DeclaredParams.MoodShare.timeZone, "ZONE"),
            .init(DeclaredParams.MoodShare.now, "TIME"),
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
        typealias Param = DeclaredParams.MoodShare
        for param in [Param.format, Param.as, Param.template, Param.locale, Param.timeZone] {
            if let value = invocation.value(param.option) { params.append(.init(param.name, .string(value))) }
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
