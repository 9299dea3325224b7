import JSONCodec

extension Command {
    static let favorite = Command(
        name: "fav", summary: "Make a mood a favourite.",
        parameters: [.init("ID", idSummary)], options: [.ifRevision, .dryRun],
        examples: [.init("mood fav @last", "The newest mood is a favourite.")],
        run: { (client) throws(ClientError) in try client.setFavorite(true) })

    static let unfavorite = Command(
        name: "unfav", summary: "Make a mood not a favourite.",
        parameters: [.init("ID", idSummary)], options: [.ifRevision, .dryRun],
        examples: [.init("mood unfav 0194f2a1", "That mood is no longer a favourite.")],
        run: { (client) throws(ClientError) in try client.setFavorite(false) })

    static let note = Command(
        name: "note", summary: "Replace a mood's notes.",
        parameters: [
            .init("ID", idSummary), .init("TEXT", "The notes; - reads them from stdin, '' removes them."),
        ],
        options: [.ifRevision, .dryRun],
        examples: [
            .init("mood note @last 'Coffee with Ada'", "A note for the newest mood."),
            .init("mood note 0194f2a1 - < diary.txt", "Notes from a file."),
            .init("mood note 0194f2a1 ''", "Remove its notes."),
        ],
        run: { (client) throws(ClientError) in try client.setNotes() })
}

extension Client {
    func setFavorite(_ isFavorite: Bool) throws(ClientError) {
        let id = try resolve(invocation.words[0])
        let result = try call(
            "mood.setFavorite",
            [.init("id", .string(id)), .init("isFavorite", .boolean(isFavorite))] + commonMembers())
        if wantsJSON { return try print(json: result) }
        try report(isFavorite ? "Favourite:" : "No favourite:", mood(result))
    }

    func setNotes() throws(ClientError) {
        let notes = try text(invocation.words[1])
        let id = try resolve(invocation.words[0])
        let result = try call(
            "mood.setNotes", [.init("id", .string(id)), .init("notes", .string(notes))] + commonMembers())
        if wantsJSON { return try print(json: result) }
        try report(notes.isEmpty ? "Removed the notes of" : "Wrote the notes of", mood(result))
    }
}
