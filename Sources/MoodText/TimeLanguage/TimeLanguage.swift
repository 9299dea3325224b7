/// The program's only language for times: the phrases that users type for a moment or a span of time.
///
///     now · 9pm · 21:30 · today · yesterday evening · last night · fri · last fri 9pm · nov 20
///     1h30m ago · 2 weeks ago · this week · last month · last 7 days · week 47
///     2026 · 2026-11 · 2026-W47 · 2026-11-20 · 2026-11-20 10:00 · 2026-11-20T10:00:00+02:00
///
/// ```swift
/// var language = TimeLanguage(try DayClock(timeZone: "Europe/Helsinki"), now: now)
/// let evening = try language.meaning(of: "yesterday evening")  // 18:00 to 24:00, at 20:00
/// ```
///
/// Times are milliseconds since 1970. Weeks are those of ISO 8601. A day begins as in the clock, so that after midnight
/// `today` may still be the day before. Docs/08-LookingBack.md lists the meaning of each phrase.
public struct TimeLanguage {
    /// Longer texts are refused unread.
    public static let textBytesMax = 200
    /// Examples in an error, for a moment and for a span.
    public static let examples = ["yesterday 9pm", "2 hours ago", "2026-11-20 21:30"]
    public static let spanExamples = ["last week", "2026-11", "yesterday evening"]

    /// The meaning of a phrase.
    public struct Meaning: Equatable, Sendable {
        public var start: Int64
        /// Exclusive. For a moment it equals the start.
        public var end: Int64
        /// The one moment of the phrase, if it has one: a span longer than a day has none.
        public var at: Int64?
        public var isSpan: Bool
        /// The days that the phrase covers, or the day of its moment; nil for a part of a day.
        public var days: ClosedRange<Int>?
    }

    var clock: DayClock
    let now: Int64
    /// The clock's reading now.
    let reading: DayClock.Reading

    /// - Parameter now: in the years 0001-9999, like every time here.
    public init(_ clock: consuming DayClock, now: Int64) {
        reading = clock.reading(now)
        self.clock = clock
        self.now = now
    }

    /// - Throws: the parts of the text that were understood and that were not, for people.
    public mutating func meaning(of text: String) throws(TimeProblem) -> Meaning {
        guard text.utf8.count <= Self.textBytesMax else {
            throw TimeProblem("is longer than \(Self.textBytesMax) bytes")
        }
        var reader = TimeReader(text, now: now, today: reading.day)
        return try meaning(of: try reader.read(), text)
    }

    /// A written day, usually with a time of day.
    public struct Written: Equatable, Sendable {
        /// Days since 1970.
        public var day: Int
        /// Milliseconds after midnight.
        public var timeOfDay: Int64?
        /// Local time minus UTC, in milliseconds.
        public var offset: Int64?
    }

    /// Reads a phrase that always means the same time, as needed in a file.
    /// - Throws: if it is no such phrase.
    public static func written(_ text: String) throws(TimeProblem) -> Written {
        guard text.utf8.count <= textBytesMax else { throw TimeProblem("is longer than \(textBytesMax) bytes") }
        // Two days with different years, months, weeks and weekdays, so that phrases that depend on the day differ.
        var first = TimeReader(text, now: 0, today: 11_505)
        var second = TimeReader(text, now: 0, today: 22_701)
        let said = try first.read()
        guard !said.isWhole, said.ago == nil, let day = said.day?.number else {
            throw TimeProblem("says no day, or one that depends on when it is read")
        }
        guard try second.read().day?.number == day else { throw TimeProblem("depends on the day on which it is read") }
        return Written(day: day, timeOfDay: said.timeOfDay ?? said.part?.at, offset: said.offset)
    }

    private mutating func meaning(of said: ParsedTimePhrase, _ text: String) throws(TimeProblem) -> Meaning {
        if let moment = said.moment { return try at(moment, text) }
        if let span = said.span {
            return try days(span.lowerBound, span.upperBound, text)
        }
        if let length = said.stretch {
            return Meaning(start: try checked(now - length, text), end: now, at: nil, isSpan: true, days: nil)
        }
        if let ago = said.ago, said.timeOfDay == nil, said.part == nil {
            return try at(try moment(ago, text), text)
        }
        var day = said.day
        if let ago = said.ago {
            day = ParsedTimePhrase.Day(number: try date(ago, from: reading.day, text), isDate: false)
        }
        if let timeOfDay = said.timeOfDay { return try at(try moment(timeOfDay, on: day, said.offset, text), text) }
        if let part = said.part { return try meaning(of: part, on: day, text) }
        guard let day else { throw TimeProblem("says no time") }
        return try days(day.number, day.number, text)
    }

    private mutating func at(_ moment: Int64, _ text: String) throws(TimeProblem) -> Meaning {
        let moment = try checked(moment, text)
        let day = clock.reading(moment).day
        return Meaning(start: moment, end: moment, at: moment, isSpan: false, days: day...day)
    }

    /// The meaning of a range of whole days, including the last one.
    private mutating func days(_ first: Int, _ last: Int, _ text: String) throws(TimeProblem) -> Meaning {
        try check(day: first, text)
        try check(day: last, text)
        let range = Phrases.timeRange
        let start = min(max(clock.start(ofDay: first), range.lowerBound), range.upperBound)
        let end = min(max(clock.start(ofDay: last + 1), start), range.upperBound)
        var moment: Int64?
        if first == last {
            moment = first == reading.day ? now : clock.time(day: first, timeOfDay: Int64(reading.timeOfDay))
            moment = moment.map { min(max($0, range.lowerBound), range.upperBound) }
        }
        return Meaning(start: start, end: end, at: moment, isSpan: true, days: first...last)
    }

    /// The moment of a time of day; without a day, the latest one.
    private mutating func moment(
        _ timeOfDay: Int64, on day: ParsedTimePhrase.Day?, _ offset: Int64?, _ text: String
    ) throws(TimeProblem) -> Int64 {
        guard let day else {
            let today = clock.time(date: reading.date, timeOfDay: timeOfDay)
            return today <= now ? today : clock.time(date: reading.date - 1, timeOfDay: timeOfDay)
        }
        try check(day: day.number, text)
        if let offset { return Int64(day.number) * DayClock.dayLength + timeOfDay - offset }
        return day.isDate
            ? clock.time(date: day.number, timeOfDay: timeOfDay) : clock.time(day: day.number, timeOfDay: timeOfDay)
    }

    private mutating func meaning(
        of part: DayPart, on day: ParsedTimePhrase.Day?, _ text: String
    ) throws(TimeProblem) -> Meaning {
        var number = day?.number ?? reading.day
        try check(day: number, text)
        if day == nil, clock.time(day: number, timeOfDay: part.at) > now { number -= 1 }
        let date = part.at < clock.dayStart ? number + 1 : number
        return Meaning(
            start: try checked(clock.time(date: date, timeOfDay: part.start), text),
            end: try checked(clock.time(date: date + part.datesLater, timeOfDay: part.end), text),
            at: try checked(clock.time(date: date, timeOfDay: part.at), text), isSpan: true, days: nil)
    }

    // MARK: Ago

    private mutating func moment(_ ago: ParsedTimePhrase.Length, _ text: String) throws(TimeProblem) -> Int64 {
        guard ago.months != 0 || ago.days != 0 else { return try checked(now + ago.milliseconds, text) }
        let date = try date(ago, from: reading.date, text)
        return try checked(clock.time(date: date, timeOfDay: Int64(reading.timeOfDay)) + ago.milliseconds, text)
    }

    private func date(_ ago: ParsedTimePhrase.Length, from day: Int, _ text: String) throws(TimeProblem) -> Int {
        let date = CivilDate(daysSince1970: day).advanced(byMonths: ago.months).daysSince1970 + ago.days
        try check(day: date, text)
        return date
    }

    // MARK: Limits

    private static let dayRange =
        CivilDate(year: 1, month: 1, day: 1).daysSince1970...CivilDate(year: 9_999, month: 12, day: 31).daysSince1970

    private func check(day: Int, _ text: String) throws(TimeProblem) {
        guard Self.dayRange.contains(day) else { throw .outOfRange(text) }
    }

    private func checked(_ time: Int64, _ text: String) throws(TimeProblem) -> Int64 {
        guard Phrases.timeRange.contains(time) else { throw .outOfRange(text) }
        return time
    }
}

/// The reason why a phrase is no time, as a clause after its place: "--at: "elevenish" is not understood. …".
public struct TimeProblem: Error, Equatable, Sendable {
    public let reason: String

    init(_ reason: String) { self.reason = reason }

    /// The reason with three examples.
    public func text(with examples: [String] = TimeLanguage.examples) -> String {
        let examples = examples.map { "\"\($0)\"" }
        return "\(reason); for example \(examples.dropLast().joined(separator: ", ")) or \(examples.last ?? "")"
    }

    static func outOfRange(_ text: String) -> TimeProblem {
        TimeProblem("\"\(text)\" is understood, but it lies outside the years 0001-9999")
    }
}
