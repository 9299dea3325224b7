import Foundation
import Seeds
import Testing

@testable import MoodText

@Suite struct PhrasesTests {
    static let offsets: [Int64] = [
        0, 1, 499, 500, second, 2 * second, 59 * second, 60 * second, 89 * second, 90 * second, 59 * minute, hour,
        90 * minute, 2 * hour, 5 * hour, 11 * hour, 12 * hour + minute, 23 * hour, 23 * hour + 30 * minute, day,
        25 * hour, 2 * day, 3 * day, 6 * day, 7 * day, 8 * day, 13 * day, 14 * day, 20 * day, 27 * day, 28 * day,
        30 * day, 31 * day, 45 * day, 60 * day, 90 * day, 200 * day, 364 * day, 365 * day, 366 * day, 800 * day,
        9_000 * day,
    ]

    @Test(arguments: ["en_US", "fi_FI", "de_DE", "ja_JP", "ar_EG"])
    func saysWhatFoundationSays(locale: String) throws {
        var phrases = Phrases()
        var truth = FoundationTruth()
        for zone in ["Europe/Helsinki", "America/New_York", "UTC"] {
            for offset in Self.offsets {
                for time in [now - offset, now + offset] {
                    let phrase = try phrases.relative(from: time, to: now, locale: locale, timeZone: zone)
                    let expected = try truth.relative(from: time, to: now, locale: locale, timeZone: zone)
                    #expect(phrase == expected, "\(zone), offset \(offset)")
                }
            }
        }
    }

    static let english: [(Int64, String)] = [
        (0, "now"), (-second, "1 second ago"), (-2 * hour, "2 hours ago"), (2 * hour, "in 2 hours"),
        (-day, "yesterday"), (day, "tomorrow"), (-3 * day, "3 days ago"), (-9 * day, "last week"),
        (9 * day, "in 2 weeks"), (7 * day, "next week"),
        (-40 * day, "2 months ago"), (31 * day, "next month"), (-400 * day, "2 years ago"),
        (-500_000 * day, "1,369 years ago"),
    ]

    @Test(arguments: english)
    func speaksEnglish(offset: Int64, expected: String) throws {
        var phrases = Phrases()
        #expect(try phrases.relative(from: now + offset, to: now, locale: "en-US", timeZone: "UTC") == expected)
    }

    @Test func handsOnTheSameBytesAgain() throws {
        var phrases = Phrases()
        for _ in 0..<3 {
            var seen: [UInt8] = []
            try phrases.withRelative(from: now - 2 * hour, to: now, locale: "fi", timeZone: nil) {
                seen.append(contentsOf: $0)
            }
            #expect(seen == Array("2 tuntia sitten".utf8))
        }
        #expect(phrases.keptCounts == (phrases: 1, contexts: 1))
    }

    @Test func sharesPhrasesBetweenZonesAndSpellings() throws {
        var phrases = Phrases()
        for (locale, zone) in [("en-US", "UTC"), ("en_US", "UTC"), ("en_US", "Asia/Tokyo"), ("en_US", nil)] {
            _ = try phrases.relative(from: now - 2 * hour, to: now, locale: locale, timeZone: zone)
        }
        #expect(phrases.keptCounts == (phrases: 1, contexts: 4))
    }

    @Test func keepsNoMorePhrasesThanItsLimit() throws {
        var phrases = Phrases()
        var largest = 0
        var dropped = 0
        var latest = 0
        for locale in Locale.availableIdentifiers.sorted().filter({ !$0.contains("_") }).prefix(30) {
            for count in Int64(-59)...59 {
                for unit in [second, minute] {
                    _ = try phrases.relative(from: now + count * unit, to: now, locale: locale, timeZone: "UTC")
                    let kept = phrases.keptCounts.phrases
                    largest = max(largest, kept)
                    if kept < latest { dropped += 1 }
                    latest = kept
                }
            }
        }
        #expect(largest == Phrases.phrasesMax)
        #expect(dropped == 1)
        #expect(try phrases.relative(from: now - 5 * hour, to: now, locale: "fi", timeZone: "UTC") == "5 tuntia sitten")
    }

    @Test func keepsNoMoreContextsThanItsLimit() throws {
        var phrases = Phrases()
        for zone in TimeZone.knownTimeZoneIdentifiers.sorted().prefix(3 * Phrases.contextsMax) {
            let phrase = try phrases.relative(from: now - hour, to: now, locale: "en", timeZone: zone)
            #expect(phrase == "1 hour ago")
            #expect(phrases.keptCounts.contexts <= Phrases.contextsMax)
        }
    }

    @Test func forgetsNothingWhenItDropsWhatItKept() throws {
        var phrases = Phrases()
        var truth = FoundationTruth()
        let locales = ["fi", "en", "de", "ja", "ar", "sv"]
        var random = SeededRandom(seed: 5)
        let zones = TimeZone.knownTimeZoneIdentifiers.sorted()
        for round in 0..<600 {
            let locale = locales[Int(random.next() % 6)]
            let zone = zones[Int(random.next() % UInt64(zones.count))]
            let time = now - Int64(random.next() % 40) * hour
            let phrase = try phrases.relative(from: time, to: now, locale: locale, timeZone: zone)
            #expect(
                try phrase == truth.relative(from: time, to: now, locale: locale, timeZone: zone),
                "seed 5, round \(round)")
        }
    }

    @Test(arguments: [
        ("xx_YY", "UTC", TextError.unknownLocale), ("", "UTC", .unknownLocale), ("english", "UTC", .unknownLocale),
        ("en", "Mars/Phobos", .unknownTimeZone), ("en", "", .unknownTimeZone),
        ("en", "../../etc/passwd", .unknownTimeZone),
        (String(repeating: "e\u{301}", count: 100_000), "UTC", .unknownLocale),
        ("en", String(repeating: "e\u{301}", count: 100_000), .unknownTimeZone),
    ])
    func refusesUnknownLocalesAndZones(locale: String, zone: String, expected: TextError) throws {
        var phrases = Phrases()
        for _ in 0..<2 {
            #expect(
                Self.error { () throws(TextError) in
                    _ = try phrases.relative(from: now, to: now, locale: locale, timeZone: zone)
                } == expected)
            #expect(
                Self.error { () throws(TextError) in _ = try phrases.date(now, locale: locale, timeZone: zone) }
                    == expected)
            #expect(
                Self.error { () throws(TextError) in _ = try phrases.time(now, locale: locale, timeZone: zone) }
                    == expected)
        }
        #expect(phrases.keptCounts == (phrases: 0, contexts: 0))
    }

    @Test(arguments: [Int64.min, Phrases.timeRange.lowerBound - 1, Phrases.timeRange.upperBound + 1, Int64.max])
    func refusesTimesOutsideTheirRange(time: Int64) {
        var phrases = Phrases()
        #expect(
            Self.error { () throws(TextError) in
                _ = try phrases.relative(from: time, to: now, locale: "en", timeZone: nil)
            } == .timeOutOfRange)
        #expect(
            Self.error { () throws(TextError) in
                _ = try phrases.relative(from: now, to: time, locale: "en", timeZone: nil)
            } == .timeOutOfRange)
        #expect(
            Self.error { () throws(TextError) in _ = try phrases.date(time, locale: "en", timeZone: nil) }
                == .timeOutOfRange)
        #expect(
            Self.error { () throws(TextError) in _ = try phrases.time(time, locale: "en", timeZone: nil) }
                == .timeOutOfRange)
    }

    @Test func reachesTheEndsOfTime() throws {
        var phrases = Phrases()
        let range = Phrases.timeRange
        #expect(
            try phrases.relative(from: range.lowerBound, to: range.upperBound, locale: "en", timeZone: "UTC")
                == "9,999 years ago")
        #expect(
            try phrases.relative(from: range.upperBound, to: range.lowerBound, locale: "en", timeZone: "UTC")
                == "in 9,998 years")
        #expect(try phrases.date(range.upperBound, locale: "en_US", timeZone: "UTC") == "December 31, 9999")
        #expect(try phrases.time(range.lowerBound, locale: "fi", timeZone: "UTC") == "0.00")
    }

    @Test(arguments: ["en_US", "fi_FI", "de_DE", "ja_JP", "ar_EG", "th_TH"])
    func writesDatesAndTimesAsFoundationDoes(locale: String) throws {
        var phrases = Phrases()
        for zone in ["Europe/Helsinki", "America/New_York", "Asia/Kathmandu"] {
            for time in [now, 0, now - 12_345 * day, now + 98_765_432_109] {
                let date = FoundationTruth.date(time)
                var style = Date.FormatStyle(date: .long, time: .omitted, locale: Locale(identifier: locale))
                style.timeZone = try #require(TimeZone(identifier: zone))
                style.calendar = Locale(identifier: locale).calendar
                #expect(try phrases.date(time, locale: locale, timeZone: zone) == style.format(date))
                style = Date.FormatStyle(date: .omitted, time: .shortened, locale: Locale(identifier: locale))
                style.timeZone = try #require(TimeZone(identifier: zone))
                #expect(try phrases.time(time, locale: locale, timeZone: zone) == style.format(date))
            }
        }
    }

    @Test(arguments: [
        (75, "en_US", "+0.75"), (-50, "en_US", "−0.5"), (0, "en_US", "0"), (100, "en_US", "+1"), (-1, "en_US", "−0.01"),
        (75, "de_DE", "+0,75"), (-100, "de_DE", "−1"), (75, "fi_FI", "+0,75"), (-75, "sv_SE", "−0,75"),
        (75, "ar_EG", "\u{61C}+٠٫٧٥"), (-5, "fr_FR", "−0,05"), (100_000, "en_US", "+1,000"),
    ])
    func saysNumbersWithTheirSign(hundredths: Int, locale: String, expected: String) throws {
        var phrases = Phrases()
        for _ in 0..<2 {
            #expect(try phrases.signed(hundredths: hundredths, locale: locale, timeZone: nil) == expected)
        }
    }

    @Test func holdsNoByteThatJSONWouldEscape() throws {
        var phrases = Phrases()
        for locale in Locale.availableIdentifiers.sorted().filter({ !$0.contains("_") }) {
            for time in [
                now, now - second, now + 5 * minute, now - 3 * hour, now + day, now - 9 * day, now - 40 * day,
                now + 900 * day,
            ] {
                try phrases.withRelative(from: time, to: now, locale: locale, timeZone: "UTC") { bytes in
                    #expect(
                        !bytes.isEmpty && !bytes.contains { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x7F },
                        "\(locale)")
                }
            }
        }
    }

    /// `#expect(throws:)` cannot capture what is not copyable.
    static func error(_ body: () throws(TextError) -> Void) -> TextError? {
        do throws(TextError) {
            try body()
            return nil
        } catch {
            return error
        }
    }
}
