import JSONCodec

/// Moods as people name them: `@3`, `@3-7`, `@last`, `@added`, an id, or the end of one.
extension Client {
    /// The number of digits to show, from the random end of an id. Many ids begin alike: with their time.
    static let shownDigits = 8
    /// The fewest digits of the end of an id.
    static let digitsMin = 6

    /// The id as it is shown.
    func shown(_ id: String) -> String { Escaping.visible(String(id.suffix(Self.shownDigits))) }

    /// The whole id for a word.
    /// - Throws: usage, if it names several.
    func resolve(_ word: String) throws(ClientError) -> String {
        let ids = try resolve([word])
        guard ids.count == 1 else { throw usage("'\(word)' names \(ids.count) moods; name one.") }
        return ids[0]
    }

    /// The whole ids for words, without duplicates, in order.
    func resolve(_ words: [String]) throws(ClientError) -> [String] {
        var found: [[String]] = []
        // One request looks up all ends of ids; `place` is each one's index in `found`.
        var ends: [(place: Int, text: String)] = []
        for word in words {
            guard let ids = try named(word) else {
                ends.append((found.count, word))
                found.append([])
                continue
            }
            found.append(ids)
        }
        if !ends.isEmpty {
            let matches = try ids(endingIn: ends.map { $0.text.lowercased() })
            for (end, ids) in zip(ends, matches) {
                guard let id = ids.first else {
                    throw .remote(.notFound(end.text, "No mood has an id that ends in '\(end.text)'."))
                }
                guard ids.count == 1 else { throw .ambiguous(text: end.text, moods: try titles(ids)) }
                found[end.place] = [id]
            }
        }
        var seen: Set<String> = []
        return found.joined().filter { seen.insert($0).inserted }
    }

    /// The ids that a word names without a search through all moods; nil if it is the end of an id.
    private func named(_ word: String) throws(ClientError) -> [String]? {
        if word.hasPrefix("@") { return try handle(word) }
        guard !word.isEmpty else { throw usage("An id cannot be empty; 'mood list' shows ids.") }
        let wanted = word.lowercased()
        if Self.isWhole(wanted) { return [wanted] }
        guard wanted.utf8.allSatisfy(Self.isIDByte) else {
            throw .remote(.notFound(word, "'\(word)' is no id: ids are made of the digits 0-9, a-f and dashes."))
        }
        let digits = wanted.utf8.count { $0 != UInt8(ascii: "-") }
        guard digits >= Self.digitsMin else {
            throw .remote(
                .notFound(word, "'\(word)' is too short: give the last \(Self.digitsMin) digits of an id or more."))
        }
        return nil
    }

    // MARK: Handles

    private func handle(_ word: String) throws(ClientError) -> [String] {
        let name = word.dropFirst()
        switch name {
        case "last": return [try latest()]
        case "added":
            guard let id = try handles()?.added() else {
                throw .remote(.notFound(word, "Nothing was added here yet, so there is no @added."))
            }
            return [id]
        default: break
        }
        let ends = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false).map { Int($0) }
        guard let first = ends.first ?? nil, let last = ends.last ?? nil, first >= 1, last >= first else {
            throw usage(
                "'\(word)' is no handle. @last is the latest mood, @added the one added last, @3 and @3-7 rows of the"
                    + " latest list.")
        }
        guard let listed = try handles()?.listed() else {
            throw .remote(
                .notFound(
                    word, "\(word) is a row of a list, and none was shown in this terminal; 'mood list' shows one."))
        }
        guard !listed.isOld else {
            throw .remote(
                .notFound(word, "\(word) is a row of a list from more than a day ago; 'mood list' shows a new one."))
        }
        guard last <= listed.ids.count else {
            throw .remote(.notFound(word, "The latest list had \(listed.ids.count) rows; there is no @\(last)."))
        }
        return Array(listed.ids[(first - 1)..<last])
    }

    /// The rows and the mood of the latest commands in this window; nil for a store without a path.
    func handles() throws(ClientError) -> ListReferences? {
        try tree(call("store.info"))["path"]?.string.map { ListReferences(store: $0, console: console) }
    }

    /// The most that the host's clock can be ahead of this one. A test clock advances with each request.
    private static let aheadMilliseconds = 1_000

    /// The id of the latest mood whose time is not still to come.
    private func latest() throws(ClientError) -> String {
        let end = Moment.rfc3339(milliseconds: console.nowMilliseconds() + Self.aheadMilliseconds)
        let filter: Params = ["to": end]
        let page = try tree(
            call("mood.list", ["limit": 1, "sort": "timestamp", "order": "desc", "filter": filter]))
        guard let items = page["items"]?.array else { throw unexpected() }
        guard let first = items.first else {
            throw .remote(.notFound("@last", "There is no latest mood: none is of now or before."))
        }
        guard let id = first["id"]?.string else { throw unexpected() }
        return id
    }

    // MARK: Ends of ids

    /// For each text the ids with this end.
    private func ids(endingIn texts: [String]) throws(ClientError) -> [[String]] {
        let answer = try tree(call("mood.resolve", ["texts": texts]))
        let items = answer.list(of: "items").map { $0.texts(of: "ids") }
        guard items.count == texts.count else { throw unexpected() }
        return items
    }

    /// The most moods that a message names.
    static let namedMax = 5

    /// The titles of the first ids, a line each.
    func titles(_ ids: [String]) throws(ClientError) -> [String] {
        var lines: [String] = []
        for id in ids.prefix(Self.namedMax) { lines.append("\(try mood(id: id).told(clocks))  \(id)") }
        if ids.count > Self.namedMax { lines.append("and \(ids.count - Self.namedMax) more") }
        return lines
    }

    /// Whether a text is a whole UUID: 36 characters with dashes at their places.
    static func isWhole(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count == 36, bytes.allSatisfy(isIDByte) else { return false }
        return bytes.indices.allSatisfy { index in
            (bytes[index] == UInt8(ascii: "-")) == [8, 13, 18, 23].contains(index)
        }
    }

    private static func isIDByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "-"): true
        default: false
        }
    }
}
