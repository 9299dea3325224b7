import JSONCodec
import MoodText

/// Data for a detail screen that is not in the mood itself. The host passes it in.
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

    /// The person's location.
    public var location: Coordinates?
    /// The related moods that exist.
    public var related: [MoodID: Related] = [:]
    /// The events of other moods by host.
    public var hostEvents: [String: HostEvents] = [:]
    /// The index of this mood's attachment that is playing.
    public var playing: Int?
    /// The cells of plugins, as JSON with commas between them. They come after the host's own.
    public var cells: [UInt8] = []
    /// The router for the screen's actions; nil is the main one.
    public var router: String?
    /// The reason why some recorded data is not shown.
    public var damage: String?
    /// Whether the notes are left out. Then no action offers to replace them.
    public var hidesNotes = false

    public init() {}
}

/// A mood as a screen of typed cells, which any client can draw: `mood.detail`. (SwiftUI: the `body` of a detail view,
/// with its state passed in.)
///
/// Cells have the order of the protocol, and empty ones are left out. Every action is complete.
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

    /// - Parameter attachments: the mood's; the caller has read them already, for the surroundings.
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
    /// - Throws: if the locale or the zone is unknown.
    public func write(
        record: UnsafeRawBufferPointer, _ phrases: inout Phrases, to writer: inout JSONWriter
    ) throws(TextError) {
        writer.beginObject()
        writer.member("mood", raw: record)
        try writeBody(&phrases, damage: damageText, to: &writer)
        writer.endObject()
    }

    private var damageText: String? {
        surroundings.damage.map { "\(ScreenWords.of(context.locale).notWhole) \($0)" }
    }

    /// Writes the screen of a route: `{route, title, cells, toolbar, actions, footer}`.
    public func writeScreen(_ phrases: inout Phrases, to writer: inout JSONWriter) throws(TextError) {
        writer.beginObject()
        writer.key("route")
        Route.moodDetail(id).write(to: &writer)
        try writeBody(&phrases, to: &writer)
        writer.beginArray("footer")
        if let damageText { writer.string(damageText) }
        writer.endArray()
        writer.endObject()
    }

    /// - Parameter damage: for a cell, if there is no footer.
    private func writeBody(
        _ phrases: inout Phrases, damage: String? = nil, to writer: inout JSONWriter
    ) throws(TextError) {
        let parts = DetailParts.of(words)
        writer.member("title", label)
        writer.beginArray("cells")
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
        writer.beginArray("toolbar")
        parts.favoriteButton(isFavorite).write(id, to: &writer)
        words.writeDismiss(router: surroundings.router, to: &writer)
        writer.endArray()
        writer.beginArray("actions")
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
