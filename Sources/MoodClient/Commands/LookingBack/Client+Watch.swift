import JSONCodec

extension Command {
    static let watch = Command(
        "watch", "Show all changes as they happen.", Client.watch,
        .option("since", .integer("REVISION"), "Begin with the changes after this revision of the store."),
        .option("count", short: "n", .integer("N"), "End after this many commits (default: never)."),
        .note("A line for each change: when, created, updated or deleted, and the mood. Ctrl-C ends."),
        .note(
            "With --json a line for each commit: the params of the event, as the host sent them. Their seq is the store's"
                + " revision, without a gap; give the last one to --since to continue later."),
        .example("mood watch", "Until Ctrl-C."),
        .example("mood watch --json | jq -r '.changes[].mood.label // empty'", "The label of each change."),
        .example("mood watch --since 0 --count 1", "Only the first commit of all."))
}

extension Client {
    func watch() throws(ClientError) {
        let count = invocation.integer("count")
        if let count, count < 1 { throw usage("--count is at least 1.") }
        let since = invocation.integer("since")
        if let since, since < 0 { throw usage("--since is a revision: 0 or more.") }
        if let since { try checkReached(since) }
        var shown = 0
        // A subscription that lagged resumes after the last commit seen.
        var next = since
        repeat {
            let lagged = try follow(since: next) { (event) throws(ClientError) in
                try show(event)
                shown += 1
                return count.map { shown < $0 } ?? true
            }
            guard let lagged else { return }
            next = lagged
        } while true
    }

    /// Refuses a revision in the future, for which it would wait in silence.
    private func checkReached(_ since: Int) throws(ClientError) {
        guard let revision = try tree(call("store.info"))["revision"]?.integer, since > revision else { return }
        throw .badInput(
            "--since \(since): the store is at revision \(revision), so there is nothing after that yet.",
            advice: "Leave --since out to see what comes, or give \(revision) or less.")
    }

    /// Subscribes and passes events to `body` until it answers false.
    /// - Returns: the last commit seen, if the host dropped the subscription; nil at the end.
    private func follow(
        since: Int?, _ body: (_ params: [UInt8]) throws(ClientError) -> Bool
    ) throws(ClientError) -> Int? {
        let answer = try tree(call("events.subscribe", ["topics": ["mood"], "since": since]))
        if let since, answer.isTrue("resync") {
            console.writeError(
                "mood: The changes after revision \(since) are not kept;"
                    + " showing those after revision \(answer.number(of: "revision")).\n")
        }
        var lagged: Int?
        try listen { (method, params) throws(ClientError) in
            guard method == "events.event" else { return true }
            let event = try tree(params)
            guard event["lagged"] == nil else {
                lagged = event.number(of: "seq")
                if event.isTrue("resync") {
                    console.writeError(
                        "mood: Another store has replaced this one; showing it from its beginning.\n")
                }
                return false
            }
            return try body(params)
        }
        return lagged
    }

    private func show(_ event: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: event) }
        let commit = try tree(event)
        guard let changes = commit["changes"]?.array else { throw unexpected() }
        let moment = Moment(commit.text(of: "at"))
        let time = moment.flatMap { clocks.localTime($0.secondsSince1970) }
        let when = style.apply(.quiet, to: time?.text ?? Escaping.visible(commit.text(of: "at")))
        var text = ""
        for change in changes {
            let type = Escaping.visible(change.text(of: "type"))
            let mood = change["mood"].flatMap(MoodView.init)
            let id = style.apply(.quiet, to: Escaping.visible(change.text(of: "id")))
            let mark = mood?.isFavorite == true ? " " + style.apply(.mark, to: "★") : ""
            let title = mood.map { style.apply(.heading, to: $0.title) + mark + "  " } ?? ""
            text += "\(when)  \(type)  \(title)\(id)\n"
        }
        if commit.isTrue("truncated"), let all = commit["count"]?.integer, all > changes.count {
            text += "\(when)  and \(all - changes.count) more in the same commit\n"
        }
        try print(text)
    }
}
