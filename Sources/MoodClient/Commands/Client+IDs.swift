import JSONCodec

/// Ids as people give and see them: shortened, or `@last`.
extension Client {
    /// Above this number of moods ids are shown whole: to list all of them for a few short ids would take too long.
    static let shortenedMoodsMax = 20_000
    private static let pageItems = 1_000

    /// The whole ids for what was given, without doubles, in order.
    func resolve(_ words: [String]) throws(ClientError) -> [String] {
        var ids: [String] = []
        for word in words {
            let id = try resolve(word)
            if !ids.contains(id) { ids.append(id) }
        }
        return ids
    }

    func resolve(_ word: String) throws(ClientError) -> String {
        if word == "@last" { return try newest() }
        let wanted = word.lowercased()
        guard !wanted.isEmpty else { throw usage("An id cannot be empty; 'mood list' shows ids.") }
        if Self.isWhole(wanted) { return wanted }
        guard wanted.utf8.allSatisfy(Self.isIDByte) else {
            throw .remote(.notFound(word, "'\(word)' is no id: ids are made of the digits 0-9, a-f and dashes."))
        }
        if directory == nil { directory = try listIDs(moodsMax: .max) }
        let matches = directory?.matches(wanted) ?? []
        guard let id = matches.first else {
            throw .remote(.notFound(word, "No mood has an id that begins with '\(word)'."))
        }
        guard matches.count == 1 else { throw .ambiguous(prefix: word, ids: matches) }
        return id
    }

    private func newest() throws(ClientError) -> String {
        let page = try tree(
            call("mood.list", [.init("limit", 1), .init("sort", "timestamp"), .init("order", "desc")]))
        guard let items = page["items"]?.array else { throw unexpected() }
        guard let first = items.first else {
            throw .remote(.notFound("@last", "There is no newest mood: the journal is empty."))
        }
        guard let id = first["id"]?.string else { throw unexpected() }
        return id
    }

    /// The id as it is shown: as short as it stays unique. If the other ids cannot be read, it is whole, so that the
    /// result of a change is told in any case.
    func shown(_ id: String) -> String {
        if directory == nil, !showsWholeIDs {
            directory = try? listIDs(moodsMax: Self.shortenedMoodsMax)
            showsWholeIDs = directory == nil
        }
        return Escaping.visible(directory?.shortened(id) ?? id)
    }

    /// All ids; nil when there are more than wanted.
    private func listIDs(moodsMax: Int) throws(ClientError) -> IDDirectory? {
        var ids: [String] = []
        var cursor: String?
        repeat {
            var params: [JSONValue.Member] = [.init("limit", .number(String(Self.pageItems)))]
            if let cursor { params.append(.init("cursor", .string(cursor))) }
            let page = IDPage(try call("mood.list", params))
            guard let page else { throw unexpected() }
            if page.total ?? 0 > moodsMax { return nil }
            ids += page.ids
            // The same cursor again would be a loop without end.
            if let next = page.nextCursor, next == cursor { throw unexpected() }
            cursor = page.nextCursor
        } while cursor != nil
        return IDDirectory(ids)
    }

    /// Whether it is a whole UUID: 36 characters, dashes at their places.
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

/// The ids of a page of moods and the next cursor, without a tree of a thousand moods.
struct IDPage {
    private(set) var ids: [String] = []
    private(set) var total: Int?
    private(set) var nextCursor: String?

    /// - Returns: nil if it is not a page.
    init?(_ result: [UInt8]) {
        var validator = JSONValidator(depthLimit: JSONValidator.depthMax)
        let isPage = result.withUnsafeBytes { bytes -> Bool in
            guard let outline = try? validator.validate(bytes), outline.kind == .object else { return false }
            var reader = JSONReader(outline.text)
            return read(&reader)
        }
        guard isPage else { return nil }
    }

    private mutating func read(_ reader: inout JSONReader) -> Bool {
        var hasItems = false
        guard reader.enterObject() else { return false }
        while let key = reader.nextKey() {
            if key.equals("items"), reader.enterArray() {
                hasItems = true
                while reader.nextElement() { readItem(&reader) }
            } else if key.equals("nextCursor"), let text = reader.text() {
                nextCursor = text.string
            } else if key.equals("total"), let number = reader.number() {
                total = number.integer
            } else {
                reader.skip()
            }
        }
        return hasItems
    }

    private mutating func readItem(_ reader: inout JSONReader) {
        guard reader.enterObject() else {
            reader.skip()
            return
        }
        while let key = reader.nextKey() {
            if key.equals("id"), let text = reader.text() { ids.append(text.string) } else { reader.skip() }
        }
    }
}
