import FuzzTargets
import JSONCodec
import Seeds
import Testing

@Suite struct ValueTests {
    @Test func keepsOrderAndSpelling() throws {
        let text = #"{"z":1.50,"a":[1e2,-0,{"":null}],"m":"\u00e9\/","b":true,"c":false,"n":{}}"#
        let value = try JSONValue(parsing: text)
        #expect(value.text == #"{"z":1.50,"a":[1e2,-0,{"":null}],"m":"é/","b":true,"c":false,"n":{}}"#)
        #expect(value["z"]?.double == 1.5 && value["a"]?.array?.count == 3 && value["b"]?.boolean == true)
        #expect(value["m"]?.string == "é/" && value["n"]?.object?.isEmpty == true && value["x"] == nil)
        #expect(value.string == nil && value.integer == nil && value.array == nil && value.boolean == nil)
    }

    @Test func isWrittenFromLiterals() {
        let value: JSONValue = ["a": [1, "x", true], "b": ["c": [:]]]
        #expect(value.text == #"{"a":[1,"x",true],"b":{"c":{}}}"#)
    }

    @Test func isIndentedForPeople() throws {
        let value = try JSONValue(parsing: #"{"a":[1,{"b":"x\n"},[],{}],"c":null}"#)
        #expect(
            value.prettyText == """
                {
                  "a": [
                    1,
                    {
                      "b": "x\\n"
                    },
                    [],
                    {}
                  ],
                  "c": null
                }
                """)
    }

    @Test func comparesMembersInAnyOrder() throws {
        let value = try JSONValue(parsing: #"{"a":1,"b":[1,2],"c":"x"}"#)
        #expect(value.isEqual(to: try JSONValue(parsing: #" {"c":"\u0078","b":[1,2],"a":1}"#)))
        for other in [
            #"{"a":1,"b":[2,1],"c":"x"}"#, #"{"a":1,"b":[1,2]}"#, #"{"a":"1","b":[1,2],"c":"x"}"#, "[]", "null",
            #"{"a":1,"b":[1,2],"d":"x"}"#, #"{"a":true,"b":[1,2],"c":"x"}"#,
        ] {
            #expect(!value.isEqual(to: try JSONValue(parsing: other)), "\(other)")
        }
        #expect(!JSONValue.string("é").isEqual(to: .string("e\u{301}")))
    }

    @Test func refusesWhatIsNotJSON() {
        #expect(throws: JSONError(offset: 3, reason: .unexpectedByte(0x5d))) { try JSONValue(parsing: "[1,]") }
        #expect(throws: JSONError(offset: 0, reason: .unexpectedEnd)) { try JSONValue.parse([]) }
        #expect(throws: JSONError(offset: 2, reason: .tooDeep(limit: 2))) {
            try JSONValue(parsing: "[[[]]]", depthLimit: 2)
        }
    }

    /// Parse, write, parse gives equal values, also for random ones.
    @Test(arguments: SeededRandom.seeds)
    func isReadAsItWasWritten(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for number in 0..<300 {
            let value = RandomValue.make(&random)
            for text in [value.text, value.prettyText] {
                let again = try JSONValue(parsing: text)
                let isSame = again.text.utf8.elementsEqual(value.text.utf8) && Verdict(text) == .accepted
                if !isSame || !again.isEqual(to: value) { Issue.record("seed \(seed), value \(number): \(text)") }
            }
        }
    }
}

/// Random values of bounded size with every kind, and texts that are hard to write.
enum RandomValue {
    private static let pieces: [String] = [
        "a", "\"", "\\", "/", "\n", "\u{0}", "\u{1f}", "\u{7f}", "é", "e\u{301}", "😊", "\u{2028}", "\u{10ffff}",
        "\\u0041",
        "a longer run of plain letters",
    ]
    private static let numbers = [
        "0", "-0", "1", "-17", "0.5", "1e2", "1E-7", "1e400", "9007199254740993", "123456789012345678901",
    ]

    static func make(_ random: inout SeededRandom, depth: Int = 0) -> JSONValue {
        switch random.below(depth < 6 ? 9 : 5) {
        case 0: .null
        case 1: .boolean(random.below(2) == 0)
        case 2: .number(numbers[random.below(numbers.count)])
        case 3, 4: .string(text(&random))
        case 5, 6: .array((0..<random.below(5)).map { _ in make(&random, depth: depth + 1) })
        default:
            .object(
                (0..<random.below(6)).map { number in
                    JSONValue.Member("\(number)" + text(&random), make(&random, depth: depth + 1))
                })
        }
    }

    private static func text(_ random: inout SeededRandom) -> String {
        (0..<random.below(6)).map { _ in pieces[random.below(pieces.count)] }.joined()
    }
}
