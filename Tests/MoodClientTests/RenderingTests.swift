import Testing

@testable import MoodClient

@Suite struct DisplayWidthTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("a\u{300}\u{301}\u{302}", 1), ("😀", 2), ("❤", 1), ("❤️", 2),
        ("☺", 1), ("☺️", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("👍🏽", 2), ("1️⃣", 2), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", 2), ("🏳️‍🌈", 2), ("🧑🏽‍🚀", 2), ("⌚", 2),
        ("★", 1), ("…", 1), ("日本", 4), ("한국", 4), ("\u{1112}\u{1161}\u{11ab}", 2), ("ｱ", 1), ("Ａ", 2), ("𠀀", 2),
        ("\u{3000}", 2), ("\u{200d}", 0), ("नि", 1), ("🫱🏻‍🫲🏿", 2), ("😊 Happy", 8), ("5", 1), ("#", 1), ("©", 1), ("©️", 2),
    ])
    func countsColumns(_ text: String, _ columns: Int) {
        #expect(DisplayWidth.of(text) == columns, "\(text)")
    }

    @Test(arguments: [
        ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 6, "日本語"),
        ("👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("abc", 1, "…"), ("abc", 0, ""),
    ])
    func cutsBetweenGraphemes(_ text: String, _ columns: Int, _ expected: String) {
        let cut = DisplayWidth.cut(text, to: columns)
        #expect(cut == expected)
        #expect(DisplayWidth.of(cut) <= columns)
    }
}

@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain 😊 日本", "plain 😊 日本"), ("a\u{1b}[31mb", "a\\u001b[31mb"), ("a\nb\tc\rd", "a\\nb\\tc\\rd"),
        ("\r\n", "\\r\\n"), ("\u{7f}\u{9b}", "\\u007f\\u009b"),
        ("\u{202e}x\u{2066}y\u{200f}", "\\u202ex\\u2066y\\u200f"),
        ("\u{0}", "\\u0000"), ("\u{feff}\u{2028}", "\\ufeff\\u2028"), ("👨‍👩‍👧❤️", "👨‍👩‍👧❤️"), ("back\\slash", "back\\slash"),
    ])
    func makesControlsVisible(_ text: String, _ expected: String) {
        #expect(Escaping.visible(text) == expected)
    }

    @Test func everyControlAndNothingElseIsEscaped() {
        for value in UInt32(0)...0x2fff {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let isEscaped =
                Escaping.visible(String(Character(scalar))).utf8.first == UInt8(ascii: "\\") && value != 0x5c
            #expect(isEscaped == Escaping.isControl(scalar), "\(value)")
            if scalar.properties.generalCategory == .control { #expect(isEscaped, "\(value)") }
            if scalar.properties.isBidiControl { #expect(isEscaped, "\(value)") }
        }
    }

    @Test func linesStayWhereTheyAreWanted() {
        #expect(Escaping.visibleLines("a\n\tb\u{1b}") == "a\n\tb\\u001b")
    }

    @Test func jsonForATerminalIsTheSameValue() throws {
        let json = "{\"a\":\"x\u{202e}\u{7f}\u{9b}\"}"
        let escaped = Escaping.visible(json: Array(json.utf8))
        #expect(String(decoding: escaped, as: UTF8.self) == #"{"a":"x\u202e\u007f\u009b"}"#)
    }
}

@Suite struct TableTests {
    private let plain = Style(isColored: false)

    @Test func columnsLineUpWhateverIsInThem() {
        var table = Table([.init("A"), .init("B")])
        table.rows = [["😊 x", "1"], ["日本語", "2"], ["e\u{301}", "3"]]
        #expect(table.text(width: nil, style: plain) == "A       B\n😊 x    1\n日本語  2\ne\u{301}       3\n")
    }

    @Test(arguments: [10, 20, 30, 40, 60, 200])
    func noLineIsWiderThanTheTerminal(_ width: Int) {
        var table = Table([
            .init("ID"), .init("MOOD", isFlexible: true), .init("WHEN"), .init("NOTE", isFlexible: true),
        ])
        table.rows = [
            ["0194f2a1", "😊 " + String(repeating: "日本", count: 20), "2026-01-02 06:04", "n"],
            ["0194f2a2", "👨‍👩‍👧", "2026-01-02 06:04", String(repeating: "long note ", count: 30)],
        ]
        for line in table.text(width: width, style: plain).split(separator: "\n") {
            #expect(DisplayWidth.of(String(line)) <= width)
        }
    }

    @Test func theLastFlexibleColumnIsCutFirst() {
        var table = Table([.init("MOOD", isFlexible: true), .init("NOTE", isFlexible: true)])
        table.rows = [["twelve chars", String(repeating: "x", count: 40)]]
        #expect(table.text(width: 30, style: plain) == "MOOD          NOTE\ntwelve chars  xxxxxxxxxxxxxxx…\n")
    }

    @Test func emptyColumnsAreLeftOut() {
        var table = Table([.init("A"), .init("B"), .init("C")])
        table.rows = [["1", "", "3"]]
        #expect(table.text(width: nil, style: plain) == "A  C\n1  3\n")
    }

    @Test func coloursDoNotCountAsColumns() {
        var table = Table([.init("A", role: .mark), .init("B")])
        table.rows = [["1", "2"]]
        #expect(
            table.text(width: nil, style: Style(isColored: true))
                == "\u{1b}[1mA\u{1b}[0m  \u{1b}[1mB\u{1b}[0m\n\u{1b}[33m1\u{1b}[0m  2\n")
    }
}

@Suite struct StyleTests {
    @Test(
        arguments: [
            (nil, true, [:], true), (nil, false, [:], false), (nil, true, ["NO_COLOR": "1"], false),
            (nil, true, ["NO_COLOR": ""], true), (nil, true, ["TERM": "dumb"], false),
            ("auto", true, ["NO_COLOR": "1"], false),
            ("always", false, ["NO_COLOR": "1"], true), ("never", true, [:], false),
        ] as [(String?, Bool, [String: String], Bool)])
    func decidesAboutColour(_ choice: String?, _ isTerminal: Bool, _ environment: [String: String], _ expected: Bool) {
        let style = Style(choice: choice, isTerminal: isTerminal, environment: { environment[$0] })
        #expect(style.isColored == expected)
    }
}
