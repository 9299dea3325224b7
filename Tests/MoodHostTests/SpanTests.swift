import JSONCodec
import Testing

@testable import MoodHost

/// The span in the answer of `stats.summary`.
@Suite struct SpanTests {
    private let session = TestSession()

    init() throws {
        for (day, valence) in [(4, "0.1"), (5, "0.2"), (6, "0.3"), (11, "-0.6"), (12, "0.9")] {
            let date = "2026-01-\(day < 10 ? "0" : "")\(day)"
            _ = try session.result(
                "mood.create",
                #"{"emoji":"😊","label":"A","timestamp":"\#(date)T09:00:00Z","timeZone":"UTC","valence":\#(valence)}"#)
        }
    }

    private func summary(_ params: String) throws -> JSONValue {
        try session.result("stats.summary", #"{"timeZone":"UTC","now":"2026-01-12T12:00:00Z",\#(params)}"#)
    }

    /// A day and a time, or only one of them: the answer has every given end unchanged.
    @Test(arguments: [
        (#""from":"2026-01-05","to":"2026-01-12T00:00:00Z""#, "2026-01-05", "2026-01-12T00:00:00.000Z", 3),
        (#""from":"2026-01-05T10:00:00Z","to":"2026-01-11""#, "2026-01-05T10:00:00.000Z", "2026-01-11", 2),
        (#""from":"2026-01-05T10:00:00Z""#, "2026-01-05T10:00:00.000Z", "2026-01-12", 3),
        (#""to":"2026-01-06T00:00:00Z""#, "2026-01-04", "2026-01-06T00:00:00.000Z", 2),
        (#""in":"2026-01-05""#, "2026-01-05", "2026-01-05", 1),
    ])
    func bothEndsAreTold(_ params: String, from: String, to: String, moods: Int) throws {
        let summary = try summary(params)
        #expect(summary["from"]?.string == from && summary["to"]?.string == to && summary["moods"]?.integer == moods)
    }

    /// 0.1 + 0.2 + 0.3 leaves 0.6000000000000001 in doubles; the answer does not show that.
    @Test func numbersHaveNoNoise() throws {
        let text = try summary(#""in":"2026-01""#).text
        #expect(try #require(text.firstMatch(of: /"average":([-0-9.]+),"spread"/)?.1) == "0.18")
        for number in text.matches(of: /[0-9]\.([0-9e-]+)/) { #expect(number.1.count <= 10 && !number.1.contains("e")) }
    }

    /// A list by time skips moods far from its days; a list by label reads all. Both find the same moods.
    @Test(arguments: ["00:00", "12:00"]) func aListOfDaysPassesOverNoMood(dayStartsAt: String) throws {
        _ = try session.result("settings.set", #"{"dayStartsAt":"\#(dayStartsAt)","timeZone":"UTC"}"#)
        for zone in ["Pacific/Kiritimati", "Etc/GMT+12", "UTC", "Asia/Kathmandu"] {
            for hour in 0..<60 {
                let time = "2026-01-0\(7 + hour / 24)T\(hour % 24 < 10 ? "0" : "")\(hour % 24):30:00Z"
                _ = try session.result(
                    "mood.create", #"{"emoji":"😊","label":"A","timestamp":"\#(time)","timeZone":"\#(zone)"}"#)
            }
        }
        func ids(_ filter: String, _ order: String) throws -> Set<String> {
            let list = try session.result("mood.list", #"{"limit":1000,"filter":{\#(filter)},\#(order)}"#)
            return Set(try #require(list["items"]?.array).compactMap { $0["id"]?.string })
        }
        for day in 4...12 {
            let date = "2026-01-\(day < 10 ? "0" : "")\(day)"
            for filter in [
                #""dayFrom":"\#(date)","dayTo":"\#(date)""#, #""dayFrom":"\#(date)""#, #""dayTo":"\#(date)""#,
                #""dayFrom":"\#(date)","to":"2026-01-08T00:00:00Z""#,
            ] {
                let all = try ids(filter, #""sort":"label""#)
                for order in ["asc", "desc"] {
                    #expect(try ids(filter, #""sort":"timestamp","order":"\#(order)""#) == all, "\(filter) \(order)")
                }
            }
        }
        #expect(try ids(#""dayFrom":"2026-01-08","dayTo":"2026-01-08""#, #""sort":"label""#).count > 50)
    }
}
