import MoodText

/// A date, mostly with a time of day, in one of the many forms of programs and people:
///
///     29.08.2024 21:10 · 2024/8/9 9:10 PM · 20240829T211000Z · 29. August 2024 · Thu, 29 Aug 2024 21:10:00 +0200
///     Thu Aug 29 21:10:00 2024 +0200 · August 29, 2024 9 PM · 2024年8月29日 21:10 · 2024-08-29T21:10[Europe/Berlin]
///
/// Words may be of the program's five languages. The result never depends on the present time.
struct DateText: Equatable {
    /// The first number in a date such as 03/04/2024.
    enum Order { case dayFirst, monthFirst }

    enum Failure: Error, Equatable {
        case notADate
        /// The date has two readings, which are given.
        case ambiguous(String, String)
        /// A clause.
        case other(String)
    }

    private static let bytesMax = 200

    /// Days since 1970.
    private(set) var day = 0
    /// Milliseconds after midnight; up to the 24 hours of `24:00`.
    private(set) var timeOfDay: Int?
    /// Local time minus UTC, in milliseconds.
    private(set) var offset: Int?
    /// The name of its zone.
    private(set) var zone: String?
    /// The order of days and months that the date proves, if only one reading is possible.
    private(set) var evidence: Order?

    /// - Parameter order: for dates with two readings.
    init(_ text: String, _ order: Order? = nil) throws(Failure) {
        guard text.utf8.count <= Self.bytesMax else { throw .notADate }
        var rest = Self.plain(text)
        zone = Self.takeZone(&rest)
        var words = DateWordsReader(order)
        do throws(Failure) {
            for word in Self.words(rest) { try words.take(word) }
            day = try words.day()
            evidence = words.evidence
            guard !words.clock.isEmpty else { return }
            guard let clock = Self.clock(words.clock) else { throw .notADate }
            timeOfDay = clock.timeOfDay
            offset = clock.offset
        } catch {
            guard error == .notADate else { throw error }
            try read(written: text)
        }
    }

    /// Reads people's phrases, except those that depend on the present time.
    private mutating func read(written text: String) throws(Failure) {
        do throws(TimeProblem) {
            let written = try TimeLanguage.written(text)
            day = written.day
            timeOfDay = written.timeOfDay.map { Int($0) }
            offset = written.offset.map { Int($0) }
        } catch {
            let isUnknown = error.reason.hasSuffix(" is not understood") || error.reason.contains(" is understood, ")
            throw isUnknown ? .notADate : .other(error.reason)
        }
    }

    /// The time of day and the offset in the text of a clock.
    static func clock(_ text: String) -> (timeOfDay: Int, offset: Int?)? {
        var (clock, offset) = withoutOffset(text.lowercased())
        if clock.hasPrefix("24:00"), clock.dropFirst(5).allSatisfy({ ":0.".contains($0) }) {
            return (86_400_000, offset)
        }
        if let timeOfDay = ImportTimeParser.timeOfDay(clock) { return (timeOfDay, offset) }
        // Digits alone, in the basic form of ISO 8601.
        guard clock.utf8.allSatisfy({ 48...57 ~= $0 }), clock.count == 4 || clock.count == 6 else { return nil }
        for place in [4, 2] where clock.count > place {
            clock.insert(":", at: clock.index(clock.startIndex, offsetBy: place))
        }
        return ImportTimeParser.timeOfDay(clock).map { ($0, offset) }
    }

    /// Removes `z`, `utc`, `+0200` or `gmt+02:00` from the end.
    private static func withoutOffset(_ text: String) -> (String, Int?) {
        var text = text.trimmedSpaces
        func withoutName() -> Bool {
            for name in ["utc", "gmt", "z"] where text.hasSuffix(name) {
                let rest = text.dropLast(name.count)
                guard rest.last.map({ $0.isNumber || $0 == " " }) ?? false else { continue }
                text = String(rest).trimmedSpaces
                return true
            }
            return false
        }
        if withoutName() { return (text, 0) }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" || $0 == "\u{2212}" }), sign > text.startIndex
        else {
            return (text, nil)
        }
        let digits = text[text.index(after: sign)...].filter { $0 != ":" }
        guard digits.utf8.allSatisfy({ 48...57 ~= $0 }), let number = Int(digits), digits.count <= 4 else {
            return (text, nil)
        }
        let (hours, minutes) = digits.count > 2 ? (number / 100, number % 100) : (number, 0)
        guard hours < 24, minutes < 60 else { return (text, nil) }
        let isWest = text[sign] != "+"
        text = String(text[..<sign]).trimmedSpaces
        _ = withoutName()
        return (text, (hours * 60 + minutes) * (isWest ? -60_000 : 60_000))
    }

    /// Replaces East Asian marks by those of ISO 8601.
    private static func plain(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        var plain = ""
        for character in text {
            switch character {
            case "年", "月": plain.append("-")
            case "日": plain.append(" ")
            case "時", "时", "点": plain.append(":")
            case "分", "秒":
                // One digit, as these languages write it.
                if plain.last?.isNumber == true, plain.dropLast().last == ":" {
                    plain.insert("0", at: plain.index(before: plain.endIndex))
                }
                if character == "分" { plain.append(":") }
            default: plain.append(character)
            }
        }
        while plain.last == ":" { plain.removeLast() }
        return plain
    }

    /// Removes `[Europe/Berlin]` from the end, and `(CEST)`, which adds nothing to the offset before it.
    private static func takeZone(_ text: inout String) -> String? {
        var zone: String?
        while let last = text.last, last == "]" || last == ")" {
            guard let start = text.lastIndex(of: last == "]" ? "[" : "(") else { break }
            let inside = text[text.index(after: start)...].dropLast()
            if last == "]", !inside.contains("=") { zone = String(inside) }
            text = String(text[..<start]).trimmedSpaces
        }
        return zone
    }

    /// The words of a text. A comma separates them, except in a fraction of a second.
    private static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word = ""
        for character in text {
            let isFraction = character == "," && word.suffix(3).first == ":"
            if character.isWhitespace || character == "," && !isFraction {
                if !word.isEmpty { words.append(word.lowercased()) }
                word = ""
            } else {
                word.append(isFraction ? "." : character)
            }
        }
        return word.isEmpty ? words : words + [word.lowercased()]
    }
}

/// Collects year, month, day and clock from words in any order.
private struct DateWordsReader {
    private let order: DateText.Order?
    private var year: Int?
    private var month: Int?
    private var dayOfMonth: Int?
    /// The words of the time of day.
    private(set) var clock = ""
    private(set) var evidence: DateText.Order?

    private static let fillers: Set<String> = [
        "at", "on", "of", "the", "um", "am", "den", "der", "à", "le", "du", "de", "del", "a", "las", "la", "el", "klo",
        "kello",
    ]
    private static let ordinals = ["st", "nd", "rd", "th", "er", "º", "ª", "."]

    init(_ order: DateText.Order?) { self.order = order }

    private var isComplete: Bool { year != nil && month != nil && dayOfMonth != nil }

    func day() throws(DateText.Failure) -> Int {
        guard let year, let month, let dayOfMonth,
            let date = CivilDate(checkedYear: year, month: month, day: dayOfMonth)
        else { throw .notADate }
        return date.daysSince1970
    }

    mutating func take(_ word: String) throws(DateText.Failure) {
        if Self.isDigits(word) { return try take(number: word) }
        if isComplete || !clock.isEmpty {
            if DateWords.isWeekday(word), clock.isEmpty { return }
            if clock.isEmpty, Self.fillers.contains(word), word != "am" { return }
            clock += (clock.isEmpty ? "" : " ") + word
            return
        }
        if let suffix = Self.ordinals.first(where: word.hasSuffix), Self.isDigits(word.dropLast(suffix.count)) {
            return try take(number: String(word.dropLast(suffix.count)))
        }
        if month == nil, let named = DateWords.month(word) {
            month = named
        } else if DateWords.isWeekday(word) || Self.fillers.contains(word) {
            return
        } else if Self.isClock(word) {
            clock = word
        } else {
            try take(date: word)
        }
    }

    /// Whether a word has a colon, and no date before it.
    private static func isClock(_ word: String) -> Bool {
        word.firstIndex(of: ":").map { !word[..<$0].contains { "-/.t".contains($0) } } ?? false
    }

    private static func isDigits(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { 48...57 ~= $0 }
    }

    private mutating func take(number digits: String) throws(DateText.Failure) {
        guard digits.count <= 8, let number = Int(digits) else { throw .notADate }
        switch digits.count {
        case 4 where year == nil: year = number
        case 8 where year == nil && month == nil && dayOfMonth == nil:
            (year, month, dayOfMonth) = (number / 10_000, number / 100 % 100, number % 100)
        case 1, 2:
            if isComplete || !clock.isEmpty {
                clock += (clock.isEmpty ? "" : " ") + digits
            } else if year != nil, month == nil {
                month = number
            } else if dayOfMonth == nil {
                dayOfMonth = number
            } else if month != nil, year == nil, digits.count == 2 {
                year = Self.whole(number)
            } else {
                throw .notADate
            }
        default: throw .notADate
        }
    }

    /// Completes a year of two digits like POSIX.
    private static func whole(_ year: Int) -> Int { year < 69 ? 2000 + year : 1900 + year }

    /// Reads `29.08.2024`, `2024/8/9` or `29-Aug-2024`, each with or without `T` and a time of day.
    private mutating func take(date word: String) throws(DateText.Failure) {
        guard year == nil, month == nil, dayOfMonth == nil else { throw .notADate }
        var date = word[...]
        var last: Character = " "
        for place in word.indices {
            let next = word.index(after: place)
            if word[place] == "t", last.isNumber, next < word.endIndex, word[next].isNumber {
                date = word[..<place]
                clock = String(word[next...])
                break
            }
            last = word[place]
        }
        // A sign begins a year of six digits.
        let isLong = date.hasPrefix("+")
        if isLong { date = date.dropFirst() }
        if Self.isDigits(date) { return try take(number: String(date)) }
        while date.last == "." || date.last == "-" { date = date.dropLast() }
        guard let mark = date.first(where: { "-/.".contains($0) }) else { throw .notADate }
        let parts = date.split(separator: mark, omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notADate }
        if let named = parts.firstIndex(where: { DateWords.month($0) != nil }) {
            month = DateWords.month(parts[named])
            for part in parts.indices where part != named {
                guard Self.isDigits(parts[part]) else { throw .notADate }
                try take(number: String(parts[part]))
            }
            return
        }
        let numbers = parts.compactMap { Self.isDigits($0) && $0.count <= 6 ? Int($0) : nil }
        guard numbers.count == 3 else { throw .notADate }
        if parts[0].count == 4 || isLong {
            (year, month, dayOfMonth) = (numbers[0], numbers[1], numbers[2])
        } else if parts[0].count <= 2, parts[2].count == 4 || parts[2].count == 2 && mark == "." {
            let year = parts[2].count == 4 ? numbers[2] : Self.whole(numbers[2])
            try take(numbers[0], numbers[1], of: year, isDayFirst: mark == ".")
        } else if mark == "/", parts.allSatisfy({ $0.count <= 2 }) {
            try take(short: numbers, isFirstYear: parts[0].count == 2, isLastYear: parts[2].count == 2)
        } else {
            throw .notADate
        }
    }

    /// Takes a date whose year has two digits and may stand first or last.
    private mutating func take(
        short numbers: [Int], isFirstYear: Bool, isLastYear: Bool
    ) throws(DateText.Failure) {
        let (days, months) = (1...31, 1...12)
        let isFirst = isFirstYear && months ~= numbers[1] && days ~= numbers[2]
        let isDayFirst = isLastYear && days ~= numbers[0] && months ~= numbers[1]
        let isMonthFirst = isLastYear && months ~= numbers[0] && days ~= numbers[1]
        let (first, last) = (Self.whole(numbers[0]), Self.whole(numbers[2]))
        let isKnown = order == .dayFirst && isDayFirst || order == .monthFirst && isMonthFirst
        let isOneDay = numbers[0] == numbers[1] && numbers[1] == numbers[2]
        if isFirst, isDayFirst || isMonthFirst, !isKnown, !isOneDay {
            let (month, day) = isDayFirst ? (numbers[1], numbers[0]) : (numbers[0], numbers[1])
            let behind = CivilDate(checkedYear: last, month: month, day: day)?.text
            if let behind, let before = CivilDate(checkedYear: first, month: numbers[1], day: numbers[2])?.text {
                throw .ambiguous(behind, before)
            }
            throw .other(
                "could be of \(first) or \(last): say how dates are written (dateFormat, such as %y/%m/%d or %d/%m/%y)")
        }
        if isFirst, !isDayFirst, !isMonthFirst {
            (year, month, dayOfMonth) = (first, numbers[1], numbers[2])
        } else if isDayFirst || isMonthFirst {
            try take(numbers[0], numbers[1], of: last, isDayFirst: false)
        } else {
            throw .notADate
        }
    }

    /// Takes two numbers, one of which is the month.
    private mutating func take(
        _ first: Int, _ second: Int, of year: Int, isDayFirst: Bool
    ) throws(DateText.Failure) {
        self.year = year
        if !isDayFirst, first != second {
            if first > 12 { evidence = .dayFirst }
            if second > 12 { evidence = .monthFirst }
        }
        switch evidence ?? (isDayFirst || first == second ? .dayFirst : order) {
        case .dayFirst: (dayOfMonth, month) = (first, second)
        case .monthFirst: (dayOfMonth, month) = (second, first)
        case nil:
            func text(_ month: Int, _ day: Int) throws(DateText.Failure) -> String {
                guard let date = CivilDate(checkedYear: year, month: month, day: day) else { throw .notADate }
                return date.text
            }
            throw .ambiguous(try text(second, first), try text(first, second))
        }
    }
}
