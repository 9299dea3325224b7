import JSONCodec
import Seeds
import Testing

@testable import MoodCore

@Suite struct SearchFoldingTests {
    private static func folded(_ text: String) -> [UInt8] {
        var text = text
        var folded: [UInt8] = []
        text.withUTF8 { SearchFolding.appendFolded(utf8: UnsafeRawBufferPointer($0), to: &folded) }
        return folded
    }

    private static func finds(_ needle: String, in haystack: String) -> Bool {
        var haystack = haystack
        return folded(needle).withUnsafeBytes { needle in
            haystack.withUTF8 { SearchFolding.contains(foldedNeedle: needle, in: UnsafeRawBufferPointer($0)) }
        }
    }

    @Test(arguments: [
        ("cafe", "Caf\u{E9}"), ("cafe", "Cafe\u{301}"), ("CAFE\u{301}", "caf\u{E9}"), ("caf\u{E9}", "a cafe"),
        ("i", "\u{130}"), ("istanbul", "\u{130}stanbul"), ("\u{DF}", "\u{1E9E}"), ("stra\u{DF}e", "STRA\u{1E9E}E"),
        ("a", "\u{212B}"), ("\u{C5}", "\u{212B}"), ("angstrom", "\u{C5}ngstr\u{F6}m"), ("\u{3C9}", "\u{2126}"),
        ("\u{3A9}", "\u{2126}"), ("o", "\u{1ED9}"), ("viet nam", "Vi\u{1EC7}t Nam"),
        ("\u{1112}\u{1161}\u{11AB}", "\u{D55C}"), ("\u{D55C}", "\u{1112}\u{1161}\u{11AB}"), ("", "x"),
        ("\u{9CB}", "\u{9C7}\u{9BE}"), ("\u{FA0E}", "\u{FA0E}"), ("\u{8C48}", "\u{F900}"),
    ])
    func finds(needle: String, haystack: String) {
        #expect(Self.finds(needle, in: haystack))
    }

    @Test(arguments: [("ss", "\u{DF}"), ("cafe", "caf"), ("\u{E9}", "f"), ("\u{131}", "i"), ("x", "")])
    func doesNotFind(needle: String, haystack: String) {
        #expect(!Self.finds(needle, in: haystack))
    }

    /// Folding what was folded changes nothing, for every character.
    @Test func foldedTextStaysAsItIs() {
        for code in UInt32(0x80)...0x2FFFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let once = Self.folded(String(Character(scalar)))
            #expect(Self.folded(String(decoding: once, as: UTF8.self)) == once, "U+\(String(code, radix: 16))")
        }
    }

    private static func mayContain(_ needle: [UInt8], _ json: [UInt8]) -> Bool {
        needle.withUnsafeBytes { needle in json.withUnsafeBytes { CaseFolding.mayContain(foldedNeedle: needle, in: $0) }
        }
    }

    /// What the quick look excludes is nowhere to be found.
    @Test(arguments: SeededRandom.seeds) func aQuickLookExcludesNothingThatIsThere(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = Array("abkKsSzZ@`[{ \u{212A}\u{17F}éE\u{301}İ😊\"\\/\n")
        func text(_ count: ClosedRange<Int>) -> String {
            String(
                (0..<Int.random(in: count, using: &random)).map { _ in letters.randomElement(using: &random) ?? "a" })
        }
        var excluded = 0
        for _ in 0..<20_000 {
            let (needle, haystack) = (text(1...4), text(0...70))
            var writer = JSONWriter(capacity: 16)
            writer.string(haystack)
            if Self.mayContain(Self.folded(needle), Array(writer.buffer.bytes)) { continue }
            excluded += 1
            #expect(!Self.finds(needle, in: haystack), "\(needle) \(haystack)")
        }
        #expect(excluded > 100)
    }

    /// At every place of a text, also where its end is looked at byte by byte.
    @Test func aQuickLookFindsEveryPlace() {
        for count in 1...100 {
            for place in 0..<count {
                var text = [UInt8](repeating: UInt8(ascii: "x"), count: count)
                #expect(!Self.mayContain(Array("a".utf8), text))
                text[place] = UInt8(ascii: "A")
                #expect(Self.mayContain(Array("a".utf8), text))
                #expect(Self.mayContain(Array("xa".utf8), text) == (place > 0))
                text[place] = UInt8(ascii: "\\")
                #expect(Self.mayContain(Array("a".utf8), text))
            }
        }
    }
}
