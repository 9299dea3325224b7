import JSONCodec
import Testing

@Suite struct WriterTests {
    @Test func putsCommasWhereTheyAreDue() {
        let text = written { writer in
            writer.beginObject()
            writer.key("a")
            writer.integer(-1)
            writer.key(text: "b")
            writer.beginArray()
            writer.beginArray()
            writer.endArray()
            writer.beginObject()
            writer.endObject()
            writer.boolean(true)
            writer.boolean(false)
            writer.null()
            writer.string("x" as StaticString)
            writer.string("[" as String)
            writer.string("{" as String)
            writer.string(":" as String)
            writer.double(0.5)
            writer.number(text: "1e400")
            writer.raw("[1]")
            writer.endArray()
            writer.key("c")
            writer.beginObject()
            writer.key("d")
            writer.null()
            writer.endObject()
            writer.endObject()
        }
        #expect(
            text == #"{"a":-1,"b":[[],{},true,false,null,"x","[","{",":",0.5,1e400,[1]],"c":{"d":null}}"#)
    }

    @Test func beginsAnewBehindALineFeed() {
        let text = written { writer in
            for number in 0..<3 {
                writer.integer(number)
                writer.buffer.append(UInt8(ascii: "\n"))
            }
        }
        #expect(text == "0\n1\n2\n")
    }

    /// Only characters that RFC 8259, section 7 requires are escaped, and in the short form if there is one.
    @Test func writesStringsInOneForm() {
        let short: [UInt32: String] = [8: "\\b", 9: "\\t", 10: "\\n", 12: "\\f", 13: "\\r", 0x22: "\\\"", 0x5c: "\\\\"]
        for value in UInt32(0)..<0x800 {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let digits = String(value, radix: 16)
            let long = value < 0x20 ? "\\u00" + (value < 16 ? "0" : "") + digits : String(Character(scalar))
            for padding in [0, 3, 7, 8, 9, 17] {
                let around = String(repeating: "x", count: padding)
                let expected = "\"\(around)\(short[value] ?? long)\(around)\""
                let actual = written { $0.string(around + String(Character(scalar)) + around) }
                #expect(actual.utf8.elementsEqual(expected.utf8))
            }
        }
        #expect(written { $0.string("/😊\u{2028}\u{10ffff}" as String) } == "\"/😊\u{2028}\u{10ffff}\"")
    }

    @Test(arguments: [
        (#"["\u0061\/\u000a\u001F\ud83d\ude0a\b"]"#, #"["a/\n\u001f😊\b"]"#), (#"["plain"]"#, #"["plain"]"#),
        (#"[""]"#, #"[""]"#),
    ])
    func bringsATextThatWasReadIntoThatForm(_ raw: String, _ expected: String) throws {
        try reading(raw) { reader in
            _ = reader.enterArray()
            _ = reader.nextElement()
            guard let text = reader.text() else { return }
            #expect("[" + written { $0.string(text) } + "]" == expected)
        }
    }

    @Test(
        arguments: [
            (0, "0"), (-0.0, "0"), (50, "50"), (-3, "-3"), (0.5, "0.5"), (1e300, "1e+300"),
            (Double.leastNonzeroMagnitude, "5e-324"),
            (9_007_199_254_740_991, "9007199254740991"), (9_007_199_254_740_992, "9007199254740992.0"),
            (0.1 + 0.2, "0.30000000000000004"),
            (Double.nan, "null"), (Double.infinity, "null"), (-Double.infinity, "null"),
        ] as [(Double, String)])
    func writesTheShortestNumberThatReadsBack(_ value: Double, _ expected: String) {
        #expect(written { $0.double(value) } == expected)
        #expect(JSONValue.double(value).text == expected)
        #expect(Verdict(expected) == .accepted)
        if value.isFinite { #expect(JSONValue.number(expected).double == value) }
    }

    @Test(arguments: [0, 9, 10, 99, 100, 12_345, 999_999_999, 1_000_000_000, Int.max, Int.min, -1, -10])
    func writesEveryInteger(_ value: Int) {
        #expect(written { $0.integer(value) } == String(value))
    }

    @Test func goesBackToAMark() {
        let text = written { writer in
            writer.beginArray()
            writer.integer(1)
            let mark = writer.count
            writer.string("something long enough for the buffer to grow" as String)
            writer.beginObject()
            writer.rewind(to: mark)
            writer.integer(2)
            writer.endArray()
        }
        #expect(text == "[1,2]")
    }
}
