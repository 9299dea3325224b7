import JSONCodec
import RandomMoods
import Seeds
import Testing

@testable import MoodCore

/// A canonical record with every member.
let fullRecord = """
    {"id":"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b","emoji":"😊","label":"Happy \\"day\\"","timestamp":\
    "2026-01-02T03:04:05.678Z","isFavorite":true,"notes":"a\\nb\\u0001","tags":["work","sun"],"valence":0.75,\
    "scales":{"sleep":7,"energy":-2.5},"timeZone":"Europe/Helsinki","attachments":[{"kind":"link","url":"https://example.com","title":"T"}],\
    "createdAt":"2026-01-02T03:04:06.000Z","updatedAt":"2026-01-02T03:04:07.000Z","revision":42}
    """

/// A canonical record with only the required members.
let plainRecord = """
    {"id":"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b","emoji":"😊","label":"Happy","timestamp":"2026-01-02T03:04:05.678Z",\
    "isFavorite":false,"notes":"","tags":[],"attachments":[],"createdAt":"2026-01-02T03:04:06.000Z",\
    "updatedAt":"2026-01-02T03:04:07.000Z","revision":1}
    """

@Suite struct MoodMembersTests {
    private static let withUnknown = plainRecord.dropLast() + #","weather":{"sky": "grey"},"a\n":[1, 2.50,null]}"#

    @Test(arguments: [fullRecord, plainRecord, String(withUnknown)])
    func writingWhatWasReadGivesTheSameBytes(record: String) throws {
        let again = try withMood(record) { mood in
            let mood = try #require(mood)
            return written { mood.write(to: &$0) }
        }
        #expect(again == record)
    }

    @Test(arguments: SeededRandom.seeds)
    func anyWrittenMoodReadsBackToTheSameBytes(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let record = RandomMood.record(&random)
            let again = try withMood(record) { mood in
                let mood = try #require(mood, "\(record)")
                return written { mood.write(to: &$0) }
            }
            #expect(again == record, "seed \(seed)")
        }
    }

    @Test func bringsAnEditedRecordIntoTheCanonicalForm() throws {
        let edited = """
            { "revision" : 1.0, "label":" \\u0048appy\\t", "emoji":"\\ud83d\\ude0a", "isFavorite" : false,
              "id":"0190B5A0-7C5E-7000-8000-3F2A9C1D4E5B", "notes":"\\/", "tags":[ " a ", "\\u0062" ], "valence": 5e-1,
              "timestamp":"2026-01-02T05:04:05.67899+02:00", "attachments":[ ],
              "createdAt":"2026-01-02T03:04:06Z", "updatedAt":"2026-01-02T03:04:07Z" }
            """
        let canonical = try withMood(edited) { mood in
            let mood = try #require(mood)
            return written { mood.write(to: &$0) }
        }
        #expect(
            canonical == """
                {"id":"0190b5a0-7c5e-7000-8000-3f2a9c1d4e5b","emoji":"😊","label":"Happy",\
                "timestamp":"2026-01-02T03:04:05.678Z","isFavorite":false,"notes":"/","tags":["a","b"],"valence":0.5,\
                "attachments":[],"createdAt":"2026-01-02T03:04:06.000Z","updatedAt":"2026-01-02T03:04:07.000Z",\
                "revision":1}
                """)
    }

    @Test(arguments: [
        "id", "emoji", "label", "timestamp", "isFavorite", "notes", "tags", "attachments", "createdAt", "updatedAt",
        "revision",
    ])
    func refusesARecordWithoutAMemberThatEveryMoodHas(name: String) throws {
        let members = try JSONValue(parsing: plainRecord).object ?? []
        let others = JSONValue.object(members.filter { $0.name != name })
        #expect(others.object?.count == members.count - 1)
        withMood(others.text) { #expect($0 == nil) }
    }

    @Test(arguments: [
        ("id", "1"), ("id", "\"x\""), ("emoji", "1"), ("label", "null"), ("timestamp", "\"2026\""), ("timestamp", "1"),
        ("isFavorite", "1"), ("isFavorite", "\"true\""), ("notes", "null"), ("tags", "{}"), ("tags", "\"a\""),
        ("attachments", "null"), ("valence", "\"1\""), ("valence", "null"), ("timeZone", "1"), ("createdAt", "0"),
        ("updatedAt", "\"\""),
        ("revision", "\"1\""), ("revision", "1.5"), ("revision", "1e300"),
    ])
    func refusesARecordWithAMemberOfTheWrongKind(name: String, value: String) throws {
        var members = try JSONValue(parsing: plainRecord).object ?? []
        members.removeAll { $0.name == name }
        members.append(.init(name, try JSONValue(parsing: value)))
        withMood(JSONValue.object(members).text) { #expect($0 == nil) }
    }

    @Test(arguments: ["[]", "1", "null", "\"a\"", "{}"])
    func refusesWhatIsNoObjectOfAMood(text: String) {
        withMood(text) { #expect($0 == nil) }
    }

    /// A mood after a change of some members.
    private static func laid(_ change: String, over record: String) throws -> JSONValue {
        try withMood(record) { mood in
            let mood = try #require(mood)
            return try withBytes(change) { change in
                let laid = mood.overlaid(with: MoodMembers(change: ValidJSON(trusting: change)))
                return try JSONValue(parsing: written { laid.write(to: &$0) })
            }
        }
    }

    @Test func laysMembersOverOthers() throws {
        let result = try Self.laid(
            #"{"label":"Calm","valence":-1,"tags":[],"timeZone":null,"notes":null}"#, over: fullRecord)
        #expect(result["label"]?.string == "Calm")
        #expect(result["valence"]?.integer == -1)
        #expect(result["tags"]?.array?.isEmpty == true)
        #expect(result["timeZone"] == nil)
        #expect(result["emoji"]?.string == "😊")
        #expect(result["notes"]?.string == "a\nb\u{1}")
        #expect(result["scales"]?.text == #"{"sleep":7,"energy":-2.5}"#)
        #expect(result["revision"]?.integer == 42)
    }

    @Test(arguments: MoodField.optional)
    func nullTakesAwayWhatAMoodMayLack(field: MoodField) throws {
        let before = try JSONValue(parsing: fullRecord)
        let after = try Self.laid("{\"\(field.name)\":null}", over: fullRecord)
        let others = JSONValue.object((before.object ?? []).filter { $0.name != "\(field.name)" })
        #expect(before.object?.count == (others.object?.count ?? 0) + 1)
        #expect(after.text == others.text)
    }

    @Test(arguments: MoodField.allCases.filter { $0.isGiven && !$0.isOptional })
    func nullSaysNothingOfWhatEveryMoodHas(field: MoodField) throws {
        #expect(try Self.laid("{\"\(field.name)\":null}", over: fullRecord).text == fullRecord)
    }

    @Test(arguments: [
        (Double(1), "1"), (-1, "-1"), (0, "0"), (-0.0, "0"), (0.1, "0.1"), (1e-7, "1e-07"),
        (0.30000000000000004, "0.30000000000000004"),
    ])
    func writesTheValenceAsTheShortestNumber(value: Double, text: String) throws {
        var members = try JSONValue(parsing: plainRecord).object ?? []
        members.append(.init("valence", .number("\(value)")))
        let result = try withMood(JSONValue.object(members).text) { mood in
            let mood = try #require(mood)
            return written { mood.write(to: &$0) }
        }
        #expect(result.contains("\"valence\":\(text),"))
    }
}
