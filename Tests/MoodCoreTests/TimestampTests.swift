import Seeds
import Testing

@testable import MoodCore

@Suite struct TimestampTests {
    @Test(arguments: [
        ("2026-01-02T03:04:05Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02t03:04:05z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05.6Z", "2026-01-02T03:04:05.600Z"),
        ("2026-01-02T03:04:05.67Z", "2026-01-02T03:04:05.670Z"),
        ("2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T03:04:05.6789999999999Z", "2026-01-02T03:04:05.678Z"),
        ("2026-01-02T03:04:05.000999Z", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05+00:00", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05-00:00", "2026-01-02T03:04:05.000Z"),
        ("2026-01-02T03:04:05+02:00", "2026-01-02T01:04:05.000Z"),
        ("2026-01-02T03:04:05-05:30", "2026-01-02T08:34:05.000Z"),
        ("2026-01-02T23:59:59.999-23:59", "2026-01-03T23:58:59.999Z"),
        ("2026-01-02T00:00:00+23:59", "2026-01-01T00:01:00.000Z"),
        ("1969-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z"),
        ("1969-12-31T23:59:59.9Z", "1969-12-31T23:59:59.900Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
        // The year is counted in UTC: these cross into it.
        ("0000-12-31T23:30:00-00:30", "0001-01-01T00:00:00.000Z"),
        ("0001-01-01T01:00:00+01:00", "0001-01-01T00:00:00.000Z"),
        ("9999-12-31T22:59:59.999-01:00", "9999-12-31T23:59:59.999Z"),
        // Leap days.
        ("2024-02-29T12:00:00Z", "2024-02-29T12:00:00.000Z"),
        ("2000-02-29T12:00:00Z", "2000-02-29T12:00:00.000Z"),
        ("2024-02-29T23:30:00-01:00", "2024-03-01T00:30:00.000Z"),
        // Leap seconds count as the second behind them, in any zone.
        ("1990-12-31T23:59:60Z", "1991-01-01T00:00:00.000Z"),
        ("2016-12-31T23:59:60.999Z", "2017-01-01T00:00:00.000Z"),
        ("1990-12-31T15:59:60-08:00", "1991-01-01T00:00:00.000Z"),
    ])
    func readsRFC3339(text: String, canonical: String) throws {
        let time = try #require(Timestamp(text))
        #expect(time.text == canonical)
    }

    @Test(arguments: [
        "", "Z", "2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04Z", "2026-01-02 03:04:05Z",
        "2026-01-02T03:04:05 Z", " 2026-01-02T03:04:05Z", "2026-01-02T03:04:05Z ", "2026-01-02T03:04:05ZZ",
        "2026-01-02T03:04:05.Z", "2026-01-02T03:04:05,6Z", "2026-01-02T03:04:05.+01:00", "20260102T030405Z",
        "2026-1-02T03:04:05Z", "2026-01-02T3:04:05Z", "+2026-01-02T03:04:05Z", "-026-01-02T03:04:05Z",
        "02026-01-02T03:04:05Z", "2026-00-02T03:04:05Z", "2026-13-02T03:04:05Z", "2026-01-00T03:04:05Z",
        "2026-01-32T03:04:05Z", "2026-04-31T03:04:05Z", "2026-06-31T03:04:05Z", "2026-09-31T03:04:05Z",
        "2026-11-31T03:04:05Z", "2026-02-29T03:04:05Z", "2024-02-30T03:04:05Z", "1900-02-29T03:04:05Z",
        "2100-02-29T03:04:05Z", "2026-01-02T24:00:00Z", "2026-01-02T03:60:00Z", "2026-01-02T03:04:61Z",
        "2026-01-02T03:04:60Z", "2026-01-02T22:59:60Z", "2026-01-02T23:59:60+01:00", "2026-01-02T03:04:05+24:00",
        "2026-01-02T03:04:05+01:60", "2026-01-02T03:04:05+01", "2026-01-02T03:04:05+0100", "2026-01-02T03:04:05+1:00",
        "2026-01-02T03:04:05+01:000", "2026-01-02T03:04:05\u{2212}01:00", "2026-01-02T03:04:05+0a:00",
        "2026-01-02T03:04:05GMT", "2026-01-02T03:04:05[UTC]", "٢٠٢٦-01-02T03:04:05Z", "2026-01-02T03:04:0xZ",
        // Outside the years 0001-9999 in UTC.
        "0000-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:60Z", "10000-01-01T00:00:00Z",
    ])
    func refusesWhatIsNoTimeWithAZone(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func readsFractionsUpToItsLengthLimit() {
        let head = "2026-01-02T03:04:05."
        #expect(Timestamp(head + String(repeating: "9", count: 43) + "Z")?.text == "2026-01-02T03:04:05.999Z")
        #expect(Timestamp(head + String(repeating: "9", count: 44) + "Z") == nil)
        #expect(Timestamp(head + String(repeating: "9", count: 1_000_000) + "Z") == nil)
    }

    @Test func keepsTheYears1To9999() {
        #expect(Timestamp.minimum.text == "0001-01-01T00:00:00.000Z")
        #expect(Timestamp.maximum.text == "9999-12-31T23:59:59.999Z")
        #expect(Timestamp(milliseconds: Timestamp.minimum.milliseconds - 1) == nil)
        #expect(Timestamp(milliseconds: Timestamp.maximum.milliseconds + 1) == nil)
        #expect(Timestamp(milliseconds: .min) == nil)
        #expect(Timestamp(milliseconds: .max) == nil)
        #expect(Timestamp(milliseconds: 0)?.text == "1970-01-01T00:00:00.000Z")
        #expect(Timestamp(milliseconds: -1)?.text == "1969-12-31T23:59:59.999Z")
    }

    private static let seconds: [Int64] = [0, 1, -1, 3600, -172_800, .max / 1000, .min / 1000, .max / 500, .max, .min]

    @Test(arguments: seconds)
    func advancingStaysInsideTheYears(seconds: Int64) throws {
        for start in [Timestamp.minimum, .maximum, try #require(Timestamp(milliseconds: 0))] {
            let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1000)
            let (sum, overflows) = start.milliseconds.addingReportingOverflow(product)
            let end = seconds < 0 ? Timestamp.minimum : .maximum
            let expected = isTooMuch || overflows ? end : Timestamp(milliseconds: sum) ?? end
            #expect(start.advanced(bySeconds: seconds) == expected, "from \(start.text)")
        }
    }

    /// Counts day by day with the Gregorian rule, without the arithmetic under test.
    @Test func everyDayOf400YearsIsRight() throws {
        var days: Int64 = -135_140  // 1600-01-01, that many days before 1970-01-01.
        var wrong: [String] = []
        for year in 1600..<2000 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year == 1600)
            for (month, length) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                for day in 1...length {
                    let text = "\(year)-\(pad(month + 1))-\(pad(day))T12:34:56.789Z"
                    let milliseconds = days * 86_400_000 + 45_296_789
                    if Timestamp(text)?.milliseconds != milliseconds
                        || Timestamp(milliseconds: milliseconds)?.text != text
                    {
                        wrong.append(text)
                    }
                    days += 1
                }
                #expect(Timestamp("\(year)-\(pad(month + 1))-\(pad(length + 1))T00:00:00Z") == nil)
            }
        }
        #expect(days == -135_140 + 146_097)
        #expect(wrong.isEmpty, "\(wrong.prefix(5))")
    }

    @Test(arguments: SeededRandom.seeds)
    func anyMomentInAnyZoneReadsBack(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let range = Timestamp.minimum.milliseconds...Timestamp.maximum.milliseconds
        for _ in 0..<5_000 {
            let time = try #require(Timestamp(milliseconds: .random(in: range, using: &random)))
            #expect(Timestamp(time.text) == time)
            // The moment on a clock that is so many minutes ahead.
            let minutes = Int64.random(in: -1439...1439, using: &random)
            guard let local = Timestamp(milliseconds: time.milliseconds + minutes * 60_000) else { continue }
            let offset = "\(minutes < 0 ? "-" : "+")\(pad(Int(abs(minutes) / 60))):\(pad(Int(abs(minutes) % 60)))"
            let text = String(local.text.dropLast()) + offset
            #expect(Timestamp(text) == time, "\(text) is not \(time.text)")
        }
    }

    @Test func comparesAsMomentsDo() throws {
        let earlier = try #require(Timestamp("2026-01-02T03:04:05+02:00"))
        let later = try #require(Timestamp("2026-01-02T02:04:05Z"))
        #expect(earlier < later)
        #expect(Timestamp("2026-01-02T01:04:05Z") == earlier)
    }

    private func pad(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
