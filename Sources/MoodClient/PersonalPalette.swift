import JSONCodec

/// The feelings that a person has words for: `palette` of `settings.get`.
struct PersonalPalette {
    struct Feeling {
        let emoji: String
        let label: String
        let valence: Double?
        let aliases: [String]

        /// Label and aliases in folded form.
        var names: [String] { ([label] + aliases).map(Folding.folded) }
    }

    var feelings: [Feeling] = []

    init() {}

    /// - Parameter settings: what `settings.get` answered.
    init(_ settings: JSONValue) {
        feelings = settings.list(of: "palette").compactMap { entry in
            guard let emoji = entry["emoji"]?.string, let label = entry["label"]?.string else { return nil }
            return Feeling(
                emoji: emoji, label: label, valence: entry["valence"]?.double,
                aliases: entry.texts(of: "aliases"))
        }
    }

    /// The probable valence of a mood without one: that of its label, else that of its emoji.
    func valence(emoji: String, label: String) -> Double? {
        let folded = Folding.folded(label)
        let byLabel = feelings.first { Folding.folded($0.label) == folded }
        return (byLabel ?? feelings.first { TypedEmoji.isSame($0.emoji, emoji) })?.valence
    }

    func feeling(emoji: String) -> Feeling? { feelings.first { TypedEmoji.isSame($0.emoji, emoji) } }

    /// Finds a feeling by its label or an alias.
    func feeling(named name: String) -> Feeling? {
        let folded = Folding.folded(name)
        return feelings.first { $0.names.contains(folded) }
    }
}

extension Client {
    /// The palette, requested once; empty if the host has none.
    func palette() -> PersonalPalette {
        if let known = knownPalette { return known }
        let palette = PersonalPalette(settings())
        knownPalette = palette
        return palette
    }
}
