import JSONCodec

extension Command {
    static let add = Command(
        name: "add", summary: "Remember a mood.",
        parameters: [
            .init("EMOJI", "One emoji, such as 😊."),
            .init("LABEL", "What the mood is called; quote it if it has spaces."),
        ],
        options: [
            .init("note", short: "n", .text("TEXT"), "Notes; - reads them from stdin."),
            .init("tag", short: "t", .text("TAG"), isRepeatable: true, "A tag; may be given several times."),
            .init("at", .text("TIME"), "When it was (default: now): \(TimeInput.forms)."),
            .init("favorite", short: "f", "Make it a favourite."),
            .init("valence", .number("N"), "How pleasant it was, from -1 to 1."),
            .init(
                "scale", .text("NAME=NUMBER"), isRepeatable: true,
                "What else you measure, such as sleep=7; may be given several times."),
            .init("time-zone", .text("ZONE"), "The zone in which it was lived, such as Europe/Berlin."),
            .dryRun,
        ],
        examples: [
            .init("mood add 😊 Happy", "Remember a mood of now."),
            .init("mood add 😌 'At peace' -n 'Walk by the sea' -t holiday -t sea -f", "Notes, two tags, a favourite."),
            .init("mood add 😴 Tired --at 'yesterday 23:30' --valence -0.4", "An older one, rather unpleasant."),
            .init("mood add 😊 Rested --scale sleep=8 --scale energy=2.5", "With two numbers of your own."),
            .init("date | mood add 🎉 Excited --note -", "The notes come from another program."),
        ],
        run: { (client) throws(ClientError) in try client.add() })

    static let edit = Command(
        name: "edit", summary: "Change a mood; the rest of it stays.",
        parameters: [.init("ID", idSummary)],
        options: [
            .init("emoji", .text("EMOJI"), "Another emoji."),
            .init("label", .text("TEXT"), "Another label."),
            .init("note", short: "n", .text("TEXT"), "Other notes; - reads them from stdin."),
            .init("tag", short: "t", .text("TAG"), isRepeatable: true, "The new tags, in place of all old ones."),
            .init("no-tags", "Remove all tags."),
            .init("at", .text("TIME"), "Another time: \(TimeInput.forms)."),
            .init("favorite", short: "f", "Make it a favourite."),
            .init("no-favorite", "Make it not a favourite."),
            .init("valence", .number("N"), "How pleasant it was, from -1 to 1."),
            .init("no-valence", "Remove that."),
            .init("scale", .text("NAME=NUMBER"), isRepeatable: true, "Set one, such as sleep=7; the others stay."),
            .init("no-scales", "Remove all of them."),
            .init("time-zone", .text("ZONE"), "The zone in which it was lived."),
            .init("no-time-zone", "Remove that."),
            .ifRevision, .dryRun,
        ],
        examples: [
            .init("mood edit @last --label 'Very happy'", "Rename the newest mood."),
            .init("mood edit 0194f2a1 -t work -t late", "Replace its tags."),
            .init("mood edit 0194f2a1 --at '2026-01-02 14:30' --no-valence", "Move it, and remove a value."),
            .init("mood edit @last --scale sleep=6.5", "Set one number; its others stay."),
        ],
        run: { (client) throws(ClientError) in try client.edit() })
}

extension Client {
    func add() throws(ClientError) {
        var params: [JSONValue.Member] = [
            .init("emoji", .string(invocation.words[0])), .init("label", .string(invocation.words[1])),
        ]
        params += try givenMembers()
        let scales = try givenScales()
        if !scales.isEmpty { params.append(.init("scales", .object(scales))) }
        params += commonMembers()
        let result = try call("mood.create", params)
        if wantsJSON { return try print(json: result) }
        try report("Added", mood(result))
    }

    func edit() throws(ClientError) {
        var set: [JSONValue.Member] = []
        for name in ["emoji", "label"] {
            if let text = invocation.value(name) { set.append(.init(name, .string(text))) }
        }
        set += try givenMembers()
        let scales = try givenScales()
        for (option, member, value) in Self.removals where invocation.has(option) {
            if set.contains(where: { $0.name == member }) || member == "scales" && !scales.isEmpty {
                throw usage("--\(option) takes back what another option sets; give only one of them.")
            }
            set.append(.init(member, value))
        }
        guard !set.isEmpty || !scales.isEmpty else {
            throw usage("Nothing to change: name what to change, such as --label TEXT.")
        }
        let id = try resolve(invocation.words[0])
        var common = commonMembers()
        if !scales.isEmpty {
            let (all, revision) = try laid(scales, over: id)
            set.append(.init("scales", all))
            if !invocation.has("if-revision"), let revision { common.append(.init("ifRevision", revision)) }
        }
        let result = try call("mood.update", [.init("id", .string(id)), .init("set", .object(set))] + common)
        if wantsJSON { return try print(json: result) }
        try report("Changed", mood(result))
    }

    private static let removals: [(option: String, member: String, value: JSONValue)] = [
        ("no-tags", "tags", []), ("no-favorite", "isFavorite", false), ("no-valence", "valence", .null),
        ("no-time-zone", "timeZone", .null), ("no-scales", "scales", .null),
    ]

    /// The members of a mood that `add` and `edit` have options for.
    private func givenMembers() throws(ClientError) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let note = invocation.value("note") { members.append(.init("notes", .string(try text(note)))) }
        if invocation.has("tag") { members.append(.init("tags", .array(invocation.values("tag").map { .string($0) }))) }
        if let time = invocation.value("at") {
            members.append(.init("timestamp", .string(TimeInput.protocolText(time, console: console))))
        }
        if invocation.has("favorite") { members.append(.init("isFavorite", true)) }
        if let valence = invocation.number("valence") {
            var writer = JSONWriter()
            writer.double(valence)
            members.append(.init("valence", .number(writer.buffer.string())))
        }
        if let zone = invocation.value("time-zone") { members.append(.init("timeZone", .string(zone))) }
        return members
    }

    /// The members that every change may carry.
    func commonMembers() -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        if let revision = invocation.integer("if-revision") {
            members.append(.init("ifRevision", .number(String(revision))))
        }
        if invocation.has("dry-run") { members.append(.init("dryRun", true)) }
        return members
    }

    /// Tells the result of a change.
    func report(_ verb: String, _ mood: MoodView) throws(ClientError) {
        if invocation.has("dry-run") { return try print("\(verb) \(mood.title)\(dryRunMark)\n") }
        try print("\(verb) \(mood.title) (\(shown(mood.id)))\n")
    }

    var dryRunMark: String { invocation.has("dry-run") ? " (dry run: nothing was kept)" : "" }
}
