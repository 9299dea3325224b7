import JSONCodec
import RandomMoods
import Seeds
import Testing

@testable import MoodCore

@Suite struct ScalesTests {
    private static func problem(_ json: String) -> (name: String?, reason: String)? {
        withBytes(json) { bytes in
            Scales.problem(of: ValidJSON(trusting: bytes)).map { ($0.name?.string, $0.reason) }
        }
    }

    private static func members(_ count: Int) -> String {
        "{" + (0..<count).map { "\"n\($0)\":\($0)" }.joined(separator: ",") + "}"
    }

    private static let longest = String(repeating: "é", count: 32)

    @Test(arguments: [
        "{}", "[]", " { } ", #"{"sleep":7}"#, #"{"a":-1000,"b":1000.0,"c":1e3,"d":-0}"#, members(16),
        #"{" \t sleep\u2003":7}"#, "{\"\(longest)\":1}", "{\" \(longest) \":1}", #"{"a":1,"A":1,"á":1,"a\u0301":1}"#,
    ])
    func takes(json: String) {
        #expect(Self.problem(json) == nil)
    }

    @Test(arguments: [
        ("[1]", nil), ("7", nil), ("null", nil), ("\"sleep\"", nil), (members(17), nil), (#"{"a":1001}"#, "a"),
        (#"{"a":-1000.0001}"#, "a"), (#"{"a":1e300}"#, "a"), (#"{"a":1e999}"#, "a"), (#"{"a":"7"}"#, "a"),
        (#"{"a":1,"b":null}"#, "b"), (#"{"a":[1]}"#, "a"), (#"{"":1}"#, ""), (#"{" \t":1}"#, " \t"),
        (#"{"a\nb":1}"#, "a\nb"), (#"{"a\u0085b":1}"#, "a\u{85}b"), (#"{"a":1," a":2}"#, " a"),
        (#"{"\u0061":1,"a":2}"#, "a"), ("{\"\(longest)é\":1}", longest + "é"),
        ("{\"a\(String(repeating: "\u{301}", count: 128))\":1}", "a" + String(repeating: "\u{301}", count: 128)),
    ])
    func refuses(json: String, name: String?) throws {
        let problem = try #require(Self.problem(json))
        #expect(problem.name.map { Array($0.utf8) } == name.map { Array($0.utf8) })
    }

    /// The scales of a mood after this change.
    private static func kept(_ scales: String, over record: String = plainRecord) throws -> String? {
        try withMood(record) { mood in
            let mood = try #require(mood)
            return try withBytes("{\"scales\":\(scales)}") { change in
                let laid = mood.overlaid(with: MoodMembers(change: ValidJSON(trusting: change)))
                return try JSONValue(parsing: written { laid.write(to: &$0) })["scales"]?.text
            }
        }
    }

    @Test func areKeptTrimmedInTheirOrder() throws {
        let given = #"{ "b" : 1.50, "\u0061 ":5e-1 ,"c":-0, " d\"" : 1000.0}"#
        #expect(try Self.kept(given) == #"{"b":1.5,"a":0.5,"c":0,"d\"":1000}"#)
        #expect(try Self.kept(#"{"x":1}"#, over: fullRecord) == #"{"x":1}"#)
    }

    @Test(arguments: ["{}", "[]", "null", "{ }"])
    func nothingTakesThemAway(json: String) throws {
        #expect(try Self.kept(json, over: fullRecord) == nil)
        #expect(try Self.kept(json) == nil)
    }

    /// An object has no order, so another order is no change.
    @Test func theSameInAnotherOrderChangesNothing() throws {
        let before = #"{"sleep":7,"energy":-2.5}"#
        #expect(try Self.kept(#"{"energy":-25e-1," sleep ":7.0}"#, over: fullRecord) == before)
        #expect(try Self.kept(#"{"energy":-2.5,"sleep":7.5}"#, over: fullRecord) == #"{"energy":-2.5,"sleep":7.5}"#)
        #expect(try Self.kept(#"{"energy":-2.5}"#, over: fullRecord) == #"{"energy":-2.5}"#)
        #expect(
            try Self.kept(#"{"energy":-2.5,"sleep":7,"x":0}"#, over: fullRecord) == #"{"energy":-2.5,"sleep":7,"x":0}"#)
    }

    /// An earlier store may have any value under this name.
    @Test(arguments: [#""minor""#, "7", "[1]", "null", #"{"a":"b"}"#, #"{"a":1," a":2}"#, members(17)])
    func whatIsNoneIsKeptAsAMemberThatNobodyKnows(json: String) throws {
        let record = plainRecord.dropLast() + ",\"scales\":\(json),\"weather\":1}"
        let text = try withMood(String(record)) { mood in
            let mood = try #require(mood)
            #expect(mood.scales == nil)
            return written { mood.write(to: &$0) }
        }
        #expect(text == record)
        #expect(try Self.kept(#"{"a":1}"#, over: text) == #"{"a":1}"#)
        #expect(try Self.kept("null", over: text) == nil)
    }

    @Test(arguments: SeededRandom.seeds)
    func readAsTheyWereGiven(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let scales = RandomMood.scales(&random)
            let record = plainRecord.replacing("\"attachments\"", with: "\"scales\":\(scales.text),\"attachments\"")
            try withMood(record) { mood in
                let all = Scales.all(of: try #require(mood))
                #expect(all.map(\.name) == scales.object?.map(\.name), "seed \(seed)")
                #expect(all.map(\.value) == scales.object?.compactMap(\.value.double), "seed \(seed)")
            }
        }
    }
}
