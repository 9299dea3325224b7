import Platform

/// Converts times between the protocol's form (RFC 3339 in UTC) and a person's local time.
struct Moment {
    let secondsSince1970: Int

    /// Reads RFC 3339 (section 5.6) without fractions; nil for anything else.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == UInt8(ascii: "-"), bytes[7] == UInt8(ascii: "-"),
            bytes[10] | 0x20 == UInt8(ascii: "t"), bytes[13] == UInt8(ascii: ":"), bytes[16] == UInt8(ascii: ":"),
            let year = Self.number(bytes, 0, 4), let month = Self.number(bytes, 5, 2), (1...12).contains(month),
            let day = Self.number(bytes, 8, 2), (1...31).contains(day), let hour = Self.number(bytes, 11, 2),
            let minute = Self.number(bytes, 14, 2), let second = Self.number(bytes, 17, 2)
        else { return nil }
        var at = 19
        if bytes[at] == UInt8(ascii: ".") {
            at += 1
            while at < bytes.count, bytes[at] &- 48 < 10 { at += 1 }
        }
        guard at < bytes.count, let offset = Self.offset(bytes, at) else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        secondsSince1970 = days * 86_400 + hour * 3_600 + minute * 60 + second - offset
    }

    init(secondsSince1970: Int) { self.secondsSince1970 = secondsSince1970 }

    /// The seconds east of UTC.
    private static func offset(_ bytes: [UInt8], _ at: Int) -> Int? {
        if bytes[at] | 0x20 == UInt8(ascii: "z") { return at + 1 == bytes.count ? 0 : nil }
        guard bytes.count == at + 6, bytes[at + 3] == UInt8(ascii: ":"), let hours = number(bytes, at + 1, 2),
            let minutes = number(bytes, at + 4, 2)
        else { return nil }
        switch bytes[at] {
        case UInt8(ascii: "+"): return hours * 3_600 + minutes * 60
        case UInt8(ascii: "-"): return -(hours * 3_600 + minutes * 60)
        default: return nil
        }
    }

    private static func number(_ bytes: [UInt8], _ at: Int, _ count: Int) -> Int? {
        guard at + count <= bytes.count else { return nil }
        var value = 0
        for byte in bytes[at..<at + count] {
            guard byte &- 48 < 10 else { return nil }
            value = value * 10 + Int(byte) - 48
        }
        return value
    }

    /// Counts days in the proleptic Gregorian calendar. Its years begin in March, so that the leap day comes last.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let years = month > 2 ? year : year - 1
        let monthsSinceMarch = (month + 9) % 12
        let era = (years >= 0 ? years : years - 399) / 400
        let yearOfEra = years - era * 400
        let dayOfYear = (153 * monthsSinceMarch + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// RFC 3339 in UTC, with milliseconds.
    static func rfc3339(milliseconds: Int) -> String {
        let rest = (milliseconds % 1_000 + 1_000) % 1_000
        let text = Moment(secondsSince1970: (milliseconds - rest) / 1_000).rfc3339
        return text.dropLast() + "." + padded(rest, 3) + "Z"
    }

    /// RFC 3339 in UTC.
    var rfc3339: String {
        var days = secondsSince1970 / 86_400
        var rest = secondsSince1970 % 86_400
        if rest < 0 {
            rest += 86_400
            days -= 1
        }
        let (year, month, day) = Self.date(days)
        return Self.padded(year, 4) + "-" + Self.padded(month, 2) + "-" + Self.padded(day, 2) + "T"
            + Self.padded(rest / 3_600, 2) + ":" + Self.padded(rest / 60 % 60, 2) + ":" + Self.padded(rest % 60, 2)
            + "Z"
    }

    private static func date(_ daysSince1970: Int) -> (year: Int, month: Int, day: Int) {
        let days = daysSince1970 + 719_468
        let era = (days >= 0 ? days : days - 146_096) / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthsSinceMarch = (5 * dayOfYear + 2) / 153
        let month = monthsSinceMarch < 10 ? monthsSinceMarch + 3 : monthsSinceMarch - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * monthsSinceMarch + 2) / 5 + 1)
    }

    static func padded(_ value: Int, _ count: Int) -> String {
        let digits = String(value)
        return String(repeating: "0", count: max(count - digits.utf8.count, 0)) + digits
    }
}

extension LocalTime {
    /// `2026-01-02 06:04`, without the zone.
    var text: String { date + " " + clock }

    /// `2026-01-02`
    var date: String {
        Moment.padded(year, 4) + "-" + Moment.padded(month, 2) + "-" + Moment.padded(day, 2)
    }

    /// `06:04`
    var clock: String { Moment.padded(hour, 2) + ":" + Moment.padded(minute, 2) }
}
