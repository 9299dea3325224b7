import JSONCodec

/// A moment in whole milliseconds since 1970-01-01T00:00:00Z, in the store and in the protocol.
///
/// The reader takes RFC 3339 with any offset and any number of fraction digits, and drops those after the third. The
/// writer gives `2026-01-02T03:04:05.678Z`. Years are 0001-9999 in UTC. It does not use Foundation: every new mood
/// passes through here, and a `Date` format style costs thousands of times as much.
public struct Timestamp: Sendable, Hashable, Comparable {
    public let milliseconds: Int64

    /// 0001-01-01T00:00:00.000Z
    public static let minimum = Timestamp(unchecked: -62_135_596_800_000)
    /// 9999-12-31T23:59:59.999Z
    public static let maximum = Timestamp(unchecked: 253_402_300_799_999)
    /// The length of the written form.
    public static let textLength = 24
    /// The longest text to read.
    public static let textLengthMax = 64

    private init(unchecked milliseconds: Int64) { self.milliseconds = milliseconds }

    /// Nil outside the years 0001-9999.
    public init?(milliseconds: Int64) {
        guard milliseconds >= Self.minimum.milliseconds, milliseconds <= Self.maximum.milliseconds else { return nil }
        self.milliseconds = milliseconds
    }

    public static func < (a: Timestamp, b: Timestamp) -> Bool { a.milliseconds < b.milliseconds }

    /// This moment moved by some seconds, clamped to the years 0001-9999.
    public func advanced(bySeconds seconds: Int64) -> Timestamp {
        let (product, isTooMuch) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = milliseconds.addingReportingOverflow(product)
        if isTooMuch || overflows { return seconds < 0 ? .minimum : .maximum }
        return Timestamp(milliseconds: sum) ?? (sum < 0 ? .minimum : .maximum)
    }

    /// Reads `date-time` of RFC 3339, section 5.6; the zone is required. A leap second counts as the second after it.
    public init?(rfc3339 text: UnsafeRawBufferPointer) {
        guard text.count >= 20, text.count <= Self.textLengthMax else { return nil }
        var isValid = true
        func number(_ at: Int, _ width: Int) -> Int64 {
            var value: Int64 = 0
            for index in at..<at + width {
                let digit = text[index] &- 48
                if digit > 9 { isValid = false }
                value = value &* 10 &+ Int64(digit)
            }
            return value
        }
        let year = number(0, 4)
        let month = number(5, 2)
        let day = number(8, 2)
        let hour = number(11, 2)
        let minute = number(14, 2)
        let second = number(17, 2)
        let dash = UInt8(ascii: "-")
        let colon = UInt8(ascii: ":")
        guard isValid, text[4] == dash, text[7] == dash, text[13] == colon, text[16] == colon,
            text[10] | 0x20 == UInt8(ascii: "t"),
            month >= 1, month <= 12, day >= 1, day <= Self.days(inMonth: month, ofYear: year),
            hour <= 23, minute <= 59, second <= 60
        else { return nil }
        var at = 19
        var fraction: Int64 = 0
        if text[at] == UInt8(ascii: ".") {
            at += 1
            let start = at
            var unit: Int64 = 100
            while at < text.count, text[at] &- 48 <= 9 {
                fraction += Int64(text[at] - 48) * unit
                unit /= 10
                at += 1
            }
            guard at > start else { return nil }
        }
        guard at < text.count else { return nil }
        var offset: Int64 = 0
        if text[at] | 0x20 == UInt8(ascii: "z") {
            at += 1
        } else {
            let sign = text[at]
            guard text.count - at == 6, sign == UInt8(ascii: "+") || sign == dash, text[at + 3] == colon else {
                return nil
            }
            let hours = number(at + 1, 2)
            let minutes = number(at + 4, 2)
            guard isValid, hours <= 23, minutes <= 59 else { return nil }
            offset = (hours * 60 + minutes) * (sign == dash ? -60 : 60)
            at += 6
        }
        guard at == text.count else { return nil }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
        // RFC 3339, section 5.7: 60 only where a leap second was or may be inserted.
        if second == 60 {
            fraction = 0
            guard seconds % 86_400 == 0 else { return nil }
        }
        self.init(milliseconds: seconds * 1000 + fraction)
    }

    /// Reads only the form that `write` gives: `2026-01-02T03:04:05.678Z`. `init(rfc3339:)` reads it as the same
    /// moment.
    @inline(__always)
    init?(canonical text: UnsafeRawBufferPointer) {
        guard text.count == Self.textLength, let base = text.baseAddress else { return nil }
        @inline(__always) func word(_ at: Int) -> UInt64 {
            UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        }
        // dddd-dd-, ddTdd:dd, :dd.dddZ: marks apart, each digit less its 0x30 must be below 10.
        let head = word(0) ^ 0x2d30_302d_3030_3030
        let middle = word(8) ^ 0x3030_3a30_3054_3030
        let tail = word(16) ^ 0x5a30_3030_2e30_303a
        @inline(__always) func hasNoDigit(_ word: UInt64, _ marks: UInt64) -> UInt64 {
            (word & marks) | (word &+ 0x7676_7676_7676_7676 | word) & 0x8080_8080_8080_8080
        }
        guard
            hasNoDigit(head, 0xff00_00ff_0000_0000) | hasNoDigit(middle, 0x0000_ff00_00ff_0000)
                | hasNoDigit(tail, 0xff00_0000_ff00_00ff) == 0
        else { return nil }
        @inline(__always) func digit(_ word: UInt64, _ at: UInt64) -> Int64 {
            Int64(truncatingIfNeeded: word >> (at &* 8) & 0xff)
        }
        @inline(__always) func two(_ word: UInt64, _ at: UInt64) -> Int64 {
            digit(word, at) &* 10 &+ digit(word, at &+ 1)
        }
        let year = two(head, 0) * 100 + two(head, 2)
        let month = two(head, 5)
        let day = two(middle, 0)
        let (hour, minute, second) = (two(middle, 3), two(middle, 6), two(tail, 1))
        guard month >= 1, month <= 12, day >= 1, day <= Self.days(inMonth: month, ofYear: year), hour <= 23,
            minute <= 59, second <= 59
        else { return nil }
        let seconds = Self.days(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second
        self.init(milliseconds: seconds * 1000 + two(tail, 4) * 10 + digit(tail, 6))
    }

    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ Timestamp(rfc3339: UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }

    /// The written form, 24 bytes of ASCII.
    public var text: String {
        var buffer = ByteBuffer(capacity: 32)
        write(to: &buffer)
        return buffer.string()
    }

    /// Appends the written form.
    public func write(to buffer: inout ByteBuffer) {
        let (date, time) = parts
        let second = UInt32(truncatingIfNeeded: time / 1000)
        let millisecond = UInt32(truncatingIfNeeded: time % 1000)
        let year = UInt32(truncatingIfNeeded: date.year)
        // Four digits at a time, then the marks between them.
        let head =
            Self.four(year) | UInt64(UInt8(ascii: "-")) << 32 | Self.two(date.month) << 40
            | UInt64(UInt8(ascii: "-")) << 56
        let middle =
            Self.two(date.day) | UInt64(UInt8(ascii: "T")) << 16 | Self.two(Int64(second / 3600)) << 24
            | UInt64(UInt8(ascii: ":")) << 40 | Self.two(Int64(second / 60 % 60)) << 48
        let tail =
            UInt64(UInt8(ascii: ":")) | Self.two(Int64(second % 60)) << 8
            | UInt64(UInt8(ascii: ".")) << 24 | (Self.four(millisecond) >> 8) << 32
            | UInt64(UInt8(ascii: "Z")) << 56
        buffer.append(word: head)
        buffer.append(word: middle)
        buffer.append(word: tail)
    }

    /// Two digits, the first in the lowest byte.
    @inline(__always)
    private static func two(_ value: Int64) -> UInt64 {
        let value = UInt64(truncatingIfNeeded: value)
        return (value / 10 | (value % 10) << 8) + 0x3030
    }

    /// Four digits, the first in the lowest byte.
    @inline(__always)
    private static func four(_ value: UInt32) -> UInt64 {
        two(Int64(value / 100)) | two(Int64(value % 100)) << 16
    }

    /// The civil date and the milliseconds of the day, in UTC.
    private var parts: (date: (year: Int64, month: Int64, day: Int64), time: Int64) {
        var day = milliseconds / 86_400_000
        var time = milliseconds % 86_400_000
        if time < 0 {
            time += 86_400_000
            day -= 1
        }
        return (Self.civil(day), time)
    }

    /// Counts days since 1970-01-01 in the proleptic Gregorian calendar. The years begin in March, so that the leap day
    /// is their last; eras are 400 years. (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms".)
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthIndex = (5 * dayOfYear + 2) / 153
        let month = monthIndex < 10 ? monthIndex + 3 : monthIndex - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthIndex + 2) / 5 + 1
        )
    }

    private static func days(inMonth month: Int64, ofYear year: Int64) -> Int64 {
        switch month {
        case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}
