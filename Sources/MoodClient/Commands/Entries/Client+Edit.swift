import JSONCodec

extension Command {
    static let edit = Command(
        "edit", "Change moods; the rest of each stays.", Client.edit,
        .word("ID", .any, idSummary),
        .option("emoji", .text("EMOJI"), "Another emoji."),
        .option("label", .text("TEXT"), "Another label."),
        .option("note", short: "n", .text("TEXT"), "Other notes; - reads them from stdin."),
        .option("tag", short: "t", .text("TAG"), isRepeatable: true, "The new tags, in place of all old ones."),
        .option("no-tags", "Remove all tags."),
        .option("at", .text("TIME"), "Another time, such as \(Client.timeExamples)."),
        .option("favorite", short: "f", "Make it a favorite."),
        .option("no-favorite", "Make it not a favorite."),
        .options(MemberOption.valence.option),
        .option("no-valence", "Remove that."),
        .option("scale", .text("NAME=NUMBER"), isRepeatable: true, "Set one, such as sleep=7; the others stay."),
        .option("no-scales", "Remove all of them."),
        .option("time-zone", .text("ZONE"), "The zone in which it was lived, and of --at."),
        .option("no-time-zone", "Remove that."),
        .options(MemberOption.others.flatMap { [$0.option, .init($0.removal.option, "Remove that.")] }),
        .options(CommandOption.filters(prefix: "where-")),
        .options(.editor, .yes, .ifRevision, .operationID, .dryRun),
        .example("mood edit @last --label 'Very happy'", "Rename the latest mood."),
        .example("mood edit @2 @4 -t work -t late", "Replace the tags of two rows of the latest list."),
        .example("mood edit @added --at '2026-01-02 14:30' --no-valence", "Move it, and remove a value."),
        .example("mood edit --where-tag holidays -t holiday --yes", "One tag in place of all, wherever that one is."),
        .example("mood edit @last --scale sleep=6.5", "Set one number; its others stay."),
        .example("mood edit @2 -e", "In your editor, with its notes."))
}

extension Client {
    func edit() throws(ClientError) {
        if invocation.has("editor") { return try editInEditor() }
        let (set, scales) = try changes()
        guard !set.isEmpty || !scales.isEmpty else {
            throw usage("Nothing to change: name what to change, such as --label TEXT.")
        }
        let ids = try targets(invocation.words)
        if ids.count > 1, invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        try confirm("Change", ids)
        if ids.count > 1, scales.isEmpty { return try update(ids, set, "Changed") }
        for id in ids {
            var (set, common) = (set, commonMembers())
            if !scales.isEmpty {
                let mood = try tree(call("mood.get", ["id": id]))
                set["scales"] = Params(mood["scales"]?.object ?? []).replacing(scales).json
                if !invocation.has("if-revision") { common["ifRevision"] = mood["revision"] }
            }
            try report("Changed", call("mood.update", ["id": id, "set": set] + common))
        }
    }

    /// Edits a mood in the editor, and sends it only if the mood was not changed meanwhile.
    private func editInEditor() throws(ClientError) {
        let id = try targets(invocation.words)
        guard id.count == 1 else { throw usage("One mood at a time fits in an editor; these are \(id.count).") }
        let before = try mood(id: id[0])
        let start = Draft(before, time: before.localTime(clocks)?.time.text ?? before.timestamp)
        var common = commonMembers()
        if !invocation.has("if-revision") { common["ifRevision"] = before["revision"] }
        try write(start, isNew: false) { (draft) throws(ClientError) in
            let set = try members(of: draft, changedFrom: start)
            guard !set.isEmpty else { return tell("Nothing was changed.") }
            try report("Changed", call("mood.update", ["id": id[0], "set": set] + common))
        }
    }

    /// The changes of the command line, and the scales that replace those of each mood by name.
    private func changes() throws(ClientError) -> (set: Params, scales: Params) {
        let feeling: Params = ["emoji": try emoji(of: "emoji"), "label": invocation.value("label")]
        var set = try feeling + givenMembers()
        let scales = try givenScales()
        for (option, member, value) in Self.removals where invocation.has(option) {
            if set[member] != nil || member == "scales" && !scales.isEmpty {
                throw usage("--\(option) takes back what another option sets; give only one of them.")
            }
            set[member] = value
        }
        return (set, scales)
    }

    private static let removals: [(option: String, member: String, value: JSONValue)] =
        [
            ("no-tags", "tags", []), ("no-favorite", "isFavorite", false), ("no-scales", "scales", .null),
        ] + MemberOption.all.map(\.removal)
}
