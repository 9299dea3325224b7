import Foundation
import Seeds
import Testing

@testable import MoodText

/// The table of phrases, computed by Foundation's calendar, at four moments in three zones.
@Suite struct TimeLanguageTests {
    private static let zones = ["Europe/Helsinki", "America/New_York", "Asia/Kathmandu"]
    /// A Friday before noon, the day after a change of the clocks in Europe, the turn of a year, a leap day.
    private static let moments = [
        "2026-11-20T10:15:30.250Z", "2026-03-30T14:00:00.000Z", "2026-12-31T23:30:00.000Z", "2024-02-29T05:45:00.001Z",
    ]

    struct Row: Sendable, CustomStringConvertible {
        let phrases: [String]
        let meaning: String
        var description: String { phrases.joined(separator: "; ") }
    }

    static let rows: [Row] = TimePhraseTable.text.split(separator: "\n").map { line in
        let parts = line.split(separator: "|")
        let phrases = parts[0].split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) }
        // A phrase marked with ? is none, but looks like one.
        return Row(
            phrases: phrases.filter { !$0.hasSuffix("?") }.map { $0.replacing("\"", with: "") },
            meaning: parts[1].trimmingCharacters(in: .whitespaces))
    }

    @Test func hasThreeHundredPhrases() {
        #expect(Set(Self.rows.flatMap(\.phrases)).count >= 300)
    }

    @Test(arguments: rows)
    func meansWhatTheCalendarSays(row: Row) throws {
        for zone in Self.zones {
            for moment in Self.moments {
                let now = try #require(FoundationTruth.milliseconds(moment))
                let expected = try PhraseMeaning(zone: zone, now: now).meaning(row.meaning)
                for phrase in row.phrases {
                    var language = TimeLanguage(try DayClock(timeZone: zone), now: now)
                    var found = try language.meaning(of: phrase)
                    found.days = nil
                    #expect(found == expected, "\(phrase) at \(moment) in \(zone)")
                }
            }
        }
    }

    // MARK: Texts that are no phrase

    @Test(arguments: [
        ("", "is empty"), ("  ", "is empty"), ("elevenish", "\"elevenish\" is not understood"),
        ("yesterday elevenish", "\"yesterday\" is understood, \"elevenish\" is not"),
        ("last fri 9pm or so", "\"last fri 9pm\" is understood, \"or so\" is not"),
        ("yesterday fri", "\"yesterday\" is understood, \"fri\" is not"),
        ("9pm 10pm", "\"9pm\" is understood, \"10pm\" is not"),
        ("this week 9pm", "\"this week\" is understood, \"9pm\" is not"),
        ("now now", "\"now\" is understood, \"now\" is not"),
        ("yesterday at", "\"yesterday\" is understood, \"at\" is not"),
        ("2h 9pm", "\"2h\" is understood, \"9pm\" is not"), ("last", "\"last\" is not understood"),
        ("9", "\"9\" is not understood"), ("summer", "\"summer\" is not understood"),
        ("this summer", "\"this summer\" is not understood"),
        ("03/04/2024", "\"03/04/2024\" could be two days: write 2024-04-03 or 2024-03-04"),
        ("00/05/2024", "\"00/05/2024\" is understood as a date, but May 2024 has days 1 to 31"),
        ("05/00/2024", "\"05/00/2024\" is understood as a date, but a year has months 01 to 12"),
        ("13/13/2024", "\"13/13/2024\" is understood as a date, but a year has months 01 to 12"),
        ("29.02.2023", "\"29.02.2023\" is understood as a date, but February 2023 has days 1 to 28"),
        ("2026-11-20 10:00 CET", "\"CET\" is no offset: write it as a number, such as +01:00"),
        ("9pm EST", "\"EST\" is no offset: write it as a number, such as -05:00"),
        ("thirteen days ago", "\"thirteen days ago\" is not understood"),
        ("1.5 days ago", "\"1.5 days ago\" is not understood"),
        ("-2h", "\"-2h\" is not understood"), ("1e9s", "\"1e9s\" is not understood"),
        ("9999999 days ago", "\"9999999 days ago\" is not understood"), ("heute", "\"heute\" is not understood"),
        ("٢٠٢٦", "\"٢٠٢٦\" is not understood"), ("week", "\"week\" is not understood"),
        ("2026-11-20T", "\"2026-11-20T\" is understood as a date, but \"\" is no time of day"),
        ("2026-02-30", "\"2026-02-30\" is understood as a date, but February 2026 has days 1 to 28"),
        ("2026-13", "\"2026-13\" is understood as a date, but a year has months 01 to 12"),
        ("feb 30 2026", "\"feb 30 2026\" is understood as a date, but February 2026 has days 1 to 28"),
        ("31 nov", "\"31 nov\" is understood as a date, but November 2026 has days 1 to 30"),
        ("2026-W54", "\"2026-W54\" is understood as a week, but 2026 has weeks 1 to 53"),
        ("week 53 2025", "\"week 53 2025\" is understood as a week, but 2025 has weeks 1 to 52"),
        ("week 0", "\"week 0\" is understood as a week, but 2026 has weeks 1 to 53"),
        ("25:00", "\"25:00\" is understood as a time of day, but a day has hours 0 to 23"),
        ("24:00", "\"24:00\" is understood as a time of day, but a day has hours 0 to 23"),
        ("9:60", "\"9:60\" is understood as a time of day, but an hour has minutes 00 to 59"),
        ("21:30:60", "\"21:30:60\" is understood as a time of day, but a minute has seconds 00 to 59"),
        ("13pm", "\"13pm\" is understood as a time of day, but with am or pm the hours are 1 to 12"),
        ("0 am", "\"0 am\" is understood as a time of day, but with am or pm the hours are 1 to 12"),
        ("10:00Z", "\"10:00Z\" is understood as a time of day, but a time with a zone needs a date before it"),
        ("9999 years ago", "\"9999 years ago\" is understood, but it lies outside the years 0001-9999"),
        ("in 9999 years", "\"in 9999 years\" is understood, but it lies outside the years 0001-9999"),
        ("999999 years ago", "\"999999 years ago\" is understood, but it lies outside the years 0001-9999"),
    ])
    func saysWhatWasUnderstood(text: String, reason: String) throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "Europe/Helsinki")
        do {
            let meaning = try language.meaning(of: text)
            Issue.record("\(text) is understood: \(meaning)")
        } catch {
            #expect(error.reason == reason)
            #expect(
                error.text() == reason + "; for example \"yesterday 9pm\", \"2 hours ago\" or \"2026-11-20 21:30\"")
        }
    }

    @Test func refusesALongTextUnread() throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "UTC")
        #expect(throws: TimeProblem("is longer than 200 bytes")) {
            try language.meaning(of: String(repeating: "now ", count: 51))
        }
    }

    @Test func understandsItsExamples() throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "UTC")
        for example in TimeLanguage.examples { #expect(try language.meaning(of: example).at != nil) }
        for example in TimeLanguage.spanExamples { #expect(try language.meaning(of: example).isSpan) }
    }

    // MARK: RFC 3339

    @Test(arguments: [
        ("2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000Z"), ("2026-11-20t10:00:00z", "2026-11-20T10:00:00.000Z"),
        ("2026-11-20 10:00:00Z", "2026-11-20T10:00:00.000Z"), ("2026-11-20T10:00Z", "2026-11-20T10:00:00.000Z"),
        ("2026-11-20T10:00:00.1239+02:00", "2026-11-20T08:00:00.123Z"),
        ("2026-11-20 10:00 -05:30", "2026-11-20T15:30:00.000Z"), ("2026-11-20 10:00 UTC", "2026-11-20T10:00:00.000Z"),
        ("2026-11-20 10:00:00 GMT", "2026-11-20T10:00:00.000Z"), ("2026-11-20T10:00+0200", "2026-11-20T08:00:00.000Z"),
        ("2026-11-20 10:00 +02", "2026-11-20T08:00:00.000Z"), ("2026-11-20 10pm -0330", "2026-11-21T01:30:00.000Z"),
        ("20.11.2026 10:00 +02:00", "2026-11-20T08:00:00.000Z"), ("20261120T100015Z", "2026-11-20T10:00:15.000Z"),
        ("2026/11/20 10.00 utc+2", "2026-11-20T08:00:00.000Z"), ("20/11/2026 10 PM Z", "2026-11-20T22:00:00.000Z"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"),
        ("9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"),
    ])
    func takesWholeMoments(text: String, moment: String) throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "Asia/Tokyo")
        let expected = try #require(FoundationTruth.milliseconds(moment))
        let meaning = try language.meaning(of: text)
        #expect(meaning.at == expected && meaning.start == expected && meaning.end == expected && !meaning.isSpan)
    }

    /// Foundation counts the oldest days by the Julian calendar, RFC 3339 does not.
    @Test func takesTheFirstMoment() throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "Asia/Tokyo")
        #expect(try language.meaning(of: "0001-01-01T00:00:00Z").at == Phrases.timeRange.lowerBound)
        #expect(throws: TimeProblem.self) { try language.meaning(of: "0001-01-01T00:00:00+00:01") }
    }

    // MARK: Changes of the clocks

    @Test(arguments: [
        // Helsinki passes from 02:59 to 04:00 on 2026-03-29, and from 03:59 back to 03:00 on 2026-10-25.
        ("2026-03-29 03:30", "Europe/Helsinki", "2026-03-29T01:30:00.000Z"),
        ("2026-03-29 03:00", "Europe/Helsinki", "2026-03-29T01:00:00.000Z"),
        ("2026-10-25 03:30", "Europe/Helsinki", "2026-10-25T00:30:00.000Z"),
        ("2026-10-25 04:00", "Europe/Helsinki", "2026-10-25T02:00:00.000Z"),
        ("2026-03-08 02:30", "America/New_York", "2026-03-08T07:30:00.000Z"),
        ("2026-11-01 01:30", "America/New_York", "2026-11-01T05:30:00.000Z"),
        // A quarter of an hour less, once; half an hour's change of summer time.
        ("1985-12-31 23:59", "Asia/Kathmandu", "1985-12-31T18:29:00.000Z"),
        ("1986-01-01 00:05", "Asia/Kathmandu", "1985-12-31T18:35:00.000Z"),
        ("2026-10-04 02:15", "Australia/Lord_Howe", "2026-10-03T15:45:00.000Z"),
        // Samoa left out a whole day.
        ("2011-12-30 12:00", "Pacific/Apia", "2011-12-30T22:00:00.000Z"),
        ("2150-07-01 12:00", "Europe/Helsinki", "2150-07-01T09:00:00.000Z"),
    ])
    func followsTheClock(text: String, zone: String, moment: String) throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", zone)
        #expect(try language.meaning(of: text).at == FoundationTruth.milliseconds(moment))
    }

    @Test(arguments: [
        // Midnight does not exist on this day in Beirut: the day begins at one.
        ("2024-03-31", "Asia/Beirut", "2024-03-30T22:00:00.000Z", "2024-03-31T21:00:00.000Z"),
        ("2026-10-25", "Europe/Helsinki", "2026-10-24T21:00:00.000Z", "2026-10-25T22:00:00.000Z"),
        ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00.000Z", "2011-12-30T10:00:00.000Z"),
    ])
    func knowsLongAndShortDays(text: String, zone: String, start: String, end: String) throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", zone)
        let meaning = try language.meaning(of: text)
        #expect(meaning.start == FoundationTruth.milliseconds(start))
        #expect(meaning.end == FoundationTruth.milliseconds(end))
    }

    // MARK: Days that begin later

    @Test(arguments: [
        // At two in the night it is still Friday the 20th.
        ("today", "2026-11-20T04:00", "2026-11-21T04:00", "2026-11-21T02:00"),
        ("yesterday", "2026-11-19T04:00", "2026-11-20T04:00", "2026-11-20T02:00"),
        ("fri", "2026-11-20T04:00", "2026-11-21T04:00", "2026-11-21T02:00"),
        ("last night", "2026-11-19T18:00", "2026-11-20T06:00", "2026-11-19T22:00"),
        ("tonight", "2026-11-20T18:00", "2026-11-21T06:00", "2026-11-20T22:00"),
        ("today 1am", "2026-11-21T01:00", "2026-11-21T01:00", "2026-11-21T01:00"),
        ("1am", "2026-11-21T01:00", "2026-11-21T01:00", "2026-11-21T01:00"),
        ("3am", "2026-11-20T03:00", "2026-11-20T03:00", "2026-11-20T03:00"),
        ("2026-11-20 01:00", "2026-11-20T01:00", "2026-11-20T01:00", "2026-11-20T01:00"),
        ("2026-11", "2026-11-01T04:00", "2026-12-01T04:00", nil),
        ("this week", "2026-11-16T04:00", "2026-11-23T04:00", nil),
        ("evening", "2026-11-20T18:00", "2026-11-21T00:00", "2026-11-20T20:00"),
        ("1 day ago", "2026-11-20T02:00", "2026-11-20T02:00", "2026-11-20T02:00"),
        ("1 day ago evening", "2026-11-19T18:00", "2026-11-20T00:00", "2026-11-19T20:00"),
    ])
    func begins(text: String, start: String, end: String, moment: String?) throws {
        let now = try #require(FoundationTruth.milliseconds("2026-11-21T02:00:00.000Z"))
        var language = TimeLanguage(try DayClock(timeZone: "UTC", dayStartsAt: 240), now: now)
        let meaning = try language.meaning(of: text)
        #expect(meaning.start == FoundationTruth.milliseconds(start + ":00.000Z"))
        #expect(meaning.end == FoundationTruth.milliseconds(end + ":00.000Z"))
        #expect(meaning.at == moment.flatMap { FoundationTruth.milliseconds($0 + ":00.000Z") })
    }

    @Test func namesItsDays() throws {
        var language = try Self.language("2026-11-20T10:15:30.250Z", "UTC")
        func days(_ text: String) throws -> [String]? {
            try language.meaning(of: text).days.map {
                [CivilDate(daysSince1970: $0.lowerBound).text, CivilDate(daysSince1970: $0.upperBound).text]
            }
        }
        #expect(try days("yesterday") == ["2026-11-19", "2026-11-19"])
        #expect(try days("2026") == ["2026-01-01", "2026-12-31"])
        #expect(try days("last week") == ["2026-11-09", "2026-11-15"])
        #expect(try days("9pm") == ["2026-11-19", "2026-11-19"])
        #expect(try days("last night") == nil)
        #expect(try days("9999") == ["9999-01-01", "9999-12-31"])
        #expect(try days("0001") == ["0001-01-01", "0001-12-31"])
    }

    /// Hostile texts give an error or a meaning, never a trap.
    @Test func survivesAnything() throws {
        let words = [
            "last", "this", "next", "9pm", "week", "53", "9999", "0001", "9999-12-31", "0001-01-01", "in", "999999",
            "days",
            "ago", "years", "an", "half", "hour", "and", "nov", "31", "fri", "night", "today", "23:59:60", "z",
            "+23:59",
            "1.5", "h", "\u{0}", "é", ".", "-", "1h1h1h1h", "tomorrow", "months", "the", "of",
        ]
        var random = SeededRandom.fresh()
        for _ in 0..<20_000 {
            let text = (0..<Int.random(in: 1...6, using: &random)).map { _ in words.randomElement(using: &random) ?? ""
            }
            .joined(separator: " ")
            var language = TimeLanguage(
                try DayClock(timeZone: "America/New_York", dayStartsAt: Int.random(in: 0...720, using: &random)),
                now: Int64.random(in: Phrases.timeRange, using: &random))
            if let meaning = try? language.meaning(of: text) {
                #expect(meaning.start <= meaning.end, "\(text)")
                #expect(Phrases.timeRange.contains(meaning.start) && Phrases.timeRange.contains(meaning.end), "\(text)")
                #expect(meaning.at.map(Phrases.timeRange.contains) ?? true, "\(text)")
            }
        }
    }

    private static func language(_ now: String, _ zone: String) throws -> TimeLanguage {
        TimeLanguage(try DayClock(timeZone: zone), now: try #require(FoundationTruth.milliseconds(now)))
    }
}
