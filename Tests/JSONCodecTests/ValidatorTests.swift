import JSONCodec
import Testing

@Suite struct ValidatorTests {
    struct Refusal: Sendable {
        let text: String
        let offset: Int
        let reason: JSONError.Reason

        init(_ text: String, _ offset: Int, _ reason: JSONError.Reason) {
            (self.text, self.offset, self.reason) = (text, offset, reason)
        }
    }

    @Test(arguments: [
        Refusal("", 0, .unexpectedEnd),
        Refusal(" \t\r\n", 4, .unexpectedEnd),
        Refusal("[1,", 3, .unexpectedEnd),
        Refusal("[1", 2, .unexpectedEnd),
        Refusal(#"{"a""#, 4, .unexpectedEnd),
        Refusal(#"{"a":"#, 5, .unexpectedEnd),
        Refusal(#""abc"#, 4, .unexpectedEnd),
        Refusal("-", 1, .unexpectedEnd),
        Refusal("1.", 2, .unexpectedEnd),
        Refusal("1e+", 3, .unexpectedEnd),
        Refusal("[1,]", 3, .unexpectedByte(0x5d)),
        Refusal(#"{"a":1,}"#, 7, .unexpectedByte(0x7d)),
        Refusal(#"{"a" 1}"#, 5, .unexpectedByte(0x31)),
        Refusal("{1:2}", 1, .unexpectedByte(0x31)),
        Refusal("[1}", 2, .unexpectedByte(0x7d)),
        Refusal(#"{"a":1]"#, 6, .unexpectedByte(0x5d)),
        Refusal("[1 2]", 3, .unexpectedByte(0x32)),
        Refusal("+1", 0, .unexpectedByte(0x2b)),
        Refusal("[] []", 3, .trailingBytes),
        Refusal("nulll", 4, .trailingBytes),
        Refusal("NaN", 0, .invalidLiteral),
        Refusal("[tru]", 1, .invalidLiteral),
        Refusal("[True]", 1, .invalidLiteral),
        Refusal("fals", 0, .invalidLiteral),
        Refusal("[01]", 2, .invalidNumber),
        Refusal("[-x]", 2, .invalidNumber),
        Refusal("[1.e1]", 3, .invalidNumber),
        Refusal(#"["\x"]"#, 2, .invalidEscape),
        Refusal(#"["\u12g4"]"#, 2, .invalidEscape),
        Refusal(#"["\u12"#, 2, .invalidEscape),
        Refusal(#"["\ud83d"]"#, 2, .loneSurrogate),
        Refusal(#"["\ude0a\ud83d"]"#, 2, .loneSurrogate),
        Refusal(#"["\ud83d\u0041"]"#, 2, .loneSurrogate),
        Refusal("[\"a\tb\"]", 3, .controlCharacter),
        Refusal("\u{feff}[]", 0, .byteOrderMark),
    ])
    func saysWhereAndWhy(_ refusal: Refusal) {
        #expect(Verdict(refusal.text) == .refused(refusal.offset, refusal.reason))
    }

    @Test(
        arguments: [
            [0x80], [0xbf], [0xc0, 0x80], [0xc1, 0xbf], [0xc3], [0xc3, 0x28], [0xe0, 0x9f, 0xbf], [0xe2, 0x82],
            [0xe2, 0x28, 0xa1],
            [0xed, 0xa0, 0x80], [0xed, 0xbf, 0xbf], [0xf0, 0x8f, 0xbf, 0xbf], [0xf0, 0x9f, 0x98],
            [0xf4, 0x90, 0x80, 0x80],
            [0xf5, 0x80, 0x80, 0x80], [0xff], [0xfe],
        ] as [[UInt8]])
    func refusesWhatIsNotUTF8WhereverItStands(_ sequence: [UInt8]) {
        for before in 0..<20 {
            let start = [0x22] + [UInt8](repeating: 0x61, count: before)
            #expect(Verdict(start + sequence + Array("aaaaaaaaa\"".utf8)) == .refused(before + 1, .invalidUTF8))
            #expect(Verdict(start + sequence + [0x22]) == .refused(before + 1, .invalidUTF8))
            #expect(Verdict([0x7b] + start + sequence + Array("\":1}".utf8)) == .refused(before + 2, .invalidUTF8))
        }
    }

    @Test func refusesEveryBareControlCharacterWhereverItStands() {
        for control in UInt8(0)..<0x20 {
            for before in 0..<20 {
                let text = [0x22] + [UInt8](repeating: 0x61, count: before) + [control] + Array("aaaaaaaaa\"".utf8)
                #expect(Verdict(text) == .refused(before + 1, .controlCharacter))
            }
        }
        #expect(Verdict("\"\u{7f}\u{80}\u{9f}\"") == .accepted)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}"), (#"[{"a":"#, "}]")])
    func acceptsTheDepthLimitAndRefusesOneMore(_ opening: String, _ closing: String) {
        let levels = opening.filter { "[{".contains($0) }.count
        for limit in [2, 10, 64] {
            let count = limit / levels
            let text = String(repeating: opening, count: count) + "1" + String(repeating: closing, count: count)
            #expect(Verdict(text, depthLimit: limit) == .accepted)
            let deeper = "[" + text + "]"
            let bytes = Array(deeper.utf8)
            let offset = bytes.lastIndex { $0 == 0x5b || $0 == 0x7b } ?? 0
            #expect(Verdict(deeper, depthLimit: limit) == .refused(offset, .tooDeep(limit: limit)))
        }
    }

    @Test func countsDepthAndNotContainers() {
        #expect(Verdict("[" + String(repeating: "[],{},", count: 1_000) + "[]]", depthLimit: 2) == .accepted)
        #expect(Verdict("[[]]", depthLimit: 0) == .refused(1, .tooDeep(limit: 1)), "a limit is at least 1")
        let deep = String(repeating: "[", count: 65) + String(repeating: "]", count: 65)
        #expect(Verdict(deep, depthLimit: 1_000) == .refused(64, .tooDeep(limit: 64)), "and at most 64")
    }

    @Test func takesTheTopLevelApart() throws {
        let bytes = Array(#" { "a" : 1 , "b\n":[2, {"c":3}] ,"":"x"} "#.utf8)
        var validator = JSONValidator(depthLimit: 64)
        try bytes.withUnsafeBytes { bytes in
            let outline = try validator.validate(bytes)
            #expect(outline.kind == .object && outline.duplicate == nil)
            #expect(outline.parts.map { String(decoding: outline.key($0), as: UTF8.self) } == ["a", #"b\n"#, ""])
            let values = outline.parts.map { String(decoding: outline.text[$0].bytes, as: UTF8.self) }
            #expect(values == ["1", #"[2, {"c":3}]"#, #""x""#])
        }
        let array = Array("[1 ,[2,3],\"\"]".utf8)
        try array.withUnsafeBytes { bytes in
            let outline = try validator.validate(bytes)
            #expect(outline.kind == .array)
            #expect(
                outline.parts.map { String(decoding: outline.text[$0].bytes, as: UTF8.self) } == ["1", "[2,3]", "\"\""])
            #expect(outline.parts.allSatisfy { outline.key($0).isEmpty })
        }
        for text in ["7", "\"[1]\"", "true", "null", "{}", "[]", " [ ] "] {
            let count = try Array(text.utf8).withUnsafeBytes { try validator.validate($0).parts.count }
            #expect(count == 0)
        }
    }

    @Test func isUsedAgainAfterAnyText() throws {
        var validator = JSONValidator(depthLimit: 64)
        let texts = [
            String(repeating: #"{"a":"#, count: 40), #"{"a":1,"a":2}"#,
            "[" + String(repeating: "1,", count: 10_000) + "1]",
            "{" + (0..<10_000).map { #""k\#($0)":0"# }.joined(separator: ",") + "}", "[1", "", #"{"a":[{"b":1"#,
        ]
        for text in texts {
            _ = Verdict(Array(text.utf8), &validator)
            #expect(Verdict(Array(#"{"a":1,"b":{"a":2}}"#.utf8), &validator) == .accepted)
            #expect(Verdict(Array(#"{"a":1,"b":{"a":2},"b":3}"#.utf8), &validator) == .doubled(19))
        }
    }

    @Test func tellsPeopleWhatIsWrong() {
        let error = JSONError(offset: 3, reason: .unexpectedByte(0x7d))
        #expect("\(error)" == "unexpected '}' (at byte 3)")
        #expect("\(JSONError.Reason.unexpectedByte(0x1b))" == "unexpected byte 0x1b")
        #expect("\(JSONError.Reason.tooDeep(limit: 64))" == "nested deeper than 64 levels")
    }
}
