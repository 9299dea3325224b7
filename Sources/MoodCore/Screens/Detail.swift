import JSONCodec
import MoodText

/// What a detail screen shows that is not in the mood itself. The host hands it in.
public struct DetailSurroundings: Sendable {
    /// The emoji and label of a related mood.
    public struct Related: Sendable {
        public var emoji: String
        public var label: String

        public init(emoji: String, label: String) {
            self.emoji = emoji
            self.label = label
        }
    }

    /// One occurrence of an event of a mood.
    public struct HostEvent: Sendable, Equatable {
        public var mood: MoodID
        public var title: String
        public var start: Timestamp
        public var end: Timestamp

        public init(mood: MoodID, title: String, start: Timestamp, end: Timestamp) {
            self.mood = mood
            self.title = title
            self.start = start
            self.end = end
        }

        /// Writes `{moodId, title, start, end}`.
        public func write(to writer: inout JSONWriter) {
            writer.beginObject()
            writer.member("moodId", mood)
            writer.member("title", title)
            writer.member("start", start.text)
            writer.member("end", end.text)
            writer.endObject()
        }
    }

    /// Where the person is.
    public var location: Coordinates?
    /// The moods that are related and there.
    public var related: [MoodID: Related] = [:]
    /// The events of other moods by host.
    public var hostEvents: [String: HostEvents] = [:]
    /// The place of the attachment of this mood that is played.
    public var playing: Int?
    /// The cells of plugins, as JSON with commas between them; they stand after the host's own.
    public var cells: [UInt8] = []
    /// The router that the screen's actions move; nil for the main one.
    public var router: String?
    /// Why not all that was recorded is shown, if so.
    public var damage: String?

    public init() {}
}

/// A mood as a screen of typed cells, which any client can draw: `mood.detail`.
/// (SwiftUI: the `body` of a detail view, with its state handed in.)
///
/// Cells stand in the order of the protocol, and only where there is something to show. Every action is complete.
public struct Detail: ~Copyable {
    let mood: MoodMembers
    let id: MoodID
    let time: Timestamp
    let attachments: [(place: Int, attachment: Attachment)]
    let context: ReadingContext
    let surroundings: DetailSurroundings
    let words: Words
    let emoji: String
    let label: String
    let notes: String
    let isFavorite: Bool

    /// - Parameter attachments: those of the mood; the caller has read them already, for the surroundings.
    public init(
        _ mood: MoodMembers, _ attachments: [(place: Int, attachment: Attachment)], context: ReadingContext,
        _ surroundings: DetailSurroundings
    ) {
        self.mood = mood
        self.context = context
        self.surroundings = surroundings
        id = mood.id ?? MoodID(high: 0, low: 0)
        time = mood.timestamp.value ?? .minimum
        self.attachments = attachments
        words = Words.of(context.locale)
        emoji = mood.emoji?.string ?? ""
        label = mood.label?.string ?? ""
        notes = mood.notes?.string ?? ""
        isFavorite = mood.isFavorite ?? false
    }

    /// Writes `{mood, title, cells, toolbar, actions}`.
    /// - Parameter record: the bytes of the mood.
    /// - Throws: when the locale or the zone is unknown.
    public func write(
        record: UnsafeRawBufferPointer, _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        writer.beginObject()
        writer.key("mood")
        writer.raw(record)
        try writeBody(&phrases, damage: damageText, to: &writer)
        writer.endObject()
    }

    private var damageText: String? {
        surroundings.damage.map { "\(ScreenWords.of(context.locale).notWhole) \($0)" }
    }

    /// The same as the screen of a route: writes `{route, title, cells, toolbar, actions, footer}`.
    public func writeScreen(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        writer.beginObject()
        writer.key("route")
        Route.moodDetail(id).write(to: &writer)
        try writeBody(&phrases, to: &writer)
        writer.key("footer")
        writer.beginArray()
        if let damageText { writer.string(damageText) }
        writer.endArray()
        writer.endObject()
    }

    /// - Parameter damage: said in a cell, where there is no footer.
    private func writeBody(
        _ phrases: inout Phrases, damage: String? = nil, to writer: inout JSONWriter
    ) throws(TextError) {
        let parts = DetailParts.of(words)
        writer.member("title", label)
        writer.key("cells")
        writer.beginArray()
        try writeCells(&phrases, to: &writer)
        parts.hint.write(id, to: &writer)
        if let damage {
            writer.cell("damaged", "error", Accessible(damage, .staticText)) { writer in
                writer.member("kind", "storeCorrupt")
                writer.member("text", damage)
            }
        }
        if !surroundings.cells.isEmpty { surroundings.cells.withUnsafeBytes { writer.raw($0) } }
        writer.endArray()
        writer.key("toolbar")
        writer.beginArray()
        parts.favoriteButton(isFavorite).write(id, to: &writer)
        words.writeDismiss(router: surroundings.router, to: &writer)
        writer.endArray()
        writer.key("actions")
        writer.beginArray()
        writeOffers(parts, to: &writer)
        writer.endArray()
    }

    // MARK: What can be done

    private func writeOffers(_ parts: DetailParts, to writer: inout JSONWriter) {
        for offer in parts.offers { offer.write(id, to: &writer) }
        for (place, attachment) in attachments {
            guard case .event(let event) = attachment.content else { continue }
            Offer(
                label: "\(words.exportEvent): \(event.title)", icon: "calendar.badge.plus", color: "blue",
                action: .exportEvent(id, attachment: place)
            ).write(to: &writer)
        }
    }
}
