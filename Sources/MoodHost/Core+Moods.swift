import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// `mood.*`: from arguments to the store's own words.
extension Core {
    static let moodHandlers: InlineArray<_, HandlerEntry> = [
        HandlerEntry("mood.get", { (core, arguments, out) throws(RPCError) in try core.get(arguments, &out) }),
        HandlerEntry("mood.create", { (core, arguments, out) throws(RPCError) in try core.create(arguments, &out) }),
        HandlerEntry("mood.list", { (core, arguments, out) throws(RPCError) in try core.list(arguments, &out) }),
        HandlerEntry("mood.update", { (core, arguments, out) throws(RPCError) in try core.update(arguments, &out) }),
        HandlerEntry(
            "mood.updateMany", { (core, arguments, out) throws(RPCError) in try core.updateMany(arguments, &out) }),
        HandlerEntry("mood.delete", { (core, arguments, out) throws(RPCError) in try core.delete(arguments, &out) }),
        HandlerEntry(
            "mood.deleteMany", { (core, arguments, out) throws(RPCError) in try core.deleteMany(arguments, &out) }),
        HandlerEntry(
            "mood.clear",
            { (core, _, out) throws(RPCError) in write("deleted", try core.clear(), &out) }
        ),
        HandlerEntry(
            "mood.setFavorite",
            { (core, arguments, out) throws(RPCError) in
                try core.setFavorite(
                    Self.id(arguments), to: arguments.boolean("isFavorite"),
                    ifRevision: arguments.integer("ifRevision"),
                    &out)
            }
        ),
        HandlerEntry(
            "mood.toggleFavorite",
            { (core, arguments, out) throws(RPCError) in
                try core.setFavorite(
                    Self.id(arguments), to: nil, ifRevision: arguments.integer("ifRevision"), &out)
            }
        ),
        HandlerEntry(
            "mood.setNotes",
            { (core, arguments, out) throws(RPCError) in
                try core.setNotes(
                    Self.id(arguments), to: arguments.text("notes"), ifRevision: arguments.integer("ifRevision"), &out)
            }
        ),
        HandlerEntry(
            "mood.history", { (core, arguments, out) throws(RPCError) in try core.history(arguments, &out) }),
        HandlerEntry("mood.share", { (core, arguments, out) throws(RPCError) in try core.share(arguments, &out) }),
        HandlerEntry("mood.detail", { (core, arguments, out) throws(RPCError) in try core.detail(arguments, &out) }),
    ]

    private static func write(_ name: StaticString, _ count: Int, _ out: inout JSONWriter) {
        out.beginObject()
        out.key(name)
        out.integer(count)
        out.endObject()
    }

    /// The argument that every method which calls this requires, so it is there.
    @inline(__always)
    static func id(_ arguments: borrowing Arguments) throws(RPCError) -> MoodID {
        guard let id = arguments.id("id") else { throw Arguments.error("is required", at: "/id") }
        return id
    }

    private mutating func get(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let id = try Self.id(arguments)
        do throws(MoodStoreError) { try store.get(id, to: &out) } catch { throw RPCError(error) }
    }

    private mutating func create(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try openForWriting()
        var given = MoodMembers(arguments)
        let id = given.id ?? makeID()
        do throws(MoodStoreError) {
            try store.create(&given, id: id, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func list(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        var query = MoodQuery()
        if let limit = arguments.integer("limit") { query.limit = limit }
        if let sort = arguments.text("sort") {
            query.sort = sort.equals("label") ? .label : sort.equals("updatedAt") ? .updatedAt : .timestamp
        }
        if let order = arguments.text("order") { query.isDescending = order.equals("desc") }
        if let filter = arguments["filter"] { query.filter = Self.filter(filter) }
        query.locale = arguments.string("locale") ?? options.locale
        query.wantsTotal = arguments.boolean("count") ?? false
        if arguments.boolean("rows") == true {
            query.offers = RowOffers(locale: arguments.string("locale") ?? options.locale)
        }
        let cursor = arguments.text("cursor")?.withDecoded { Array($0) }
        do throws(MoodStoreError) {
            try store.list(query, cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private static func filter(_ value: ValidJSON) -> MoodFilter {
        var filter = MoodFilter()
        value.forEachMember { key, value in
            if key.equals("isFavorite") {
                filter.isFavorite = value.boolean
            } else if key.equals("emoji") {
                filter.emoji = value.text?.withDecoded { Array($0) }
            } else if key.equals("label") {
                filter.label = value.text?.withDecoded { Array(TextRule.trimmed($0)) }
            } else if key.equals("text") {
                value.text?.withDecoded { filter.search($0) }
            } else if key.equals("tags") {
                value.forEachElement { tag in
                    if let tag = tag.text { filter.tags.append(tag.withDecoded { Array(TextRule.trimmed($0)) }) }
                }
            } else if key.equals("from") {
                filter.from = value.time
            } else if key.equals("to") {
                filter.to = value.time
            }
        }
        return filter
    }

    private mutating func update(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let set = arguments["set"].map { MoodMembers(change: $0) } ?? MoodMembers()
        try update(Self.id(arguments), set, ifRevision: arguments.integer("ifRevision"), &out)
    }

    mutating func setNotes(
        _ id: MoodID, to notes: JSONText?, ifRevision: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        var set = MoodMembers()
        set.notes = notes
        try update(id, set, ifRevision: ifRevision, &out)
    }

    private mutating func update(
        _ id: MoodID, _ set: MoodMembers, ifRevision: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        try openForWriting()
        do throws(MoodStoreError) {
            try store.update(id, with: set, ifRevision: ifRevision, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func updateMany(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try openForWriting()
        let set = arguments["set"].map { MoodMembers(change: $0) } ?? MoodMembers()
        do throws(MoodStoreError) {
            let count = try store.updateMany(Self.ids(arguments), with: set, at: now)
            Self.write("updated", count, &out)
        } catch {
            throw RPCError(error)
        }
    }

    private static func ids(_ arguments: borrowing Arguments) -> [MoodID] {
        var ids: [MoodID] = []
        arguments["ids"]?.forEachElement { if let id = $0.moodID { ids.append(id) } }
        return ids
    }

    private mutating func delete(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let id = try Self.id(arguments)
        try delete(id, ifRevision: arguments.integer("ifRevision"))
        out.beginObject()
        out.key("id")
        out.string(id.text)
        out.key("deleted")
        out.boolean(true)
        out.endObject()
    }

    mutating func delete(_ id: MoodID, ifRevision: Int?) throws(RPCError) {
        try openForWriting()
        do throws(MoodStoreError) {
            try store.delete(id, ifRevision: ifRevision)
        } catch {
            throw RPCError(error)
        }
    }

    /// - Returns: how many moods there were.
    mutating func clear() throws(RPCError) -> Int {
        try openForWriting()
        return store.clear()
    }

    private mutating func deleteMany(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try openForWriting()
        do throws(MoodStoreError) {
            Self.write("deleted", try store.deleteMany(Self.ids(arguments)), &out)
        } catch {
            throw RPCError(error)
        }
    }

    /// - Parameter isFavorite: nil: the other mark than it has.
    mutating func setFavorite(
        _ id: MoodID, to isFavorite: Bool?, ifRevision: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        try openForWriting()
        do throws(MoodStoreError) {
            try store.setFavorite(id, to: isFavorite, ifRevision: ifRevision, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    /// The mood to share: all of it, or what its plain text needs.
    private mutating func shared(_ id: MoodID, isWhole: Bool) throws(RPCError) -> (MoodMembers, ValidJSON) {
        do throws(MoodStoreError) {
            guard isWhole else { return try store.headline(id) }
            let record = try store.record(id)
            return (MoodMembers(trusting: record), record)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func share(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try open()
        let id = try Self.id(arguments)
        let format = arguments.string("format").flatMap(ShareFormat.init) ?? .text
        let template = arguments.string("template").flatMap { ShareTemplate($0) }
        if template != nil, format != .text {
            throw Arguments.error("belongs to format text; leave out one of the two", at: "/template")
        }
        let component = arguments.string("as").flatMap(ICalendar.Component.init)
        if component != nil, format != .ics {
            throw Arguments.error("belongs to format ics; leave out one of the two", at: "/as")
        }
        let (mood, record) = try shared(id, isWhole: format != .text || template != nil)
        let context = ReadingContext(
            locale: arguments.string("locale") ?? options.locale,
            timeZone: arguments.string("timeZone") ?? mood.timeZone?.string ?? options.timeZone,
            now: arguments.time("now") ?? now)
        out.beginObject()
        out.key("text")
        do throws(TextError) {
            try Share(mood, record: record.bytes, context: context)
                .write(format, template: template, as: component ?? .vevent, &phrases, to: &out)
        } catch {
            throw RPCError(error)
        }
        out.key("mediaType")
        out.string(format.mediaType)
        out.key("format")
        out.string(format.name)
        out.endObject()
    }
}
