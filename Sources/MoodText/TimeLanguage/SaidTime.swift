/// What a phrase says, before it is known when that is.
struct SaidTime {
    struct Day {
        var number: Int
        /// Said as a date, so that a time beside it is that of the calendar, wherever the day begins.
        var isDate: Bool
    }

    /// Signed: negative is before now.
    struct Length {
        var months = 0
        var days = 0
        var milliseconds: Int64 = 0

        /// Whether it is said in days or longer units alone, so that it names a day.
        var isWholeDays: Bool { milliseconds == 0 }
    }

    var moment: Int64?
    var day: Day?
    /// Milliseconds after midnight.
    var timeOfDay: Int64?
    /// Local time minus UTC, in milliseconds, beside a date and a time of day.
    var offset: Int64?
    var part: DayPart?
    var ago: Length?
    /// Days, the last one included.
    var span: ClosedRange<Int>?
    /// So many milliseconds, to now.
    var stretch: Int64?

    /// Whether the day is said.
    var hasDay: Bool { day != nil || ago != nil }
    /// Whether something is said that nothing can be added to.
    var isWhole: Bool { moment != nil || span != nil || stretch != nil }
    var isEmpty: Bool { !isWhole && !hasDay && timeOfDay == nil && part == nil }
}

/// A part of the day, as people call it.
enum DayPart: String, CaseIterable {
    case morning, afternoon, evening, night

    private static let hour: Int64 = 3_600_000

    /// The moment that stands for it.
    var at: Int64 {
        switch self {
        case .morning: 9 * Self.hour
        case .afternoon: 15 * Self.hour
        case .evening: 20 * Self.hour
        case .night: 22 * Self.hour
        }
    }

    var start: Int64 {
        switch self {
        case .morning: 6 * Self.hour
        case .afternoon: 12 * Self.hour
        case .evening, .night: 18 * Self.hour
        }
    }

    var end: Int64 {
        switch self {
        case .morning: 12 * Self.hour
        case .afternoon: 18 * Self.hour
        case .evening: 0
        case .night: 6 * Self.hour
        }
    }

    /// How many dates after `start` its `end` is.
    var datesLater: Int {
        switch self {
        case .morning, .afternoon: 0
        case .evening, .night: 1
        }
    }
}
