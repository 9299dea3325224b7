import JSONCodec
import RandomMoods
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

    @Test(arguments: [
        (MoodField.Kind.flag, ["true", "false"], ["1", "\"true\"", "null", "[]"]),
        (.number(-1...1), ["-1", "0.5", "1"], ["1.5", "-2", "\"1\"", "true", "{}"]),
        (.line(3), ["\"a\"", "\" abc \"", "\"日本語\""], ["\"\"", "\"  \"", "\"abcd\"", "\"a\\nb\"", "7"]),
    ]) func readyKindsRefuseWhatBreaksTheirRule(_ kind: MoodField.Kind, _ valid: [String], _ wrong: [String]) {
        for (texts, isValid) in [(valid, true), (wrong, false)] {
            for text in texts {
                withBytes(text) { #expect((kind.problem(ValidJSON(trusting: $0)) == nil) == isValid, "\(text)") }
            }
        }
    }

    /// A value that breaks the rule of an added member was stored before the member existed.
    @Test(arguments: MoodField.allCases.filter(\.isAdded))
    func aStoredValueThatBreaksAnAddedRuleStaysAsItIs(field: MoodField) throws {
        let wrong: JSONValue =
            switch field.kind {
            case .flag: 1
            case .number(let range): .double(range.upperBound + 1)
            case .line(let charactersMax): .string(String(repeating: "a", count: charactersMax + 1))
            default: ["a": "b"]
            }
        for value in [wrong, ["x"], 12345678] {
            var random = SeededRandom(seed: 1)
            var members = try #require(try JSONValue(parsing: RandomMood.record(&random)).object)
            members.removeAll { $0.name == "\(field.name)" || $0.name.hasSuffix("?") || $0.name == "later" }
            members.append(.init("\(field.name)", value))
            let record = JSONValue.object(members).text
            let again = try withMood(record) { mood in
                let mood = try #require(mood, "\(record)")
                #expect(mood.unknown.count == 1 && mood[field] == nil, "\(record)")
                return written { mood.write(to: &$0) }
            }
            #expect(again == record)
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
