/// The words of `mood note`: ids, then a text that needs no quotes.
///
///     @last tea with mum         a handle and the text
///     @1 @3-4 18b34748 late      several ids
///     @last -- @home again       after -- nothing is an id
enum NoteWords {
    /// Counts the ids at the beginning. The first word is one, unless a filter selects the moods. A later word is one
    /// only if it cannot be text.
    static func idCount(_ words: [String], wordsBeforeDashes: Int, isFiltered: Bool) -> Int {
        var count = 0
        for word in words.prefix(wordsBeforeDashes) {
            guard isHandle(word) || !isFiltered && (count == 0 || isSurelyID(word)) else { break }
            count += 1
        }
        return count
    }

    /// Whether a word is a handle: `@last`, `@added`, `@3`, `@3-7`.
    private static func isHandle(_ word: String) -> Bool {
        guard word.hasPrefix("@") else { return false }
        let name = word.dropFirst()
        if name == "last" || name == "added" { return true }
        return !name.isEmpty && name.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 == UInt8(ascii: "-") }
    }

    /// Whether a word is a whole id, or the shown part of one: a date has no letters, and a word no digits.
    private static func isSurelyID(_ word: String) -> Bool {
        let word = word.lowercased()
        if Client.isWhole(word) { return true }
        let digits = word.utf8.count { $0 &- 0x30 < 10 }
        let letters = word.utf8.count { $0 &- 0x61 < 6 }
        return digits > 0 && letters > 0 && digits + letters == Client.shownDigits
            && word.utf8.count == Client.shownDigits
    }
}
