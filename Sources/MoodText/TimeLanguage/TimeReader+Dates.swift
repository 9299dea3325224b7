/// Dates and times of day: RFC 3339, parts of it, ISO weeks, months by name, clocks.
extension TimeReader {
    private static let months = [
        "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
        "december",
    ]
    private static let weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// The weekday, 0 for Monday, of a whole name or a common abbreviation.
    static func weekday(_ word: String) -> Int? {
        if word == "tues" || word == "thur" || word == "thurs" { return word == "tues" ? 1 : 3 }
        return weekdays.firstIndex { $0 == word || word.utf8.count == 3 && $0.hasPrefix(word) }
    }

    /// The month, 1-12.
    static func month(_ word: String) -> Int? {
        if word == "sept" { return 9 }
        return months.firstIndex { $0 == word || word.utf8.count == 3 && $0.hasPrefix(word) }.map { $0 + 1 }
    }

    static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int? {
        guard digits.contains(text.utf8.count), text.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        return Int(String(text))
    }

    /// A year of four digits.
    static func year(_ word: some StringProtocol) -> Int? {
        number(word, digits: 4...4).flatMap { $0 > 0 ? $0 : nil }
    }

    // MARK: Dates in digits

    mutating func readDate() throws(TimeProblem) -> Bool {
        guard let word else { return false }
        var text = DigitReader(word)
        if let date = NumericDate(&text) { return try keep(date, &text) }
        text = DigitReader(word)
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
        guard let clock = TimeOfDay(time) else {
            throw wrong(place..<place + 1, as: "a date", "\"\(time)\" is no time of day")
        }
        guard keep(day: date, isDate: true, 0) else { return false }
        return try keep(clock, 1)
    }

    /// Reads `2026-W47`, `2026-W47-5`, also without the hyphens.
    private mutating func readWeek(_ text: inout DigitReader, of year: Int) throws(TimeProblem) -> Bool {
        guard let number = text.number(2) else { return false }
        let days = try week(number, of: year, place..<place + 1)
        if text.isAtEnd { return keep(span: days, 1) }
        _ = text.take("-")
        guard let weekday = text.number(1), text.isAtEnd, 1...7 ~= weekday else { return false }
        return keep(day: days.lowerBound + weekday - 1, isDate: true, 1)
    }

    /// Keeps `20.11.2026`, `2026/11/20`, `20261120`, `29/08/2024`, each with or without `T` and a time of day.
    private mutating func keep(_ date: NumericDate, _ text: inout DigitReader) throws(TimeProblem) -> Bool {
        guard text.isAtEnd || text.take("t") else { return false }
        if let (first, second) = date.days {
            throw TimeProblem("\"\(typed(place..<place + 1))\" could be two days: write \(first) or \(second)")
        }
        guard 1...12 ~= date.month else { throw wrong(place..<place + 1, as: "a date", "a year has months 01 to 12") }
        let day = try checked(date.year, date.month, date.day, place..<place + 1)
        if text.isAtEnd { return keep(day: day, isDate: true, 1) }
        guard let clock = TimeOfDay(text.rest) ?? TimeOfDay(basic: text.rest) else {
            throw wrong(place..<place + 1, as: "a date", "\"\(text.rest)\" is no time of day")
        }
        guard keep(day: day, isDate: true, 0) else { return false }
        return try keep(clock, 1)
    }

    private func checked(_ year: Int, _ month: Int, _ day: Int, _ words: Range<Int>) throws(TimeProblem) -> Int {
        if let date = CivilDate(checkedYear: year, month: month, day: day) { return date.daysSince1970 }
        let length = CivilDate(year: year, month: month, day: 1).daysInMonth
        throw wrong(
            words, as: "a date", "\(Self.months[month - 1].capitalizedWord) \(year) has days 1 to \(length)")
    }

    // MARK: Months by name

    /// Reads `november`, `nov 2026`, `nov 20`, `20 nov`, `20th nov 2026`. Without a year it is the latest one.
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
        // The latest year with that day: not every year has 29 February.
        for year in stride(from: year, to: year - 9, by: -1) {
            guard let date = CivilDate(checkedYear: year, month: month, day: day)?.daysSince1970, date <= today else {
                continue
            }
            return keep(day: date, isDate: true, words.count)
        }
        return keep(day: try checked(year, month, day, words), isDate: true, words.count)
    }

    /// Reads `20`, `20th`.
    private static func dayOfMonth(_ word: String) -> Int? {
        let suffix = word.drop { $0.isASCII && $0.isNumber }
        guard ["", "st", "nd", "rd", "th"].contains(String(suffix)) else { return nil }
        return number(word.dropLast(suffix.count), digits: 1...2).flatMap { $0 > 0 ? $0 : nil }
    }
}

extension String {
    fileprivate var capitalizedWord: String { prefix(1).uppercased() + dropFirst() }
}
