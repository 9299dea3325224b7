import Testing

@testable import MoodCore

@Suite struct TextRuleTests {
    @Test(arguments: [
        "Happy", " Happy ", "\u{a0}Happy\u{3000}", "\tHappy\n", "日本語", "e\u{301}", "👨\u{200d}👩\u{200d}👧", "a b",
        "line\u{2028}separator", "\"quoted\" \\", String(repeating: "a", count: 200),
        String(repeating: "é", count: 200), " " + String(repeating: "a", count: 200) + " ",
        String(repeating: "👩\u{200d}💻", count: 100),
    ])
    func acceptsLabels(text: String) {
        #expect(withBytes(text) { TextRule.labelProblem($0) } == nil)
    }

    @Test(arguments: [
        "", " ", "\t\n", "\u{a0}\u{2003}\u{3000}\u{85}", "a\nb", "a\tb", "a\u{0}b", "a\u{1f}b", "a\u{7f}b", "a\u{80}b",
        "a\u{85}b", "a\u{9f}b", String(repeating: "a", count: 201), String(repeating: "👩\u{200d}💻", count: 201),
        // At most 200 characters, but more than 2 KiB.
        String(repeating: "e" + String(repeating: "\u{301}", count: 20), count: 60),
    ])
    func refusesLabels(text: String) {
        #expect(withBytes(text) { TextRule.labelProblem($0) } != nil)
    }

    @Test func countsALabelInCharactersNotBytes() throws {
        let problem = try #require(withBytes(String(repeating: "é", count: 201)) { TextRule.labelProblem($0) })
        #expect(problem.contains("200") && problem.contains("201"))
        #expect(withBytes("abc") { TextRule.labelProblem($0, charactersMax: 2) } != nil)
        #expect(withBytes("ab") { TextRule.labelProblem($0, charactersMax: 2) } == nil)
    }

    @Test func limitsTagsNotesAndTheirBytes() {
        #expect(withBytes(String(repeating: "é", count: 64)) { TextRule.tagProblem($0) } == nil)
        #expect(withBytes(String(repeating: "é", count: 65)) { TextRule.tagProblem($0) } != nil)
        #expect(
            withBytes(String(repeating: "e\u{301}\u{301}\u{301}\u{301}\u{301}", count: 60)) {
                TextRule.tagProblem($0)
            } != nil)
        #expect(withBytes(" \u{2003}") { TextRule.tagProblem($0) } != nil)
        #expect(withBytes("a\nb\u{0}") { TextRule.notesProblem($0) } == nil)
        #expect(withBytes("") { TextRule.notesProblem($0) } == nil)
        #expect(withBytes(String(repeating: "a", count: 65_536)) { TextRule.notesProblem($0) } == nil)
        #expect(withBytes(String(repeating: "a", count: 65_537)) { TextRule.notesProblem($0) } != nil)
    }

    /// Checks every code point's Unicode properties.
    @Test func trimsExactlyUnicodeWhiteSpace() {
        for value in UInt32(0)...0x10ffff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            // Only these planes and blocks can have white space.
            guard value < 0x3100 || value % 251 == 0 else { continue }
            let text = "\(scalar)a\(scalar)"
            let trimmed = withBytes(text) { String(decoding: TextRule.trimmed($0), as: UTF8.self) }
            #expect((trimmed == "a") == scalar.properties.isWhitespace, "U+\(String(value, radix: 16))")
        }
    }

    @Test(arguments: [
        ("", ""), (" ", ""), ("\u{85}\u{1680}", ""), ("a", "a"), (" a b ", "a b"), ("\u{200b}a", "\u{200b}a"),
    ])
    func trimsAtTheEndsOnly(text: String, expected: String) {
        #expect(withBytes(text) { String(decoding: TextRule.trimmed($0), as: UTF8.self) } == expected)
    }

    @Test(arguments: [
        "https://example.com", "http://a", "HTTPS://EXAMPLE.COM/x?y=z#f", "https://example.com:8080/%20",
        "https://[::1]/", "https://user@example.com/", "https://例え.jp/道", "https://a/%", "https://a/%0",
        "https://a/%2028",
    ])
    func acceptsWebAddresses(text: String) {
        #expect(withBytes(text) { TextRule.urlProblem($0) } == nil)
    }

    @Test(arguments: [
        "", "example.com", "ftp://example.com", "file:///etc/passwd", "javascript:alert(1)", "https:/example.com",
        "https://", "https:///path", "https://?q", "https://#f", "https://:80/", "https://@a", "https://a b",
        "https://a\nb", "https://a\u{0}", "https://a\"b", "https://a<b>", "https://a\\b", "https://a\u{7f}",
        "http\u{1a}//example.com", " https://a", "https://a`", "https://a{}", "https://a/\u{202e}gpj.exe",
        "https://a\u{2066}", "https://a/\u{61c}", "https://a/\u{200f}", "https://a/\u{85}", "https://a/\u{9b}2J",
        "https://a/%0d%0aSet-Cookie:b", "https://a/%0A", "https://a/%7f", "https://a/%1F", "https://a/\u{2028}",
        "https://a/\u{a0}",
    ])
    func refusesOtherAddresses(text: String) {
        #expect(withBytes(text) { TextRule.urlProblem($0) } != nil)
    }

    /// Bytes that differ from the scheme's only in the bit of lower case.
    @Test(arguments: ["https://a", "http://a", "mailto:a", "geo:1", "tel:1"])
    func takesNoOtherCharacterForOneOfTheScheme(address: String) throws {
        let end = try #require(address.utf8.firstIndex(of: UInt8(ascii: ":"))).utf16Offset(in: address)
        for place in 0...end {
            for other in UInt8.min...127 {
                var bytes = Array(address.utf8)
                if other == bytes[place] || place < end && other | 0x20 == bytes[place] { continue }
                bytes[place] = other
                let problem = bytes.withUnsafeBytes { TextRule.linkProblem($0) }
                #expect(problem?.hasPrefix("must begin with") == true, "\(bytes)")
            }
            var upper = Array(address.utf8)
            upper[place] = place < end ? upper[place] & 0xdf : upper[place]
            #expect(upper.withUnsafeBytes { TextRule.linkProblem($0) } == nil)
        }
        for byte in "@[\\]^_`".utf8 {
            let problem = withBytes("http\(UnicodeScalar(byte))//a") { TextRule.urlProblem($0) }
            #expect(problem == "must begin with https:// or http://")
        }
    }

    @Test func limitsAddresses() {
        let host = "https://example.com/"
        let longest = host + String(repeating: "a", count: 8 * 1024 - host.utf8.count)
        #expect(withBytes(longest) { TextRule.urlProblem($0) } == nil)
        #expect(withBytes(longest + "a") { TextRule.urlProblem($0) } != nil)
        #expect(withBytes("a@" + String(repeating: "b", count: 252)) { TextRule.emailProblem($0) } == nil)
        #expect(withBytes("a@" + String(repeating: "b", count: 253)) { TextRule.emailProblem($0) } != nil)
        #expect(withBytes("/" + String(repeating: "b", count: 4095)) { TextRule.pathProblem($0) } == nil)
        #expect(withBytes("/" + String(repeating: "b", count: 4096)) { TextRule.pathProblem($0) } != nil)
    }

    @Test(arguments: [
        ("name@example.org", true), ("mailto:a@b.c", false), ("\"a:b\"@c.d", true), ("a+b@c.d", true),
        ("\"a@b\"@c.d", true), ("日本@例え.jp", true), ("", false),
        ("@", false), ("a@", false), ("@b", false), ("a", false), ("a@b@c", false), ("a b@c.d", false),
        ("a@b\n", false), ("a@b\u{7f}", false), ("a@b%0d%0aBcc:c@d", false), ("a\u{202e}@b", false),
        ("a@b\u{85}", false),
        ("a@\u{9b}b", false), ("a%40b@c.d", true), ("a%0@b.c", true),
    ])
    func checksEMailAddresses(text: String, isValid: Bool) {
        #expect((withBytes(text) { TextRule.emailProblem($0) } == nil) == isValid)
    }

    @Test(arguments: ["mailto:a@b?subject=c%0d%0aBcc:d", "geo:1,2%0A", "tel:1\u{202e}", "mailto:a@b\u{9d}"])
    func refusesLinksWithWhatNobodySees(text: String) {
        #expect(withBytes(text) { TextRule.linkProblem($0) } != nil)
    }

    /// White space at the ends stays, so it must not break a line.
    @Test(arguments: ["\u{b}Home", "Home\u{c}", "Home\u{85}", "Ho\u{85}me", "Home\n", "\t", "", "   "])
    func refusesLinesOfAttachments(text: String) {
        #expect(withBytes(text) { TextRule.attachedLineProblem($0) } != nil)
    }

    @Test(arguments: ["Home", " Home ", "\u{a0}Home\u{3000}"]) func acceptsLinesOfAttachments(text: String) {
        #expect(withBytes(text) { TextRule.attachedLineProblem($0) } == nil)
    }

    @Test func countsTheCharactersOfANameAndItsBytes() {
        let family = "👩‍👩‍👧"
        func problem(_ text: String) -> String? { withBytes(text) { TextRule.nameProblem($0) } }
        #expect(family.unicodeScalars.count == 5 && problem(String(repeating: family, count: 28)) == nil)
        #expect(problem(String(repeating: "é", count: 64)) == nil)
        #expect(problem(String(repeating: "e\u{301}", count: 64)) == nil)
        #expect(problem(String(repeating: "e\u{301}", count: 65)) != nil)
        #expect(
            problem("e" + String(repeating: "\u{301}", count: 256)) != nil, "a character may have any number of bytes")
        #expect(problem("") != nil && problem("a\nb") != nil)
    }

    @Test(arguments: [("/", true), ("/a b/ü", true), ("", false), ("a", false), ("~/a", false), ("/a\u{0}b", false)])
    func checksPaths(text: String, isValid: Bool) {
        #expect((withBytes(text) { TextRule.pathProblem($0) } == nil) == isValid)
    }

    @Test(arguments: [
        ("Europe/Helsinki", true), ("UTC", true), ("America/Argentina/Buenos_Aires", true), ("", false),
        ("europe/helsinki", false), ("Nowhere/Else", false), ("../../etc/passwd", false), ("+02:00", false),
        (String(repeating: "a", count: 100_000), false),
    ])
    func checksTimeZones(text: String, isValid: Bool) {
        #expect((withBytes(text) { TextRule.timeZoneProblem($0) } == nil) == isValid)
    }

    @Test(arguments: [("en_US", true), ("fi-FI", true), ("", false), ("xx_YY_ZZ", false), ("../..", false)])
    func checksLocales(text: String, isValid: Bool) {
        #expect((withBytes(text) { TextRule.localeProblem($0) } == nil) == isValid)
    }

    @Test func findsEveryControlCharacterAndNoOther() {
        for value in UInt32(0)..<0x300 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isControl = scalar.properties.generalCategory == .control
            #expect(withBytes("a\(scalar)b") { TextRule.hasControlCharacter($0) } == isControl)
        }
    }
}
