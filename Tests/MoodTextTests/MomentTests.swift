import Foundation
import Seeds
import Testing

@testable import MoodText

/// Day and time, joined from parts, equal Foundation's whole text.
@Suite struct MomentTests {
    private static let locales = [
        "en_US", "en_GB", "fi_FI", "de_DE", "fr_FR", "es_ES", "ja_JP", "zh_Hans_CN", "ko_KR", "ar_EG", "fa_IR", "th_TH",
        "hi_IN", "ru_RU", "bg_BG", "vi_VN", "hu_HU", "he_IL",
    ]

    @Test(arguments: locales)
    func isWhatFoundationSays(locale: String) throws {
        var phrases = Phrases()
        var random = SeededRandom.fresh()
        for zone in ["UTC", "Europe/Helsinki", "America/New_York", "Asia/Kolkata"] {
            var calendar = Locale(identifier: locale).calendar
            calendar.timeZone = try #require(TimeZone(identifier: zone))
            let style = Date.FormatStyle(
                date: .long, time: .shortened, locale: Locale(identifier: locale), calendar: calendar,
                timeZone: calendar.timeZone)
            for _ in 0..<60 {
                let time = Int64.random(in: -1_000_000_000_000...3_000_000_000_000, using: &random)
                // Twice, the second time from the stored parts.
                for _ in 0..<2 {
                    let moment = try phrases.moment(time, locale: locale, timeZone: zone)
                    #expect(moment == style.format(Date(milliseconds: time)), "\(time) in \(zone)")
                }
            }
        }
    }

    @Test func outsideTheYearsOfTheTablesFoundationIsAsked() throws {
        var phrases = Phrases()
        let time = Phrases.timeRange.upperBound
        #expect(try phrases.moment(time, locale: "en_US", timeZone: "UTC") == "December 31, 9999 at 11:59\u{202F}PM")
        #expect(throws: TextError.timeOutOfRange) {
            _ = try phrases.moment(time + 1, locale: "en_US", timeZone: "UTC")
        }
    }

    @Test func whatIsKeptIsBounded() throws {
        var phrases = Phrases()
        for number in 0..<Int64(Phrases.momentPartsMax) + 100 {
            _ = try phrases.moment(number * 86_400_000 / 2, locale: "en_US", timeZone: "UTC")
        }
        #expect(phrases.contexts.allSatisfy { $0.days.count <= Phrases.momentPartsMax && $0.minutes.count <= 1_440 })
    }
}
