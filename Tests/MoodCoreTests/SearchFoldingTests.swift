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

    /// Folding folded text changes nothing, for every character.
    @Test func foldedTextStaysAsItIs() {
        for code in UInt32(0x80)...0x2FFFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let once = Self.folded(String(Character(scalar)))
            #expect(Self.folded(String(decoding: once, as: UTF8.self)) == once, "U+\(String(code, radix: 16))")
        }
    }

    /// The cache of frequent characters equals the tables.
    @Test func everyCharacterFoldsToItsParts() {
        for code in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(code) else { continue }
            var parts = "before-x"
            SearchFolding.forEachPart(of: code) { part in
                if let part = Unicode.Scalar(part) { parts.unicodeScalars.append(part) }
            }
            #expect(Self.folded("Before-X\(scalar)y") == Array((parts + "y").utf8), "U+\(String(code, radix: 16))")
        }
    }

    private static func signature(_ text: String) -> SearchSignature {
        var writer = JSONWriter(capacity: 16)
        writer.string(text)
        var signature = SearchSignature()
        let bytes = Array(writer.buffer.bytes)
        bytes.withUnsafeBytes {
            let raw = UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast())
            signature.add(JSONText(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\"))))
        }
        return signature
    }

    private static func findsExactly(_ needle: [UInt8], in haystack: String) -> Bool {
        needle.withUnsafeBytes { needle in
            var haystack = haystack
            return haystack.withUTF8 {
                CaseFolding.contains(foldedNeedle: needle, in: UnsafeRawBufferPointer($0))
            }
        }
    }

    /// A text that a signature excludes is not there, with accents and without.
    @Test(arguments: SeededRandom.seeds) func signaturesExcludeNothingThatIsThere(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let letters = Array("abkKsSzZ@`[{ \u{212A}\u{17F}éE\u{301}İΙ\u{345}\u{3B9}한\u{1112}日😊\"\\/\n")
        func text(_ count: ClosedRange<Int>) -> String {
            let count = Int.random(in: count, using: &random)
            var text = ""
            for _ in 0..<count { text.append(letters.randomElement(using: &random) ?? "a") }
            return text
        }
        var (excluded, exactlyExcluded) = (0, 0)
        for _ in 0..<20_000 {
            let (needle, haystack) = (text(1...4), text(0...30))
            let signature = Self.signature(haystack).bits
            var exact: [UInt8] = []
            var bytes = needle
            bytes.withUTF8 { CaseFolding.appendFolded(utf8: UnsafeRawBufferPointer($0), to: &exact) }
            let folded = Self.folded(needle)
            let wanted = folded.withUnsafeBytes { SearchSignature(foldedNeedle: $0, isExact: false).bits }
            if signature & wanted != wanted {
                excluded += 1
                #expect(!Self.finds(needle, in: haystack), "\(needle) \(haystack)")
            }
            let wantedExactly = exact.withUnsafeBytes { SearchSignature(foldedNeedle: $0, isExact: true).bits }
            if signature & wantedExactly != wantedExactly {
                exactlyExcluded += 1
                #expect(!Self.findsExactly(exact, in: haystack), "\(needle) \(haystack)")
            }
        }
        #expect(excluded > 2_000 && exactlyExcluded > 1_000)
    }

    /// The signatures of nearly all short notes exclude a word that they do not contain.
    @Test func signaturesExcludeMostOfOrdinaryNotes() {
        let notes = [
            "Walk by the sea, cold wind, then tea with Ann", "Slept badly; the meeting went better than feared",
            "Long call with mum. Rain all day. Read half of the book", "Ran five kilometres before work, sore legs",
            "Nothing much, dinner at home and an early night", "Café with Jürgen, schöner Abend 😊",
        ]
        let signatures = notes.map { Self.signature($0).bits }
        for word in ["zebra", "guitar", "hospital", "vacation", "xylophone", "quarrel"] {
            let wanted = Self.folded(word).withUnsafeBytes { SearchSignature(foldedNeedle: $0, isExact: false).bits }
            #expect(signatures.count { $0 & wanted == wanted } <= 1, "\(word)")
        }
    }

    private static func mayContain(_ needle: [UInt8], _ json: [UInt8]) -> Bool {
        needle.withUnsafeBytes { needle in json.withUnsafeBytes { CaseFolding.mayContain(foldedNeedle: needle, in: $0) }
        }
    }

    /// A text that the fast scan excludes is not there.
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

    /// At every place of a text, including the bytes after the last block.
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
