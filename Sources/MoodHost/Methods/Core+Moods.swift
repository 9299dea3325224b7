import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText
import Storage

/// `mood.*`: from arguments to calls of the store.
extension Core {
    static let moodHandlers: InlineArray<_, Handler> = [
        Handler(MoodMethods.create, .changes, { try $0.create($1, $2, &$3) }),
        Handler(MoodMethods.get, .reads, { try $0.store.get($2[MoodParams.id], to: &$3) }),
        Handler(MoodMethods.list, .reads, maybe: { try $0.list($1, $2, &$3) }),
        Handler(MoodMethods.update, .changes, { try $0.update($2, MoodMembers(change: $2[MoodParams.set]), &$3) }),
        Handler(MoodMethods.updateMany, .changes, { try $0.updateMany($2, &$3) }),
        Handler(MoodMethods.delete, .changes, { try $0.delete($2, &$3) }),
        Handler(MoodMethods.deleteMany, .changes, { write("deleted", try $0.store.deleteMany(ids($2)), &$3) }),
        Handler(MoodMethods.clear, .changes, { write("deleted", try $0.store.clear(), &$3) }),
        Handler(MoodMethods.setFavorite, .changes, { try $0.setFavorite($2, to: $2[MoodParams.isFavorite], &$3) }),
        Handler(MoodMethods.toggleFavorite, .changes, { try $0.setFavorite($2, to: nil, &$3) }),
        Handler(MoodMethods.setNotes, .changes, { try $0.update($2, MoodMembers(notes: $2[MoodParams.notes]), &$3) }),
        Handler(
            MoodMethods.history, [.reads, .durable], maybe: { try $0.page(.history($2[MoodParams.id]), $1, $2, &$3) }),
        Handler(MoodMethods.deletedMoods, [.reads, .durable], maybe: { try $0.page(.deleted, $1, $2, &$3) }),
        Handler(MoodMethods.undelete, [.changes, .durable], maybe: { try $0.undelete($1, $2, &$3) }),
        Handler(MoodMethods.resolve, .reads, { try $0.resolve($2, &$3) }),
        Handler(MoodMethods.share, .reads, maybe: { try $0.share($1, $2, &$3) }),
        Handler(MoodMethods.detail, .reads, maybe: { try $0.detail($1, $2, &$3) }),
    ]

    private static func write(_ name: StaticString, _ count: Int, _ out: inout JSONWriter) {
        out.beginObject()
        out.member(name, count)
        out.endObject()
    }

    private mutating func create(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws {
        var given = MoodMembers(arguments)
        let id = given.id ?? makeID(for: request)
        try store.create(&given, id: id, at: now, to: &out)
    }

    private mutating func list(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        var query = MoodQuery()
        query.limit = min(arguments[MoodParams.limit], options.limits[.listPage])
        query.sort =
            switch arguments[MoodParams.sort] {
            case .timestamp: .timestamp
            case .label: .label
            case .updatedAt: .updatedAt
            }
        query.isDescending = arguments[MoodParams.order] == .desc
        if let filter = arguments[MoodParams.filter] { query.filter = try self.filter(filter) }
        query.locale = locale(arguments[ReadingParams.locale])
        query.wantsTotal = arguments[MoodParams.count]
        if arguments[MoodParams.rows] {
            query.offers = RowOffers(locale: query.locale)
        }
        let cursor = arguments[MoodParams.cursor]?.withDecoded { Array($0) }
        if !request.ways.contains(.atOnce), store.isListLong(query) {
            let job = query
            return readBesideLoop { (store, work, answer) throws in
                try store.list(job, cursor: cursor, to: &answer) { work.isCancelled }
            }
        }
        try store.list(query, cursor: cursor, to: &out)
        return nil
    }

    private mutating func update(
        _ arguments: borrowing Arguments, _ set: MoodMembers, _ out: inout JSONWriter
    ) throws {
        try store.update(
            arguments[MoodParams.id], with: set, ifRevision: arguments[CommonParams.revision], at: now, to: &out)
    }

    /// - Parameter isFavorite: nil toggles the mark.
    private mutating func setFavorite(
        _ arguments: borrowing Arguments, to isFavorite: Bool?, _ out: inout JSONWriter
    ) throws {
        try store.setFavorite(
            arguments[MoodParams.id], to: isFavorite, ifRevision: arguments[CommonParams.revision], at: now, to: &out)
    }

    private mutating func updateMany(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        let set = MoodMembers(change: arguments[MoodParams.set])
        let count = try store.updateMany(Self.ids(arguments), with: set, at: now)
        Self.write("updated", count, &out)
    }

    private static func ids(_ arguments: borrowing Arguments) -> [MoodID] {
        var ids: [MoodID] = []
        arguments[MoodParams.ids].forEachElement { if let id = $0.moodID { ids.append(id) } }
        return ids
    }

    private mutating func delete(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws {
        let id = arguments[MoodParams.id]
        try store.delete(id, ifRevision: arguments[CommonParams.revision])
        out.beginObject()
        out.member("id", id.text)
        out.member("deleted", true)
        out.endObject()
    }

    /// The language, zone and time in which the caller sees times.
    /// - Parameter timeZone: the mood's.
    mutating func reading(_ arguments: borrowing Arguments, in timeZone: JSONText?) -> ReadingContext {
        ReadingContext(
            locale: locale(arguments[ReadingParams.locale]),
            timeZone: self.timeZone(arguments[ReadingParams.timeZone], ofMood: timeZone?.string),
            now: arguments[ReadingParams.now] ?? now)
    }

    private mutating func share(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let id = arguments[MoodParams.id]
        if let other = arguments.otherWord(MoodParams.format) {
            return try shareByPlugin(other, id, request, arguments)
        }
        let format = arguments[MoodParams.format]
        let template = arguments[MoodParams.template].flatMap { ShareTemplate($0) }
        if template != nil, format != .text {
            throw Arguments.error("belongs to format text; leave out one of the two", at: "/template")
        }
        if arguments[MoodParams.component] != .usual, format != .ics {
            throw Arguments.error(
                "belongs to format ics; leave out one of the two",
                at: arguments.path(MoodParams.component))
        }
        out.beginObject()
        out.key("text")
        if format == .text, template == nil {
            let headline = try store.headline(id)
            let context = reading(arguments, in: headline.timeZone)
            try headline.write(context, &phrases, to: &out)
        } else {
            let record = try store.record(id)
            var mood = MoodMembers(trusting: record)
            let isWhole = !request.ways.contains(.withoutNotes)
            if !isWhole { mood.notes = nil }
            let share = Share(
                mood, record: isWhole ? record.bytes : nil, context: reading(arguments, in: mood.timeZone),
                as: arguments[MoodParams.component])
            if let template {
                try write(template, of: share, &out)
            } else {
                out.string(try share.text(format, &phrases))
            }
        }
        out.member("mediaType", format.mediaType)
        out.member("format", format.name)
        out.endObject()
        return nil
    }

    /// The bytes of an answer after the text of a template.
    private static let bytesAfterText = 58

    /// Writes a filled template. It checks the length first, because a template can ask for far more than an answer may
    /// have.
    private mutating func write(
        _ template: ShareTemplate, of share: borrowing Share, _ out: inout JSONWriter
    ) throws {
        let room = out.buffer.room - Self.bytesAfterText
        let text = try share.filled(template, &phrases)
        guard text.byteCount <= room else {
            throw Arguments.error(
                "would make a text of \(text.byteCount) bytes, and the answer has room for \(room)", at: "/template")
        }
        text.write(to: &out)
    }
}

extension MoodMembers {
    /// A change of the notes alone.
    init(notes: JSONText?) {
        self.init()
        self.notes = notes
    }
}
