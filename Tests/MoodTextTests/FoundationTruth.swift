import Foundation

/// Foundation's own results, without any of our code.
struct FoundationTruth {
    private var calendars: [String: Calendar] = [:]
    private var locales: [String: Locale] = [:]

    mutating func locale(_ identifier: String) -> Locale {
        if let known = locales[identifier] { return known }
        locales[identifier] = Locale(identifier: identifier)
        return Locale(identifier: identifier)
    }

    mutating func calendar(locale: String, timeZone: String) throws -> Calendar {
        if let known = calendars[locale + " " + timeZone] { return known }
        var calendar = Locale(identifier: locale).calendar
        guard let zone = TimeZone(identifier: timeZone) else { throw NoSuchZone(name: timeZone) }
        calendar.timeZone = zone
        calendars[locale + " " + timeZone] = calendar
        return calendar
    }

    mutating func relative(from time: Int64, to now: Int64, locale: String, timeZone: String) throws -> String {
        Date.AnchoredRelativeFormatStyle(
            anchor: Self.date(time), presentation: .named, locale: self.locale(locale),
            calendar: try calendar(locale: locale, timeZone: timeZone)
        ).format(Self.date(now))
    }

    static func date(_ milliseconds: Int64) -> Date {
        Date(timeIntervalSince1970: Double(milliseconds) / 1_000)
    }

    static func milliseconds(_ date: Date) -> Int64 {
        Int64((date.timeIntervalSince1970 * 1_000).rounded())
    }

    /// Parses `2026-01-02T03:04:05.678Z`; nil for anything else.
    static func milliseconds(_ text: String) -> Int64? {
        (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))).map(milliseconds)
    }

    struct NoSuchZone: Error {
        var name: String
    }
}

/// 2026-01-02T03:04:05.678Z.
let now: Int64 = 1_767_323_045_678
let second: Int64 = 1_000
let minute = 60 * second
let hour = 60 * minute
let day = 24 * hour
