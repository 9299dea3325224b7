import Platform
import Testing

@testable import MoodClient

@Suite struct MomentTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2026-01-02T12:00:00.678Z", 1_767_355_200),
        ("2026-01-02T13:00:00+01:00", 1_767_355_200),
        ("2000-02-29T00:00:00z", 951_782_400), ("1969-12-31t23:59:59Z", -1), ("0001-01-01T00:00:00Z", -62_135_596_800),
        ("9999-12-31T23:59:59.999Z", 253_402_300_799), ("2026-01-02T04:00:00-08:00", 1_767_355_200),
    ])
    func readsRFC3339(_ text: String, _ seconds: Int) {
        #expect(Moment(text)?.secondsSince1970 == seconds)
    }

    @Test(arguments: [
        "", "2026-01-02", "2026-01-02T12:00:00", "2026-13-02T12:00:00Z", "2026-01-02T12:00:00Zx", "yesterday at lunch",
        "2026-01-02 12:00:00Z", "2026-01-02T12:00:00.Z5", "２０２６-01-02T12:00:00Z",
    ])
    func refusesTheRest(_ text: String) {
        #expect(Moment(text) == nil)
    }

    @Test func writesWhatItReads() {
        for seconds in stride(from: -62_135_596_800, through: 253_402_300_799, by: 98_765_432_1) {
            #expect(Moment(Moment(secondsSince1970: seconds).rfc3339)?.secondsSince1970 == seconds)
        }
    }

    @Test func theCLibraryAgreesBothWays() throws {
        for seconds in [0, 951_782_400, 1_767_355_200, 1_782_900_000] {
            let time = try #require(LocalTime(secondsSince1970: seconds))
            #expect(time.secondsSince1970 == seconds)
            #expect(!time.zone.isEmpty)
        }
        let odd = LocalTime(year: 2026, month: 2, day: 31, hour: 0, minute: 0, second: 0, zone: "")
        #expect(odd.secondsSince1970 == nil)
    }
}
