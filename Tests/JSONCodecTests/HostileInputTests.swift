import JSONCodec
import Testing

/// Inputs of a megabyte or more that are cheap to send. Quadratic work would run for minutes here.
@Suite struct HostileInputTests {
    private func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    @Test func refusesAMillionBrackets() {
        for bracket in ["[", "{", #"{"a":"#, "[{", "[]"] {
            let verdict = Verdict(Array(repeated(bracket, 1_000_000).utf8))
            guard case .refused(let offset, _) = verdict else {
                Issue.record("\(bracket): \(verdict)")
                continue
            }
            #expect(offset <= 64 * 5)
        }
    }

    @Test func readsANameOfAMegabyteOfCombiningMarks() throws {
        let name = "a" + repeated("\u{301}\u{323}", 256 * 1024)
        let text = "{\"\(name)\":1,\"b\(name)\":2}"
        let bytes = Array(text.utf8)
        #expect(Verdict(bytes) == .accepted)
        #expect(Verdict("{\"\(name)\":1,\"\(name)\":2}") == .doubled(6 + name.utf8.count))
        let value = try JSONValue.parse(bytes)
        #expect(value.object?.count == 2 && value["b" + name]?.integer == 2)
        #expect(value.isEqual(to: value))
        #expect(value.text.utf8.elementsEqual(bytes))
    }

    @Test func findsDoublesAmongNamesThatAreAllTheSame() {
        let same = repeated(#""a":0,"#, 200_000)
        #expect(Verdict("{" + same + #""b":0}"#) == .doubled(7))
        #expect(Verdict("{" + repeated(#""":0,"#, 200_000) + #""b":0}"#) == .doubled(6))
        let many = (0..<50_000).map { #""n\#($0)":0,"# }.joined()
        #expect(Verdict("{" + many + same + #""b":0}"#) == .doubled(1 + many.utf8.count + 6))
    }

    @Test func readsManyNamesThatAreAlikeAtBothEnds() {
        let names = (0..<50_000).map { "\"the same for a while \($0 + 100_000) and the same again\":0" }
        #expect(Verdict("{" + names.joined(separator: ",") + "}") == .accepted)
        let escaped = (0..<50_000).map { "\"\\u0061\($0 + 100_000)\\n\":0" }
        #expect(Verdict("{" + escaped.joined(separator: ",") + "}") == .accepted)
    }

    /// Few names that differ only in the middle, and only after decoding: cheap to send, and long.
    @Test func readsFewLongNamesThatAreAlikeAtBothEnds() {
        let half = repeated("\\n", 60_000)
        let names = (10..<26).map { "\"\(half)\($0)\(half)\":0" }
        #expect(Verdict("{" + names.joined(separator: ",") + "}") == .accepted)
        let all = names.joined(separator: ",")
        #expect(Verdict("{\(all),\(names[3])}") == .doubled(all.utf8.count + 2))
        let four = names[..<4].joined(separator: ",")
        #expect(Verdict("{\(four),\(names[1])}") == .doubled(four.utf8.count + 2))
    }

    @Test func readsManyObjectsOfASizeThatNeedsATable() {
        let object = "{" + (0..<17).map { #""\#($0)":0"# }.joined(separator: ",") + "}"
        #expect(Verdict("[" + repeated(object + ",", 10_000) + "1]") == .accepted)
    }

    @Test func readsAMegabyteOfAnyToken() throws {
        let million = 1 << 20
        for text in [
            repeated(" ", million) + "1", "1" + repeated("0", million), "\"" + repeated("\\n", million / 2) + "\"",
            "\"" + repeated("\\ud83d\\ude0a", million / 12) + "\"", "\"" + repeated("é", million / 2) + "\"",
            "[" + repeated("1,", million / 2) + "1]", "0." + repeated("0", million) + "1e-" + repeated("9", million),
            "[" + repeated("{},", million / 3) + "1]", "[\"" + repeated("a", million) + "\"]",
        ] {
            #expect(Verdict(text) == .accepted)
            let value = try JSONValue.parse(Array(text.utf8))
            #expect(value.integer == (text.hasSuffix("1") && text.hasPrefix(" ") ? 1 : nil))
        }
    }
}
