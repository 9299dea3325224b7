import JSONCodec
import Testing

@testable import MoodCore

@Suite struct MenuTests {
    @Test func hasTheItemsOfTheContract() {
        let rows = Menu.sections.flatMap { section in
            section.items.map { "\(section.title): \($0.number) \($0.title) \($0.icon) \($0.color) \($0.route.name)" }
        }
        #expect(
            rows == [
                "Basics: 01 Intro State hand.tap blue introState",
                "Basics: 02 Observation eye purple observation",
                "Architecture & Navigation: 03 Architecture building.columns orange architecture",
                "Data Operations & Navigation: 04-05 CRUD + Detail list.bullet.clipboard green crudList",
            ])
    }

    @Test func everyItemHasALineAboutIt() {
        for item in Menu.sections.flatMap(\.items) {
            #expect(!item.description.isEmpty && !item.description.contains("\n") && !item.description.hasSuffix("."))
        }
        #expect(Menu.sections.last?.footer?.contains("favorite") == true)
    }

    @Test func isWrittenWithItsSectionsAndRoutes() throws {
        let value = try JSONValue(parsing: written { Menu.write(to: &$0) })
        let sections = try #require(value["sections"]?.array)
        #expect(sections.map { $0["title"]?.string } == Menu.sections.map(\.title))
        #expect(sections.map { $0["footer"]?.string } == Menu.sections.map(\.footer))
        #expect(sections.map { $0["items"]?.array?.count } == Menu.sections.map(\.items.count))
        let first = try #require(sections.first?["items"]?.array?.first)
        #expect(first.object?.map(\.name) == ["number", "title", "description", "icon", "color", "route"])
        #expect(first["route"]?["name"]?.string == "introState")
    }

    @Test func theSamplesAreThoseOfTheContract() {
        #expect(
            Samples.all.map { "\($0.emoji) \($0.label) \($0.ageSeconds) \($0.isFavorite)" } == [
                "😊 Happy 3600 true", "🎉 Excited 7200 false", "😌 Calm 10800 true", "😢 Sad 86400 false",
                "😴 Tired 172800 false",
            ])
    }
}
