import JSONCodec

extension Command {
    static let remove = Command(
        name: "rm", aliases: ["delete"], summary: "Delete moods: all given ones, or none.", isDestructive: true,
        parameters: [.init("ID", .any, idSummary)],
        options: CommandOption.filters + [.yes, .ifRevision, .operationID, .dryRun],
        notes: ["At a terminal you are asked first. Elsewhere several moods want --yes."],
        examples: [
            .init("mood rm @last", "Delete the latest mood."),
            .init("mood rm --yes @2 @5-7", "Delete four rows of the latest list without being asked."),
            .init("mood rm --tag test --dry-run", "How many would be deleted."),
        ],
        run: { (client) throws(ClientError) in try client.remove() })

    static let clear = Command(
        name: "clear", summary: "Delete every mood; wants --yes.", isDestructive: true,
        options: [.init("yes", short: "y", "Yes, every mood."), .operationID, .dryRun],
        examples: [
            .init("mood clear --dry-run", "How many would be deleted."),
            .init("mood clear --yes", "Delete every mood."),
        ],
        run: { (client) throws(ClientError) in try client.clear() })
}

extension Client {
    func remove() throws(ClientError) {
        let ids = try targets(invocation.words)
        if ids.count > 1, invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        try confirm("Delete", ids, asksForOne: true)
        guard ids.count == 1 else {
            let deleted = try changeMany("mood.deleteMany", ids, [], counted: "deleted")
            if !wantsJSON { try print("Deleted \(Self.count(deleted))\(dryRunMark)\n") }
            return tellOfUndo()
        }
        let result = try call("mood.delete", [.init("id", .string(ids[0]))] + commonMembers())
        if wantsJSON { return try print(json: result) }
        try print("Deleted \(shown(ids[0]))\(dryRunMark)\n")
        tellOfUndo()
    }

    /// Names `mood undo` on a terminal.
    private func tellOfUndo() {
        if console.isOutputTerminal, !invocation.has("dry-run") { tell("'mood undo' brings it back.") }
    }

    func clear() throws(ClientError) {
        guard invocation.has("yes") || invocation.has("dry-run") else {
            throw usage("This deletes every mood. To confirm: mood clear --yes")
        }
        let result = try call("mood.clear", [.init("confirm", true)] + commonMembers())
        if wantsJSON { return try print(json: result) }
        guard let deleted = try tree(result)["deleted"]?.integer else { throw unexpected() }
        try print("Deleted \(deleted) \(deleted == 1 ? "mood" : "moods")\(dryRunMark)\n")
    }
}
