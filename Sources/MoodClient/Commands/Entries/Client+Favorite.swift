import JSONCodec

extension Command {
    static let favorite = Command(
        name: "fav", aliases: ["favorite", "favourite"], summary: "Make moods favorites.",
        parameters: [.init("ID", .any, idSummary)],
        options: CommandOption.filters + [.ifRevision, .operationID, .dryRun],
        examples: [
            .init("mood fav @last", "The latest mood is a favorite."),
            .init("mood fav @1-3", "So are three rows of the latest list."),
        ],
        run: { (client) throws(ClientError) in try client.setFavorite(true) })

    static let unfavorite = Command(
        name: "unfav", aliases: ["unfavorite", "unfavourite"], summary: "Make moods not favorites.",
        parameters: [.init("ID", .any, idSummary)],
        options: CommandOption.filters + [.ifRevision, .operationID, .dryRun],
        examples: [.init("mood unfav @2", "A row of the latest list is no longer a favorite.")],
        run: { (client) throws(ClientError) in try client.setFavorite(false) })

    static let note = Command(
        name: "note", summary: "Replace the notes of moods.",
        parameters: [
            .init("ID", .any, idSummary),
            .init("TEXT", .any, "The notes, quoted or not; - reads them from stdin, '' removes them."),
        ],
        options: CommandOption.filters + [.yes, .ifRevision, .operationID, .dryRun],
        notes: ["After -- everything is the text: mood note @last -- @home again."],
        examples: [
            .init("mood note @last tea with mum", "A note for the latest mood."),
            .init("mood note @added - < diary.txt", "Notes from a file, for the mood that was added last."),
            .init("mood note @1 ''", "Remove the notes of a row of the latest list."),
        ],
        run: { (client) throws(ClientError) in try client.setNotes() })
}

extension Client {
    func setFavorite(_ isFavorite: Bool) throws(ClientError) {
        let ids = try targets(invocation.words)
        let verb = isFavorite ? "Favorite:" : "No favorite:"
        guard ids.count == 1 else { return try update(ids, [.init("isFavorite", .boolean(isFavorite))], verb) }
        let result = try call(
            "mood.setFavorite",
            [.init("id", .string(ids[0])), .init("isFavorite", .boolean(isFavorite))] + commonMembers())
        if wantsJSON { return try print(json: result) }
        try report(verb, mood(result))
    }

    func setNotes() throws(ClientError) {
        let count = NoteWords.idCount(
            invocation.words, wordsBeforeDashes: invocation.wordsBeforeDashes, isFiltered: try !filter().isEmpty)
        let words = Array(invocation.words[count...])
        guard !words.isEmpty else {
            throw usage("TEXT is missing: the new notes, - to read them from stdin, or '' to remove them.")
        }
        let notes = words.count == 1 ? try text(words[0]) : words.joined(separator: " ")
        let ids = try targets(Array(invocation.words[..<count]))
        try confirm("Replace the notes of", ids)
        let verb = notes.isEmpty ? "Removed the notes of" : "Wrote the notes of"
        guard ids.count == 1 else { return try update(ids, [.init("notes", .string(notes))], verb) }
        let result = try call(
            "mood.setNotes", [.init("id", .string(ids[0])), .init("notes", .string(notes))] + commonMembers())
        if wantsJSON { return try print(json: result) }
        try report(verb, mood(result))
    }

    /// The most moods in one request.
    private static let manyMax = 1_000

    /// Changes several moods in the same way. Each commit has up to a thousand.
    func update(_ ids: [String], _ set: [JSONValue.Member], _ verb: String) throws(ClientError) {
        let updated = try changeMany(
            "mood.updateMany", ids, [.init("set", .object(set))], counted: "updated")
        if !wantsJSON { try print("\(verb) \(Self.count(updated))\(dryRunMark)\n") }
    }

    /// Sends the ids, a thousand at a time, and counts the changes. With `--json` each result is a line.
    func changeMany(
        _ method: String, _ ids: [String], _ params: [JSONValue.Member], counted: String
    ) throws(ClientError) -> Int {
        if invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        if ids.count > Self.manyMax, invocation.has("op-id") {
            throw usage("--op-id is for one change; for more than \(Self.manyMax) moods several are needed.")
        }
        var sum = 0
        for start in stride(from: 0, to: ids.count, by: Self.manyMax) {
            let some = ids[start..<min(start + Self.manyMax, ids.count)]
            let result = try call(
                method, [.init("ids", .array(some.map { .string($0) }))] + params + commonMembers())
            if wantsJSON { try print(json: result) }
            guard let count = try tree(result)[counted]?.integer else {
                if wantsJSON { continue }
                throw unexpected()
            }
            sum += count
        }
        return sum
    }
}
