/// Times of day: `9pm`, `21:30`, `21.30`, `noon`, followed by a zone if a date precedes them.
extension TimeReader {
    mutating func readClock() throws(TimeProblem) -> Bool {
        guard let word else { return false }
        switch word {
        case "noon": return keep(timeOfDay: 12 * 3_600_000, 1)
        case "midnight": return keep(timeOfDay: 0, 1)
        default: break
        }
        guard let first = word.utf8.first, 0x30...0x39 ~= first else { return false }
        var count = 1
        var text = word
        if let half = self.word(after: 1), half == "am" || half == "pm" {
            text += half
            count = 2
        }
        guard let clock = TimeOfDay(text) else { return false }
        guard clock.offset == nil, let next = self.word(after: count) else { return try keep(clock, count) }
        if said.day?.isDate == true, let zone = TimeOfDay.offset(next) {
            return try keep(TimeOfDay(clock, offset: zone), count + 1)
        }
        if let offset = ZoneAbbreviations.offset(next) {
            let name = typed(place + count..<place + count + 1)
            throw TimeProblem("\"\(name)\" is no offset: write it as a number, such as \(offset)")
        }
        return try keep(clock, count)
    }

    mutating func keep(_ clock: TimeOfDay, _ count: Int) throws(TimeProblem) -> Bool {
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

/// A written clock time: `9pm`, `9:30pm`, `21:30`, `21:30:15.5`, each with or without `Z` or `+02:00`.
struct TimeOfDay {
    private enum Half { case morning, afternoon }

    private var hour: Int
    private var minute = 0
    private(set) var second = 0
    private var fraction: Int64 = 0
    private var half: Half?
    /// Local time minus UTC, in milliseconds.
    private(set) var offset: Int64?

    init?(_ text: String) {
        var text = DigitReader(text)
        guard let hour = text.number(2) ?? text.number(1) else { return nil }
        self.hour = hour
        let hasMinute = text.take(":") || text.take(".")
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

    init(_ clock: TimeOfDay, offset: Int64) {
        self = clock
        self.offset = offset
    }

    /// Reads `1000`, `100015`, `100015.5`, each with or without `Z` or an offset, as after the T of `20261120T100015Z`.
    init?(basic text: String) {
        var text = DigitReader(text)
        guard let hour = text.number(2), let minute = text.number(2) else { return nil }
        (self.hour, self.minute) = (hour, minute)
        if let second = text.number(2) {
            self.second = second
            if text.take(".") {
                guard let number = text.thousandths() else { return nil }
                fraction = Int64(number)
            }
        }
        if text.isAtEnd { return }
        offset = Self.offset(text.rest)
        if offset == nil { return nil }
    }

    /// Reads `z`, `utc`, `gmt`, `+02:00`, `+0200`, `+02`, `gmt+0200`.
    static func offset(_ word: String) -> Int64? {
        var text = DigitReader(word)
        let isNamed = text.take("utc") || text.take("gmt")
        if text.isAtEnd || !isNamed && text.take("z") && text.isAtEnd { return 0 }
        let isWest = text.take("-")
        guard isWest || text.take("+"), let hours = text.number(2) ?? text.number(1) else { return nil }
        var minutes = 0
        if !text.isAtEnd {
            _ = text.take(":")
            guard let number = text.number(2), text.isAtEnd else { return nil }
            minutes = number
        }
        guard hours <= 23, minutes <= 59 else { return nil }
        return Int64(hours * 60 + minutes) * (isWest ? -60_000 : 60_000)
    }

    /// The fault, as a clause after "but"; nil if there is none.
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
