import JSONCodec
import Seeds
import Testing

@testable import MoodCore

/// The table of members, and the code that repeats it.
@Suite struct MoodFieldTests {
    private static let names = MoodField.allCases.map { "\($0.name)" }

    @Test func theOrderIsThatOfTheProtocol() {
        #expect(
            Self.names == [
                "id", "emoji", "label", "timestamp", "isFavorite", "notes", "tags", "valence", "scales", "timeZone",
                "attachments", "createdAt", "updatedAt", "revision",
            ])
    }

    @Test func thereIsAPlaceForEachMember() {
        #expect(MoodField.emoji.place == 0 && MoodField.attachments.place == MoodValues.count - 1)
        #expect(MoodFields.optional.rawValue.nonzeroBitCount == MoodField.optional.count)
    }

    /// The writer and the scan skip these between tags and attachments.
    @Test func whatAMoodMayLackStandsTogether() {
        let places = MoodField.optional.map(\.rawValue)
        #expect(places == Array(MoodField.tags.rawValue + 1..<MoodField.attachments.rawValue))
    }

    @Test(arguments: MoodField.allCases)
    func isFoundByItsNameFromAnyPlace(field: MoodField) {
        for expected in 0...MoodField.allCases.count {
            #expect(MoodField(JSONText(field.name), expecting: expected) == field)
            #expect(MoodField(JSONText("mood"), expecting: expected) == nil)
        }
    }

    /// The code must name every member once, in the order of the table, and no other.
    @Test(arguments: SeededRandom.seeds)
    func aWrittenMoodHasTheMembersOfTheTable(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<300 {
            let record = RandomMood.record(&random)
            let text = try withMood(record) { mood in
                var mood = try #require(mood)
                mood.unknown = []
                return written { mood.write(to: &$0) }
            }
            let found = try #require(try JSONValue(parsing: text).object).map(\.name)
            #expect(found == Self.names.filter { found.contains($0) }, "seed \(seed): \(text)")
            let missing = MoodField.allCases.filter { !found.contains("\($0.name)") && !$0.isOptional }
            #expect(missing.isEmpty, "seed \(seed): \(text)")
            withBytes(text) { #expect(CanonicalMood($0) != nil, "seed \(seed): \(text)") }
        }
    }

    /// A member that the caller leaves out gets the table's default.
    @Test func anEmptyMoodHasTheDefaultsOfTheTable() throws {
        let mood = try JSONValue(parsing: written { MoodMembers().write(to: &$0) })
        for field in MoodField.allCases {
            if case .filled(let json) = field.row.presence {
                #expect(mood["\(field.name)"]?.text == "\(json)")
            } else if field.isOptional {
                #expect(mood["\(field.name)"] == nil)
            }
        }
    }
}
