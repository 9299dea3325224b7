/// Reads a phrase word by word.
struct TimeReader {
    let words: [String]
    /// The words as typed.
    private let spelt: [Substring]
    var place = 0
    let now: Int64
    let today: Int
    var said = ParsedTimePhrase()

    init(_ text: String, now: Int64, today: Int) {
        spelt = text.split { $0 == " " || $0 == "," || $0 == "\t" || $0 == "\u{A0}" || $0 == "\u{202F}" }
        words = spelt.map { Self.lowered($0) }
        self.now = now
        self.today = today
    }

    /// Lowers ASCII letters only, because all known words are ASCII.
    private static func lowered(_ word: Substring) -> String {
        String(decoding: word.utf8.map { 0x41...0x5A ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
    }

    mutating func read() throws(TimeProblem) -> ParsedTimePhrase {
        guard !words.isEmpty else { throw TimeProblem("is empty") }
        while place < words.count {
            let start = place
            skipFillers()
            guard place < words.count, try readItem() else { throw notUnderstood(from: start) }
        }
        return said
    }

    var word: String? { place < words.count ? words[place] : nil }

    func word(after count: Int) -> String? { place + count < words.count ? words[place + count] : nil }

    /// Words of the phrase as typed.
    func typed(_ range: Range<Int>) -> String { spelt[range].joined(separator: " ") }

    func notUnderstood(from start: Int) -> TimeProblem {
        let rest = "\"\(typed(start..<words.count))\""
        if start == 0 { return TimeProblem("\(rest) is not understood") }
        return TimeProblem("\"\(typed(0..<start))\" is understood, \(rest) is not")
    }

    /// The error `understood as a date, but …`.
    func wrong(_ words: Range<Int>, as kind: String, _ reason: String) -> TimeProblem {
        TimeProblem("\"\(typed(words))\" is understood as \(kind), but \(reason)")
    }

    private mutating func skipFillers() {
        while let word {
            switch word {
            case "at", "on", "the", "of": place += 1
            case "in":
                // Before a length, `in` means the future.
                guard let next = self.word(after: 1),
                    next == "the" || Self.month(next) != nil
                        || Self.year(next.prefix(4)) != nil && self.word(after: 2).flatMap(TimeUnit.init) == nil
                else { return }
                place += 1
            default: return
            }
        }
    }

    /// - Returns: false if the words mean nothing here, or the phrase is complete.
    private mutating func readItem() throws(TimeProblem) -> Bool {
        guard !said.isWhole, let word else { return false }
        if word == "now" { return keep(moment: now, 1) }
        if try readLength() { return true }
        if try readDate() { return true }
        if try readClock() { return true }
        return try readNamed(word)
    }

    private mutating func readNamed(_ word: String) throws(TimeProblem) -> Bool {
        switch word {
        case "today": return keep(day: today, 1)
        case "yesterday": return keep(day: today - 1, 1)
        case "tomorrow": return keep(day: today + 1, 1)
        case "day":
            guard self.word(after: 1) == "before", self.word(after: 2) == "yesterday" else { return false }
            return keep(day: today - 2, 3)
        case "tonight": return keep(day: today, 0) && keep(part: .night, 1)
        case "this", "last", "past", "next": return try readTurn(word)
        case "week": return try readWeek()
        default: break
        }
        if let weekday = Self.weekday(word) { return keep(day: latest(weekday, upTo: today), 1) }
        if let part = DayPart(rawValue: word) { return keep(part: part, 1) }
        return try readMonthName()
    }

    /// Reads `this`, `last`, `past`, `next` and the next words.
    private mutating func readTurn(_ turn: String) throws(TimeProblem) -> Bool {
        guard let next = word(after: 1) else { return false }
        let step = turn == "this" ? 0 : turn == "next" ? 1 : -1
        if step < 0, try readStretch() { return true }
        guard turn != "past" else { return false }
        switch next {
        case "week":
            let monday = today - CivilDate.weekday(ofDay: today) + 7 * step
            return keep(span: monday...monday + 6, 2)
        case "month":
            let date = CivilDate(daysSince1970: today)
            return keep(span: Self.month(CivilDate(year: date.year, month: date.month, day: 1), movedBy: step), 2)
        case "year": return keep(span: Self.year(CivilDate(daysSince1970: today).year + step), 2)
        default: break
        }
        if let part = DayPart(rawValue: next), step <= 0 { return keep(day: today + step, 0) && keep(part: part, 2) }
        guard let weekday = Self.weekday(next) else { return false }
        if step == 0 { return keep(day: today - CivilDate.weekday(ofDay: today) + weekday, 2) }
        return keep(day: step < 0 ? latest(weekday, upTo: today - 1) : latest(weekday, upTo: today + 7), 2)
    }

    /// Reads `week 47`, `week 47 2025`.
    private mutating func readWeek() throws(TimeProblem) -> Bool {
        guard said.isEmpty, let number = word(after: 1).flatMap({ Self.number($0, digits: 1...2) }) else {
            return false
        }
        let given = word(after: 2).flatMap(Self.year)
        let year = given ?? CivilDate.weekYear(ofDay: today)
        let count = given == nil ? 2 : 3
        return keep(span: try week(number, of: year, place..<place + count), count)
    }

    func week(_ number: Int, of year: Int, _ words: Range<Int>) throws(TimeProblem) -> ClosedRange<Int> {
        let weeks = CivilDate.weeks(of: year)
        guard 1...weeks ~= number else { throw wrong(words, as: "a week", "\(year) has weeks 1 to \(weeks)") }
        let monday = CivilDate.monday(ofWeek: number, of: year)
        return monday...monday + 6
    }

    private func latest(_ weekday: Int, upTo day: Int) -> Int {
        day - (CivilDate.weekday(ofDay: day) - weekday + 7) % 7
    }

    static func month(_ first: CivilDate, movedBy months: Int = 0) -> ClosedRange<Int> {
        let first = first.advanced(byMonths: months)
        return first.daysSince1970...first.daysSince1970 + first.daysInMonth - 1
    }

    static func year(_ year: Int) -> ClosedRange<Int> {
        CivilDate(year: year, month: 1, day: 1).daysSince1970...CivilDate(year: year, month: 12, day: 31).daysSince1970
    }
}

// MARK: - Keeping each item once

extension TimeReader {
    mutating func keep(moment: Int64, _ count: Int) -> Bool {
        guard said.isEmpty else { return false }
        said.moment = moment
        place += count
        return true
    }

    mutating func keep(span: ClosedRange<Int>, _ count: Int) -> Bool {
        guard said.isEmpty else { return false }
        said.span = span
        place += count
        return true
    }

    mutating func keep(day: Int, isDate: Bool = false, _ count: Int) -> Bool {
        guard !said.hasDay, !said.isWhole else { return false }
        said.day = ParsedTimePhrase.Day(number: day, isDate: isDate)
        place += count
        return true
    }

    mutating func keep(part: DayPart, _ count: Int) -> Bool {
        guard said.part == nil, said.timeOfDay == nil, !said.isWhole, said.ago?.isWholeDays ?? true else {
            return false
        }
        said.part = part
        place += count
        return true
    }

    mutating func keep(timeOfDay: Int64, _ count: Int) -> Bool {
        guard said.part == nil, said.timeOfDay == nil, !said.isWhole, said.ago?.isWholeDays ?? true else {
            return false
        }
        said.timeOfDay = timeOfDay
        place += count
        return true
    }
}
