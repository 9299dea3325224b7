/// The words of `mood add`: a mood, then signs and a note.
///
///     😊 Happy slept well +sport     an emoji, its label, the note, a tag
///     😊Happy                        without the space
///     😊                             an emoji; the label is the palette's
///     calm @2h slept well            a word of the palette, a time, the note
///     calm, slept well               punctuation after the mood is none of its words
///     calm -- +1 from Ada            after -- nothing is a sign
struct MoodWords {
    struct Fault: Error {
        let message: String

        init(_ message: String) { self.message = message }
    }

    private(set) var emoji = ""
    private(set) var label = ""
    private(set) var tags: [String] = []
    /// The time as typed after the @.
    private(set) var time: String?
    private(set) var note = ""

    /// - Parameters:
    ///   - wordsBeforeDashes: how many words may be signs.
    ///   - palette: called only to look up a word or a label.
    init(_ words: [String], wordsBeforeDashes: Int, palette: () -> PersonalPalette) throws(Fault) {
        var rest: [(text: String, isSign: Bool)] = []
        for (index, word) in words.enumerated() {
            if index >= wordsBeforeDashes {
                rest.append((word, false))
            } else if word.hasPrefix("+"), word.count > 1 {
                tags += Client.tags(String(word.dropFirst()))
            } else {
                rest.append((word, word.hasPrefix("@") && word.count > 1))
            }
        }
        takeTime(&rest)
        if let first = rest.first, let (emoji, label) = TypedEmoji.parted(first.text) {
            rest.replaceSubrange(0...0, with: [(emoji, false), (label, false)])
        }
        guard let first = rest.first else {
            throw Fault("Which mood? Give an emoji and a label, or a word of your palette.")
        }
        let (bare, isEnded) = Self.withoutPunctuation(first.text)
        if let emoji = try TypedEmoji.read(bare) {
            rest.removeFirst()
            try take(emoji: emoji, &rest, isAlone: isEnded, palette)
        } else {
            try takeWord(&rest, palette())
        }
        takeTime(&rest)
        note = rest.map(\.text).joined(separator: " ")
    }

    /// Takes a word that begins with @, if it comes next.
    private mutating func takeTime(_ rest: inout [(text: String, isSign: Bool)]) {
        guard time == nil, let first = rest.first, first.isSign else { return }
        time = String(first.text.dropFirst())
        rest.removeFirst()
    }

    private mutating func take(
        emoji: String, _ rest: inout [(text: String, isSign: Bool)], isAlone: Bool, _ palette: () -> PersonalPalette
    ) throws(Fault) {
        self.emoji = emoji
        if let next = rest.first, !next.isSign, !isAlone {
            rest.removeFirst()
            // A quoted label stays as it is.
            let isWord = !rest.isEmpty && !next.text.contains(where: \.isWhitespace)
            label = isWord ? Self.withoutPunctuation(next.text).text : next.text
            return
        }
        guard emoji.count == 1 else {
            throw Fault(
                "'\(emoji)' is more than one emoji. Put a space after the first: mood add \(emoji.prefix(1)) LABEL")
        }
        guard let feeling = palette().feeling(emoji: emoji) else {
            throw Fault("\(emoji) is not in your palette, so it needs a label: mood add \(emoji) LABEL")
        }
        label = feeling.label
    }

    /// Removes the punctuation at a word's end, and tells whether there was any. A word of punctuation alone stays.
    private static func withoutPunctuation(_ word: String) -> (text: String, isEnded: Bool) {
        var text = Substring(word)
        while let last = text.last, ",;:.!?".contains(last) { text.removeLast() }
        // :smile: has its colon.
        if text.isEmpty || word.hasPrefix(":") && word.hasSuffix(":") { return (word, false) }
        return (String(text), text.count < word.count)
    }

    /// Takes the longest label or alias that the words begin with.
    private mutating func takeWord(
        _ rest: inout [(text: String, isSign: Bool)], _ palette: PersonalPalette
    ) throws(Fault) {
        // An argument may have several words, and a label may end at each.
        var ends: [(argument: Int, end: String.Index, text: String)] = []
        var text = ""
        for (argument, word) in rest.enumerated() where !word.isSign || argument == 0 {
            var isInWord = false
            for index in word.text.indices {
                if word.text[index].isWhitespace {
                    if isInWord { ends.append((argument, index, text)) }
                    isInWord = false
                    continue
                }
                if !isInWord, !text.isEmpty { text += " " }
                text.append(word.text[index])
                isInWord = true
            }
            if isInWord { ends.append((argument, word.text.endIndex, text)) }
            // Labels have a few words; a note has many.
            if ends.count > 8 { break }
        }
        for end in ends.reversed() {
            guard
                let feeling = palette.feeling(named: end.text)
                    ?? palette.feeling(named: Self.withoutPunctuation(end.text).text)
            else { continue }
            emoji = feeling.emoji
            label = feeling.label
            let remainder = rest[end.argument].text[end.end...].drop { $0.isWhitespace }
            rest.removeFirst(end.argument + 1)
            if !remainder.isEmpty { rest.insert((String(remainder), false), at: 0) }
            return
        }
        throw Self.unknown(ends.map(\.text), palette)
    }

    private static func unknown(_ texts: [String], _ palette: PersonalPalette) -> Fault {
        let known = palette.feelings.flatMap { [$0.label] + $0.aliases }
        let word = texts.first ?? ""
        let nearest = texts.prefix(2).reversed().lazy.compactMap {
            Suggestion.nearest(to: Folding.folded($0), among: known)
        }.first
        return Fault(
            "'\(word)' is no emoji and no word of your palette.\(Suggestion.question(nearest))"
                + " A new feeling wants an emoji and a label: mood add 😌 '\(word)'")
    }
}
