import FuzzTargets
import JSONCodec
import Testing

@Suite struct TextTests {
    private func text<Result>(_ raw: String, _ body: (JSONText) throws -> Result) rethrows -> Result {
        var copy = raw
        return try copy.withUTF8 { bytes in
            try body(JSONText(raw: UnsafeRawBufferPointer(bytes), isEscaped: raw.utf8.contains(UInt8(ascii: "\\"))))
        }
    }

    @Test(arguments: [
        ("", ""), ("abc", "abc"), (#"\""#, "\""), (#"\\"#, "\\"), (#"\/"#, "/"), (#"\b"#, "\u{8}"), (#"\f"#, "\u{c}"),
        (#"\n"#, "\n"), (#"\r"#, "\r"), (#"\t"#, "\t"), (#"\u0000"#, "\0"), (#"\u001f"#, "\u{1f}"), (#"\u0041"#, "A"),
        (#"\u00e9\u00E9"#, "éé"), (#"\u07ff\u0800\uffff"#, "\u{7ff}\u{800}\u{ffff}"),
        (#"\ud7ff\ue000"#, "\u{d7ff}\u{e000}"),
        (#"\ud800\udc00"#, "\u{10000}"), (#"\uDBFF\uDFFF"#, "\u{10ffff}"), (#"\ud83d\ude0a!"#, "😊!"),
        (#"a\\u0041"#, #"a\u0041"#), (#"\\\\n"#, #"\\n"#), ("é\\n😊", "é\n😊"), (#"\u005cn"#, #"\n"#),
    ])
    func decodesEveryEscape(_ raw: String, _ expected: String) {
        text(raw) { text in
            #expect(text.string.utf8.elementsEqual(expected.utf8))
            #expect(text.withDecoded { $0.elementsEqual(expected.utf8) })
            var bytes: [UInt8] = []
            text.decode { bytes.append($0) }
            #expect(bytes.elementsEqual(expected.utf8))
        }
    }

    @Test func decodesEveryScalarInEverySpelling() throws {
        for value in UInt32(0)...0x10ffff where value < 0x3000 || value % 97 == 0 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let units = String(Character(scalar)).utf16.map { unit in
                let digits = String(unit, radix: 16)
                return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            }
            let isSame = text(units.joined()) { $0.string.unicodeScalars.elementsEqual([scalar]) }
            if !isSame { Issue.record("U+\(String(value, radix: 16))") }
        }
    }

    @Test func comparesDecodedBytes() {
        let equal = [("a", #"\u0061"#), (#"\n"#, #"\u000a"#), ("é", #"\u00E9"#), ("", ""), ("12345678", "12345678")]
        for (a, b) in equal { #expect(text(a) { a in text(b) { a.isEqual(to: $0) } }) }
        let different = [
            ("a", "b"), ("a", "aa"), ("é", "e\u{301}"), ("12345678x", "12345678y"), ("x12345678", "y12345678"),
        ]
        for (a, b) in different { #expect(!text(a) { a in text(b) { a.isEqual(to: $0) } }) }
        #expect(
            text(#"i\u0064"#) { $0.equals("id") } && text("id") { $0.equals("id") } && !text("idx") { $0.equals("id") })
        #expect(JSONText("id").string == "id")
    }

    @Test func findsADifferenceAtEveryPlace() {
        for count in 0..<40 {
            let bytes = (0..<count).map { UInt8($0) }
            bytes.withUnsafeBytes { a in
                #expect(JSONText.sameBytes(a, a))
                for at in 0..<count {
                    var other = bytes
                    other[at] ^= 0x80
                    #expect(!other.withUnsafeBytes { JSONText.sameBytes(a, $0) })
                }
            }
        }
    }
}
