import JSONCodec
import Testing

@Suite struct DuplicateNameTests {
    /// `|` precedes the duplicate name.
    @Test(arguments: [
        #"{"a":1,|"a":2}"#,
        #"{"":1,|"":2}"#,
        #"{"a":1,|"\u0061":2}"#,
        #"{"\u0061":1,|"a":2}"#,
        #"{"\u0061":1,|"\u0061":2}"#,
        #"{"\/":1,|"/":2}"#,
        #"{"\n":1,|"\u000A":2}"#,
        #"{"😊":1,|"\ud83d\ude0a":2}"#,
        #"{"a":1,"b":2,|"a":3,"b":4,"a":5}"#,
        #"{"a":{"b":1,|"b":2},"a":3}"#,
        #"{"a":{"b":1},|"a":{"b":1}}"#,
        #"[{"a":1},{"b":[{"c":0,|"c":0}]}]"#,
        #"{"longer than one word of eight":1,"b":0,|"longer than one word of eight":2}"#,
        #"{"longer than one word of eight":1,"b":0,|"longer th\u0061n one word of eight":2}"#,
    ])
    func findsTheFirstOne(_ marked: String) {
        let bytes = Array(marked.utf8)
        guard let offset = bytes.firstIndex(of: UInt8(ascii: "|")) else { return }
        #expect(Verdict(bytes.filter { $0 != UInt8(ascii: "|") }) == .doubled(offset))
    }

    @Test(arguments: [
        #"{"a":1,"A":2}"#,
        #"{"a":1,"b":{"a":2},"c":[{"a":3},{"a":4}]}"#,
        #"{"a":"a","b":"a"}"#,
        #"{"\\u0061":1,"a":2}"#,
        #"{"a":1,"a ":2,"a\u0000":3,"":4}"#,
        "{\"\u{e9}\":1,\"e\u{301}\":2}",
        "{\"a\u{301}\u{323}\":1,\"a\u{323}\u{301}\":2}",
        "{\"\u{212a}\":1,\"K\":2}",
        #"{"aXb":1,"aYb":2,"abX":3,"Xab":4}"#,
        #"{"12345678-middle-87654321":1,"12345678-MIDDLE-87654321":2}"#,
    ])
    func comparesBytesAndNothingElse(_ text: String) {
        #expect(Verdict(text) == .accepted)
    }

    /// Around the sizes at which the comparison changes, and far beyond them.
    @Test(arguments: [2, 15, 16, 17, 18, 31, 32, 33, 64, 65, 1_000, 1_025, 5_000])
    func findsOneAmongMany(_ count: Int) {
        let names = (0..<count).map { #""name\#($0)":\#($0)"# }
        #expect(Verdict("{" + names.joined(separator: ",") + "}") == .accepted)
        for (first, second) in [(0, count - 1), (0, 1), (count - 2, count - 1), (count / 3, count / 2)]
        where first < second {
            for spelling in [#""name\#(first)":0"#, #""n\u0061me\#(first)":0"#] {
                var doubled = names
                doubled[second] = spelling
                let offset = 1 + doubled[..<second].reduce(0) { $0 + $1.utf8.count + 1 }
                #expect(Verdict("{" + doubled.joined(separator: ",") + "}") == .doubled(offset))
                let nested = #"[{"name0":"# + "{" + doubled.joined(separator: ",") + "}}]"
                #expect(Verdict(nested) == .doubled(offset + 10))
            }
        }
    }

    /// The text before is never touched, so it takes no memory.
    @Test func findsOneBehindMoreThanTwoGigabytes() {
        let object = Array(#"{"a":1,"b":2,"\u0061":3}"#.utf8)
        let start = (1 << 31) + 8
        let text = UnsafeMutableRawBufferPointer.allocate(byteCount: start + object.count, alignment: 16)
        defer { text.deallocate() }
        UnsafeMutableRawBufferPointer(rebasing: text[start...]).copyBytes(from: object)
        var validator = JSONValidator(depthLimit: 64)
        #expect(validator.endOfValue(UnsafeRawBufferPointer(text), from: start, depth: 0) == nil)
        #expect(validator.duplicate == start + 13)
    }

    @Test func findsTheFirstOneOfLargeObjectsInsideEachOther() {
        func names(_ letter: String, _ count: Int) -> String {
            (0..<count).map { #""\#(letter)\#($0)":0"# }.joined(separator: ",")
        }
        let inner = "{" + names("i", 40) + #","i7":1}"#
        let outer = "{" + names("o", 40) + #","inner":"# + inner + #","o3":1}"#
        let bytes = Array(outer.utf8)
        let expected = Array(("{" + names("o", 40) + #","inner":{"# + names("i", 40) + ",").utf8).count
        #expect(Verdict(bytes) == .doubled(expected))
        let outerFirst = "{" + names("o", 40) + #","o3":"# + inner + "}"
        #expect(Verdict(outerFirst) == .doubled(Array(("{" + names("o", 40) + ",").utf8).count))
    }

    @Test func comparesTextsThatHaveManySpellingsOnlyByBytes() {
        let texts = ["\u{c5}", "A\u{30a}", "\u{212b}"]
        for (index, text) in texts.enumerated() {
            for other in texts[(index + 1)...] {
                #expect(Verdict("{\"\(text)\":1,\"\(other)\":2}") == .accepted)
            }
            #expect(Verdict("{\"\(text)\":1,\"\(text)\":2}") == .doubled(6 + text.utf8.count))
        }
    }
}
