import Foundation
import Seeds
import Testing

@testable import MoodText

/// The rule is compared with Foundation, the only authority.
@Suite struct RelativeRuleTests {
    static let zones = [
        "Europe/Helsinki", "America/New_York", "Asia/Kolkata", "Pacific/Apia", "Australia/Lord_Howe",
        "Africa/Casablanca",
        "America/Sao_Paulo", "Asia/Tehran", "UTC", "America/Santiago", "Europe/Dublin", "Antarctica/Troll", "Asia/Gaza",
    ]
    static let locales = ["en_US", "fi_FI", "ar_EG", "pt_PT", "th_TH", "fa_IR"]
    /// Gregorian, and their weeks begin on Sunday, Monday and Saturday.
    static let gregorian = ["en_US", "fi_FI", "ar_EG"]

    static let nudges: [Int64] = [
        0, 1, -1, 499, 500, 501, -499, -500, -501, second, -second, 30 * second, -30 * second, 30 * minute - 500,
        -30 * minute, hour, -hour,
    ]

    @Test func agreesWithFoundationOnRandomPairs() throws {
        let seed: UInt64 = 20_260_102
        var random = SeededRandom(seed: seed)
        var phrases = Phrases()
        var truth = FoundationTruth()
        for round in 0..<20_000 {
            let locale = Self.locales[Int(random.next() % UInt64(Self.locales.count))]
            let zone = Self.zones[Int(random.next() % UInt64(Self.zones.count))]
            let reference = Int64.random(in: 0..<2_500_000_000_000, using: &random)
            let time: Int64
            switch round % 3 {
            case 0:
                time = reference + Int64.random(in: -60...60, using: &random) * 6 * hour + Self.nudge(&random)
            case 1:
                // All magnitudes with equal probability, up to some 190 years.
                let distance = Int64(exp(Double.random(in: 0..<log(6e12), using: &random)))
                time = random.next() % 2 == 0 ? reference - distance : reference + distance
            default:
                let calendar = try truth.calendar(locale: locale, timeZone: zone)
                let component: Calendar.Component = [.day, .weekOfMonth, .month, .year][Int(random.next() % 4)]
                let date = try #require(
                    calendar.date(
                        byAdding: component, value: Int.random(in: -13...13, using: &random),
                        to: FoundationTruth.date(reference)))
                time = FoundationTruth.milliseconds(date) + Self.nudge(&random)
            }
            let phrase = try phrases.relative(from: time, to: reference, locale: locale, timeZone: zone)
            let expected = try truth.relative(from: time, to: reference, locale: locale, timeZone: zone)
            if phrase != expected {
                Issue.record("seed \(seed), round \(round): \(locale), \(zone), \(time) at \(reference): \(phrase)")
            }
        }
    }

    static func nudge(_ random: inout SeededRandom) -> Int64 {
        nudges[Int(random.next() % UInt64(nudges.count))]
    }

    static let units: [Int64] = [
        second, minute, hour, day, 7 * day, 28 * day, 29 * day, 30 * day, 31 * day, 365 * day, 366 * day,
    ]

    @Test(arguments: units)
    func agreesAtEveryBoundary(unit: Int64) throws {
        var phrases = Phrases()
        var truth = FoundationTruth()
        // A leap day, the end of a year, a Monday at midnight, and a time with milliseconds.
        let references: [Int64] = [1_709_164_800_000, 1_767_225_599_999, 1_767_564_000_000, now]
        for reference in references {
            for count: Int64 in [-24, -12, -2, -1, 1, 2, 11, 12, 13, 23, 24, 60] {
                for nudge in [0, 1, -1, 500, -500, second, -second] {
                    let time = reference + count * unit + nudge
                    let phrase = try phrases.relative(
                        from: time, to: reference, locale: "fi_FI", timeZone: "Europe/Helsinki")
                    #expect(
                        try phrase
                            == truth.relative(from: time, to: reference, locale: "fi_FI", timeZone: "Europe/Helsinki"),
                        "\(count) × \(unit) + \(nudge) at \(reference)")
                }
            }
        }
    }

    @Test(arguments: gregorian) func agreesAtTheEdgesOfDaysWeeksMonthsAndYears(locale: String) throws {
        var phrases = Phrases()
        var truth = FoundationTruth()
        let calendar = try truth.calendar(locale: locale, timeZone: "America/New_York")
        for component: Calendar.Component in [.day, .weekOfMonth, .month, .year] {
            let interval = try #require(calendar.dateInterval(of: component, for: FoundationTruth.date(now + 40 * day)))
            for edge in [FoundationTruth.milliseconds(interval.start), FoundationTruth.milliseconds(interval.end)] {
                for reference in [edge - second - 1, edge - second, edge - 1, edge, edge + 1, edge + 500] {
                    for days: Int64 in [
                        -366, -365, -31, -30, -28, -8, -7, -6, -2, -1, 1, 2, 6, 7, 8, 28, 30, 31, 365, 366,
                    ] {
                        for nudge in [0, 1, -1, -500, second, -second] {
                            let time = edge + days * day + nudge
                            let phrase = try phrases.relative(
                                from: time, to: reference, locale: locale, timeZone: "America/New_York")
                            let expected = try truth.relative(
                                from: time, to: reference, locale: locale, timeZone: "America/New_York")
                            #expect(phrase == expected, "\(component), \(time) at \(reference)")
                        }
                    }
                }
            }
        }
    }

    /// The hour that is left out, the hour that comes twice, half an hour of them, and the day that Samoa left out.
    @Test(
        arguments: [
            ("Europe/Helsinki", 1_774_746_000_000), ("Europe/Helsinki", 1_792_890_000_000),
            ("Australia/Lord_Howe", 1_775_314_800_000), ("America/Santiago", 1_775_358_000_000),
            ("Pacific/Apia", 1_325_239_200_000), ("Africa/Casablanca", 1_771_120_800_000),
        ] as [(String, Int64)])
    func agreesAroundChangesOfTheOffset(zone: String, change: Int64) throws {
        var phrases = Phrases()
        var truth = FoundationTruth()
        for hours: Int64 in [-60, -47, -25, -13, -3, -1, 0, 1, 2, 11, 24, 48, 60] {
            for distance: Int64 in [
                -49, -48, -25, -24, -23, -13, -12, -3, -1, 1, 3, 12, 22, 23, 24, 25, 47, 48, 170, 800, 9_000,
            ] {
                for nudge in [0, 1, -30 * minute] {
                    let reference = change + hours * hour + nudge
                    let time = reference + distance * hour
                    let phrase = try phrases.relative(from: time, to: reference, locale: "en_US", timeZone: zone)
                    let expected = try truth.relative(from: time, to: reference, locale: "en_US", timeZone: zone)
                    #expect(phrase == expected, "\(time) at \(reference)")
                }
            }
        }
    }

    @Test func seldomAsksFoundation() throws {
        let zone = try #require(TimeZone(identifier: "Europe/Helsinki"))
        var offsets = ZoneOffsets(zone)
        var rule = RelativeRule(isGregorian: true, firstWeekday: 2)
        var random = SeededRandom(seed: 3)
        var asked = 0
        for _ in 0..<10_000 {
            let time = now - Int64(random.next() % UInt64(5_000 * day))
            if rule.distance(from: time, to: now, in: &offsets) == nil { asked += 1 }
        }
        #expect(asked < 400)
    }

    @Test func knowsTheDaysOfItsYears() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        for day in stride(from: -24_836, to: 47_482, by: 7) {
            let parts = calendar.dateComponents(
                [.year, .month, .day], from: FoundationTruth.date(Int64(day) * 86_400_000))
            let date = CivilDate(daysSince1970: day)
            #expect(date.year == parts.year && date.month == parts.month && date.day == parts.day)
            #expect(date.daysSince1970 == day)
        }
    }

    @Test func findsTheOffsetsThatFoundationKnows() throws {
        var random = SeededRandom(seed: 11)
        for name in Self.zones {
            let zone = try #require(TimeZone(identifier: name))
            var offsets = ZoneOffsets(zone)
            for _ in 0..<300 {
                let time = Int64.random(in: ZoneOffsets.range, using: &random)
                let found = offsets.span(at: time)
                let span = try #require(found)
                #expect(span.start <= time && time < span.end)
                for probe in [time, span.start, span.end - 1] {
                    #expect(
                        span.offset == Int64(zone.secondsFromGMT(for: FoundationTruth.date(probe))) * second,
                        "\(name) \(probe)")
                }
            }
            let outside = [ZoneOffsets.range.upperBound, ZoneOffsets.range.lowerBound - 1].map { offsets.span(at: $0) }
            #expect(outside == [nil, nil])
        }
    }
}
