import Foundation

/// A calendar and a wall clock in one zone, for a user whose days begin at a chosen time.
///
/// Days are numbered from 1970-01-01, times are milliseconds since 1970 UTC, times of day milliseconds since the date's
/// midnight on the wall clock. A day that begins at 04:00 lasts from 04:00 of its date to 03:59 of the next, on the
/// clock. (Foundation: `Calendar`; `java.time`: `ZonedDateTime`.)
public struct DayClock: Sendable {
    public static let minutesMax = 12 * 60
    static let dayLength = WallTime.dayLength

    private var offsets: ZoneOffsets
    /// In milliseconds after midnight.
    let dayStart: Int64

    /// - Parameters:
    ///   - timeZone: a name accepted by `TimeZones.isKnown`.
    ///   - dayStartsAt: in minutes after midnight, 0-720.
    /// - Throws: `unknownTimeZone`
    public init(timeZone: String, dayStartsAt: Int = 0) throws(TextError) {
        guard TimeZones.isKnown(timeZone), let zone = TimeZone(identifier: timeZone) else { throw .unknownTimeZone }
        offsets = ZoneOffsets(zone)
        dayStart = Int64(min(max(dayStartsAt, 0), Self.minutesMax)) * 60_000
    }

    /// The calendar and clock at a moment.
    public struct Reading: Equatable, Sendable {
        /// The day: until `dayStartsAt` it is still the one before.
        public var day: Int
        public var date: Int
        public var timeOfDay: Int
    }

    public mutating func reading(_ time: Int64) -> Reading {
        let wall = time &+ offsets.offset(at: time)
        let date = Self.floor(wall)
        let timeOfDay = wall &- date &* Self.dayLength
        return Reading(day: Int(timeOfDay < dayStart ? date &- 1 : date), date: Int(date), timeOfDay: Int(timeOfDay))
    }

    /// A span of time within one day of the clock, without a change of its offset.
    public struct Stretch: Sendable {
        public let start: Int64
        public let end: Int64
        public let day: Int
        /// The moment when the date of the day began.
        let midnight: Int64

        /// A span without any time.
        public static let none = Stretch(start: 0, end: 0, day: 0, midnight: 0)

        @inlinable
        public func contains(_ time: Int64) -> Bool { start <= time && time < end }

        /// The time of day, as in a reading.
        public func timeOfDay(_ time: Int64) -> Int {
            let passed = time &- midnight
            return Int(passed < DayClock.dayLength ? passed : passed &- DayClock.dayLength)
        }
    }

    /// The span around a moment; that moment alone if the zone's changes are unknown.
    public mutating func stretch(around time: Int64) -> Stretch {
        let reading = reading(time)
        let midnight = time &- Int64(reading.timeOfDay) &- Int64(reading.date - reading.day) &* Self.dayLength
        guard let span = offsets.span(at: time) else {
            return Stretch(start: time, end: time &+ 1, day: reading.day, midnight: midnight)
        }
        return Stretch(
            start: max(span.start, midnight &+ dayStart), end: min(span.end, midnight &+ dayStart &+ Self.dayLength),
            day: reading.day, midnight: midnight)
    }

    /// The moment when the clock shows a time of day on a date: a time in a gap of the zone counts as later by the gap;
    /// of a repeated time, the earlier one.
    public mutating func time(date: Int, timeOfDay: Int64) -> Int64 {
        let wall = Int64(date) &* Self.dayLength &+ timeOfDay
        // No zone is further from UTC than this, so these lie before and after the moment.
        let before = offsets.offset(at: wall - Self.dayLength)
        let after = offsets.offset(at: wall + Self.dayLength)
        let early = wall - before
        if before == after { return early }
        let late = wall - after
        let isEarly = offsets.offset(at: early) == before
        let isLate = offsets.offset(at: late) == after
        if isEarly && isLate { return min(early, late) }
        return isLate ? late : early
    }

    /// The moment when the clock shows a time of day on a day: before `dayStart` it is on the next date.
    public mutating func time(day: Int, timeOfDay: Int64) -> Int64 {
        time(date: timeOfDay < dayStart ? day + 1 : day, timeOfDay: timeOfDay)
    }

    /// The beginning of a day.
    public mutating func start(ofDay day: Int) -> Int64 { time(date: day, timeOfDay: dayStart) }

    private static func floor(_ wall: Int64) -> Int64 {
        let quotient = wall / dayLength
        return wall < quotient &* dayLength ? quotient &- 1 : quotient
    }
}
