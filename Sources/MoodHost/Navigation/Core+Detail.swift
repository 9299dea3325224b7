import JSONCodec
import JSONRPC
import MoodCore
import MoodProtocol
import MoodStore
import MoodText

/// `mood.detail`: gathers the surroundings of the mood, then lets the screen write itself.
extension Core {
    mutating func detail(
        _ asked: borrowing Request, _ arguments: borrowing Arguments, _ out: inout JSONWriter
    ) throws -> (any LaterWork)? {
        let (id, request) = (arguments[MoodParams.id], DetailRequest(withLocation: asked, arguments))
        if pluginFlags.contains(.cells) {
            let reading = try pluginReading(of: id, asked, arguments)
            return try showWithPlugins(
                id, request, .detail, reading,
                waitMilliseconds: asked.caller.plugin == nil ? arguments[MoodParams.wait] : 0, &out)
        }
        try show(id, request, .detail, &out)
        return nil
    }

    /// Writes the screen of a mood.
    /// - Parameter cells: cells of plugins, as JSON with commas between them.
    mutating func show(
        _ id: MoodID, _ request: DetailRequest, _ form: DetailForm, cells: [UInt8] = [], _ out: inout JSONWriter
    ) throws {
        switch form {
        case .detail:
            try withDetail(id, request, router: nil, cells: cells) { (detail, bytes, phrases) throws(TextError) in
                try detail.write(record: bytes, &phrases, to: &out)
            }
        case .screen(let router):
            try withDetail(id, request, router: router, cells: cells) { (detail, _, phrases) throws(TextError) in
                try detail.writeScreen(&phrases, to: &out)
            }
        }
    }

    /// Calls `body` with the screen of a mood for the request's reader.
    /// - Throws: `notFound`, errors of reading the store, and errors of `body`.
    private mutating func withDetail(
        _ id: MoodID, _ request: DetailRequest, router: String?, cells: [UInt8],
        _ body: (borrowing Detail, UnsafeRawBufferPointer, inout Phrases) throws(TextError) -> Void
    ) throws {
        try open()
        // Copied, because the related moods are read next, and a view of the store is valid for one call only.
        record.truncate(to: 0)
        record.append(try store.record(id).bytes)
        let bytes = UnsafeRawBufferPointer(record.bytes)
        var mood = MoodMembers(trusting: ValidJSON(trusting: bytes))
        if request.hidesNotes { mood.notes = nil }
        let attachments = Attachment.all(of: mood)
        var surroundings = try surroundings(
            of: attachments, id, request.location, now: request.now ?? now)
        surroundings.router = router
        surroundings.damage = store.damage?.reason
        surroundings.hidesNotes = request.hidesNotes
        surroundings.cells = cells
        let context = ReadingContext(
            locale: locale(request.locale), timeZone: timeZone(request.timeZone, ofMood: mood.timeZone?.string),
            now: request.now ?? now)
        try body(Detail(mood, attachments, context: context, surroundings), bytes, &phrases)
    }

    private mutating func surroundings(
        of attachments: [(place: Int, attachment: Attachment)], _ id: MoodID, _ location: JSONValue?, now: Timestamp
    ) throws -> DetailSurroundings {
        var surroundings = DetailSurroundings()
        if let latitude = location?["latitude"]?.double, let longitude = location?["longitude"]?.double {
            surroundings.location = Coordinates(latitude: latitude, longitude: longitude)
        }
        for (place, attachment) in attachments {
            switch attachment.content {
            case .audio(let source, _):
                guard let playing = state.playing, playing.mood == id, playing.source == source else { continue }
                // Attachments move; of two with the same source the one at the original place plays.
                if surroundings.playing == nil || playing.attachment == place { surroundings.playing = place }
            case .relation(let other, _): surroundings.related[other] = try related(other)
            case .event(let event):
                guard let host = event.hostName, surroundings.hostEvents[host] == nil else { continue }
                surroundings.hostEvents[host] = try events(of: host, except: id, now: now)
            default: break
            }
        }
        return surroundings
    }

    private mutating func related(_ id: MoodID) throws -> DetailSurroundings.Related? {
        do throws(MoodStoreError) {
            let headline = try store.headline(id)
            return .init(emoji: headline.emoji.string, label: headline.label.string)
        } catch {
            if case .notFound = error { return nil }
            throw RPCError(error)
        }
    }

    /// The events of a host in other moods. It reads every mood.
    mutating func events(
        of host: String, except id: MoodID?, now: Timestamp
    ) throws -> HostEvents {
        var found = HostEvents(now: now)
        try store.forEachMoodWithHost { mood in
            guard let other = mood.id, other != id else { return }
            for (_, attachment) in Attachment.all(of: mood) {
                guard case .event(let event) = attachment.content,
                    event.hostName?.utf8.elementsEqual(host.utf8) == true
                else { continue }
                for occurrence in event.occurrences {
                    found.add(
                        .init(mood: other, title: event.title, start: occurrence.start, end: occurrence.end))
                }
            }
        }
        found.finish()
        return found
    }
}

/// The form in which the screen of a mood is written.
enum DetailForm {
    /// For `mood.detail`.
    case detail
    /// For `nav.screen`, whose actions name this router.
    case screen(router: String?)
}

/// The reader of a mood's screen, as a request describes them; it outlives the request's bytes.
struct DetailRequest {
    var locale: String?
    var timeZone: String?
    var now: Timestamp?
    /// The location of the reader.
    var location: JSONValue?
    /// Whether to leave out the notes of the mood.
    let hidesNotes: Bool

    init(_ request: borrowing Request, _ arguments: borrowing Arguments) {
        hidesNotes = request.ways.contains(.withoutNotes)
        locale = arguments[ReadingParams.locale]
        timeZone = arguments[ReadingParams.timeZone]
        now = arguments[ReadingParams.now]
    }

    /// The reader of a `mood.detail`, with location.
    init(withLocation request: borrowing Request, _ arguments: borrowing Arguments) {
        self.init(request, arguments)
        location = arguments[MoodParams.location].map { JSONValue($0) }
    }
}
