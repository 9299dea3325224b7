import JSONCodec

extension Command {
    static let add = Command(
        "add", "Remember a mood.", Client.add,
        .word("MOOD", .any, "An emoji and a label, or a word of your palette; then +TAG, @TIME, and the note."),
        .option("note", short: "n", .text("TEXT"), "Notes; - reads them from stdin."),
        .option("tag", short: "t", .text("TAG"), isRepeatable: true, "A tag, or several with commas."),
        .option("at", .text("TIME"), "When it was (default: now), such as \(Client.timeExamples)."),
        .option("favorite", short: "f", "Make it a favorite."),
        .options(MemberOption.valence.option),
        .option(
            "scale", .text("NAME=NUMBER"), isRepeatable: true,
            "What else you measure, such as sleep=7; may be given several times."),
        .options(MemberOption.timeZone.option),
        .options(MemberOption.others.map(\.option)),
        .options(.editor, .operationID, .dryRun),
        .note(
            "After the mood, +WORD is a tag and a leading @TIME the time; the rest is the note. After -- nothing is a sign."
                + " The emoji may be a name such as :smile:. 'mood palette' shows your feelings."),
        .example("mood add calm slept well +sport", "A word of your palette, a note, a tag."),
        .example("mood add 😊 Happy", "An emoji and a label of your own."),
        .example("mood add 😴 Tired @'yesterday 23:30' --valence -0.4", "An older one, rather unpleasant."),
        .example(
            "mood add 😌 'At peace' -n 'Walk by the sea' -t holiday,sea -f", "A longer label, two tags, a favorite."),
        .example("mood add 😊 Rested --scale sleep=8 --scale energy=2.5", "With two numbers of your own."),
        .example("date | mood add 🎉 Excited --note -", "The notes come from another program."))
}

extension Client {
    func add() throws(ClientError) {
        if invocation.has("editor") { return try addInEditor() }
        let words = try moodWords()
        if !words.note.isEmpty, invocation.has("note") {
            throw usage("The note is given twice: '\(words.note)' and --note.")
        }
        if words.time != nil, invocation.has("at") { throw usage("The time is given twice: @… and --at.") }
        var params: Params = ["emoji": words.emoji, "label": words.label]
        if !words.note.isEmpty { params["notes"] = .string(words.note) }
        if let time = words.time { params["timestamp"] = .string(try moment(time, option: "@\(time)")) }
        params += try givenMembers(tags: words.tags) + ["scales": givenScales().unlessEmpty]
        try finishAdding(create(params, time: words.time ?? invocation.value("at")))
    }

    private func finishAdding(_ result: [UInt8]) throws(ClientError) {
        try report("Added", result)
        if !invocation.has("dry-run"), let mood = MoodView(try tree(result)) { tellOfAdded(mood) }
    }

    /// Records a mood with the zone that was used to read its time, unless a param names a zone.
    /// - Parameter time: as a person gave it; nil is now.
    func create(_ params: Params, time: String?) throws(ClientError) -> [UInt8] {
        let params = params + commonMembers()
        guard params["timeZone"] == nil, let zone = zoneToKeep(time: time) else {
            return try call("mood.create", params)
        }
        do throws(ClientError) {
            return try call("mood.create", params + ["timeZone": zone])
        } catch {
            // The host does not know the zone and refused the request, so leave the zone out.
            guard case .remote(let failure) = error, failure.data?["path"]?.string == "/timeZone" else { throw error }
            return try call("mood.create", params)
        }
    }

    /// The setting's zone, else the system's. A time with an offset from UTC needs no zone.
    private func zoneToKeep(time: String?) -> String? {
        if configuration.keepZone == false || time.map(Self.namesOffset) == true { return nil }
        return settings()["timeZone"]?.string ?? console.timeZoneName()
    }

    /// Whether a time ends with `Z`, `UTC`, `GMT`, `+02:00` and the like, after a time of day.
    static func namesOffset(_ time: String) -> Bool {
        let time = time.lowercased().filter { $0 != " " }
        for name in ["z", "utc", "gmt"] where time.hasSuffix(name) {
            return time.dropLast(name.count).last.map { $0.isNumber || $0 == "m" } == true
        }
        guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return false }
        let offset = time[time.index(after: sign)...].filter { $0 != ":" }
        let clock = time[..<sign].suffix(8)
        guard [1, 2, 4].contains(offset.count), offset.allSatisfy(\.isNumber) else { return false }
        return clock.contains(":") || clock.hasSuffix("am") || clock.hasSuffix("pm")
    }

    /// Opens the editor with the words and options as its first text.
    private func addInEditor() throws(ClientError) {
        var start = Draft()
        if !invocation.words.isEmpty {
            let words = try moodWords()
            start.values["emoji"] = words.emoji
            start.values["label"] = words.label
            start.values["tags"] = words.tags.joined(separator: ", ")
            start.values["time"] = words.time ?? ""
            start.notes = words.note
        }
        var given = start
        if let time = invocation.value("at") { given.values["time"] = time }
        for row in MemberOption.all {
            if let value = invocation.value(row.name) ?? (invocation.has(row.name) ? "yes" : nil) {
                given.values[row.name] = value
            }
        }
        if invocation.has("tag") {
            given.values["tags"] = (Self.tags(start["tags"]) + invocation.values("tag").flatMap(Self.tags)).joined(
                separator: ", ")
        }
        if invocation.has("favorite") { given.values["favorite"] = "yes" }
        if invocation.has("scale") { given.values["scales"] = invocation.values("scale").joined(separator: ", ") }
        if let note = invocation.value("note") { given.notes = try text(note) }
        try write(given, isNew: true) { (draft) throws(ClientError) in
            guard !draft["emoji"].isEmpty, !draft["label"].isEmpty else {
                throw .badInput("A mood has an emoji and a label.", advice: nil)
            }
            var params = try members(of: draft, changedFrom: Draft())
            params = Params(params.members.filter { !$0.value.isNull })
            try finishAdding(create(params, time: draft["time"].isEmpty ? nil : draft["time"]))
        }
    }

    /// The members that a draft changes, including the time.
    func members(of draft: Draft, changedFrom before: Draft) throws(ClientError) -> Params {
        var members: Params
        do throws(Draft.Fault) {
            members = try draft.changes(from: before)
        } catch {
            throw .badInput(error.message, advice: nil)
        }
        if draft["time"] != before["time"], !draft["time"].isEmpty {
            let zone = draft["time-zone"].isEmpty ? nil : draft["time-zone"]
            members["timestamp"] = .string(try moment(draft["time"], option: "time", zone: zone))
        }
        return members
    }

    private func moodWords() throws(ClientError) -> MoodWords {
        do throws(MoodWords.Fault) {
            return try MoodWords(
                invocation.words, wordsBeforeDashes: invocation.wordsBeforeDashes, palette: { self.palette() })
        } catch {
            // Words are looked up in the palette, which is a setting.
            throw settingsFault ?? usage(error.message)
        }
    }

    /// Tells a person that the time of a new mood is still to come, and where a first mood is stored.
    func tellOfAdded(_ mood: MoodView) {
        if let moment = Moment(mood.timestamp), moment.secondsSince1970 > console.now() + 60,
            let time = mood.localTime(clocks)?.time
        {
            tell("That is still to come: \(time.text). 'mood edit @added --at TIME' changes it.")
        }
        guard let store = tried("store.info"), let path = store["path"]?.string else { return }
        if store["revision"]?.integer == 1 { tell("Your moods are kept in \(Escaping.visible(path)), which is new.") }
        ListReferences(store: path, console: console).keep(added: mood.id)
    }

    /// The members of a mood from the options of `add` and `edit`.
    /// - Parameter tags: tags that were given as words.
    func givenMembers(tags: [String] = []) throws(ClientError) -> Params {
        let tags = Self.withoutDoubles(tags + invocation.values("tag").flatMap(Self.tags))
        var note = invocation.value("note")
        if let given = note { note = try text(given) }
        var members: Params = [
            "notes": note, "tags": tags.isEmpty && !invocation.has("tag") ? nil : tags,
            "timestamp": try moment(of: "at"),
            "isFavorite": invocation.flag("favorite"),
        ]
        for row in MemberOption.all { members[row.member] = given(row) }
        return members
    }

    /// Tags that differ only in case are one: the first spelling stays.
    private static func withoutDoubles(_ tags: [String]) -> [String] {
        var seen: Set<String> = []
        return tags.filter { seen.insert($0.lowercased()).inserted }
    }

    /// The members that every change can have.
    func commonMembers() -> Params {
        [
            "ifRevision": invocation.integer("if-revision"), "opId": invocation.value("op-id"),
            "dryRun": invocation.flag("dry-run"),
        ]
    }

    /// Prints the result of a change, which is a mood.
    func report(_ verb: String, _ result: [UInt8]) throws(ClientError) {
        if wantsJSON { return try print(json: result) }
        let mood = try mood(result)
        if invocation.has("dry-run") { return try print("\(verb) \(mood.title)\(dryRunMark)\n") }
        try print("\(verb) \(mood.title) (\(shown(mood.id)))\n")
    }

    var dryRunMark: String { invocation.has("dry-run") ? " (dry run: nothing was kept)" : "" }
}
