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

    /// Every character of the first two planes; of the others, which have ideographs and signs without a picture, one in 61, and all in a
    /// long run.
    private static let characters =
        Array(0x20...0x1FFFF) + stride(from: 0x20000, through: 0x10FFFF as UInt32, by: SeededRandom.step(61))

    /// Folding folded text changes nothing, for every character.
    @Test func foldedTextStaysAsItIs() {
        for code in Self.characters where code >= 0x80 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let once = Self.folded(String(Character(scalar)))
            #expect(Self.folded(String(decoding: once, as: UTF8.self)) == once, "U+\(String(code, radix: 16))")
        }
    }

    /// The cache of frequent characters equals the tables.
    @Test func everyCharacterFoldsToItsParts() {
        for code in Self.characters where code >= 0x80 {
            guard let scalar = Unicode.Scalar(code) else { continue }
            var parts = "before-x"
            SearchFolding.forEachPart(of: code) { part in
                if let part = Unicode.Scalar(part) { parts.unicodeScalars.append(part) }
            }
            #expect(Self.folded("Before-X\(scalar)y") == Array((parts + "y").utf8), "U+\(String(code, radix: 16))")
        }
    }

    private static func findsExactly(_ needle: [UInt8], in haystack: String) -> Bool {
        needle.withUnsafeBytes { needle in
            var haystack = haystack
            return haystack.withUTF8 {
                CaseFolding.contains(foldedNeedle: needle, in: UnsafeRawBufferPointer($0))
            }
        }
    }

    /// The kept form of notes, nil if a search has to read them.
    private static func kept(_ notes: String) -> (text: [UInt8], changes: [UInt8])? {
        var writer = JSONWriter(capacity: 16)
        writer.string(notes)
        var text = ByteBuffer()
        var changes = ByteBuffer()
        let isKept = writer.buffer.withBytes {
            let raw = UnsafeRawBufferPointer(rebasing: $0.dropFirst().dropLast())
            return SearchText.append(
                JSONText(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\"))), to: &text, changes: &changes)
        }
        return isKept ? (text.withBytes { Array($0) }, changes.withBytes { Array($0) }) : nil
    }

    private static func exact(_ text: String) -> [UInt8] {
        var exact: [UInt8] = []
        var text = text
        text.withUTF8 { CaseFolding.appendFolded(utf8: UnsafeRawBufferPointer($0), to: &exact) }
        return exact
    }

    private static func contains(_ needle: [UInt8], _ kept: (text: [UInt8], changes: [UInt8])) -> Bool {
        needle.withUnsafeBytes { needle in
            kept.text.withUnsafeBytes { text in
                kept.changes.withUnsafeBytes { SearchText.contains(exactNeedle: needle, text, $0) }
            }
        }
    }

    /// The kept form of notes says the same as they do, with accents and without; and notes that hold a text by case alone hold it
    /// folded.
    @Test(arguments: SeededRandom.seeds) func keptNotesAreAsTheyWere(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let letters = Array("abkKsSzZ@`[{ \u{212A}\u{17F}éE\u{301}İΙ\u{3B9}한\u{1112}日😊\"\\/\nß")
        func text(_ count: ClosedRange<Int>) -> String {
            let count = Int.random(in: count, using: &random)
            return String((0..<count).map { _ in letters.randomElement(using: &random) ?? "a" })
        }
        var found = 0
        for round in 0..<10_000 {
            let plain = String(repeating: "x", count: round % 50 == 0 ? Int.random(in: 240...530, using: &random) : 0)
            let (needle, notes) = (text(1...3), text(0...10) + plain + text(0...10))
            let kept = try #require(Self.kept(notes))
            #expect(kept.text == Self.folded(notes) && Self.contains(Self.exact(notes), kept))
            let isThere = Self.findsExactly(Self.exact(needle), in: notes)
            #expect(Self.contains(Self.exact(needle), kept) == isThere, "\(needle) \(notes)")
            guard isThere else { continue }
            found += 1
            let folded = Self.folded(String(decoding: Self.exact(needle), as: UTF8.self))
            #expect(kept.text.count >= folded.count && Self.finds(needle, in: notes), "\(needle) \(notes)")
        }
        #expect(found > 100)
    }

    /// Each character is kept as it is, or said not to be; and few are not.
    @Test func everyCharacterIsKeptOrRead() throws {
        var read: [UInt32] = []
        for code in Self.characters {
            guard let scalar = Unicode.Scalar(code) else { continue }
            let notes = "Before-X\(scalar)y"
            guard let kept = Self.kept(notes) else {
                read.append(code)
                continue
            }
            let exact = Self.exact(notes)
            let isRight =
                kept.text == Self.folded(notes) && Self.contains(exact, kept)
                && kept.text == Self.folded(String(decoding: exact, as: UTF8.self))
            #expect(isRight, "U+\(String(code, radix: 16))")
        }
        #expect(read == [0x345])
    }

    @Test func longNotesAreRead() throws {
        #expect(Self.kept(String(repeating: "a", count: SearchText.notesMax)) != nil)
        #expect(Self.kept(String(repeating: "a", count: SearchText.notesMax + 1)) == nil)
        #expect(Self.kept(String(repeating: "\n", count: 4 * SearchText.notesMax)) == nil)
    }

    /// Changes that do not fit a text are not followed.
    @Test(arguments: SeededRandom.seeds) func anyChangesAreHarmless(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<10_000 {
            let changes = (0..<Int.random(in: 0...12, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random) & (Bool.random(using: &random) ? 0x13 : 0xFF)
            }
            #expect(!Self.contains(Array("nowhere".utf8), (Array("some text".utf8), changes)))
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
