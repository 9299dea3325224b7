/// A day of the Gregorian calendar, without a zone; the calendar also covers the years before its introduction, as in
/// RFC 3339.
public struct CivilDate: Hashable, Sendable {
    public var year: Int
    /// 1-12.
    public var month: Int
    /// 1-31.
    public var day: Int

    /// 0000-03-01 to 1970-01-01. Years are counted from 1 March, so that the leap day ends its year and month lengths
    /// follow one linear rule: 153 days in five months. Eras of 400 years have the same number of days.
    private static let daysBefore1970 = 719_468
    private static let daysOfEra = 146_097

    public init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    public init(daysSince1970: Int) {
        let days = daysSince1970 &+ Self.daysBefore1970
        let era = (days >= 0 ? days : days &- (Self.daysOfEra - 1)) / Self.daysOfEra
        let dayOfEra = days &- era &* Self.daysOfEra
        let yearOfEra = (dayOfEra &- dayOfEra / 1_460 &+ dayOfEra / 36_524 &- dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra &- (365 &* yearOfEra &+ yearOfEra / 4 &- yearOfEra / 100)
        let monthFromMarch = (5 &* dayOfYear &+ 2) / 153
        day = dayOfYear &- (153 &* monthFromMarch &+ 2) / 5 &+ 1
        month = monthFromMarch < 10 ? monthFromMarch &+ 3 : monthFromMarch &- 9
        year = yearOfEra &+ era &* 400 &+ (monthFromMarch < 10 ? 0 : 1)
    }

    public var daysSince1970: Int {
        let marchYear = month > 2 ? year : year &- 1
        let era = (marchYear >= 0 ? marchYear : marchYear &- 399) / 400
        let yearOfEra = marchYear &- era &* 400
        let dayOfYear = (153 &* (month > 2 ? month &- 3 : month &+ 9) &+ 2) / 5 &+ day &- 1
        return era &* Self.daysOfEra &+ yearOfEra &* 365 &+ yearOfEra / 4 &- yearOfEra / 100 &+ dayOfYear
            &- Self.daysBefore1970
    }

    /// Months since year 0, so that months can be subtracted as numbers.
    var monthNumber: Int { year &* 12 &+ month }

    public var daysInMonth: Int {
        switch month {
        case 2: year & 3 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CivilDate {
    /// The day with this number some months away; the month's last, if it is shorter.
    public func advanced(byMonths months: Int) -> CivilDate {
        let number = year * 12 + month - 1 + months
        let newYear = number >= 0 ? number / 12 : (number - 11) / 12
        var date = CivilDate(year: newYear, month: number - newYear * 12 + 1, day: 1)
        date.day = min(day, date.daysInMonth)
        return date
    }

    /// 0 is Monday. 1970-01-01 was a Thursday.
    public static func weekday(ofDay day: Int) -> Int {
        let rest = (day &+ 3) % 7
        return rest < 0 ? rest &+ 7 : rest
    }

    /// The Monday of a week of ISO 8601; week 1 is the one with 4 January.
    public static func monday(ofWeek week: Int, of year: Int) -> Int {
        let fourth = CivilDate(year: year, month: 1, day: 4).daysSince1970
        return fourth - weekday(ofDay: fourth) + (week - 1) * 7
    }

    /// 52 or 53.
    public static func weeks(of year: Int) -> Int {
        (monday(ofWeek: 1, of: year + 1) - monday(ofWeek: 1, of: year)) / 7
    }

    /// The ISO 8601 year of a day's week.
    public static func weekYear(ofDay day: Int) -> Int {
        CivilDate(daysSince1970: day - weekday(ofDay: day) + 3).year
    }

    /// `2026-01-02`, for years 0-9999.
    public var text: String {
        func digits(_ number: Int, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(width - text.utf8.count, 0)) + text
        }
        return digits(year, 4) + "-" + digits(month, 2) + "-" + digits(day, 2)
    }

    /// Reads `2026-01-02`; nil for anything else, and for a day that the calendar lacks.
    public init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count == 10, bytes[4] == 0x2D, bytes[7] == 0x2D else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            range.reduce(into: Int?.some(0)) { value, at in
                let digit = bytes[at] &- 48
                value = digit <= 9 ? value.map { $0 * 10 + Int(digit) } : nil
            }
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10) else { return nil }
        self.init(checkedYear: year, month: month, day: day)
    }

    /// Nil for a day that the calendar lacks, and outside the years 1-9999.
    public init?(checkedYear year: Int, month: Int, day: Int) {
        self.init(year: year, month: month, day: 1)
        guard 1...9_999 ~= year, 1...12 ~= month, day >= 1, day <= daysInMonth else { return nil }
        self.day = day
    }
}
