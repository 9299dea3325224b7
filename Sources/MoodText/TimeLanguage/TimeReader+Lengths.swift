/// Lengths of time: `2h`, `1h30m`, `2 weeks ago`, `an hour ago`, `half an hour ago`, `in 2 hours`, `last 7 days`.
extension TimeReader {
    /// Reads a length before now, or after now if `in` precedes it.
    mutating func readLength() throws(TimeProblem) -> Bool {
        let start = place
        let isAhead = word == "in"
        if isAhead { place += 1 }
        guard let length = lengthWords() else {
            place = start
            return false
        }
        if !isAhead, word == "ago" { place += 1 }
        guard said.isEmpty || !said.hasDay && !said.isWhole && length.isWholeDays else {
            place = start
            return false
        }
        let sign = isAhead ? 1 : -1
        said.ago = ParsedTimePhrase.Length(
            months: sign * length.months, days: sign * length.days, milliseconds: Int64(sign) * length.milliseconds)
        return true
    }

    /// Reads `last 7 days`, including today, or `last 24 hours`, up to now.
    mutating func readStretch() throws(TimeProblem) -> Bool {
        let start = place
        place += 1
        guard let first = word, 0x30...0x39 ~= first.utf8.first ?? 0 || Self.numbers.contains(first),
            let length = lengthWords(), length.months == 0,
            said.isEmpty, length.isWholeDays ? length.days > 0 : length.days == 0
        else {
            place = start
            return false
        }
        guard length.isWholeDays else {
            said.stretch = length.milliseconds
            return true
        }
        return keep(span: today - length.days + 1...today, 0)
    }

    private mutating func lengthWords() -> ParsedTimePhrase.Length? {
        var length = ParsedTimePhrase.Length()
        var isFound = false
        while let word {
            if isFound, word == "and" {
                place += 1
                guard takePart(&length) else {
                    place -= 1
                    break
                }
            } else if !takePart(&length) {
                break
            }
            isFound = true
        }
        return isFound ? length : nil
    }

    /// Reads one number with its unit, or several in one word.
    private mutating func takePart(_ length: inout ParsedTimePhrase.Length) -> Bool {
        guard let word else { return false }
        let next = self.word(after: 1)
        if word == "half", next == "an" || next == "a", self.word(after: 2) == "hour" {
            place += 3
            length.milliseconds += 1_800_000
            return true
        }
        if let amount = word == "a" || word == "an" ? 1 : Self.amount(word), let unit = next.flatMap(TimeUnit.init) {
            guard length.add(amount, unit) else { return false }
            place += 2
            return true
        }
        guard let parts = Self.compact(word) else { return false }
        var sum = length
        for (amount, unit) in parts where !sum.add(amount, unit) { return false }
        length = sum
        place += 1
        return true
    }

    private static let numbers = [
        "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    ]

    /// Reads `2`, `1.5`, `two`: at most six digits before the point and three after it.
    private static func amount(_ text: some StringProtocol) -> Double? {
        if let place = numbers.firstIndex(where: { $0 == text }) { return Double(place + 1) }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard 1...2 ~= parts.count, 1...6 ~= parts[0].count, parts.count == 1 || 1...3 ~= parts[1].count,
            parts.joined().allSatisfy({ 0x30...0x39 ~= $0 })
        else { return nil }
        return Double(String(text))
    }

    /// Reads `1h30m`.
    private static func compact(_ word: String) -> [(Double, TimeUnit)]? {
        var rest = word[...]
        var parts: [(Double, TimeUnit)] = []
        while !rest.isEmpty {
            let digits = rest.prefix { $0.isASCII && $0.isNumber || $0 == "." }
            rest = rest.dropFirst(digits.count)
            let letters = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(letters.count)
            guard let amount = amount(digits), let unit = TimeUnit(letters) else { return nil }
            parts.append((amount, unit))
        }
        return parts
    }
}

/// A unit in its common spellings.
enum TimeUnit {
    case second, minute, hour, day, week, month, year

    init?(_ word: some StringProtocol) {
        switch String(word) {
        case "s", "sec", "secs", "second", "seconds": self = .second
        case "m", "min", "mins", "minute", "minutes": self = .minute
        case "h", "hr", "hrs", "hour", "hours": self = .hour
        case "d", "day", "days": self = .day
        case "w", "wk", "wks", "week", "weeks": self = .week
        case "mo", "month", "months": self = .month
        case "y", "yr", "yrs", "year", "years": self = .year
        default: return nil
        }
    }
}

extension ParsedTimePhrase.Length {
    /// - Returns: false for a fraction of a day, a week, a month or a year, whose length is undefined.
    fileprivate mutating func add(_ amount: Double, _ unit: TimeUnit) -> Bool {
        let milliseconds: Int64
        switch unit {
        case .second: milliseconds = 1_000
        case .minute: milliseconds = 60_000
        case .hour: milliseconds = 3_600_000
        case .day, .week, .month, .year:
            guard amount == amount.rounded() else { return false }
            let count = Int(amount)
            switch unit {
            case .day: days += count
            case .week: days += 7 * count
            case .month: months += count
            default: months += 12 * count
            }
            return true
        }
        self.milliseconds += Int64((amount * Double(milliseconds)).rounded())
        return true
    }
}
