import JSONCodec

/// The pairs of emoji and label that moods have, numbered.
struct Feelings {
    struct Feeling {
        let emoji: String
        let label: String
        /// What the palette says of a mood without a valence of its own.
        let estimate: Double?
        var tally = Tally()
    }

    private(set) var all: [Feeling] = []
    private var numbers: [[UInt8]: Int] = [:]
    private let palette: Palette
    private var key: [UInt8] = []

    init(_ palette: Palette) { self.palette = palette }

    /// The number of a mood's feeling.
    mutating func number(of facts: MoodFacts) -> Int {
        key.removeAll(keepingCapacity: true)
        key.append(contentsOf: facts.emoji.raw)
        // Stands in no string of JSON.
        key.append(0)
        key.append(contentsOf: facts.label.raw)
        if let number = numbers[key] { return number }
        let (emoji, label) = (facts.emoji.string, facts.label.string)
        all.append(Feeling(emoji: emoji, label: label, estimate: palette.valence(label: label, emoji: emoji)))
        numbers[key] = all.count - 1
        return all.count - 1
    }

    mutating func count(_ number: Int, _ valence: Double?) { all[number].tally.add(valence) }

    /// By count, then label, then emoji.
    func most(_ countMax: Int) -> [Feeling] {
        let counted = all.filter { $0.tally.count > 0 }
        return Array(
            counted.sorted { a, b in
                if a.tally.count != b.tally.count { return a.tally.count > b.tally.count }
                if !a.label.utf8.elementsEqual(b.label.utf8) {
                    return a.label.utf8.lexicographicallyPrecedes(b.label.utf8)
                }
                return a.emoji.utf8.lexicographicallyPrecedes(b.emoji.utf8)
            }.prefix(countMax))
    }
}
