import JSONCodec
import MoodCore
import Platform
import Storage
import Testing

@testable import MoodStore

/// The rules for older documents, and the errors for those that break them.
@Suite struct MigrationRuleTests {
    struct Refusal: Sendable, CustomTestStringConvertible {
        let document: String
        /// The text at the error's offset.
        let place: String
        let reason: String
        var testDescription: String { document }
    }

    /// A document with one mood that has these members.
    private static func mood(_ members: String, _ place: String, _ reason: String) -> Refusal {
        Refusal(document: #"{"schemaVersion":2,"moods":[{\#(members)}]}"#, place: place, reason: reason)
    }

    private static let whole = #""emoji":"😊","label":"a","timestamp":"2026-01-02T03:04:05Z""#

    static let refusals = [
        mood(#""label":"a","timestamp":"2026-01-02T03:04:05Z""#, "{", "moods[0].emoji is missing"),
        mood(#""emoji":"😊😌","label":"a","timestamp":"2026-01-02T03:04:05Z""#, "\"😊😌", "exactly one emoji"),
        mood(#""emoji":"❤","label":"a","timestamp":"2026-01-02T03:04:05Z""#, "\"❤", "U+FE0F"),
        mood(#""emoji":"😊","label":" \t","timestamp":"2026-01-02T03:04:05Z""#, "\" \\t", "moods[0].label must not"),
        mood(#""emoji":"😊","label":7,"timestamp":"2026-01-02T03:04:05Z""#, "7,", "must be a string; it is a number"),
        mood(#""emoji":"😊","label":"a","timestamp":"2026-01-02T03:04:05""#, "\"2026", "with a zone"),
        mood(#""emoji":"😊","label":"a","timestamp":"2026-02-29T03:04:05Z""#, "\"2026", "moods[0].timestamp must be"),
        mood(#""emoji":"😊","label":"a","timestamp":789012345.5"#, "789", "seconds from 2001 (as Swift does)"),
        mood(#""emoji":"😊","label":"a","timestamp":null"#, "null", "moods[0].timestamp must be"),
        mood(whole + #","isFavorite":1"#, "1}", "must be true or false; it is a number"),
        mood(whole + #","id":"7""#, "\"7\"", "moods[0].id must be a UUID"),
        mood(whole + #","tags":["a","b "," b"]"#, "\" b\"", "moods[0].tags[2] stands twice"),
        mood(whole + #","tags":"a""#, "\"a\"}", "moods[0].tags must be an array"),
        mood(whole + #","valence":1.5"#, "1.5", "from -1 to 1"),
        mood(whole + #","timeZone":"Nowhere""#, "\"Nowhere", "time zone"),
        mood(whole + #","attachments":[{"url":"x"}]"#, "{\"url", "moods[0].attachments[0] must be"),
        mood(whole + #","revision":2"#, "2}", "moods[0].revision must be 1"),
        mood(whole + #","createdAt":1"#, "1}", "moods[0].createdAt must be"),
        mood(whole + #","x":{"a":1,"\u0061":2}"#, "\"\\u0061", "a name stands twice"),
        Refusal(document: #"{"schemaVersion":1,"moods":[7]}"#, place: "7", reason: "moods[0] must be an object"),
        Refusal(document: #"{"schemaVersion":1,"moods":{}}"#, place: "{}", reason: "moods must be an array"),
        Refusal(document: #"{"schemaVersion":1}"#, place: "{", reason: "moods is missing"),
        Refusal(document: #"{"schemaVersion":0,"moods":[]}"#, place: "0", reason: "schemaVersion must be"),
        Refusal(document: #"{"schemaVersion":1.5,"moods":[]}"#, place: "1.5", reason: "schemaVersion must be"),
        Refusal(document: #"{"schemaVersion":1,"count":2,"moods":[]}"#, place: "2", reason: "which is 0"),
        Refusal(document: #"{"schemaVersion":1,"format":"x","moods":[]}"#, place: "\"x", reason: "format must be"),
        Refusal(
            document: #"{"schemaVersion":1,"storeId":"x","moods":[]}"#, place: "\"x", reason: "given by a later version"
        ),
        Refusal(
            document: #"{"schemaVersion":1,"moods":[{\#(whole)},{},{\#(whole)},{}]}"#, place: "{},",
            reason: "moods[1].emoji is missing; 1 more of the 4 moods break a rule"),
        Refusal(
            document: #"{"schemaVersion":1,"moods":[{\#(whole),"id":"6ba7b810-9dad-11d1-80b4-00c04fd430c8"},"#
                + #"{"id":"6BA7B810-9DAD-11D1-80B4-00C04FD430C8",\#(whole)}]}"#, place: "{\"id",
            reason: "moods[1] has the same id as moods[0]"),
    ]

    /// Scales came later: another value of that name stays an unknown member.
    @Test(arguments: [
        (#"{"sleep":7.0," a":-25e-1}"#, #","tags":[],"scales":{"sleep":7,"a":-2.5},"attachments""#),
        ("{}", #","tags":[],"attachments""#), (#""minor""#, #","revision":1,"scales":"minor"}"#),
        (#"{"a":[1]}"#, #","revision":1,"scales":{"a":[1]}}"#),
    ])
    func takesScalesThatAreSome(scales: String, kept: String) throws {
        let text = try migratedText(Array(#"{"schemaVersion":1,"moods":[{\#(Self.whole),"scales":\#(scales)}]}"#.utf8))
        #expect(text.contains(kept), "\(text)")
    }

    @Test(arguments: refusals)
    func leavesWhatItCannotKeep(refusal: Refusal) throws {
        let directory = try Fixture.older[0].copy()
        try directory.write("moods.json", refusal.document)
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        let error = #expect(throws: MoodStoreError.self) { try store.open() }
        guard case .storage(.unavailable(let reason, let advice)) = error else { throw TestFailure() }
        let start = try #require(refusal.document.range(of: refusal.place, after: "schemaVersion"))
        #expect(reason.contains("moods.json has schema version"))
        #expect(reason.contains(refusal.reason) && reason.contains("(at byte \(start))"), "\(reason), \(start)")
        #expect(advice.contains("open the store again"))
        #expect(String(decoding: directory.read("moods.json"), as: UTF8.self) == refusal.document)
        #expect(directory.names == ["lock", "moods.json"])
        let report = try verify(store)
        #expect(report?.problems.map(\.offset) == [start])
    }

    @Test(arguments: [#"{"schemaVersion":1,"moods":[}]"#, #"{"schemaVersion":1,"moods":[],}"#])
    func callsWhatIsNoJSONDamaged(document: String) throws {
        let directory = try Fixture.older[0].copy()
        try directory.write("moods.json", document)
        var store = MoodRecords(.directory(try migrationSettings(directory)))
        let error = #expect(throws: MoodStoreError.self) { try store.open() }
        guard case .storage(.corrupt(let file, let offset, _)) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(file == "moods.json" && offset > 20)
        #expect(String(decoding: directory.read("moods.json"), as: UTF8.self) == document)
    }

    @Test func refusesWhatIsNestedTooDeepToBeShown() throws {
        func document(_ depth: Int) -> [UInt8] {
            let value = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
            return Array(#"{"schemaVersion":1,"moods":[{\#(Self.whole),"x":\#(value)}]}"#.utf8)
        }
        #expect(try migratedText(document(57)).hasSuffix("]]}"))
        let problem = #expect(throws: SchemaMigration.Problem.self) { _ = try migratedText(document(58)) }
        #expect(problem?.isDamage == false && problem?.reason.contains("deeper") == true)
    }

    @Test(arguments: [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"), ("2026-01-02t03:04:05.6789z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02 03:04:05 +0000", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02 03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05 -01:30", "2026-01-02T04:34:05.000Z"),
        ("2026-01-02T03:04:05.25+0200", "2026-01-02T01:04:05.250Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("2026-01-02T03:04:05", nil), ("2026-01-02", nil), ("2026-01-02T03:04:05+02", nil), ("20260102T030405Z", nil),
        ("2026-01-02T03:04:05  +0000", nil), ("2026-01-02 03:04 05+0000", nil), ("Fri Jan  2 03:04:05 2026 +0000", nil),
        ("0000-12-31T23:59:59Z", nil), ("2026-01-02T03:04:05+00 00", nil), ("                         +0000", nil),
    ])
    func readsTimesOfOlderPrograms(text: String, time: String?) {
        let read = Array(text.utf8).withUnsafeBytes { OlderTime.read($0) }
        #expect(read?.text == time)
    }

    /// Examples of FIPS 180-4, and lengths around the end of a block, computed with another program.
    @Test(arguments: [
        ("", "da39a3ee5e6b4b0d3255bfef95601890"), ("abc", "a9993e364706816aba3e25717850c26c"),
        ("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", "84983e441c3bd26ebaae4aa1f95129e5"),
        (String(repeating: "a", count: 55), "c1c8bbdc22796e28c0e15163d20899b6"),
        (String(repeating: "a", count: 64), "0098ba824b5c16427bd7a1122a5a442a"),
        (String(repeating: "a", count: 119), "ee971065aaa017e0632a8ca6c77bb3bf"),
        (String(repeating: "a", count: 1000), "291e9a6c66994949b57ba5e650361e98"),
    ])
    func hashes(text: String, digest: String) {
        let (high, low) = Array(text.utf8).withUnsafeBytes { SHA1.prefix(of: $0) }
        let digits = [high, low].map { word in
            let text = String(word, radix: 16)
            return String(repeating: "0", count: 16 - text.utf8.count) + text
        }
        #expect(digits.joined() == digest)
    }

    /// Computed with Python's `uuid.uuid5`.
    @Test func namesMoodsAsRFC9562Says() throws {
        let time = try #require(Timestamp("2026-01-02T03:04:05Z"))
        let id = Array("😊".utf8).withUnsafeBytes { emoji in
            Array("Happy".utf8).withUnsafeBytes { MoodID(migrating: 0, emoji: emoji, label: $0, time: time) }
        }
        #expect(id.text == "a58d0f67-7cd0-5b4f-b0ce-fbacd33f6fc5")
    }

    @Test func idsDependOnPlaceAndContentAndOnNothingElse() throws {
        func ids(_ document: String) throws -> [String] {
            try migratedText(Array(document.utf8)).split(separator: "\n").map { String($0.prefix(43).suffix(36)) }
        }
        let one = try ids(#"{"schemaVersion":1,"moods":[{\#(Self.whole)}]}"#)
        #expect(try ids(#"{"moods" : [ {"isFavorite":true,"x":1, \#(Self.whole) } ],"schemaVersion":2}"#) == one)
        let two = try ids(#"{"schemaVersion":1,"moods":[{\#(Self.whole)},{\#(Self.whole)}]}"#)
        #expect(Set(two).count == 2 && two.contains(one[0]))
        #expect(try ids(#"{"schemaVersion":1,"moods":[{\#(Self.whole.replacing("\"a\"", with: "\"b\""))}]}"#) != one)
    }
}

extension String {
    /// The offset in bytes of a text, after that of another one.
    fileprivate func range(of text: String, after other: String) -> Int? {
        let bytes = Array(utf8)
        func find(_ text: String, from start: Int) -> Int? {
            let wanted = Array(text.utf8)
            return (start..<max(start, bytes.count - wanted.count + 1)).first { bytes[$0...].starts(with: wanted) }
        }
        guard let start = find(other, from: 0) else { return nil }
        return find(text, from: start + other.utf8.count) ?? find(text, from: 0)
    }
}
