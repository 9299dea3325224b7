import PluginHost
import Testing

@testable import MoodHost

@Suite struct ListPlaceTests {
    @Test(arguments: [nil, "", "same"] as [String?])
    func aServerWhoseCursorDoesNotMoveHasNoMore(_ next: String?) throws {
        let server = try #require(PluginID("org.example.notes"))
        var place = ListPlace(servers: [])
        place.own = nil
        place.goOn(server, at: next, after: "same")
        #expect(place.cursor == nil)
    }

    @Test func aServerGoesOnAtItsCursor() throws {
        let server = try #require(PluginID("org.example.notes"))
        var place = ListPlace(servers: [])
        place.own = nil
        place.goOn(server, at: "2", after: "")
        let next = try ListPlace(cursor: #require(place.cursor))
        #expect(next.own == nil && next.servers.map(\.cursor) == ["2"])
    }
}
