import JSONCodec

extension Command {
    static let favorite = Command(
        "fav", "Make moods favorites.", Client.setFavorite,
        .aliases(["favorite", "favourite"]),
        .word("ID", .any, idSummary),
        .options(CommandOption.filters),
        .options(.ifRevision, .operationID, .dryRun),
        .example("mood fav @last", "The latest mood is a favorite."),
        .example("mood fav @1-3", "So are three rows of the latest list."))

    static let unfavorite = Command(
        "unfav", "Make moods not favorites.", Client.setFavorite,
        .aliases(["unfavorite", "unfavourite"]),
        .word("ID", .any, idSummary),
        .options(CommandOption.filters),
        .options(.ifRevision, .operationID, .dryRun),
        .example("mood unfav @2", "A row of the latest list is no longer a favorite."))

    static let note = Command(
        "note", "Replace the notes of moods.", Client.setNotes,
        .word("ID", .any, idSummary),
        .word("TEXT", .any, "The notes, quoted or not; - reads them from stdin, '' removes them."),
        .options(CommandOption.filters),
        .options(.yes, .ifRevision, .operationID, .dryRun),
        .note("After -- everything is the text: mood note @last -- @home again."),
        .example("mood note @last tea with mum", "A note for the latest mood."),
        .example("mood note @added - < diary.txt", "Notes from a file, for the mood that was added last."),
        .example("mood note @1 ''", "Remove the notes of a row of the latest list."))
}

extension Client {
    func setFavorite() throws(ClientError) {
        let isFavorite = invocation.command.name == Command.favorite.name
        try update(
            targets(invocation.words), ["isFavorite": isFavorite], isFavorite ? "Favorite:" : "No favorite:",
            one: "mood.setFavorite")
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
        try update(ids, ["notes": notes], verb, one: "mood.setNotes")
    }

    /// The most moods in one request.
    private static let manyMax = 1_000

    /// Changes moods in the same way. Each commit has up to a thousand.
    /// - Parameter one: the method for a single mood, which takes the members beside its id.
    func update(_ ids: [String], _ set: Params, _ verb: String, one method: String? = nil) throws(ClientError) {
        if ids.count == 1, let method {
            let id: Params = ["id": ids[0]]
            return try report(verb, call(method, id + set + commonMembers()))
        }
        let updated = try changeMany("mood.updateMany", ids, ["set": set], counted: "updated")
        if !wantsJSON { try print("\(verb) \(Self.count(updated))\(dryRunMark)\n") }
    }

    /// Sends the ids, a thousand at a time, and counts the changes. With `--json` each result is a line.
    func changeMany(
        _ method: String, _ ids: [String], _ params: Params, counted: String
    ) throws(ClientError) -> Int {
        if invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        if ids.count > Self.manyMax, invocation.has("op-id") {
            throw usage("--op-id is for one change; for more than \(Self.manyMax) moods several are needed.")
        }
        var sum = 0
        for start in stride(from: 0, to: ids.count, by: Self.manyMax) {
            let some = Array(ids[start..<min(start + Self.manyMax, ids.count)])
            let result = try call(method, ["ids": some] + params + commonMembers())
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
