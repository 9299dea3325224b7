import Seeds
import Testing

@testable import MoodCore

@Suite struct CaseFoldingTests {
    /// A scalar and its folding in CaseFolding.txt (status C or S).
    static let pairs: [(String, String)] = [
        ("A", "a"), ("Z", "z"), ("a", "a"), ("@", "@"), ("[", "["), ("0", "0"), ("\u{7F}", "\u{7F}"),
        ("µ", "μ"), ("À", "à"), ("Ö", "ö"), ("×", "×"), ("Þ", "þ"), ("ß", "ß"), ("ÿ", "ÿ"),
        ("Ā", "ā"), ("ā", "ā"), ("İ", "İ"), ("ı", "ı"), ("Ĳ", "ĳ"), ("ĸ", "ĸ"), ("Ĺ", "ĺ"), ("ŉ", "ŉ"), ("Ÿ", "ÿ"),
        ("ſ", "s"), ("Ɓ", "ɓ"), ("Ɔ", "ɔ"), ("Ǆ", "ǆ"), ("ǅ", "ǆ"), ("ǲ", "ǳ"), ("Ƿ", "ƿ"), ("Ⱥ", "ⱥ"), ("Ⱦ", "ⱦ"),
        ("\u{345}", "ι"), ("Ͱ", "ͱ"), ("Ά", "ά"), ("Α", "α"), ("Σ", "σ"), ("ς", "σ"), ("σ", "σ"), ("ϐ", "β"),
        ("ϑ", "θ"),
        ("ϰ", "κ"), ("ϴ", "θ"), ("ϵ", "ε"), ("Ϲ", "ϲ"), ("Ͽ", "ͽ"), ("А", "а"), ("Я", "я"), ("Ё", "ё"), ("Ӏ", "ӏ"),
        ("Ա", "ա"),
        ("Ⴀ", "ⴀ"), ("Ა", "ა"), ("Ꭰ", "Ꭰ"), ("\u{AB70}", "Ꭰ"), ("\u{AB9F}", "\u{13CF}"), ("\u{13F8}", "\u{13F0}"),
        ("ᲀ", "в"), ("ᲈ", "ꙋ"), ("Ḁ", "ḁ"), ("ẛ", "ṡ"), ("ẞ", "ß"), ("Ỿ", "ỿ"), ("Ἀ", "ἀ"), ("ᾈ", "ᾀ"), ("ᾼ", "ᾳ"),
        ("ι", "ι"), ("\u{1FBE}", "ι"), ("ῼ", "ῳ"), ("\u{2126}", "ω"), ("\u{212A}", "k"), ("\u{212B}", "å"),
        ("Ⅷ", "ⅷ"), ("Ⓐ", "ⓐ"), ("Ⰰ", "ⰰ"), ("Ɫ", "ɫ"), ("Ꙁ", "ꙁ"), ("Ꞌ", "ꞌ"), ("Ɥ", "ɥ"), ("Ａ", "ａ"), ("ﬁ", "ﬁ"),
        ("𐐀", "𐐨"), ("𐐧", "𐑏"), ("𐒰", "𐓘"), ("𐲀", "𐳀"), ("𞤀", "𞤢"), ("中", "中"), ("😊", "😊"),
    ]

    @Test(arguments: pairs) func foldsAsTheStandardSays(from: String, to: String) throws {
        let scalar = try #require(from.unicodeScalars.first)
        let folded = try #require(to.unicodeScalars.first)
        #expect(CaseFolding.fold(scalar.value) == folded.value)
    }

    @Test func foldingTwiceIsFoldingOnce() {
        var changed = 0
        for scalar in UInt32(0)...0x10FFFF {
            let folded = CaseFolding.fold(scalar)
            if folded != scalar { changed += 1 }
            if CaseFolding.fold(folded) != folded { Issue.record("U+\(String(scalar, radix: 16))") }
        }
        #expect(changed == 1_454)
    }

    @Test func foldsScalarsToScalars() {
        for scalar in UInt32(0)...0x10FFFF where Unicode.Scalar(scalar) != nil {
            if Unicode.Scalar(CaseFolding.fold(scalar)) == nil { Issue.record("U+\(String(scalar, radix: 16))") }
        }
    }

    @Test func runsAreAscendingAndDisjoint() {
        #expect(CaseFolding.unicodeVersion == "14.0.0")
        let runs = CaseFolding.withRuns { Array($0) }
        for (run, next) in zip(runs, runs.dropFirst()) {
            #expect(run.first <= run.last && run.last < next.first)
            #expect((run.last - run.first) % run.stride == 0)
        }
    }

    @Test func foldsTextOfAnyLength() {
        let text = "Ⱥ ÄÖÅ Straẞe — TODAY WAS A GOOD DAY, \u{212A}elvin ΣΊΣΥΦΟΣ 😊 İ"
        let folded = "ⱥ äöå straße — today was a good day, kelvin σίσυφοσ 😊 İ"
        for prefix in 0...text.unicodeScalars.count {
            let start = String(String.UnicodeScalarView(text.unicodeScalars.prefix(prefix)))
            let expected = String(String.UnicodeScalarView(folded.unicodeScalars.prefix(prefix)))
            #expect(Self.folded(start) == Array(expected.utf8))
        }
    }

    @Test(arguments: [
        ("", "", true), ("", "x", false), ("x", "", true), ("Happy", "happy", true), ("unhappily", "happy", false),
        ("So HAPPY today", "happy", true), ("Kelvin", "\u{212A}elvin", true), ("\u{212A}ELVIN", "kelvin", true),
        ("meſſage", "MESSAGE", true), ("STRASSE", "straße", false), ("STRAẞE", "straße", true),
        ("Οδυσσεύς", "ΟΔΥΣΣΕΎΣ", true),
        ("ЁЛКА и ёж", "Ёж", true), ("ÄITI", "äiti", true), ("ÄITI", "aiti", false), ("I", "ı", false),
        ("i", "İ", false),
        ("ȺȺȺȺ", "ⱥⱥⱥⱥ", true), ("😊😊", "😊", true), ("a\u{0}b", "\u{0}B", true), ("aab", "AB", true),
        ("ab", "abc", false),
    ]) func findsWithoutRegardToCase(haystack: String, needle: String, expected: Bool) {
        #expect(Self.contains(needle, in: haystack) == expected)
        let padding = String(repeating: "Ab é ", count: 400)
        if !needle.isEmpty, expected { #expect(Self.contains(needle, in: padding + haystack + padding)) }
    }

    @Test func agreesWithTheNaiveSearch() {
        let seed: UInt64 = 20_260_102
        var random = SeededRandom(seed: seed)
        let alphabets: [[String]] = [
            ["a", "b", "A"], ["a", "B", "ß", "ẞ", "Ⱥ", "ⱥ"], ["k", "\u{212A}", "s", "ſ", "S", " "],
            ["σ", "ς", "Σ", "x", "😊", "𐐀", "𐐨"], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJK ".map(String.init),
        ]
        for round in 0..<4_000 {
            let alphabet = alphabets[round % alphabets.count]
            let haystack = Self.text(of: Int(random.next() % (round % 50 == 0 ? 2_000 : 90)), from: alphabet, &random)
            let needle = Self.text(of: 1 + Int(random.next() % 6), from: alphabet, &random)
            #expect(
                Self.contains(needle, in: haystack) == Self.naiveContains(needle, in: haystack),
                "seed \(seed), round \(round): \(needle) in \(haystack)")
        }
    }

    @Test func staysLinearInTextMadeToFit() {
        let text = String(repeating: "a", count: 600_000)
        let needle = String(repeating: "a", count: 200_000)
        #expect(!Self.contains(needle + "ba", in: text))
        #expect(!Self.contains("a" + "b" + needle, in: text))
        #expect(Self.contains(needle, in: text))
        #expect(Self.contains(needle + "b" + needle, in: text + "B" + text))
    }

    @Test(arguments: [
        ("", "", 0), ("", "a", -1), ("a", "", 1), ("a", "A", 0), ("a", "B", -1), ("Z", "a", 1), ("_", "A", -1),
        ("Äiti", "äITI", 0), ("z", "Ä", -1), ("ß", "ẞ", 0), ("\u{212A}", "K", 0), ("\u{FFFD}", "😊", -1),
        ("ab", "abc", -1),
        ("ABC", "ab", 1), ("ς", "Σ", 0), ("\u{AB70}", "Ꭰ", 0), ("\u{AB70}", "ა", 1),
    ]) func ordersByFoldedScalars(a: String, b: String, expected: Int) {
        #expect(Self.compare(a, b).signum() == expected)
        #expect(Self.compare(b, a).signum() == -expected)
    }

    @Test func comparesAsTheFoldedBytesDo() {
        let seed: UInt64 = 7
        var random = SeededRandom(seed: seed)
        let alphabet = ["a", "A", "b", "ß", "ẞ", "k", "\u{212A}", "ﬁ", "😊", "𐐀", "Ⱥ", "中", " "]
        for round in 0..<4_000 {
            let a = Self.text(of: Int(random.next() % 6), from: alphabet, &random)
            let b = Self.text(of: Int(random.next() % 6), from: alphabet, &random)
            let foldedA = Self.folded(a)
            let foldedB = Self.folded(b)
            let expected = foldedA == foldedB ? 0 : foldedA.lexicographicallyPrecedes(foldedB) ? -1 : 1
            #expect(Self.compare(a, b).signum() == expected, "seed \(seed), round \(round): \(a), \(b)")
        }
    }

    @Test func readsNothingBehindBrokenText() {
        for bytes: [UInt8] in [[0xC3], [0x61, 0xE2, 0x84], [0xF0, 0x90], [0x80, 0xFF], [0xFF]] {
            bytes.withUnsafeBytes { broken in
                var folded: [UInt8] = []
                CaseFolding.appendFolded(utf8: broken, to: &folded)
                #expect(folded.count <= 2 * bytes.count + 2)
                #expect(!Array("zz".utf8).withUnsafeBytes { CaseFolding.contains(foldedNeedle: $0, in: broken) })
                #expect(CaseFolding.compareFolded(broken, broken) == 0)
            }
        }
    }

    // MARK: - Means

    static func text(of count: Int, from alphabet: [String], _ random: inout SeededRandom) -> String {
        (0..<count).map { _ in alphabet[Int(random.next() % UInt64(alphabet.count))] }.joined()
    }

    static func folded(_ text: String) -> [UInt8] {
        var folded: [UInt8] = []
        Array(text.utf8).withUnsafeBytes { CaseFolding.appendFolded(utf8: $0, to: &folded) }
        return folded
    }

    static func contains(_ needle: String, in haystack: String) -> Bool {
        folded(needle).withUnsafeBytes { needle in
            Array(haystack.utf8).withUnsafeBytes { CaseFolding.contains(foldedNeedle: needle, in: $0) }
        }
    }

    static func compare(_ a: String, _ b: String) -> Int {
        Array(a.utf8).withUnsafeBytes { a in
            Array(b.utf8).withUnsafeBytes { CaseFolding.compareFolded(a, $0) }
        }
    }

    static func naiveContains(_ needle: String, in haystack: String) -> Bool {
        let needle = needle.unicodeScalars.map { CaseFolding.fold($0.value) }
        let haystack = haystack.unicodeScalars.map { CaseFolding.fold($0.value) }
        guard needle.count <= haystack.count else { return false }
        return (0...haystack.count - needle.count).contains { haystack[$0...].starts(with: needle) }
    }
}
