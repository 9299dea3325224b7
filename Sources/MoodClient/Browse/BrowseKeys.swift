/// The key of each offer: a letter of its label. Equal offers give equal keys.
struct BrowseKeys {
    struct Entry {
        let key: Character
        let offer: BrowseLayout.Offer
    }

    /// Keys with a fixed meaning.
    private static let reserved: Set<Character> = ["q", "j", "k", "h", "l", "u"]

    /// The text for `?`.
    static let help = """
        ↑ ↓ j k        move; ← → h l within a line
        Enter, Space   open, choose, or type into a field
        Esc, ←         back
        letters        what stands below the screen
        /              search: words, #tag, @2026-11; Esc shows all again
        u  U           undo the last change; make it again
        Home End PgUp PgDn, the mouse wheel and clicks work too
        Ctrl-L         draw anew     Ctrl-Z  to the shell     q  quit
        """

    private(set) var entries: [Entry] = []

    /// - Parameter offers: in the order in which they choose their letters. Equal offers share a letter.
    init(_ offers: [BrowseLayout.Offer]) {
        var used = Self.reserved
        var seen: Set<String> = []
        for offer in offers where seen.insert(offer.action.text).inserted {
            let letters =
                offer.label.lowercased().filter { $0.isASCII && $0.isLetter } + "abcdefghijklmnopqrstuvwxyz0123456789"
            guard let key = letters.first(where: { !used.contains($0) }) else { continue }
            used.insert(key)
            entries.append(Entry(key: key, offer: offer))
        }
    }

    func offer(for key: Character) -> BrowseLayout.Offer? {
        entries.first { $0.key == Character(key.lowercased()) }?.offer
    }
}
