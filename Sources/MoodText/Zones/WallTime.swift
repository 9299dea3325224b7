/// A moment with its date and time of day on the wall clock.
struct WallTime {
    static let dayLength: Int64 = 86_400_000

    /// Milliseconds since 1970 UTC.
    let time: Int64
    /// Local time minus UTC, in milliseconds.
    let offset: Int64
    /// Days since 1970, of the local date.
    let day: Int
    let date: CivilDate
    /// Milliseconds since local midnight.
    let timeOfDay: Int

    init(time: Int64, offset: Int64) {
        self.time = time
        self.offset = offset
        let wall = Int(time + offset)
        let length = Int(Self.dayLength)
        let quotient = wall / length
        day = wall < quotient * length ? quotient - 1 : quotient
        timeOfDay = wall - day * length
        date = CivilDate(daysSince1970: day)
    }

    /// A time on the day that began at `midnight`, without a change of the offset since.
    init(time: Int64, midnight: WallTime) {
        self.time = time
        offset = midnight.offset
        day = midnight.day
        date = midnight.date
        timeOfDay = Int(time - midnight.time)
    }

    /// Foundation keeps the time of day when it adds days, but does not see an offset that leapt a whole day
    /// (Samoa, 2011).
    func isComparable(with other: WallTime) -> Bool {
        abs(offset - other.offset) < Self.dayLength / 2
    }

    /// The largest unit of which at least one whole step fits between `start` and this time, and the number of steps;
    /// nil if they are less than a second apart.
    func steps(from start: WallTime) -> RelativeDistance? {
        var days = day - start.day
        if abs(days) >= 28 {
            let months = wholeMonths(from: start)
            if abs(months) >= 12 { return RelativeDistance(unit: .year, count: months / 12) }
            if months != 0 { return RelativeDistance(unit: .month, count: months) }
        }
        if days > 0, timeOfDay < start.timeOfDay {
            days -= 1
        } else if days < 0, timeOfDay > start.timeOfDay {
            days += 1
        }
        if abs(days) >= 7 { return RelativeDistance(unit: .week, count: days / 7) }
        if days != 0 { return RelativeDistance(unit: .day, count: days) }
        let seconds = Int(time - start.time) / 1_000
        if abs(seconds) >= 3_600 { return RelativeDistance(unit: .hour, count: seconds / 3_600) }
        if abs(seconds) >= 60 { return RelativeDistance(unit: .minute, count: seconds / 60) }
        return seconds == 0 ? nil : RelativeDistance(unit: .second, count: seconds)
    }

    /// The most whole months that can be added to `start` without passing this time, towards zero. A day that a month
    /// lacks becomes its last one.
    private func wholeMonths(from start: WallTime) -> Int {
        let months = date.monthNumber - start.date.monthNumber
        let reached = (day: min(start.date.day, date.daysInMonth), time: start.timeOfDay)
        let end = (day: date.day, time: timeOfDay)
        if months > 0, reached > end { return months - 1 }
        if months < 0, reached < end { return months + 1 }
        return months
    }
}
