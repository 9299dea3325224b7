import Testing

@testable import MoodCore

@Suite struct ScreenWordsTests {
    private static let languages = ["en", "de", "es", "fi", "fr"]

    /// Every text of a language, in one order.
    private static func texts(_ words: ScreenWords) -> [String] {
        Mirror(reflecting: words).children.flatMap { child -> [String] in
            switch child.value {
            case let text as String: [text]
            case let texts as [String]: texts
            case let piece as ScreenWords.Piece: [piece.title] + (piece.text.isEmpty ? [] : [piece.text])
            case let pieces as [ScreenWords.Piece]: pieces.flatMap { [$0.title, $0.text] }
            default: []
            }
        }
    }

    @Test(arguments: languages) func aLanguageSaysAllThatEnglishSays(language: String) {
        let texts = Self.texts(ScreenWords.of(language))
        #expect(texts.count == Self.texts(.english).count && texts.count > 35)
        for text in texts { #expect(!text.isEmpty && text.allSatisfy { !$0.isNewline }) }
        guard language != "en" else { return }
        let same = zip(texts, Self.texts(.english)).filter { $0 == $1 }.map(\.0)
        #expect(Set(same).isSubset(of: ["Emoji", "Client", "Session"]), "\(same)")
    }

    /// A language has words for all of the menu, or for none.
    @Test(arguments: languages) func theMenuIsTranslatedAsAWhole(language: String) {
        let words = ScreenWords.of(language)
        guard let menu = words.menu else { return #expect(language == "en") }
        #expect(menu.sections.count == Menu.sections.count && menu.footers.count == Menu.sections.count)
        #expect(menu.footers.map(\.isEmpty) == Menu.sections.map { $0.footer == nil })
        #expect(menu.descriptions.count == Menu.sections.flatMap(\.items).count)
        let rules = MoodEditor.Rules(labelCharactersMax: 201, notesBytesMax: 202, tagsMax: 203)
        let limits: [(StaticString, String)] = [("emoji", ""), ("label", "201"), ("notes", "202"), ("tags", "203")]
        for (name, limit) in limits {
            let need = words.need(of: name, rules) ?? ""
            let isFilled = limit.isEmpty || need.contains(limit)
            #expect(!need.isEmpty && isFilled && !need.contains("#"), "\(need)")
        }
    }

    @Test func countsAreSaidAsThePeopleSayThem() {
        #expect(ScreenWords.of("en_GB").moods(1) == "1 mood" && ScreenWords.of("en").moods(0) == "0 moods")
        #expect(ScreenWords.of("fr_CA").moods(0) == "0 humeur" && ScreenWords.of("fr").moods(2) == "2 humeurs")
        #expect(ScreenWords.of("fi").more(7) == "7 mielialaa lisää" && ScreenWords.of("ja").moods(3) == "3 moods")
    }
}
