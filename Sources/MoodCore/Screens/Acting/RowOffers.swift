import JSONCodec

/// Actions on a mood in a list: those at the edges of its row, and those on tap. (SwiftUI: `swipeActions` on a row.)
public struct RowOffers: Sendable {
    /// The most bytes that the offers of a row add to a mood.
    public static let bytesMax = 1024

    private let words: Words
    private let router: String?

    /// - Parameter router: the router that opens a mood; nil is the main one.
    public init(locale: String, router: String? = nil) {
        words = Words.of(locale)
        self.router = router
    }

    /// Writes a stored mood with `actions` as its last member.
    public func write(
        _ record: UnsafeRawBufferPointer, _ id: MoodID, isFavorite: Bool, to writer: inout JSONWriter
    ) {
        var mood = MoodMembers(trusting: ValidJSON(trusting: record))
        if mood.unknown.contains(where: { $0.name.equals("actions") }) {
            // The protocol's own member replaces a stored one of that name from another version.
            mood.unknown.removeAll { $0.name.equals("actions") }
            mood.write(to: &writer)
            writer.rewind(to: writer.count - 1)
        } else {
            // The closing brace comes after the added member.
            writer.raw(UnsafeRawBufferPointer(rebasing: record.dropLast()))
        }
        writer.key("actions")
        write(id, isFavorite: isFavorite, to: &writer)
        writer.endObject()
    }

    /// Writes only the offers.
    func write(_ id: MoodID, isFavorite: Bool, to writer: inout JSONWriter) {
        writer.beginArray()
        Offer(label: words.edit, icon: "pencil", color: "blue", edge: .leading, action: .edit(id)).write(to: &writer)
        Offer(
            label: words.delete, icon: "trash", color: "red", isDestructive: true, edge: .trailing, action: .delete(id)
        ).write(to: &writer)
        Offer(label: words.open, icon: "chevron.right", action: .navigate(.moodDetail(id), router: router))
            .write(to: &writer)
        Offer(
            label: isFavorite ? words.removeFromFavorites : words.addToFavorites,
            icon: isFavorite ? "heart.fill" : "heart", color: isFavorite ? "red" : "gray", action: .toggleFavorite(id)
        ).write(to: &writer)
        writer.endArray()
    }
}
