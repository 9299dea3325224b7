import JSONCodec

extension Command {
    static let remove = Command(
        name: "rm", summary: "Delete moods: all given ones, or none.",
        parameters: [.init("ID", .oneOrMore, idSummary)],
        options: [
            .init("yes", short: "y", "Do not ask, not even at a terminal."), .ifRevision, .dryRun,
        ],
        examples: [
            .init("mood rm @last", "Delete the newest mood; at a terminal you are asked first."),
            .init("mood rm --yes 0194f2a1 0194f2b7", "Delete two without being asked."),
        ],
        run: { (client) throws(ClientError) in try client.remove() })

    static let clear = Command(
        name: "clear", summary: "Delete every mood; wants --yes.",
        options: [.init("yes", short: "y", "Yes, every mood."), .dryRun],
        examples: [
            .init("mood clear --dry-run", "How many would be deleted."),
            .init("mood clear --yes", "Delete every mood."),
        ],
        run: { (client) throws(ClientError) in try client.clear() })
}

extension Client {
    /// Up to this number the question names each mood; above, only their number.
    private static let namedMax = 5

    func remove() throws(ClientError) {
        let ids = try resolve(invocation.words)
        if ids.count > 1, invocation.has("if-revision") { throw usage("--if-revision is for one mood alone.") }
        if console.isInputTerminal, !invocation.has("yes"), !invocation.has("dry-run") { try ask(ids) }
        let result: [UInt8]
        if ids.count == 1 {
            result = try call("mood.delete", [.init("id", .string(ids[0]))] + commonMembers())
        } else {
            result = try call("mood.deleteMany", [.init("ids", .array(ids.map { .string($0) }))] + commonMembers())
        }
        if wantsJSON { return try print(json: result) }
        let what = ids.count == 1 ? Escaping.visible(directory?.shortened(ids[0]) ?? ids[0]) : "\(ids.count) moods"
        try print("Deleted \(what)\(dryRunMark)\n")
    }

    private func ask(_ ids: [String]) throws(ClientError) {
        var question = "Delete \(ids.count) moods"
        if ids.count <= Self.namedMax {
            var names: [String] = []
            for id in ids {
                let mood = try mood(call("mood.get", [.init("id", .string(id))]))
                let time = Moment(mood.timestamp).flatMap { console.localTime($0.secondsSince1970) }
                names.append(time.map { "\(mood.title) of \($0.text)" } ?? mood.title)
            }
            question = "Delete " + names.joined(separator: ", ")
        }
        console.writeError(question + "? [y/N] ")
        let reply = console.readLine() ?? ""
        let letters = reply.lowercased().filter { !$0.isWhitespace }
        guard letters == "y" || letters == "yes" else { throw .declined("Nothing was deleted.") }
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
