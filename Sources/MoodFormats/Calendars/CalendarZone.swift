import MoodText

/// A zone that a calendar file defines itself: a VTIMEZONE. RFC 5545, section 3.6.5.
struct CalendarZone {
    /// A time of the year at which the clocks change, every year.
    struct Observance {
        /// The local time of its first beginning, in milliseconds since 1970.
        var start: Int64 = 0
        var offsetFrom: Int64?
        var offsetTo: Int64 = 0
        var rule: Rule?
        /// Further beginnings, in local time.
        var dates: [Int64] = []
    }

    /// A rule such as `FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU`.
    struct Rule {
        var month: Int
        /// The weekday, 0 is Monday; nil is a day of the month.
        var weekday: Int?
        /// The number of the weekday in the month, from its end if negative; nil is the weekday among `days`.
        var ordinal: Int?
        var days: [Int] = []
        /// The last year of the rule.
        var lastYear: Int?
        /// The last day for a beginning, since 1970.
        var lastDay: Int?
    }

    private static let dayLength: Int64 = 86_400_000

    /// The IANA name that the file gives besides its own.
    var location: String?
    var observances: [Observance] = []

    /// The first moment at which its clocks show a time. A time in a gap counts as later by the length of the gap.
    func moment(ofLocal local: Int64) -> Int64 {
        let (before, after) = (offset(at: local - Self.dayLength), offset(at: local + Self.dayLength))
        for offset in [max(before, after), min(before, after)] where self.offset(at: local - offset) == offset {
            return local - offset
        }
        return local - before
    }

    /// The offset of local time from UTC, in milliseconds.
    func offset(at moment: Int64) -> Int64 {
        var latest: (onset: Int64, offset: Int64)?
        for observance in observances {
            guard let onset = onset(of: observance, upTo: moment), onset > latest?.onset ?? .min else { continue }
            latest = (onset, observance.offsetTo)
        }
        if let latest { return latest.offset }
        guard let first = observances.min(by: { $0.start < $1.start }) else { return 0 }
        return first.offsetFrom ?? first.offsetTo
    }

    /// The latest beginning of an observance up to a moment.
    private func onset(of observance: Observance, upTo moment: Int64) -> Int64? {
        // Without TZOFFSETFROM there is one change only, or the earlier offset is that of the other observance.
        let from =
            observance.offsetFrom ?? observances.first { $0.offsetTo != observance.offsetTo }?.offsetTo
            ?? observance.offsetTo
        var latest: Int64?
        func consider(_ local: Int64) {
            let onset = local - from
            if onset <= moment, onset > latest ?? .min { latest = onset }
        }
        consider(observance.start)
        for date in observance.dates { consider(date) }
        guard let rule = observance.rule else { return latest }
        let first = Self.year(of: observance.start)
        let last = min(Self.year(of: moment) + 1, rule.lastYear ?? .max)
        for year in stride(from: last, through: max(last - 2, first), by: -1) {
            guard let day = rule.day(of: year), day <= rule.lastDay ?? .max else { continue }
            let timeOfDay = observance.start - Self.floor(observance.start)
            let local = Int64(day) * Self.dayLength + timeOfDay
            if local >= observance.start { consider(local) }
        }
        return latest
    }

    private static func floor(_ time: Int64) -> Int64 {
        let days = time >= 0 ? time / dayLength : (time - dayLength + 1) / dayLength
        return days * dayLength
    }

    static func year(of time: Int64) -> Int { CivilDate(daysSince1970: Int(floor(time) / dayLength)).year }
}

/// Dates in the forms of RFC 5545.
enum CalendarDates {
    /// Days since 1970 of a text that begins like `20261120`.
    static func day(_ text: String) -> Int? {
        let digits = text.utf8.prefix(8)
        guard digits.count == 8, digits.allSatisfy({ 48...57 ~= $0 }), let number = Int(String(Substring(digits)))
        else {
            return nil
        }
        return CivilDate(checkedYear: number / 10_000, month: number / 100 % 100, day: number % 100)?.daysSince1970
    }

    /// The local time of `20261120T213000`, in milliseconds since 1970; midnight without a time of day.
    static func local(_ text: String) -> Int64? {
        guard let day = day(text) else { return nil }
        let clock = text.dropFirst(8).filter { $0.isASCII && $0.isNumber }.prefix(6)
        guard !clock.isEmpty else { return Int64(day) * 86_400_000 }
        guard clock.count >= 4, let number = Int(clock.count < 6 ? clock.prefix(4) + "00" : clock) else { return nil }
        let (hour, minute, second) = (number / 10_000, number / 100 % 100, number % 100)
        guard hour < 24, minute < 60, second <= 60 else { return nil }
        return Int64(day) * 86_400_000 + Int64((hour * 60 + minute) * 60 + min(second, 59)) * 1000
    }

    /// The milliseconds of `+0100` and `-033000`.
    static func offset(_ text: String) -> Int64? {
        let digits = text.utf8.dropFirst().filter { $0 != 58 }
        guard let sign = text.first, sign == "+" || sign == "-", digits.count == 4 || digits.count == 6,
            digits.allSatisfy({ 48...57 ~= $0 }), let number = Int(String(decoding: digits, as: UTF8.self))
        else { return nil }
        let whole = digits.count == 4 ? number * 100 : number
        let seconds = (whole / 10_000 * 60 + whole / 100 % 100) * 60 + whole % 100
        return Int64(seconds) * (sign == "-" ? -1000 : 1000)
    }
}

extension CalendarZone.Rule {
    private static let weekdays = ["MO", "TU", "WE", "TH", "FR", "SA", "SU"]

    /// Reads the value of an RRULE; nil if it is not yearly.
    /// - Parameter start: the first beginning, in local time.
    init?(_ text: String, start: Int64) {
        var parts: [String: String] = [:]
        for part in text.uppercased().split(separator: ";") {
            let sides = part.split(separator: "=", maxSplits: 1).map(String.init)
            if sides.count == 2 { parts[sides[0]] = sides[1] }
        }
        guard parts["FREQ"] == "YEARLY" else { return nil }
        let date = CivilDate(daysSince1970: Int((start - (start % 86_400_000 + 86_400_000) % 86_400_000) / 86_400_000))
        month = parts["BYMONTH"].flatMap { Int($0) } ?? date.month
        guard 1...12 ~= month else { return nil }
        days = (parts["BYMONTHDAY"] ?? "").split(separator: ",").compactMap { Int($0) }.filter { 1...31 ~= $0 }
        if let day = parts["BYDAY"], let place = Self.weekdays.firstIndex(where: day.hasSuffix) {
            weekday = place
            ordinal = Int(day.dropLast(2)).map { min(max($0, -5), 5) } ?? (days.isEmpty ? 1 : nil)
        } else if days.isEmpty {
            days = [date.day]
        }
        if let until = parts["UNTIL"], let day = CalendarDates.day(until) {
            // UNTIL is in UTC, so the local day may be one later.
            (lastYear, lastDay) = (CivilDate(daysSince1970: day).year + 1, day + 1)
        } else if let count = parts["COUNT"].flatMap({ Int($0) }), 1...10_000 ~= count {
            lastYear = date.year + count - 1
        }
    }

    /// The day of the rule in a year, since 1970.
    func day(of year: Int) -> Int? {
        guard 1...9_999 ~= year else { return nil }
        let first = CivilDate(year: year, month: month, day: 1)
        let start = first.daysSince1970
        guard let weekday else { return days.first { 1...first.daysInMonth ~= $0 }.map { start + $0 - 1 } }
        guard let ordinal else {
            return days.first { CivilDate.weekday(ofDay: start + $0 - 1) == weekday }.map { start + $0 - 1 }
        }
        if ordinal > 0 {
            return start + (weekday - CivilDate.weekday(ofDay: start) + 7) % 7 + 7 * (ordinal - 1)
        }
        let last = start + first.daysInMonth - 1
        return last - (CivilDate.weekday(ofDay: last) - weekday + 7) % 7 + 7 * (ordinal + 1)
    }
}
