import JSONCodec

/// The pairs of emoji and label in moods, numbered.
struct Feelings {
    struct Feeling {
        let emoji: String
        let label: String
        /// The palette's valence for moods without their own.
        let estimate: Double?
        var tally = Tally()
    }

    private(set) var all: [Feeling] = []
    private var numbers: [[UInt8]: Int] = [:]
    /// The feeling by the number of its text; -1 is not known yet.
    private var known: [Int] = []
    private let palette: Palette

    init(_ palette: Palette) { self.palette = palette }

    /// The number of a mood's feeling.
    @inline(__always)
    mutating func number(of mood: MoodTraits, _ texts: MoodTraits.Texts) -> Int {
        if mood.feeling < known.count, known[mood.feeling] >= 0 { return known[mood.feeling] }
        return find(mood.feeling, texts(mood.feeling))
    }

    @inline(never)
    private mutating func find(_ text: Int, _ bytes: UnsafeRawBufferPointer) -> Int {
        let key = Array(bytes)
        let number = numbers[key] ?? all.count
        if number == all.count {
            let feeling = FeelingText(bytes)
            let (emoji, label) = (feeling.emoji.string, feeling.label.string)
            all.append(Feeling(emoji: emoji, label: label, estimate: palette.valence(label: label, emoji: emoji)))
            numbers[key] = number
        }
        while known.count <= text { known.append(-1) }
        known[text] = number
        return number
    }

    mutating func count(_ number: Int, _ valence: Double?) { all[number].tally.add(valence) }

    /// The most frequent feelings: by count, then label, then emoji.
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
