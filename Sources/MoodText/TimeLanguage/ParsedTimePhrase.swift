/// The content of a phrase, before it is resolved to a time.
struct ParsedTimePhrase {
    struct Day {
        var number: Int
        /// Whether it was given as a date: a time with it then belongs to that calendar date, even before the day
        /// begins.
        var isDate: Bool
    }

    /// A signed length: negative is before now.
    struct Length {
        var months = 0
        var days = 0
        var milliseconds: Int64 = 0

        /// Whether it has days or longer units alone, so that it names a day.
        var isWholeDays: Bool { milliseconds == 0 }
    }

    var moment: Int64?
    var day: Day?
    /// Milliseconds after midnight.
    var timeOfDay: Int64?
    /// Local time minus UTC, in milliseconds, given with a date and a time of day.
    var offset: Int64?
    var part: DayPart?
    var ago: Length?
    /// A range of days, including the last one.
    var span: ClosedRange<Int>?
    /// The length of a span up to now, in milliseconds.
    var stretch: Int64?

    /// Whether the phrase names the day.
    var hasDay: Bool { day != nil || ago != nil }
    /// Whether the phrase is complete, so that nothing can be added.
    var isWhole: Bool { moment != nil || span != nil || stretch != nil }
    var isEmpty: Bool { !isWhole && !hasDay && timeOfDay == nil && part == nil }
}

/// A part of the day in common words.
enum DayPart: String, CaseIterable {
    case morning, afternoon, evening, night

    private static let hour: Int64 = 3_600_000

    /// The time of day that represents it.
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

    /// Number of dates from `start` to `end`.
    var datesLater: Int {
        switch self {
        case .morning, .afternoon: 0
        case .evening, .night: 1
        }
    }
}
