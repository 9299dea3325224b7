/// The units in which Foundation states a relative time.
enum RelativeUnit: UInt8, CaseIterable {
    case second, minute, hour, day, week, month, year
}

/// The distance of a time from now, negative in the past. ("Yesterday" is one day, "now" no second.)
struct RelativeDistance: Equatable {
    var unit: RelativeUnit
    var count: Int
}

/// Foundation's choice of unit and count for `.relative(presentation: .named)`, in integers.
///
/// The rule, found by experiment and compared with Foundation by tests:
///
/// 1. The distance is rounded to whole seconds, half away from zero; `now` moves to that distance from the time.
/// 2. The unit is the largest of year, month, week, day, hour, minute, second of which at least one whole calendar
///    step lies between the two.
/// 3. Hours and minutes are rounded by the next smaller unit, half away from zero, and a sum that fills the next
///    larger unit becomes that unit (23 h 30 min is a day).
/// 4. For days and above, now moves to the first second of its own day, week, month or year if the time is in the
///    future, to the last second if it is in the past. Then step 2 is repeated, towards zero. So "yesterday" depends on
///    midnight, and "23 hours ago" is possible one day and a fraction of a second back.
///
/// The result is nil, and only Foundation can tell, if it is not provably equal: near a change of the zone's offset, in
/// calendars other than the Gregorian, outside the years 1902-2099, and if a binary fraction of a second would decide.
struct RelativeRule {
    var isGregorian: Bool
    /// 1 is Sunday.
    var firstWeekday: Int

    /// The latest day that was "today": most calls are on the same one.
    private var today: Today?

    init(isGregorian: Bool, firstWeekday: Int) {
        self.isGregorian = isGregorian
        self.firstWeekday = firstWeekday
    }

    /// Farther than this from every change of offset, comparing wall times is comparing times.
    private static let margin: Int64 = 30 * 3_600_000
    /// Two times of `shortSeconds` and a day are within this of each other.
    private static let shortMargin: Int64 = 2 * WallTime.dayLength
    /// Below this (and without great leaps of the offset) no calendar sees a whole day.
    private static let shortSeconds = 12 * 3_600
    private static let leapMax: Int64 = 3 * 3_600_000
    /// Date counts from 2001 in binary fractions of seconds; this is 2001-01-01.
    private static let referenceEpoch = 978_307_200.0

    mutating func distance(from time: Int64, to now: Int64, in zone: inout ZoneOffsets) -> RelativeDistance? {
        guard ZoneOffsets.range.contains(time), ZoneOffsets.range.contains(now) else { return nil }
        // The arithmetic of Date, because its rounding decides when exactly half a second is left.
        let target = Double(time) / 1_000 - Self.referenceEpoch
        let gap = (Double(now) / 1_000 - Self.referenceEpoch - target).rounded(.toNearestOrAwayFromZero)
        let moved = target + gap
        // If the two keep different numbers of binary digits, the moved time is not a whole number of seconds away.
        let isExact = moved - moved.rounded(.down) == target - target.rounded(.down)
        let seconds = Int(gap)
        let reference = time + Int64(seconds) * 1_000

        if abs(seconds) <= Self.shortSeconds {
            guard isExact, hasNoLeap(around: reference, in: &zone) else { return nil }
            return Self.rounded(seconds: -seconds)
        }
        guard isGregorian else { return nil }
        let found = calendarDistance(to: time, from: reference, in: &zone)
        if isExact { return found }
        // The error is far below a millisecond: if a millisecond more or less changes nothing, neither does the error.
        guard abs(seconds) >= 2 * 86_400, found != nil,
            calendarDistance(to: time - 1, from: reference, in: &zone) == found,
            calendarDistance(to: time + 1, from: reference, in: &zone) == found
        else { return nil }
        return found
    }

    private func hasNoLeap(around time: Int64, in zone: inout ZoneOffsets) -> Bool {
        guard let here = zone.span(at: time) else { return false }
        if here.isSteady(around: time, margin: Self.shortMargin) { return true }
        guard let before = zone.span(at: time - Self.shortMargin), let after = zone.span(at: time + Self.shortMargin)
        else {
            return false
        }
        return abs(before.offset - here.offset) <= Self.leapMax && abs(after.offset - here.offset) <= Self.leapMax
    }

    /// Step 3, for less than a day and a half hour.
    private static func rounded(seconds: Int) -> RelativeDistance {
        let sign = seconds < 0 ? -1 : 1
        let length = abs(seconds)
        if length < 60 { return RelativeDistance(unit: .second, count: seconds) }
        if length < 3_600 {
            let minutes = (length + 30) / 60
            return minutes == 60
                ? RelativeDistance(unit: .hour, count: sign) : RelativeDistance(unit: .minute, count: sign * minutes)
        }
        let hours = (length / 60 + 30) / 60
        return hours == 24
            ? RelativeDistance(unit: .day, count: sign) : RelativeDistance(unit: .hour, count: sign * hours)
    }

    /// Steps 2 to 4, for distances above `shortSeconds`.
    private mutating func calendarDistance(
        to time: Int64, from reference: Int64, in zone: inout ZoneOffsets
    ) -> RelativeDistance? {
        guard let offset = steadyOffset(at: time, in: &zone), enterDay(of: reference, in: &zone), let today else {
            return nil
        }
        let target = WallTime(time: time, offset: offset)
        let now = WallTime(time: reference, midnight: today.midnight)
        guard now.isComparable(with: target), let largest = target.steps(from: now) else { return nil }
        if largest.unit.rawValue <= RelativeUnit.hour.rawValue {
            return Self.rounded(seconds: Int(time - reference) / 1_000)
        }
        let isAhead = time > reference
        let index = Int(largest.unit.rawValue) * 2 + (isAhead ? 1 : 0)
        let start: WallTime
        if let known = today.edges[index] {
            start = known
        } else {
            guard let found = edge(of: largest.unit, around: now, isAhead: isAhead, in: &zone) else { return nil }
            self.today?.edges[index] = found
            start = found
        }
        guard start.isComparable(with: target) else { return nil }
        return target.steps(from: start) ?? largest
    }

    /// Makes `today` the local day of `time`; false if there is no such day, or if its offset changes nearby.
    private mutating func enterDay(of time: Int64, in zone: inout ZoneOffsets) -> Bool {
        if let midnight = today?.midnight.time, midnight <= time, time - midnight < WallTime.dayLength { return true }
        guard let span = zone.span(at: time) else { return false }
        let now = WallTime(time: time, offset: span.offset)
        let midnight = WallTime(time: time - Int64(now.timeOfDay), offset: span.offset)
        guard span.start <= midnight.time - Self.margin,
            midnight.time + WallTime.dayLength + Self.margin < span.end
        else { return false }
        today = Today(midnight: midnight)
        return true
    }

    /// The first second of a unit around now, or the last: not its last instant.
    private func edge(
        of unit: RelativeUnit, around now: WallTime, isAhead: Bool, in zone: inout ZoneOffsets
    ) -> WallTime? {
        let wall =
            isAhead
            ? Int64(firstDay(of: unit, around: now)) * WallTime.dayLength
            : Int64(lastDay(of: unit, around: now) + 1) * WallTime.dayLength - 1_000
        guard let offset = steadyOffset(at: wall - now.offset, in: &zone) else { return nil }
        return WallTime(time: wall - offset, offset: offset)
    }

    /// The first day of a unit, in days since 1970.
    private func firstDay(of unit: RelativeUnit, around now: WallTime) -> Int {
        switch unit {
        case .year: CivilDate(year: now.date.year, month: 1, day: 1).daysSince1970
        case .month: now.day - now.date.day + 1
        case .week: now.day - daysIntoWeek(now.day)
        case .day, .hour, .minute, .second: now.day
        }
    }

    private func lastDay(of unit: RelativeUnit, around now: WallTime) -> Int {
        switch unit {
        case .year: CivilDate(year: now.date.year, month: 12, day: 31).daysSince1970
        case .month: now.day - now.date.day + now.date.daysInMonth
        case .week: now.day - daysIntoWeek(now.day) + 6
        case .day, .hour, .minute, .second: now.day
        }
    }

    /// 1900-01-07 was a Sunday, 25,561 days before 1970.
    private func daysIntoWeek(_ day: Int) -> Int {
        (day + 25_561 + 8 - firstWeekday) % 7
    }

    /// Nil near a change of the offset.
    private func steadyOffset(at time: Int64, in zone: inout ZoneOffsets) -> Int64? {
        guard let span = zone.span(at: time), span.isSteady(around: time, margin: Self.margin) else { return nil }
        return span.offset
    }
}

/// A local day far from every change of the offset, and the results found for it.
private struct Today {
    let midnight: WallTime
    /// By unit and direction.
    var edges = [WallTime?](repeating: nil, count: 2 * RelativeUnit.allCases.count)
}
