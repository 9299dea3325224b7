import Foundation

/// Day and time of day together. Foundation takes tens of microseconds for one. But a locale joins day and time in one
/// way, and there are few days and times of day, so each is formatted only once.
extension Phrases {
    /// Number of stored days and of stored times of day: about 40 bytes each.
    static let momentPartsMax = 4_096

    /// The day in the locale's long form and the time in its short one: "January 2, 2026 at 3:04 PM".
    public mutating func moment(_ time: Int64, locale: String, timeZone: String?) throws(TextError) -> String {
        guard Self.timeRange.contains(time) else { throw .timeOutOfRange }
        let number = try context(locale: locale, timeZone: timeZone)
        guard let form = contexts[number].momentForm(), let wall = contexts[number].wallTime(time) else {
            return contexts[number].moment(time)
        }
        let minute = wall.timeOfDay / 60_000
        let day = try part(of: number, wall.day, \.days) { (phrases) throws(TextError) in
            try phrases.date(time, locale: locale, timeZone: timeZone)
        }
        let timeOfDay = try part(of: number, minute, \.minutes) { (phrases) throws(TextError) in
            try phrases.time(time, locale: locale, timeZone: timeZone)
        }
        return form.joined(day: day, time: timeOfDay)
    }

    /// The text of a context for a key, made once.
    mutating func part(
        of context: Int, _ key: Int, _ parts: WritableKeyPath<Context, [Int: String]>,
        _ make: (inout Phrases) throws(TextError) -> String
    ) throws(TextError) -> String {
        if let known = contexts[context][keyPath: parts][key] { return known }
        let text = try make(&self)
        if contexts[context][keyPath: parts].count >= Self.momentPartsMax {
            contexts[context][keyPath: parts].removeAll(keepingCapacity: true)
        }
        contexts[context][keyPath: parts][key] = text
        return text
    }
}

extension Phrases.Context {
    /// Foundation's own text.
    mutating func moment(_ time: Int64) -> String {
        let style = momentStyle ?? style(date: .long, time: .shortened)
        momentStyle = style
        return style.format(Date(milliseconds: time))
    }

    /// The wall time of a moment; nil if only Foundation can tell.
    mutating func wallTime(_ time: Int64) -> WallTime? {
        offsets.span(at: time).map { WallTime(time: time, offset: $0.offset) }
    }

    /// The way in which the locale joins day and time; nil if it varies.
    mutating func momentForm() -> MomentForm? {
        if let known = knownMomentForm { return known }
        let found = findMomentForm()
        knownMomentForm = .some(found)
        return found
    }

    /// Derives the form from one moment and checks it with others: morning and evening, short and long names, one and
    /// two digits.
    private mutating func findMomentForm() -> MomentForm? {
        let samples: [Int64] = [
            1_767_323_045_678, 1_747_440_000_000, 1_790_000_000_000, 1_700_040_000_000, 946_684_800_000, 0,
        ]
        let days = style(date: .long, time: .omitted)
        let times = style(date: .omitted, time: .shortened)
        var form: MomentForm?
        for sample in samples {
            let date = Date(milliseconds: sample)
            let (day, time, whole) = (days.format(date), times.format(date), moment(sample))
            if form == nil { form = MomentForm(whole, day: day, time: time) }
            guard let form, form.joined(day: day, time: time) == whole else { return nil }
        }
        return form
    }
}

/// The texts before, between and after a day and a time of day.
struct MomentForm {
    private let before: String
    private let between: String
    private let after: String
    private let isDayFirst: Bool

    /// Splits Foundation's text for one moment; nil if it does not contain the texts of day and time alone.
    init?(_ whole: String, day: String, time: String) {
        guard let dayRange = whole.range(of: day), let timeRange = whole.range(of: time),
            !dayRange.overlaps(timeRange)
        else { return nil }
        isDayFirst = dayRange.lowerBound < timeRange.lowerBound
        let (first, second) = isDayFirst ? (dayRange, timeRange) : (timeRange, dayRange)
        before = String(whole[..<first.lowerBound])
        between = String(whole[first.upperBound..<second.lowerBound])
        after = String(whole[second.upperBound...])
    }

    func joined(day: String, time: String) -> String {
        isDayFirst ? before + day + between + time + after : before + time + between + day + after
    }
}
