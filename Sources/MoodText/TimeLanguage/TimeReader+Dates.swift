/// Dates and times of day: RFC 3339, parts of it, ISO weeks, months by name, clocks.
extension TimeReader {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// 0 is Monday; the whole name or a beginning of it that people use.
    static func weekday(_ word: String) -> Int? {
        if word == "tues" || word == "thur" || word == "thurs" { return word == "tues" ? 1 : 3 }
        return weekdays.firstIndex { $0 == word || word.utf8.count == 3 && $0.hasPrefix(word) }
    }

    /// 1-12.
    static func month(_ word: String) -> Int? {
        if word == "sept" { return 9 }
        return months.firstIndex { $0 == word || word.utf8.count == 3 && $0.hasPrefix(word) }.map { $0 + 1 }
    }

    static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(String(text))
    }

    /// Four digits.
    static func year(_ word: some StringProtocol) -> Int? {
        number(word, digits: 4...4).flatMap { $0 > 0 ? $0 : nil }
    }

    // MARK: Dates in digits

    mutating func readDate() throws(TimeProblem) -> Bool {
        guard let word else { return false }
        var text = DigitReader(word)
        guard let year = text.number(4), year > 0 else { return false }
        if text.isAtEnd { return keep(span: Self.year(year), 1) }
        let isSeparated = text.take("-")
        if text.take("w") { return try readWeek(&text, of: year) }
        guard isSeparated, let month = text.number(2) else { return false }
        guard 1...12 ~= month else { throw wrong(place..<place + 1, as: "a date", "a year has months 01 to 12") }
        if text.isAtEnd { return keep(span: Self.month(CivilDate(year: year, month: month, day: 1)), 1) }
        guard text.take("-"), let day = text.number(2) else { return false }
        let isWhole = text.isAtEnd
        guard isWhole || text.take("t") else { return false }
        let date = try checked(year, month, day, place..<place + 1)
        if isWhole { return keep(day: date, isDate: true, 1) }
        let time = text.rest
        guard let clock = Clock(time) else {
            throw wrong(place..<place + 1, as: "a date", "\"\(time)\" is no time of day")
        }
        guard keep(day: date, isDate: true, 0) else { return false }
        return try keep(clock, 1)
    }

    /// `2026-W47`, `2026-W47-5`, and without the hyphens.
    private mutating func readWeek(_ text: inout DigitReader, of year: Int) throws(TimeProblem) -> Bool {
        guard let number = text.number(2) else { return false }
        let days = try week(number, of: year, place..<place + 1)
        if text.isAtEnd { return keep(span: days, 1) }
        _ = text.take("-")
        guard let weekday = text.number(1), text.isAtEnd, 1...7 ~= weekday else { return false }
        return keep(day: days.lowerBound + weekday - 1, isDate: true, 1)
    }

    private func checked(_ year: Int, _ month: Int, _ day: Int, _ words: Range<Int>) throws(TimeProblem) -> Int {
        if let date = CivilDate(checkedYear: year, month: month, day: day) { return date.daysSince1970 }
        let length = CivilDate(year: year, month: month, day: 1).daysInMonth
        throw wrong(
            words, as: "a date", "\(Self.months[month - 1].capitalizedWord) \(year) has days 1 to \(length)")
    }

    // MARK: Months by name

    /// `november`, `nov 2026`, `nov 20`, `20 nov`, `20th nov 2026`. Without a year it is the latest one.
    mutating func readMonthName() throws(TimeProblem) -> Bool {
        guard let word else { return false }
        let next = self.word(after: 1)
        if let month = Self.month(word) {
            if let day = next.flatMap(Self.dayOfMonth) { return try keep(day, month, after: 2) }
            let given = next.flatMap(Self.year)
            let today = CivilDate(daysSince1970: today)
            let year = given ?? (month <= today.month ? today.year : today.year - 1)
            return keep(span: Self.month(CivilDate(year: year, month: month, day: 1)), given == nil ? 1 : 2)
        }
        guard let day = Self.dayOfMonth(word), let month = next.flatMap(Self.month) else { return false }
        return try keep(day, month, after: 2)
    }

    private mutating func keep(_ day: Int, _ month: Int, after count: Int) throws(TimeProblem) -> Bool {
        let given = word(after: count).flatMap(Self.year)
        let words = place..<place + count + (given == nil ? 0 : 1)
        if let given { return keep(day: try checked(given, month, day, words), isDate: true, words.count) }
        let year = CivilDate(daysSince1970: today).year
        // The latest year that has the day: 29 February is not in every one.
        for year in stride(from: year, to: year - 9, by: -1) {
            guard let date = CivilDate(checkedYear: year, month: month, day: day)?.daysSince1970, date <= today else {
                continue
            }
            return keep(day: date, isDate: true, words.count)
        }
        return keep(day: try checked(year, month, day, words), isDate: true, words.count)
    }

    /// `20`, `20th`.
    private static func dayOfMonth(_ word: String) -> Int? {
        let suffix = word.drop { $0.isASCII && $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(String(suffix)) else { return nil }
        return number(word.dropLast(suffix.count), digits: 1...2).flatMap { $0 > 0 ? $0 : nil }
    }

    // MARK: Clocks

    mutating func readClock() throws(TimeProblem) -> Bool {
        guard let word else { return false }
        switch word {
        case "noon": return keep(timeOfDay: 12 * 3_600_000, 1)
        case "midnight": return keep(timeOfDay: 0, 1)
        default: break
        }
        guard let first = word.utf8.first, 0x30...0x39 ~= first else { return false }
        if let half = self.word(after: 1), half == "am" || half == "pm" {
            if let clock = Clock(word + half) { return try keep(clock, 2) }
            return false
        }
        guard let clock = Clock(word) else { return false }
        if clock.offset == nil, said.day?.isDate == true, let next = self.word(after: 1), let zone = Clock.offset(next)
        {
            return try keep(Clock(clock, offset: zone), 2)
        }
        return try keep(clock, 1)
    }

    private mutating func keep(_ clock: Clock, _ count: Int) throws(TimeProblem) -> Bool {
        let words = place..<place + max(count, 1)
        if let reason = clock.problem { throw wrong(words, as: "a time of day", reason) }
        if clock.offset != nil, said.day?.isDate != true {
            throw wrong(words, as: "a time of day", "a time with a zone needs a date before it")
        }
        // RFC 3339, section 5.7: a leap second is the last second of a day in UTC.
        if clock.second == 60 {
            guard let offset = clock.offset, (clock.timeOfDay - offset) % DayClock.dayLength == 0 else {
                throw wrong(words, as: "a time of day", "a minute has seconds 00 to 59")
            }
        }
        guard keep(timeOfDay: clock.timeOfDay, count) else { return false }
        said.offset = clock.offset
        return true
    }
}

/// What a clock shows, as it is written: `9pm`, `9:30pm`, `21:30`, `21:30:15.5`, each with or without `Z` or `+02:00`.
private struct Clock {
    private enum Half { case morning, afternoon }

    private var hour: Int
    private var minute = 0
    fileprivate var second = 0
    private var fraction: Int64 = 0
    private var half: Half?
    /// Local time minus UTC, in milliseconds.
    fileprivate var offset: Int64?

    init?(_ text: String) {
        var text = DigitReader(text)
        guard let hour = text.number(2) ?? text.number(1) else { return nil }
        self.hour = hour
        let hasMinute = text.take(":")
        if hasMinute {
            guard let number = text.number(2) else { return nil }
            minute = number
            if text.take(":") {
                guard let number = text.number(2) else { return nil }
                second = number
                if text.take(".") {
                    guard let number = text.thousandths() else { return nil }
                    fraction = second == 60 ? 0 : Int64(number)
                }
            }
        }
        if text.take("am") { half = .morning } else if text.take("pm") { half = .afternoon }
        guard hasMinute || half != nil else { return nil }
        if text.isAtEnd { return }
        offset = Self.offset(text.rest)
        if offset == nil { return nil }
    }

    init(_ clock: Clock, offset: Int64) {
        self = clock
        self.offset = offset
    }

    /// `z`, `+02:00`.
    static func offset(_ word: String) -> Int64? {
        if word == "z" || word == "utc" { return 0 }
        var text = DigitReader(word)
        let isWest = text.take("-")
        guard isWest || text.take("+"), let hours = text.number(2), text.take(":"), let minutes = text.number(2),
            text.isAtEnd, hours <= 23, minutes <= 59
        else { return nil }
        return Int64(hours * 60 + minutes) * (isWest ? -60_000 : 60_000)
    }

    /// What is wrong with it, in words that follow "but".
    var problem: String? {
        if half != nil, !(1...12 ~= hour) { return "with am or pm the hours are 1 to 12" }
        if hour > 23 { return "a day has hours 0 to 23" }
        if minute > 59 { return "an hour has minutes 00 to 59" }
        return second > 60 || second == 60 && offset == nil ? "a minute has seconds 00 to 59" : nil
    }

    /// Milliseconds after midnight.
    var timeOfDay: Int64 {
        let hour = half == nil ? hour : hour % 12 + (half == .afternoon ? 12 : 0)
        return Int64((hour * 60 + minute) * 60 + second) * 1_000 + fraction
    }
}

/// Reads digits of ASCII and marks between them.
private struct DigitReader {
    private var bytes: ArraySlice<UInt8>

    init(_ text: String) { bytes = Array(text.utf8)[...] }

    var isAtEnd: Bool { bytes.isEmpty }
    var rest: String { String(decoding: bytes, as: UTF8.self) }

    /// So many digits.
    mutating func number(_ count: Int) -> Int? {
        let digits = bytes.prefix(count)
        guard digits.count == count, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        bytes = bytes.dropFirst(count)
        return digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    }

    /// All digits that follow a point: those after the third are dropped.
    mutating func thousandths() -> Int? {
        let digits = bytes.prefix { 0x30...0x39 ~= $0 }
        guard !digits.isEmpty else { return nil }
        bytes = bytes.dropFirst(digits.count)
        var value = 0
        for place in 0..<3 {
            value = value * 10 + (place < digits.count ? Int(digits[digits.startIndex + place] - 0x30) : 0)
        }
        return value
    }

    mutating func take(_ mark: String) -> Bool {
        guard bytes.starts(with: mark.utf8) else { return false }
        bytes = bytes.dropFirst(mark.utf8.count)
        return true
    }
}

extension String {
    fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
