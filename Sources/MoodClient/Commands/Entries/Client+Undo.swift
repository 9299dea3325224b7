import JSONCodec

extension Command {
    static let undo = Command(
        "undo", "Take back the last change, whoever made it.", Client.reverse,
        .word("N", .optional, "How many changes, 1-100 (default: 1)."),
        .option("revision", .integer("R"), "That change alone: its number in 'mood log'."),
        .options(.dryRun),
        .note(
            "A change that a later one has touched again is not taken back: nothing is done then. What came by sync is left"
                + " alone."),
        .example("mood undo", "Take back the last change."),
        .example("mood undo 3", "Take back the last three."),
        .example("mood undo --revision 12", "Take back change 12 of 'mood log' alone."))

    static let redo = Command(
        "redo", "Make again what was taken back last.", Client.reverse,
        .word("N", .optional, "How many changes, 1-100 (default: 1)."),
        .option("revision", .integer("R"), "That change alone: its number in 'mood log'."),
        .options(.dryRun),
        .note("It is possible until something new is changed."),
        .example("mood redo", "Make again what 'mood undo' took back."))

    static let log = Command(
        "log", "Show what was changed, the newest first.", Client.log,
        .option("limit", short: "l", .integer("N"), "How many changes, 1-1000 (default: 20)."),
        .option("cursor", .text("CURSOR"), "Go on after a page: the nextCursor of its --json."),
        .example("mood log", "The last twenty changes."),
        .example("mood undo --revision 12", "Take one of them back."))

    static let history = Command(
        "history", "Show how one mood has changed, the newest change first.", Client.history,
        .word("ID", idSummary),
        .option("limit", short: "l", .integer("N"), "How many changes, 1-1000 (default: 50)."),
        .example("mood history @last", "What the newest mood was before."))

    static let undelete = Command(
        "undelete", "Bring deleted moods back.", Client.undelete,
        .word("ID", .oneOrMore, "An id of 'mood list --deleted', or the last 6 or more digits of one."),
        .options(.dryRun),
        .example("mood list --deleted", "What was deleted."),
        .example("mood undelete 3f2a9c1d", "Bring one of them back."))
}

extension Client {
    /// The most changes to describe.
    private static let describedMax = 100

    func reverse() throws(ClientError) {
        let name = invocation.command.name
        let isRedo = name == Command.redo.name
        let steps = invocation.words.first.flatMap { Int($0) }
        if let word = invocation.words.first {
            guard let steps, (1...100).contains(steps) else { throw usage("'\(word)' is no number from 1 to 100.") }
            guard !invocation.has("revision") else { throw usage("Give a number of changes or --revision, not both.") }
        }
        let params: Params = ["scope": "store", "steps": steps, "revision": invocation.integer("revision")]
        let result = try call("store.\(name)", params + commonMembers())
        let undone = try tree(result)["undone"]?.array ?? []
        if undone.isEmpty {
            if wantsJSON { try print(json: result) }
            tellOfMissingStore()
            throw .nothing(isRedo ? "There is nothing to make again." : "There is nothing to undo.")
        }
        if wantsJSON { return try print(json: result) }
        let summaries = try summaries()
        var text = ""
        for commit in undone {
            let revision = commit.number(of: "revision")
            let what = summaries[revision] ?? "change \(revision)"
            text += Escaping.visible("\(isRedo ? "Made again" : "Took back"): \(what)") + dryRunMark + "\n"
        }
        try print(text)
        if invocation.has("dry-run") { return }
        let number = undone.count == 1 ? "" : " \(undone.count)"
        tell(isRedo ? "To take it back again: mood undo\(number)" : "To make it again: mood redo\(number)")
    }

    /// Summaries of the last changes, by revision.
    func summaries() throws(ClientError) -> [Int: String] {
        let log = try tree(call("store.log", ["limit": 2 * Self.describedMax]))
        var summaries: [Int: String] = [:]
        for item in log.list(of: "items") { summaries[item.number(of: "revision")] = item["summary"]?.string }
        return summaries
    }

    func log() throws(ClientError) {
        let params: Params = ["limit": invocation.integer("limit") ?? 20, "cursor": invocation.value("cursor")]
        guard let page = try answer("store.log", params) else { return }
        let items = described(page.list(of: "items"))
        if items.isEmpty { return tell(ofNothing: "Nothing has been changed yet.") }
        guard console.isOutputTerminal else {
            return try print(
                items.map { item in
                    let fields = [
                        item["revision"]?.text, item["at"]?.string, item["summary"]?.string, item["origin"]?.string,
                        item.isTrue("isUndone") ? "taken back" : nil,
                    ]
                    return MoodView.fields(fields.map { $0 ?? "" })
                }.joined())
        }
        var table = Table([.init("CHANGE", role: .quiet), .init("WHEN"), .init("WHAT", isFlexible: true), .init("")])
        for item in items {
            table.rows.append([
                "\(item.number(of: "revision"))", when(item["at"]?.string),
                Escaping.visible(item.text(of: "summary"))
                    + (item["origin"]?.string.map { " (\(Escaping.visible($0)))" } ?? ""),
                item.isTrue("isUndone") ? "taken back" : "",
            ])
        }
        try print(table.text(width: console.isOutputTerminal ? console.columns : nil, style: style))
        if page["nextCursor"] != nil { tell("More: mood log --limit 200") }
    }

    /// The items of a log, with the members that each change of one mood has changed in its summary.
    private func described(_ items: [JSONValue]) -> [JSONValue] {
        func changed(_ item: JSONValue) -> String? {
            guard item["kind"]?.string == "updated", let ids = item["ids"]?.array, ids.count == 1 else { return nil }
            return ids.first?.string
        }
        var changes: [Int: String] = [:]
        for id in Set(items.compactMap(changed)) {
            let revisions = items.filter { changed($0) == id }.compactMap { $0["revision"]?.integer }
            // A past that cannot be read hides no line of the log.
            for version in (try? versions(of: id, downTo: revisions.min() ?? 0)) ?? [] {
                changes[version.item.number(of: "revision")] = version.changes
            }
        }
        return items.map { item in
            guard changed(item) != nil, let revision = item["revision"]?.integer,
                let text = changes[revision], !text.isEmpty
            else { return item }
            var described = Params(item.object ?? [])
            described["summary"] = .string("\(item.text(of: "summary")): \(text)")
            return described.json
        }
    }

    /// The versions of a mood, the newest first, down to a revision: items of `mood.history`, and what each has changed.
    private func versions(
        of id: String, downTo revision: Int
    ) throws(ClientError) -> [(item: JSONValue, changes: String)] {
        var items: [JSONValue] = []
        var cursor: JSONValue?
        repeat {
            let page = try tree(call("mood.history", ["id": id, "limit": 100, "cursor": cursor]))
            items += page.list(of: "items")
            cursor = page["nextCursor"]
        } while cursor != nil && items.last?["revision"]?.integer ?? 0 >= revision
        return compared(items)
    }

    /// - Parameter items: items of `mood.history`, the newest first.
    private func compared(_ items: [JSONValue]) -> [(item: JSONValue, changes: String)] {
        items.indices.map { index in
            guard items[index]["kind"]?.string == "updated", index + 1 < items.count,
                let mood = items[index]["mood"].flatMap({ MoodView($0) }),
                let before = items[index + 1]["mood"].flatMap({ MoodView($0) })
            else { return (items[index], "") }
            return (items[index], mood.changes(since: before, clocks))
        }
    }

    private func when(_ time: String?) -> String {
        let local = time.flatMap { Moment($0) }.flatMap { clocks.localTime($0.secondsSince1970) }
        return Escaping.visible(local?.text ?? time ?? "")
    }

    func history() throws(ClientError) {
        let word = invocation.words[0]
        let id: String
        do throws(ClientError) { id = try resolve(word) } catch {
            // The mood may have been deleted.
            guard case .remote = error, let deleted = try deletedID(word) else { throw error }
            id = deleted
        }
        let limit = invocation.integer("limit") ?? 50
        guard let page = try answer("mood.history", ["id": id, "limit": limit]) else { return }
        var text = ""
        var items = page.list(of: "items")
        let count = items.count
        // The version before the oldest one tells what that one has changed.
        if let cursor = page["nextCursor"] {
            items += try tree(call("mood.history", ["id": id, "limit": 1, "cursor": cursor])).list(of: "items")
        }
        for (index, version) in compared(items).prefix(count).enumerated() {
            let item = version.item
            let isFirst = index == count - 1 && page["nextCursor"] == nil
            // A mood that existed before was brought back by undo, undelete or an import.
            let verb = [
                "created": isFirst ? "Recorded" : "Brought back", "updated": "Changed", "deleted": "Deleted",
            ][item.text(of: "kind")]
            var line = "\(item.number(of: "revision"))  \(when(item["at"]?.string))  \(verb ?? "Changed")"
            if !version.changes.isEmpty, let mood = item["mood"].flatMap({ MoodView($0) }) {
                line += "  \(mood.emoji) \(mood.label): \(version.changes)"
            } else if let mood = item["mood"].flatMap({ MoodView($0) }) {
                line += "  \(mood.emoji) \(mood.label)" + (mood.isFavorite ? " ★" : "")
                line += mood.tags.map { " #\($0)" }.joined() + (mood.notes.isEmpty ? "" : "  \(mood.notes.prefix(200))")
            }
            text += Escaping.visible(line.split(whereSeparator: \.isNewline).joined(separator: "↵")) + "\n"
        }
        try print(text)
    }

    // MARK: What was deleted

    func listDeleted() throws(ClientError) {
        let params: Params = ["limit": invocation.integer("limit"), "cursor": invocation.value("cursor")]
        guard let items = try answer("mood.deleted", params)?.list(of: "items") else { return }
        if items.isEmpty { return tell(ofNothing: "Nothing was deleted, as far as it is kept.") }
        guard console.isOutputTerminal else {
            return try print(
                items.map { item in
                    let mood = item["mood"].flatMap { MoodView($0) }
                    return MoodView.fields([
                        item.text(of: "id"), mood?.timestamp ?? "", mood?.emoji ?? "", mood?.label ?? "",
                        item.text(of: "at"), mood?.notes ?? "",
                    ])
                }.joined())
        }
        var table = Table([
            .init("ID", role: .quiet), .init("MOOD", isFlexible: true), .init("WHEN"), .init("DELETED"),
            .init("NOTE", isFlexible: true, role: .quiet),
        ])
        for item in items {
            let mood = item["mood"].flatMap { MoodView($0) }
            let id = item.text(of: "id")
            table.rows.append([
                Escaping.visible(String(id.suffix(8))), mood?.title ?? "", when(mood?.timestamp),
                when(item["at"]?.string),
                Escaping.visible(mood?.notes.split(whereSeparator: \.isNewline).joined(separator: "↵") ?? ""),
            ])
        }
        try print(table.text(width: console.isOutputTerminal ? console.columns : nil, style: style))
        tell("To bring one back: mood undelete ID")
    }

    func undelete() throws(ClientError) {
        // Check all ids first, so that a mistyped one brings nothing back.
        for id in try invocation.words.map({ (word) throws(ClientError) in try deleted(word) }) {
            guard let result = try answer("mood.undelete", ["id": id] + commonMembers()) else { continue }
            try print("Brought back \(mood(result).title)\(dryRunMark)\n")
            if !invocation.has("dry-run") { tell("To delete it again: mood undo") }
        }
    }

    /// The whole id of a deleted mood.
    private func deleted(_ word: String) throws(ClientError) -> String {
        if let id = try deletedID(word) { return id }
        let known: String?
        do throws(ClientError) { known = try resolve(word) } catch { known = nil }
        if let known {
            do throws(ClientError) {
                let mood = try mood(id: known)
                throw ClientError.nothing("\(mood.title) (\(shown(mood.id))) is not deleted; nothing was done.")
            } catch {
                guard case .remote(let failure) = error, failure.code == 1001 else { throw error }
            }
        }
        throw .remote(.notFound(word, "No deleted mood has the id '\(word)'. 'mood list --deleted' shows them."))
    }

    /// The whole id of a deleted mood, from its last digits; nil if there is none.
    private func deletedID(_ word: String) throws(ClientError) -> String? {
        let wanted = word.lowercased()
        let digits = wanted.filter { $0 != "-" }
        guard digits.count >= 6, Self.isWhole(wanted) || !wanted.hasPrefix("@") else { return nil }
        var found: [String] = []
        var cursor: String?
        repeat {
            let page = try tree(call("mood.deleted", ["limit": 1000, "cursor": cursor]))
            for item in page.list(of: "items") {
                guard let id = item["id"]?.string else { continue }
                if id.filter({ $0 != "-" }).hasSuffix(digits) { found.append(id) }
            }
            let next = page["nextCursor"]?.string
            if let next, next == cursor { throw unexpected() }
            cursor = next
        } while cursor != nil
        guard found.count < 2 else { throw .ambiguous(text: word, moods: found) }
        return found.first
    }
}
