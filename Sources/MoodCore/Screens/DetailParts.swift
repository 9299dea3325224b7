import JSONCodec

/// The parts that all moods share in one language, written once. They are most of a screen.
///
/// A class, because a screen takes it from a table.
final class DetailParts: Sendable {
    let hint: IDTemplate
    /// The button of a mood that is no favorite, and that of a favorite.
    private let favoriteButtons: [IDTemplate]
    /// The offers to share, edit and delete.
    let offers: [IDTemplate]

    private init(_ words: Words) {
        hint = IDTemplate { _, writer in
            writer.cell("hint", "hint", Accessible(words.hint, .staticText)) { $0.member("text", words.hint) }
        }
        favoriteButtons = [false, true].map { isFavorite in
            IDTemplate { id, writer in Self.writeFavoriteButton(id, isFavorite, words, to: &writer) }
        }
        offers = [
            IDTemplate { id, writer in
                Offer(label: words.share, icon: "square.and.arrow.up", color: "blue", action: .share(id, nil))
                    .write(to: &writer)
            },
            IDTemplate { id, writer in
                Offer(label: words.edit, icon: "pencil", color: "blue", action: .edit(id)).write(to: &writer)
            },
            IDTemplate { id, writer in
                Offer(label: words.delete, icon: "trash", color: "red", isDestructive: true, action: .delete(id))
                    .write(to: &writer)
            },
        ]
    }

    func favoriteButton(_ isFavorite: Bool) -> IDTemplate { favoriteButtons[isFavorite ? 1 : 0] }

    static func of(_ words: Words) -> DetailParts {
        if words === Words.english { return english }
        if words === Words.german { return german }
        if words === Words.spanish { return spanish }
        if words === Words.finnish { return finnish }
        if words === Words.french { return french }
        return DetailParts(words)
    }

    private static let english = DetailParts(.english)
    private static let german = DetailParts(.german)
    private static let spanish = DetailParts(.spanish)
    private static let finnish = DetailParts(.finnish)
    private static let french = DetailParts(.french)

    private static func writeFavoriteButton(
        _ id: MoodID, _ isFavorite: Bool, _ words: Words, to writer: inout JSONWriter
    ) {
        writer.beginObject()
        writer.raw("\"type\":\"favoriteButton\"")
        writer.member("isFavorite", isFavorite)
        writer.member("symbol", literal: isFavorite ? "heart.fill" : "heart")
        writer.member("color", literal: isFavorite ? "red" : "gray")
        writer.key("accessibility")
        Accessible(
            isFavorite ? words.removeFromFavorites : words.addToFavorites, hint: words.favoriteHint,
            isFavorite ? [.button, .isSelected] : .button
        ).write(to: &writer)
        writer.member(
            "animation", raw: "{\"spring\":{\"response\":0.3,\"damping\":0.6},\"scale\":1.1,\"rotation\":360}")
        writer.member("haptic", literal: "light")
        writer.key("action")
        Action.toggleFavorite(id).write(to: &writer)
        writer.endObject()
    }
}

/// JSON that differs between moods only in their id: written once, then copied with each id.
struct IDTemplate: Sendable {
    /// The parts between the ids.
    private let parts: [[UInt8]]

    /// - Parameter write: writes one value that depends only on the id.
    init(_ write: (MoodID, inout JSONWriter) -> Void) {
        // A placeholder: no word of a screen contains these digits.
        let id = MoodID(high: .max, low: .max)
        var writer = JSONWriter(capacity: 512)
        write(id, &writer)
        parts = writer.buffer.withBytes { Array($0) }.split(separator: Array(id.text.utf8)).map(Array.init)
    }

    func write(_ id: MoodID, to writer: inout JSONWriter) {
        parts.withUnsafeBufferPointer { parts in
            for place in parts.indices {
                parts[place].withUnsafeBytes { part in
                    if place == 0 { return writer.raw(part) }
                    id.write(to: &writer.buffer)
                    writer.buffer.append(part)
                }
            }
        }
    }
}
