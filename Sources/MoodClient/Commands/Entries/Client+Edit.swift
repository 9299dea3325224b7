import JSONCodec

extension Command {
    static let edit = Command(
        name: "edit", summary: "Change moods; the rest of each stays.",
        parameters: [.init("ID", .any, idSummary)],
        options: [
            .init("emoji", .text("EMOJI"), "Another emoji."),
            .init("label", .text("TEXT"), "Another label."),
            .init("note", short: "n", .text("TEXT"), "Other notes; - reads them from stdin."),
            .init("tag", short: "t", .text("TAG"), isRepeatable: true, "The new tags, in place of all old ones."),
            .init("no-tags", "Remove all tags."),
            .init("at", .text("TIME"), "Another time, such as \(Client.timeExamples)."),
            .init("favorite", short: "f", "Make it a favorite."),
            .init("no-favorite", "Make it not a favorite."),
            MemberOption.valence.option,
            .init("no-valence", "Remove that."),
            .init("scale", .text("NAME=NUMBER"), isRepeatable: true, "Set one, such as sleep=7; the others stay."),
            .init("no-scales", "Remove all of them."),
            .init("time-zone", .text("ZONE"), "The zone in which it was lived, and of --at."),
            .init("no-time-zone", "Remove that."),
        ] + MemberOption.others.flatMap { [$0.option, .init($0.removal.option, "Remove that.")] }
            + CommandOption.filters(prefix: "where-") + [.editor, .yes, .ifRevision, .operationID, .dryRun],
        examples: [
            .init("mood edit @last --label 'Very happy'", "Rename the latest mood."),
            .init("mood edit @2 @4 -t work -t late", "Replace the tags of two rows of the latest list."),
            .init("mood edit @added --at '2026-01-02 14:30' --no-valence", "Move it, and remove a value."),
            .init("mood edit --where-tag holidays -t holiday --yes", "One tag in place of all, wherever that one is."),
            .init("mood edit @last --scale sleep=6.5", "Set one number; its others stay."),
            .init("mood edit @2 -e", "In your editor, with its notes."),
        ],
        run: { (client) throws(ClientError) in try client.edit() })
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
                let (all, revision) = try laid(scales, over: id)
                set.append(.init("scales", all))
                if !invocation.has("if-revision"), let revision { common.append(.init("ifRevision", revision)) }
            }
            let result = try call("mood.update", [.init("id", .string(id)), .init("set", .object(set))] + common)
            if wantsJSON { try print(json: result) } else { try report("Changed", mood(result)) }
        }
    }

    /// Edits a mood in the editor, and sends it only if the mood was not changed meanwhile.
    private func editInEditor() throws(ClientError) {
        let id = try targets(invocation.words)
        guard id.count == 1 else { throw usage("One mood at a time fits in an editor; these are \(id.count).") }
        let before = try mood(call("mood.get", [.init("id", .string(id[0]))]))
        let start = Draft(before, time: before.localTime(clocks)?.time.text ?? before.timestamp)
        let revision = before.members.first { $0.name == "revision" }?.value
        var common = commonMembers()
        if !invocation.has("if-revision"), let revision { common.append(.init("ifRevision", revision)) }
        try write(start, isNew: false) { (draft) throws(ClientError) in
            let set = try members(of: draft, changedFrom: start)
            guard !set.isEmpty else { return tell("Nothing was changed.") }
            let result = try call("mood.update", [.init("id", .string(id[0])), .init("set", .object(set))] + common)
            if wantsJSON { try print(json: result) } else { try report("Changed", mood(result)) }
        }
    }

    /// The changes of the command line, and the scales that replace those of each mood by name.
    private func changes() throws(ClientError) -> (set: [JSONValue.Member], scales: [JSONValue.Member]) {
        var set: [JSONValue.Member] = []
        if let emoji = invocation.value("emoji") {
            set.append(.init("emoji", .string(try TypedEmoji.required(emoji, option: "--emoji"))))
        }
        if let label = invocation.value("label") { set.append(.init("label", .string(label))) }
        set += try givenMembers()
        let scales = try givenScales()
        for (option, member, value) in Self.removals where invocation.has(option) {
            if set.contains(where: { $0.name == member }) || member == "scales" && !scales.isEmpty {
                throw usage("--\(option) takes back what another option sets; give only one of them.")
            }
            set.append(.init(member, value))
        }
        return (set, scales)
    }

    private static let removals: [(option: String, member: String, value: JSONValue)] =
        [
            ("no-tags", "tags", []), ("no-favorite", "isFavorite", false), ("no-scales", "scales", .null),
        ] + MemberOption.all.map(\.removal)
}
