import JSONCodec

extension Command {
    static let share = Command(
        "share", "Print moods as a text to send to somebody.", Client.share,
        .word("ID", .any, idSummary),
        .options(CommandOption.filters),
        .option(DeclaredParams.MoodShare.format, "FORMAT", isOpen: true),
        .option(DeclaredParams.MoodShare.component, "KIND"),
        .option(DeclaredParams.MoodShare.template, "TEXT"),
        .option(DeclaredParams.MoodShare.locale, "LOCALE"),
        .option(DeclaredParams.MoodShare.timeZone, "ZONE"),
        .option(DeclaredParams.MoodShare.now, "TIME"),
        .example("mood share @last", "😊 Happy, recorded two hours ago."),
        .example("mood share @2 --format markdown --locale fr_FR", "As Markdown, in French."),
        .example("mood share @last --template '{emoji} {label} ({date})'", "In your own form."))
}

extension Client {
    func share() throws(ClientError) {
        let template = invocation.value("template")
        let own: Params = [
            "format": invocation.value("format"), "component": invocation.value("as"), "template": template,
        ]
        let params = try own + screenParams()
        // A template without words has dates at most.
        let category: LocaleCategory = template.map { !$0.contains("{relative}") } == true ? .dates : .words
        var isFirst = true
        for id in try targets(invocation.words) {
            guard let result = try told(call("mood.share", ["id": id] + params, in: category)) else { continue }
            guard let text = result["text"]?.string else { throw unexpected() }
            // A file or another program gets the text unescaped.
            let shown = console.isOutputTerminal ? Escaping.visibleLines(text) : text
            try print((isFirst ? "" : "\n") + (text.utf8.last == 0x0a ? shown : shown + "\n"))
            isFirst = false
        }
    }
}
