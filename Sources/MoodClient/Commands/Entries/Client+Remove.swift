import JSONCodec

extension Command {
    static let remove = Command(
        "rm", "Delete moods: all given ones, or none.", Client.remove,
        .aliases(["delete"]),
        .isDestructive,
        .word("ID", .any, idSummary),
        .options(CommandOption.filters),
        .options(.yes, .ifRevision, .operationID, .dryRun),
        .note("At a terminal you are asked first. Elsewhere several moods want --yes."),
        .example("mood rm @last", "Delete the latest mood."),
        .example("mood rm --yes @2 @5-7", "Delete four rows of the latest list without being asked."),
        .example("mood rm --tag test --dry-run", "How many would be deleted."))

    static let clear = Command(
        "clear", "Delete every mood; wants --yes.", Client.clear,
        .isDestructive,
        .option("yes", short: "y", "Yes, every mood."),
        .options(.operationID, .dryRun),
        .example("mood clear --dry-run", "How many would be deleted."),
        .example("mood clear --yes", "Delete every mood."))
}

extension Client {
    func remove() throws(ClientError) {
        let ids = try targets(invocation.words)
        if ids.count > 1, invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        try confirm("Delete", ids, asksForOne: true)
        guard ids.count == 1 else {
            let deleted = try changeMany("mood.deleteMany", ids, [:], counted: "deleted")
            if !wantsJSON { try print("Deleted \(Self.count(deleted))\(dryRunMark)\n") }
            return tellOfUndo()
        }
        guard try answer("mood.delete", ["id": ids[0]] + commonMembers()) != nil else { return }
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
        guard let result = try answer("mood.clear", ["confirm": true] + commonMembers()) else { return }
        guard let deleted = result["deleted"]?.integer else { throw unexpected() }
        try print("Deleted \(Self.count(deleted))\(dryRunMark)\n")
    }
}
