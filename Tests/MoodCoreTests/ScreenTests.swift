import JSONCodec
import MoodText
import Testing

@testable import MoodCore

@Suite struct ScreenTests {
    private static let id = MoodID(high: 0x0190_b5a0_7c5e_7000, low: 0x8000_3f2a_9c1d_4e5b)

    private static func screen(_ route: Route, _ content: Screen.Content = .init()) throws -> JSONValue {
        let context = ReadingContext(
            locale: "en_US", timeZone: "UTC", now: try #require(Timestamp("2026-01-02T03:04:05Z")))
        var phrases = Phrases()
        let text = try written { writer in
            try Screen(route, router: "side", context: context, isZoneGiven: true, content).write(&phrases, to: &writer)
        }
        return try JSONValue(parsing: text)
    }

    /// A router can still show a mood that was just deleted.
    @Test func aMoodThatIsGoneIsAnErrorAndTheWayBack() throws {
        let screen = try Self.screen(.moodDetail(Self.id))
        #expect(screen["cells"]?.array?.map { $0["type"]?.string } == ["error"])
        #expect(screen["cells"]?.array?.first?["kind"]?.string == "notFound")
        #expect(screen["toolbar"]?.array?.first?["action"]?.text == #"{"type":"goBack","router":"side"}"#)
        #expect(screen["actions"]?.text == "[]" && screen["route"]?["id"]?.string == Self.id.text)
    }

    /// Unlike an empty list, this offers no action that could make it worse.
    @Test func moodsThatCannotBeReadAreSaidToBe() throws {
        var content = Screen.Content()
        content.moods = .init(rows: [], count: 0, revision: 7, problem: "moods.json is damaged.")
        let screen = try Self.screen(.crudList, content)
        let cell = try #require(screen["cells"]?.array?.first)
        #expect(cell["type"]?.string == "empty" && cell["text"]?.string == "moods.json is damaged.")
        #expect(screen["actions"]?.array?.map { $0["action"]?["type"]?.string } == ["add"])
        #expect(screen["footer"]?.text == "[]")
    }
}
