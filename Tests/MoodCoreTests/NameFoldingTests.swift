import Testing

@testable import MoodCore

@Suite struct NameFoldingTests {
    private func has(_ key: String, _ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { NameFolding.has(NameFolding.key(key), $0) }
    }

    @Test(arguments: [
        ("Happy", "hAPPY"), ("Café", "CAFE\u{301}"), ("\u{212b}", "a\u{30a}"), ("Ω", "\u{2126}"),
        ("한", "\u{1112}\u{1161}\u{11ab}"),
        // The order of marks does not count: below before above.
        ("a\u{323}\u{307}", "A\u{307}\u{323}"), ("", ""), ("ΣΑΣ", "σας"),
    ])
    func theseAreTheSame(_ a: String, _ b: String) {
        #expect(has(a, b) && has(b, a) && NameFolding.key(a) == NameFolding.key(b))
    }

    @Test(arguments: [
        ("cafe", "Café"), ("Happy", "Happy!"), ("Happy!", "Happy"), ("strasse", "straße"), ("a", ""), ("e", "e\u{301}"),
        ("i", "\u{131}"), ("a\u{301}\u{300}", "a\u{300}\u{301}"),
    ])
    func theseAreNot(_ a: String, _ b: String) { #expect(!has(a, b) && !has(b, a)) }

    @Test func anEmojiIsTheSameWithAndWithoutItsSelector() {
        for other in ["❤", "❤\u{fe0f}", "❤\u{fe0e}"] { #expect(NameFolding.emojiKey(other) == Array("❤".utf8)) }
        #expect(NameFolding.emojiKey("👁\u{fe0f}\u{200d}🗨\u{fe0f}") == NameFolding.emojiKey("👁\u{200d}🗨"))
        #expect(NameFolding.emojiKey("😊") == Array("😊".utf8))
    }

    @Test func aPaletteIsAskedByThem() throws {
        let entries = [Palette.Entry("❤\u{fe0f}", "Café", 0.5), Palette.Entry("😊", "Happy", 0.8)]
        let palette = try Palette(entries)
        #expect(palette.entry(saying: "CAFE\u{301}")?.valence == 0.5 && palette.entry(emoji: "❤")?.label == "Café")
        #expect(palette.entry(saying: "cafe") == nil)
        let again = entries + [Palette.Entry("😌", "Cafe\u{301}", 0.1)]
        #expect(throws: Palette.Problem.self) { try Palette(again) }
        // A file of an earlier version may have both; the first one counts.
        #expect(try Palette(again, isKept: true).entry(saying: "cafe\u{301}")?.valence == 0.5)
    }
}
