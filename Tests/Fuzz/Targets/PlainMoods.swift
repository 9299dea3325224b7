import MoodCore

/// A document of schema version 1 or 2, read with `PlainJSON`: its moods, and their unknown members. The sources decide
/// about the rules of a mood; this decides what must not be lost.
struct PlainMoods {
    /// The members of a mood that every version has and that must not change, and those that version 3 does not have.
    struct Mood: Equatable {
        var emoji: [UInt32]
        var label: [UInt32]
        var isFavorite: Bool
        var unknown: [PlainJSON.Member]
    }

    private static let known = MoodField.allCases.map { "\($0.name)".unicodeScalars.map(\.value) }
    private static let header = [
        "format", "schemaVersion", "storeId", "generation", "revision", "count", "moods", "crc",
    ].map { $0.unicodeScalars.map(\.value) }

    let moods: [Mood]
    let unknown: [PlainJSON.Member]

    /// Nil if the text does not have the form of such a document.
    init?(_ bytes: [UInt8]) {
        guard let reading = PlainJSON.read(bytes), reading.duplicate == nil,
            case .object(let members) = reading.tree,
            case .array(let elements)? = Self.value("moods", members)
        else { return nil }
        var moods: [Mood] = []
        for element in elements {
            guard let mood = Self.mood(element) else { return nil }
            moods.append(mood)
        }
        self.moods = moods
        unknown = members.filter { !Self.header.contains($0.name) }
    }

    private static func mood(_ tree: PlainJSON.Tree) -> Mood? {
        guard case .object(let members) = tree, case .string(let emoji)? = value("emoji", members),
            case .string(let label)? = value("label", members)
        else { return nil }
        return Mood(
            emoji: emoji, label: trimmed(label), isFavorite: value("isFavorite", members) == .boolean(true),
            unknown: members.filter { !known.contains($0.name) })
    }

    private static func value(_ name: String, _ members: [PlainJSON.Member]) -> PlainJSON.Tree? {
        let name = name.unicodeScalars.map(\.value)
        return members.first { $0.name == name }?.value
    }

    private static func trimmed(_ text: [UInt32]) -> [UInt32] {
        func isSpace(_ value: UInt32) -> Bool { Unicode.Scalar(value)?.properties.isWhitespace == true }
        return Array(Array(text.drop(while: isSpace).reversed()).drop(while: isSpace).reversed())
    }
}
