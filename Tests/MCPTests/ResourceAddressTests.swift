import MoodCore
import Testing

@testable import MCP

@Suite struct ResourceAddressTests {
    private static let id = "01890000-0000-7000-8000-000000000001"

    @Test func namesWhatCanBeRead() throws {
        let id = try #require(MoodID(Self.id))
        #expect(ResourceAddress("moodboard://moods") == .moods(cursor: nil))
        #expect(ResourceAddress("moodboard://moods?cursor=a%2Fb") == .moods(cursor: "a/b"))
        #expect(ResourceAddress("moodboard://mood/" + Self.id.uppercased()) == .mood(id))
        #expect(ResourceAddress("moodboard://day/2026-11-20") == .day("2026-11-20"))
        #expect(ResourceAddress("moodboard://day/2026-11-20?cursor=a%2Fb") == .day("2026-11-20", cursor: "a/b"))
        #expect(ResourceAddress("moodboard://tag/a?cursor=b") == .tag("a", cursor: "b"))
        #expect(ResourceAddress("moodboard://tag/a%20b") == .tag("a b"))
        #expect(ResourceAddress("moodboard://year/2026") == .year(2026))
        #expect(ResourceAddress("moodboard://screen/crudList") == .screen(.crudList))
        #expect(ResourceAddress("moodboard://screen/mood/" + Self.id) == .screen(.moodDetail(id)))
        #expect(ResourceAddress("moodboard://menu") == .menu)
    }

    @Test(arguments: [
        "", "moodboard://", "moodboard://nothing", "moodboard://mood/x", "moodboard://day/2026", "moodboard://tag/",
        "moodboard://tag/%", "moodboard://tag/%zz", "moodboard://tag/%ff", "moodboard://year/26", "moodboard://moods/x",
        "moodboard://menu?x", "moodboard://moods?page=2", "https://moods", "moodboard://screen/nowhere",
    ])
    func anythingElseIsNoAddress(text: String) { #expect(ResourceAddress(text) == nil) }

    @Test(arguments: ["work", "a b", "ä/ö?#%", "😌"])
    func whatIsEncodedIsReadBack(tag: String) {
        #expect(ResourceAddress("moodboard://tag/" + ResourceAddress.encoded(tag)) == .tag(tag))
    }

    @Test func templatesAreAddressesOnceTheyAreFilled() {
        let values = [
            "{id}": Self.id, "{date}": "2026-11-20", "{tag}": "x", "{span}": "week", "{year}": "2026",
            "{route}": "menu",
        ]
        for template in ResourceAddress.templates {
            let start = template.template.firstIndex(of: "{") ?? template.template.endIndex
            let value = values[String(template.template[start...])]
            #expect(ResourceAddress(String(template.template[..<start]) + (value ?? "")) != nil, "\(template.template)")
        }
    }
}
