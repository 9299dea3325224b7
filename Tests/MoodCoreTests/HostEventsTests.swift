import Seeds
import Testing

@testable import MoodCore

/// The choice of events that people look for among many of a host.
@Suite struct HostEventsTests {
    private static func event(hour: Int) -> DetailSurroundings.HostEvent {
        let start = Timestamp(milliseconds: Int64(hour) * 3_600_000) ?? .minimum
        let mood = MoodID(high: 0, low: UInt64(truncatingIfNeeded: hour))
        return .init(mood: mood, title: "\(hour)", start: start, end: start.advanced(bySeconds: 1800))
    }

    private static func shown(_ hours: [Int], at now: Int) -> (titles: [Int], count: Int) {
        var events = HostEvents(now: Timestamp(milliseconds: Int64(now) * 3_600_000) ?? .minimum)
        for hour in hours { events.add(event(hour: hour)) }
        events.finish()
        return (events.shown.compactMap { Int($0.title) }, events.count)
    }

    @Test func aFewAreAllShownInOrder() {
        let (titles, count) = Self.shown([5, 1, 9, 3], at: 4)
        #expect(titles == [1, 3, 5, 9] && count == 4)
    }

    @Test(arguments: [1, 2, 3]) func ofManyTheNextOnesAreShown(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (titles, count) = Self.shown((1...5000).shuffled(using: &random), at: 1000)
        #expect(titles == Array(1000..<1050) && count == 5000)
    }

    /// If too few are still to come, the last past ones are shown too.
    @Test(arguments: [1, 2, 3]) func thoseThatAreOverFillUp(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let (titles, count) = Self.shown((1...1009).shuffled(using: &random), at: 1000)
        #expect(titles == Array(960...1009) && count == 1009)
    }
}
