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
        Handler(
            MoodMethods.create, .changes,
            { (core, request, arguments, out) throws(RPCError) in
                try core.create(request, arguments, &out)
            }),
        Handler(
            MoodMethods.get, .reads, { (core, _, arguments, out) throws(RPCError) in try core.get(arguments, &out) }),
        Handler(
            MoodMethods.list, .reads, { (core, _, arguments, out) throws(RPCError) in try core.list(arguments, &out) }),
        Handler(
            MoodMethods.update, .changes,
            { (core, _, arguments, out) throws(RPCError) in try core.update(arguments, &out) }),
        Handler(
            MoodMethods.updateMany, .changes,
            { (core, _, arguments, out) throws(RPCError) in try core.updateMany(arguments, &out) }),
        Handler(
            MoodMethods.delete, .changes,
            { (core, _, arguments, out) throws(RPCError) in try core.delete(arguments, &out) }),
        Handler(
            MoodMethods.deleteMany, .changes,
            { (core, _, arguments, out) throws(RPCError) in try core.deleteMany(arguments, &out) }),
        Handler(
            MoodMethods.clear, .changes,
            { (core, _, _, out) throws(RPCError) in write("deleted", try core.clear(), &out) }
        ),
        Handler(
            MoodMethods.setFavorite, .changes,
            { (core, _, arguments, out) throws(RPCError) in
                try core.setFavorite(
                    arguments[MoodParams.id], to: arguments[MoodParams.isFavorite],
                    ifRevision: arguments[CommonParams.revision],
                    &out)
            }
        ),
        Handler(
            MoodMethods.toggleFavorite, .changes,
            { (core, _, arguments, out) throws(RPCError) in
                try core.setFavorite(
                    arguments[MoodParams.id], to: nil, ifRevision: arguments[CommonParams.revision], &out)
            }
        ),
        Handler(
            MoodMethods.setNotes, .changes,
            { (core, _, arguments, out) throws(RPCError) in
                try core.setNotes(
                    arguments[MoodParams.id], to: arguments[MoodParams.notes],
                    ifRevision: arguments[CommonParams.revision], &out)
            }
        ),
        Handler(
            MoodMethods.history, [.reads, .durable],
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.history(request, arguments, &out) }),
        Handler(
            MoodMethods.deletedMoods, [.reads, .durable],
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.deleted(request, arguments, &out) }),
        Handler(
            MoodMethods.undelete, [.changes, .durable],
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.undelete(request, arguments, &out) }),
        Handler(
            MoodMethods.resolve, .reads,
            { (core, _, arguments, out) throws(RPCError) in try core.resolve(arguments, &out) }),
        Handler(
            MoodMethods.share, .reads,
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.share(request, arguments, &out) }),
        Handler(
            MoodMethods.detail, .reads,
            maybe: { (core, request, arguments, out) throws(RPCError) in try core.detail(request, arguments, &out) }),
    ]

    private static func write(_ name: StaticString, _ count: Int, _ out: inout JSONWriter) {
        out.beginObject()
        out.key(name)
        out.integer(count)
        out.endObject()
    }

    private mutating func get(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let id = arguments[MoodParams.id]
        do throws(MoodStoreError) { try store.get(id, to: &out) } catch { throw RPCError(error) }
    }

    private mutating func create(
        _ request: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws(RPCError) {
        var given = MoodMembers(arguments)
        let id = given.id ?? makeID(for: request)
        do throws(MoodStoreError) {
            try store.create(&given, id: id, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func list(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        var query = MoodQuery()
        query.limit = arguments[MoodParams.limit]
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
        do throws(MoodStoreError) {
            try store.list(query, cursor: cursor, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func update(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        try update(
            arguments[MoodParams.id], MoodMembers(change: arguments[MoodParams.set]),
            ifRevision: arguments[CommonParams.revision], &out)
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
        do throws(MoodStoreError) {
            try store.update(id, with: set, ifRevision: ifRevision, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
    }

    private mutating func updateMany(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let set = MoodMembers(change: arguments[MoodParams.set])
        do throws(MoodStoreError) {
            let count = try store.updateMany(Self.ids(arguments), with: set, at: now)
            Self.write("updated", count, &out)
        } catch {
            throw RPCError(error)
        }
    }

    private static func ids(_ arguments: borrowing Arguments) -> [MoodID] {
        var ids: [MoodID] = []
        arguments[MoodParams.ids].forEachElement { if let id = $0.moodID { ids.append(id) } }
        return ids
    }

    private mutating func delete(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        let id = arguments[MoodParams.id]
        try delete(id, ifRevision: arguments[CommonParams.revision])
        out.beginObject()
        out.key("id")
        out.string(id.text)
        out.key("deleted")
        out.boolean(true)
        out.endObject()
    }

    mutating func delete(_ id: MoodID, ifRevision: Int?) throws(RPCError) {
        do throws(MoodStoreError) {
            try store.delete(id, ifRevision: ifRevision)
        } catch {
            throw RPCError(error)
        }
    }

    /// - Returns: the number of deleted moods.
    mutating func clear() throws(RPCError) -> Int {
        do throws(MoodStoreError) { return try store.clear() } catch { throw RPCError(error) }
    }

    private mutating func deleteMany(_ arguments: borrowing Arguments, _ out: inout JSONWriter) throws(RPCError) {
        do throws(MoodStoreError) {
            Self.write("deleted", try store.deleteMany(Self.ids(arguments)), &out)
        } catch {
            throw RPCError(error)
        }
    }

    /// - Parameter isFavorite: nil toggles the mark.
    mutating func setFavorite(
        _ id: MoodID, to isFavorite: Bool?, ifRevision: Int?, _ out: inout JSONWriter
    ) throws(RPCError) {
        do throws(MoodStoreError) {
            try store.setFavorite(id, to: isFavorite, ifRevision: ifRevision, at: now, to: &out)
        } catch {
            throw RPCError(error)
        }
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
    ) throws(RPCError) -> (any LaterWork)? {
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
            let headline: MoodHeadline
            do throws(MoodStoreError) { headline = try store.headline(id) } catch { throw RPCError(error) }
            let context = reading(arguments, in: headline.timeZone)
            do throws(TextError) {
                try headline.write(context, &phrases, to: &out)
            } catch {
                throw RPCError(error)
            }
        } else {
            let record: ValidJSON
            do throws(MoodStoreError) { record = try store.record(id) } catch { throw RPCError(error) }
            var mood = MoodMembers(trusting: record)
            let isWhole = !request.ways.contains(.withoutNotes)
            if !isWhole { mood.notes = nil }
            let share = Share(
                mood, record: isWhole ? record.bytes : nil, context: reading(arguments, in: mood.timeZone),
                as: arguments[MoodParams.component])
            if let template {
                try write(template, of: share, &out)
            } else {
                do throws(TextError) { out.string(try share.text(format, &phrases)) } catch { throw RPCError(error) }
            }
        }
        out.key("mediaType")
        out.string(format.mediaType)
        out.key("format")
        out.string(format.name)
        out.endObject()
        return nil
    }

    /// The bytes of an answer after the text of a template.
    private static let bytesAfterText = 58

    /// Writes a filled template. It checks the length first, because a template can ask for far more than an answer may
    /// have.
    private mutating func write(
        _ template: ShareTemplate, of share: borrowing Share, _ out: inout JSONWriter
    ) throws(RPCError) {
        let room = out.buffer.room - Self.bytesAfterText
        let excess: Int?
        do throws(TextError) {
            let text = try share.filled(template, &phrases)
            excess = text.byteCount > room ? text.byteCount : nil
            if excess == nil { text.write(to: &out) }
        } catch {
            throw RPCError(error)
        }
        if let excess {
            throw Arguments.error(
                "would make a text of \(excess) bytes, and the answer has room for \(room)", at: "/template")
        }
    }
}
