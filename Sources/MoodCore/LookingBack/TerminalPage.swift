import MoodText

/// A look back as text for a terminal: signs, and colours where they are wanted.
struct TerminalPage {
    let width: Int
    let hasColor: Bool
    private(set) var text = ""

    init(width: Int, hasColor: Bool) {
        self.width = width
        self.hasColor = hasColor
    }

    mutating func line(_ line: String = "") {
        text += line
        while text.last == " " { text.removeLast() }
        text += "\n"
    }

    private func colored(_ sign: String, _ band: ValenceBand?) -> String {
        guard hasColor, let band else { return sign }
        return "\u{1B}[38;5;\(band.terminalInk)m\u{1B}[48;5;\(band.terminalColor)m\(sign)\u{1B}[0m"
    }

    mutating func legend() {
        let bands = ValenceBand.allCases.reversed().map { colored($0.sign, $0) + " " + $0.name }
        let rest = ["\(NoBand.unknownSign) \(NoBand.unknownName)", "\(NoBand.gapSign) \(NoBand.gapName)"]
        if width >= 76 { return line((bands + rest).joined(separator: "  ")) }
        for entry in bands + rest { line(entry) }
    }

    // MARK: Days

    /// A row a month, a sign a day.
    mutating func year(_ faces: DayFaces) {
        let isWide = width >= 4 + 2 * 31
        let gap = isWide ? " " : ""
        line("\(CivilDate(daysSince1970: faces.days.lowerBound).year)")
        line()
        let numbers = (1...31).map { $0 == 1 || $0 % 5 == 0 ? String($0) : "" }
        var head = "    "
        for (place, number) in numbers.enumerated() where !number.isEmpty {
            let column = 4 + place * (isWide ? 2 : 1)
            head += String(repeating: " ", count: max(0, column - head.count)) + number
        }
        line(head)
        for (_, month, days) in faces.drawnMonths {
            let signs = days.map { colored($0.sign, $0.band) }
            line(LookBackText.months[month - 1].prefix(3) + " " + signs.joined(separator: gap))
        }
        line()
        legend()
    }

    /// A row a week: the days of the month, each with its emoji.
    /// - Parameter weekStartsOn: 0 is Monday.
    mutating func month(_ faces: DayFaces, weekStartsOn: Int) {
        for (year, month, days) in faces.drawnMonths {
            line("\(LookBackText.months[month - 1]) \(year)")
            line()
            let names = (0..<7).map { LookBackText.weekdays[(weekStartsOn + $0) % 7].prefix(3) }
            line(names.map { $0 + "   " }.joined())
            var row = ""
            for day in days {
                let column = (CivilDate.weekday(ofDay: day.day) - weekStartsOn + 7) % 7
                if row.isEmpty { row = String(repeating: " ", count: 6 * column) }
                let number = (day.date.day < 10 ? " " : "") + String(day.date.day)
                row += number + (day.face.emoji.map { " " + $0 + " " } ?? " " + colored(day.sign, day.band) + "  ")
                if column == 6 {
                    line(row)
                    row = ""
                }
            }
            if !row.isEmpty { line(row) }
        }
    }

    // MARK: Summary

    mutating func summary(_ summary: Summary) {
        var summary = summary
        for sentence in summary.sentences() { line(sentence) }
        let barMax = max(min(width - 44, 40), 4)
        let feelings = summary.feelings.most(Summary.feelingsMax)
        bars("Feelings", feelings.map { ("\($0.emoji) \($0.label)", $0.tally) }, barMax)
        let tags = summary.comparedTags
        if !tags.isEmpty {
            line()
            line("Tags")
            for (tag, average, without) in tags {
                line(
                    "  \(Self.padded(tag.spelling, 20)) \(tag.tally.count)  \(LookBackText.signed(average))"
                        + " with, \(LookBackText.signed(without)) without")
            }
            line("  \(LookBackText.warning)")
        }
        bars("Days of the week", zip(LookBackText.weekdays, summary.weekdays).map { ($0, $1) }, barMax)
        bars("Times of day", zip(LookBackText.parts, summary.partsOfDay).map { ($0, $1) }, barMax)
    }

    private mutating func bars(_ title: String, _ rows: [(name: String, tally: Tally)], _ lengthMax: Int) {
        let most = rows.map(\.tally.count).max() ?? 0
        guard most > 0 else { return }
        line()
        line(title)
        for (name, tally) in rows {
            let length = (tally.count * lengthMax + most - 1) / most
            let bar = String(repeating: "█", count: length) + String(repeating: " ", count: lengthMax - length)
            let average = tally.average.map { "  " + LookBackText.signed($0) + " " + ValenceBand($0).sign } ?? ""
            line("  \(Self.padded(name, 20)) \(bar) \(tally.count)\(average)")
        }
    }

    /// Emojis take two columns.
    private static func padded(_ text: String, _ columns: Int) -> String {
        var width = 0
        var result = ""
        for character in text {
            let isWide = character.unicodeScalars.first.map { $0.value > 0x1100 } ?? false
            if width + (isWide ? 2 : 1) > columns { break }
            width += isWide ? 2 : 1
            result.append(character)
        }
        return result + String(repeating: " ", count: columns - width)
    }
}

extension Summary {
    /// What the numbers say, a sentence each.
    mutating func sentences() -> [String] {
        guard whole.count > 0, let days = days() else { return ["There are no moods here."] }
        let (first, last) = (span.firstDay ?? days.lowerBound, span.lastDay ?? days.upperBound)
        var sentences = [
            "\(Self.date(first)) to \(Self.date(last)): \(LookBackText.count(whole.count, "mood", "moods")) on"
                + " \(LookBackText.count(byDay.count, "day", "days")),"
                + " \(LookBackText.count(favorites, "favorite", "favorites"))."
        ]
        if let average = whole.average, let spread = whole.spread {
            var sentence =
                "How pleasant: \(LookBackText.signed(average)) on average (\(ValenceBand(average).name)), spread"
                + " \(LookBackText.plain(spread))"
            if estimated > 0 { sentence += "; \(estimated) estimated from the palette" }
            sentences.append(sentence + ".")
        }
        if let previousSpan, let first = previousSpan.firstDay, let last = previousSpan.lastDay {
            let average = previous.average.map { ", \(LookBackText.signed($0)) on average" } ?? ""
            sentences.append(
                "Before, \(Self.date(first)) to \(Self.date(last)): \(LookBackText.count(previous.count, "mood", "moods"))"
                    + "\(average).")
        }
        if let swings { sentences.append("From day to day it moves by \(LookBackText.plain(swings)).") }
        let (current, longest) = streaks.rows(today: lookBack.today)
        if let longest {
            let length = current.map { $0.last - $0.first + 1 } ?? 0
            sentences.append(
                "In a row: \(LookBackText.count(length, "day", "days")) now;"
                    + " at most \(LookBackText.count(longest.last - longest.first + 1, "day", "days")), from"
                    + " \(Self.date(longest.first)) to \(Self.date(longest.last)).")
        }
        return sentences
    }
}
