import Seeds
import Testing

@testable import MoodCore

@Suite struct EmojiTests {
    @Test func takesWithoutALookOnlyWhatIsDrawnAsAnEmojiByItself() throws {
        for low in Emoji.pictures.joined() {
            let scalar = try #require(Unicode.Scalar(0x1f000 + UInt32(low)))
            #expect(scalar.properties.isEmojiPresentation, "U+\(String(scalar.value, radix: 16))")
        }
    }

    @Test(arguments: [
        "😊", "🎉", "😌", "😢", "😴", "🫠", "⌚", "✨",
        // Symbols that are text unless a selector says otherwise.
        "❤\u{fe0f}", "☺\u{fe0f}", "©\u{fe0f}", "™\u{fe0f}", "☀\u{fe0f}", "㊗\u{fe0f}", "🅰\u{fe0f}", "😊\u{fe0f}",
        // Keycaps, with and without the selector.
        "1\u{fe0f}\u{20e3}", "0\u{fe0f}\u{20e3}", "#\u{fe0f}\u{20e3}", "*\u{fe0f}\u{20e3}", "7\u{20e3}",
        // Flags of two regional indicators, of tags, joined ones.
        "🇫🇮", "🇯🇵", "🇪🇺", "🇺🇳", "🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}", "🏳\u{fe0f}\u{200d}🌈", "🏴\u{200d}☠\u{fe0f}",
        // Skin tones, alone, on a base, on a base that is text by default.
        "🏽", "👍🏽", "☝🏿", "🤷🏻", "🕵🏽",
        // Joined ones; parts may lack their selector.
        "👨\u{200d}👩\u{200d}👧\u{200d}👦", "👩\u{200d}💻", "👩🏽\u{200d}🚀", "🤷🏿\u{200d}♀\u{fe0f}", "🤷🏿\u{200d}♀",
        "❤\u{fe0f}\u{200d}🔥", "👁\u{fe0f}\u{200d}🗨\u{fe0f}", "👩🏿\u{200d}🤝\u{200d}👨🏻", "🐻\u{200d}❄\u{fe0f}",
        "👩🏾\u{200d}❤\u{fe0f}\u{200d}💋\u{200d}👨🏻", "🧑\u{200d}🧑\u{200d}🧒\u{200d}🧒",
    ])
    func acceptsOneEmoji(text: String) {
        #expect(problem(text) == nil)
        #expect(text.count == 1, "the case itself is one character")
    }

    @Test(arguments: [
        "", " ", "a", "1", "#", "*", "é", "漢", "Happy", "<b>", "\u{0}", "\n", ":-)", "\u{fffd}",
        // Parts of an emoji.
        "\u{200d}", "\u{fe0f}", "\u{20e3}", "\u{e0067}", "\u{e007f}", "🇫",
        // Text with a selector or a keycap; digits with a selector alone.
        "a\u{fe0f}", "1\u{fe0f}", "漢\u{fe0f}", "a\u{20e3}", "a\u{fe0f}\u{20e3}", "12\u{20e3}", "1\u{20e3}\u{20e3}",
        // Text presentation, by default and on demand.
        "❤", "☺", "©", "✔", "❤\u{fe0e}", "😊\u{fe0e}", "☠", "\u{2640}",
        // Two emoji, or one with something else.
        "😊😊", "😊a", "a😊", "😊 ", " 😊", "😊\n", "🇫🇮🇯🇵", "🇫🇮🇯", "🇫🇮a", "1\u{20e3}2\u{20e3}", "👍🏽🏽", "👍🏽👍",
        "😊\u{301}", "😊\u{20e3}", "😊\u{fe0f}\u{fe0f}", "☝\u{fe0f}🏽", "😊\u{200b}", "🇫🇮\u{fe0f}", "🇫🇮🏽",
        // A skin tone on a base without one, joiners at the ends or doubled, joined letters.
        "🍕🏽", "❤🏽", "😊\u{200d}", "\u{200d}😊", "😊\u{200d}\u{200d}😊", "😊\u{200d}a", "a\u{200d}😊",
        "👩\u{200d}🇫🇮", "🇫🇮\u{200d}👩", "👩\u{200d}1\u{fe0f}\u{20e3}", "1\u{fe0f}\u{20e3}\u{200d}👩",
        "🏽\u{200d}👩", "👩\u{200d}🏽", "👩\u{200d}#\u{20e3}", "1\u{20e3}\u{200d}2\u{20e3}",
        // Tags without their end, without a flag before them, or after their end.
        "🏴\u{e0067}\u{e0062}", "\u{e0067}\u{e007f}", "🏴\u{e007f}", "🏴\u{e0067}\u{e007f}\u{e007f}",
        "1\u{20e3}\u{e0067}\u{e007f}",
    ])
    func refusesWhatIsNotExactlyOneEmoji(text: String) {
        #expect(problem(text) != nil)
    }

    @Test func tellsHowToDrawATextSymbolAsAnEmoji() throws {
        #expect(try #require(problem("❤")).contains("U+FE0F"))
        #expect(try !#require(problem("1")).contains("U+FE0F"))
        #expect(try #require(problem("🇫")).contains("half of a flag"))
        #expect(try !#require(problem("ab")).contains("U+FE0F"))
        #expect(try #require(problem("")).contains("empty"))
    }

    @Test func hasALimitInBytes() throws {
        let man = "👨"
        let joined = Array(repeating: man, count: 18).joined(separator: "\u{200d}")
        #expect(joined.utf8.count == 123)
        #expect(problem(joined) == nil)
        let over = joined + "\u{200d}" + man
        #expect(over.utf8.count == 130)
        #expect(try #require(problem(over)).contains("128"))
    }

    @Test func refusesInvalidUTF8() {
        for bytes: [UInt8] in [[0xf0, 0x9f, 0x98], [0xff], [0xf0, 0x9f, 0x98, 0x8a, 0x80], [0x80]] {
            #expect(bytes.withUnsafeBytes { Emoji.problem($0) } != nil, "\(bytes)")
        }
    }

    /// Every accepted text is one grapheme cluster of at most 128 bytes that begins with an emoji.
    @Test(arguments: SeededRandom.seeds)
    func acceptsNothingThatIsMoreThanOneCharacter(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let parts = [
            "😊", "👩", "👍", "❤", "🏴", "1", "#", "a", "🇫", "🇮", "🏽", "♀", "\u{fe0f}", "\u{fe0e}", "\u{200d}",
            "\u{20e3}", "\u{301}", "\u{e0067}", "\u{e007f}", "©", "漢",
        ]
        var accepted = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 1...6, using: &random)
            let text = (0..<count).compactMap { _ in parts.randomElement(using: &random) }.joined()
            guard problem(text) == nil else { continue }
            accepted += 1
            let scalars = text.unicodeScalars.map { "U+" + String($0.value, radix: 16) }
            #expect(text.count == 1, "\(scalars), seed \(seed)")
            #expect(text.unicodeScalars.first?.properties.isEmoji == true, "\(scalars), seed \(seed)")
        }
        #expect(accepted > 100)
    }

    private func problem(_ text: String) -> String? { withBytes(text) { Emoji.problem($0) } }
}
