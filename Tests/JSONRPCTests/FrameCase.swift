import FuzzTargets
import Testing

/// A stream and its frames, in pieces of any size.
struct FrameCase: Sendable, CustomTestStringConvertible {
    let name: String
    let stream: [UInt8]
    let frames: [PlainFrame]
    let messageBytesMax: Int

    init(_ name: String, _ stream: String, _ frames: [PlainFrame], messageBytesMax: Int = 64) {
        self.init(name, bytes: Array(stream.utf8), frames, messageBytesMax: messageBytesMax)
    }

    init(_ name: String, bytes: [UInt8], _ frames: [PlainFrame], messageBytesMax: Int = 64) {
        self.name = name
        self.stream = bytes
        self.frames = frames
        self.messageBytesMax = messageBytesMax
    }

    var testDescription: String { name }
}

extension PlainFrame {
    static func line(_ text: String) -> PlainFrame { .line(Array(text.utf8)) }
    static func body(_ text: String) -> PlainFrame { .body(Array(text.utf8)) }
}

extension FrameCase {
    static let all = lines + blanks + limits + headers + brokenHeaders + ends + mixed

    static let lines: [FrameCase] = [
        FrameCase("nothing", "", []),
        FrameCase("a line", "{}\n", [.line("{}")]),
        FrameCase("two lines", "{}\n[]\n", [.line("{}"), .line("[]")]),
        FrameCase("CRLF", "{}\r\n[]\r\n", [.line("{}"), .line("[]")]),
        FrameCase("CR alone does not end a line", "{}\r[]\n", [.line("{}\r[]")]),
        FrameCase("only one CR belongs to the end", "{}\r\r\n", [.line("{}\r")]),
        FrameCase(
            "VT, FF, NEL and U+2028 do not end a line", "1\u{b}2\u{c}3\u{85}4\u{2028}5\n",
            [.line("1\u{b}2\u{c}3\u{85}4\u{2028}5")]),
        FrameCase("blanks around a text stay", "  {} \t\n", [.line("  {} \t")]),
        FrameCase("rubbish", "hello\n\0\n{}\n", [.line("hello"), .line("\0"), .line("{}")]),
        FrameCase("broken UTF-8", bytes: [0xff, 0xfe, 0x0a, 0x7b, 0x7d, 0x0a], [.line([0xff, 0xfe]), .line("{}")]),
        FrameCase("a byte order mark is not blank", "\u{feff}{}\n", [.line("\u{feff}{}")]),
    ]

    static let blanks: [FrameCase] = [
        FrameCase("blank lines", "\n\r\n \n\t\n \t \r\n{}\n\n", [.line("{}")]),
        FrameCase("only blanks", " \t\r \n\r", []),
        FrameCase(
            "as many blanks as a message may have bytes", String(repeating: " ", count: 8) + "\n{}\n", [.line("{}")],
            messageBytesMax: 8),
        FrameCase(
            "a blank line over the limit", String(repeating: " ", count: 99) + "\r\n{}\n", [.line("{}")],
            messageBytesMax: 8),
        FrameCase(
            "a text behind blanks over the limit", String(repeating: " ", count: 99) + "{}\n[]\n",
            [.lineTooLarge, .line("[]")],
            messageBytesMax: 8),
        FrameCase(
            "a header behind blanks over the limit",
            String(repeating: " ", count: 99) + "Content-Length: 2\r\n\r\n{}\n",
            [.lineTooLarge, .line("{}")], messageBytesMax: 8),
        FrameCase(
            "blanks over the limit at the end", "{}\n" + String(repeating: "\t", count: 99), [.line("{}")],
            messageBytesMax: 8),
    ]

    static let limits: [FrameCase] = [
        FrameCase("a line at the limit", "12345678\n1\n", [.line("12345678"), .line("1")], messageBytesMax: 8),
        FrameCase(
            "a line at the limit with CRLF", "12345678\r\n1\n", [.line("12345678"), .line("1")], messageBytesMax: 8),
        FrameCase("a line over the limit", "123456789\n1\n", [.lineTooLarge, .line("1")], messageBytesMax: 8),
        FrameCase(
            "a line over the limit with CRLF", "123456789\r\n1\n", [.lineTooLarge, .line("1")], messageBytesMax: 8),
        FrameCase(
            "a line far over the limit", String(repeating: "x", count: 999) + "\n1\n", [.lineTooLarge, .line("1")],
            messageBytesMax: 8),
        FrameCase(
            "CRs count but for the last", "1234567\r\r\n12345678\r\r\n", [.line("1234567\r"), .lineTooLarge],
            messageBytesMax: 8),
        FrameCase(
            "two lines over the limit", "123456789\n123456789\n1", [.lineTooLarge, .lineTooLarge, .line("1")],
            messageBytesMax: 8),
        FrameCase("a last line at the limit", "12345678", [.line("12345678")], messageBytesMax: 8),
        FrameCase("a last line over the limit", "123456789", [.lineTooLarge], messageBytesMax: 8),
        FrameCase(
            "a body at the limit", "Content-Length: 8\r\n\r\n123456781\n", [.body("12345678"), .line("1")],
            messageBytesMax: 8),
        FrameCase(
            "a body over the limit", "Content-Length: 9\r\n\r\n1234567891\n", [.bodyTooLarge, .line("1")],
            messageBytesMax: 8),
        FrameCase(
            "a body over the limit that looks like messages", "Content-Length: 12\r\n\r\n{}\n{}\n{}\n{}\n[]\n",
            [.bodyTooLarge, .line("[]")],
            messageBytesMax: 8),
        FrameCase(
            "a body over the limit that never comes", "Content-Length: 9\r\n\r\n1234", [.bodyTooLarge],
            messageBytesMax: 8),
        FrameCase(
            "a header block at its limit", block(8_192) + "{}[]\n", [.body("{}"), .line("[]")]),
        FrameCase(
            "a header block over its limit", block(8_193) + "{}[]\n{}\n", [.headerTooLarge, .line("[]"), .line("{}")]),
        FrameCase(
            "a header block over its limit whose length comes too late",
            "Content-X: " + String(repeating: "x", count: 8_300) + "\nContent-Length: 2\n\n{}\n[]\n",
            [.headerTooLarge, .line("{}"), .line("[]")]),
        FrameCase(
            "a message behind a header block over its limit",
            "Content-Length: 2\nX: " + String(repeating: "x", count: 8_300) + "\n{}\n[]\n",
            [.headerTooLarge, .line("{}"), .line("[]")]),
        FrameCase(
            "returns behind a header block over its limit",
            "Content-Length: 2\nX: " + String(repeating: "x", count: 8_300) + "\r\n\r\rY: 1\r\n\r\r\n{}[]\n",
            [.headerTooLarge, .line("[]")]),
        FrameCase(
            "a header block over its limit without an end", "Content-" + String(repeating: "x", count: 9_000),
            [.headerTooLarge]),
    ]

    /// A header block of `count` bytes for a body of two.
    private static func block(_ count: Int) -> String {
        let (start, end) = ("Content-Length: 2\r\nX: ", "\r\n\r\n")
        return start + String(repeating: "x", count: count - start.utf8.count - end.utf8.count) + end
    }

    static let headers: [FrameCase] = [
        FrameCase("a body", "Content-Length: 2\r\n\r\n{}", [.body("{}")]),
        FrameCase(
            "two bodies", "Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", [.body("{}"), .body("[1]")]),
        FrameCase("any case", "cONTENT-lENGTH: 2\r\n\r\n{}CONTENT-LENGTH:2\r\n\r\n[]", [.body("{}"), .body("[]")]),
        FrameCase("blanks around the length", "Content-Length:\t 2 \t\r\n\r\n{}", [.body("{}")]),
        FrameCase("leading zeros", "Content-Length: 0002\r\n\r\n{}", [.body("{}")]),
        FrameCase("an empty body", "Content-Length: 0\r\n\r\n{}\n", [.body(""), .line("{}")]),
        FrameCase(
            "other headers",
            "Content-Type: a; charset=utf-8\r\nContent-Length: 2\r\nX-Content-Length: 9\r\nX:\r\n\r\n{}",
            [.body("{}")]),
        FrameCase("the same length twice", "Content-Length: 2\r\ncontent-length: 02\r\n\r\n{}", [.body("{}")]),
        FrameCase("a body with LF and CRLF in it", "Content-Length: 8\r\n\r\n[\r\n1\r\n]\n", [.body("[\r\n1\r\n]\n")]),
        FrameCase(
            "a body that looks like a header", "Content-Length: 9\r\n\r\nContent-:{}\n",
            [.body("Content-:"), .line("{}")]),
        FrameCase("blank lines before a header", "\n\r\n \nContent-Length: 2\r\n\r\n{}", [.body("{}")]),
        FrameCase(
            "a long header block", "Content-Length: 2\r\nX: " + String(repeating: "x", count: 500) + "\r\n\r\n{}",
            [.body("{}")]),
    ]

    static let brokenHeaders: [FrameCase] = [
        FrameCase("no length", "Content-Type: x\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("no header but its beginning", "Content-\r\n\r\n{}\n", [.brokenHeader, .line("{}")]),
        FrameCase("prose", "Content-wise\n{}\n[]\n", [.brokenHeader, .line("{}"), .line("[]")]),
        FrameCase(
            "a line without a colon", "Content-Length: 2\r\nno colon\r\n\r\n{}[]\n", [.brokenHeader, .line("[]")]),
        FrameCase("a line without a name", "Content-Length: 2\n: x\n\n{}[]\n", [.brokenHeader, .line("[]")]),
        FrameCase("an empty length", "Content-Length: \r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a length in words", "Content-Length: two\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a negative length", "Content-Length: -2\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a length with a sign", "Content-Length: +2\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a length with a fraction", "Content-Length: 2.0\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a length in hex", "Content-Length: 0x2\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("two lengths in one", "Content-Length: 2 2\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase(
            "two lengths that differ", "Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase(
            "a good length and a bad one", "Content-Length: 2\r\nContent-Length: x\r\n\r\n{}\n",
            [.noLength, .line("{}")]),
        FrameCase("a blank before the colon", "Content-Length : 2\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("Int.max", "Content-Length: 9223372036854775807\r\n\r\n{}\n", [.bodyTooLarge]),
        FrameCase("a length beyond Int", "Content-Length: 9223372036854775808\r\n\r\n{}\n", [.bodyTooLarge]),
        FrameCase(
            "a length far beyond Int", "Content-Length: " + String(repeating: "9", count: 99) + "\r\n\r\n{}\n",
            [.bodyTooLarge]),
        FrameCase("LF ends a header line", "Content-Length: 2\nX: 1\r\n\r\n{}[]\n", [.body("{}"), .line("[]")]),
        FrameCase("LF ends a block", "Content-Length: 2\n\n{}[]\n", [.body("{}"), .line("[]")]),
        FrameCase(
            "any number of CR before LF", "Content-Length: 2\r\r\nX: 1\r\r\r\n\r\r\n{}[]\n", [.body("{}"), .line("[]")]),
        FrameCase(
            "a block that a message ends", "Content-Length: 9\r\n{\"a\":1}\n[]\n",
            [.brokenHeader, .line("{\"a\":1}"), .line("[]")]),
        FrameCase("a block that a batch ends", "Content-Length: 9\n[1]\n", [.brokenHeader, .line("[1]")]),
        FrameCase("a block that half a message ends", "Content-Length: 9\n{", [.brokenHeader, .line("{")]),
        FrameCase(
            "a message behind a blank is no message", "Content-Length: 2\n {\n\n{}[]\n", [.brokenHeader, .line("[]")]),
        FrameCase(
            "CR alone does not end a header line", "Content-Length: 2\rX: 1\r\n\r\n{}\n", [.noLength, .line("{}")]),
        FrameCase("a CR is no hyphen", "Content\rLength: 2\r\n\r\n{}\n", [.line("Content\rLength: 2"), .line("{}")]),
        FrameCase(
            "a CR in a name is no hyphen", "Content-Type: x\r\nContent\rLength: 2\r\n\r\n{}\n",
            [.noLength, .line("{}")]),
        FrameCase("a CR at a name's end", "Content\r\n{}\n", [.line("Content"), .line("{}")]),
    ]

    static let ends: [FrameCase] = [
        FrameCase("a last line without LF", "{}\n[]", [.line("{}"), .line("[]")]),
        FrameCase("a last line with half an end", "{}\r", [.line("{}")]),
        FrameCase("the end inside the word", "Conte", [.line("Conte")]),
        FrameCase("the end inside a header block", "Content-Length: 2\r\n", [.cutShort]),
        FrameCase("the end inside the empty line", "Content-Length: 2\r\n\r", [.cutShort]),
        FrameCase("the end before the body", "Content-Length: 2\r\n\r\n", [.cutShort]),
        FrameCase("the end inside the body", "Content-Length: 9\r\n\r\n{}\n{}\n", [.cutShort]),
        FrameCase("the end behind the body", "Content-Length: 0\r\n\r\n", [.body("")]),
    ]

    static let mixed: [FrameCase] = [
        FrameCase(
            "lines and bodies",
            "{}\nContent-Length: 2\r\n\r\n[]{\"a\":1}\n\nContent-Length: 1\r\n\r\n1Content-Length: 1\r\n\r\n2\n3",
            [.line("{}"), .body("[]"), .line("{\"a\":1}"), .body("1"), .body("2"), .line("3")]),
        FrameCase(
            "words that are no header", "Content\nContent_Length: 2\n Content-Length: 2\n",
            [
                .line("Content"), .line("Content_Length: 2"), .line(" Content-Length: 2"),
            ]),
        FrameCase(
            "faults and messages in turn",
            "123456789\nContent-Length: 9\r\n\r\n123456789Content-Length: x\r\n\r\n1\nContent-Length: 1\r\n\r\n2",
            [.lineTooLarge, .bodyTooLarge, .noLength, .line("1"), .body("2")], messageBytesMax: 8),
        FrameCase(
            "a limit of nothing", "1\n\n \nContent-Length: 0\r\n\r\n", [.lineTooLarge, .body("")], messageBytesMax: 0),
    ]
}
