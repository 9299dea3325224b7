import Testing

@testable import MoodCore

/// Every language has all words of the English one.
@Suite struct LookBackWordsTests {
    static let locales = ["en_US", "de_DE", "es", "fi-FI", "fr_CA"]

    /// The placeholders of a sentence.
    private static func names(_ sentence: String) -> Set<Substring> {
        Set(
            sentence.split(separator: "{", omittingEmptySubsequences: false).dropFirst().map { $0.prefix { $0 != "}" } }
        )
    }

    private static func sentences(_ words: LookBackWords) -> [String] {
        let forms = words.sentences
        return [
            forms.none, forms.overview, forms.pleasant, forms.estimated, forms.before, forms.beforeAverage,
            forms.swings,
            forms.row, forms.warning, forms.counted, forms.course, forms.year, forms.month, forms.compared,
            words.titles.pixels, words.table.show,
        ]
    }

    @Test(arguments: locales) func sayAll(_ locale: String) {
        let words = LookBackWords.of(locale)
        #expect(words.language == locale.prefix(2))
        #expect(words.months.count == 12 && words.shortMonths.count == 12)
        #expect(words.weekdays.count == 7 && words.shortWeekdays.count == 7)
        #expect(words.parts.allSatisfy { $0.count <= 20 })
        #expect(words.parts.count == 4 && words.bands.count == ValenceBand.allCases.count)
        // A row of a year in a terminal has three columns for them.
        #expect(Set(words.shortMonths).count == 12 && words.shortMonths.allSatisfy { $0.count == 3 })
        #expect(Set(words.shortWeekdays).count == 7 && words.shortWeekdays.allSatisfy { $0.count <= 3 })
        for (one, other) in zip(Self.sentences(words), Self.sentences(.english)) {
            #expect(Self.names(one) == Self.names(other), "\(one)")
        }
    }

    @Test func numbersAreThoseOfTheLanguage() {
        #expect(LookBackWords.english.signed(0.349) == "+0.35" && LookBackWords.english.signed(-0.2) == "\u{2212}0.20")
        #expect(LookBackWords.german.signed(0.349) == "+0,35" && LookBackWords.german.signed(-0.001) == "0,00")
        #expect(LookBackWords.french.plain(1) == "1,00")
        #expect(LookBackWords.english.day(0) == "0 days" && LookBackWords.french.day(0) == "0 jour")
    }

    @Test func whatIsUnknownIsEnglish() { #expect(LookBackWords.of("ja_JP") === LookBackWords.english) }

    @Test func sentencesAreFilled() {
        #expect(LookBackWords.fill("a {x} b{y}{z}.", [("y", "1"), ("x", "{y}")]) == "a {y} b1.")
    }
}
