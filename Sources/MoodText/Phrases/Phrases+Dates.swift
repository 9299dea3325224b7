import Foundation

extension Phrases {
    /// The date of `time` in the zone, in the locale's long form: "January 2, 2026", "2. tammikuuta 2026".
    public mutating func date(_ time: Int64, locale: String, timeZone: String?) throws(TextError) -> String {
        guard Self.timeRange.contains(time) else { throw .timeOutOfRange }
        let number = try context(locale: locale, timeZone: timeZone)
        let style = contexts[number].dateStyle ?? contexts[number].style(date: .long, time: .omitted)
        contexts[number].dateStyle = style
        return style.format(Date(milliseconds: time))
    }

    /// Hours and minutes of `time` in the zone, in the locale's short form: "3:04 PM" (with a narrow no-break space),
    /// "15.04".
    public mutating func time(_ time: Int64, locale: String, timeZone: String?) throws(TextError) -> String {
        guard Self.timeRange.contains(time) else { throw .timeOutOfRange }
        let number = try context(locale: locale, timeZone: timeZone)
        let style = contexts[number].timeStyle ?? contexts[number].style(date: .omitted, time: .shortened)
        contexts[number].timeStyle = style
        return style.format(Date(milliseconds: time))
    }
}

extension Phrases.Context {
    func style(date: Date.FormatStyle.DateStyle, time: Date.FormatStyle.TimeStyle) -> Date.FormatStyle {
        Date.FormatStyle(date: date, time: time, locale: locale, calendar: calendar, timeZone: calendar.timeZone)
    }
}
