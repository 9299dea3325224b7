import MoodText

/// A look back as text for a terminal: signs, and optional colors.
struct LookBackText {
    let width: Int
    let hasColor: Bool
    private let words: LookBackWords
    private(set) var text = ""

    init(width: Int, hasColor: Bool, _ words: LookBackWords) {
        self.width = width
        self.hasColor = hasColor
        self.words = words
    }

    mutating func line(_ line: String = "") {
        text += line
        while text.last == " " { text.removeLast() }
        text += "\n"
    }

    /// Breaks a text into lines between words. A word that is longer than a line stays whole.
    /// - Parameter indent: the number of spaces at the beginning of each line.
    mutating func paragraph(_ text: String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        var (row, columns) = ("", 0)
        for word in text.split(separator: " ") {
            let taken = Self.columns(String(word))
            if columns > 0, indent + columns + 1 + taken > width {
                line(margin + row)
                (row, columns) = ("", 0)
            }
            row += (columns > 0 ? " " : "") + word
            columns += (columns > 0 ? 1 : 0) + taken
        }
        line(margin + row)
    }

    private func colored(_ sign: String, _ band: ValenceBand?) -> String {
        guard hasColor, let band else { return sign }
        return "\u{1B}[38;5;\(band.terminalInk)m\u{1B}[48;5;\(band.terminalColor)m\(sign)\u{1B}[0m"
    }

    /// The meaning of each sign: one a line on a narrow terminal, else as many as fit.
    mutating func legend() {
        let bands = ValenceBand.allCases.reversed().map { ($0.sign, Optional($0), words.name($0)) }
        let rest = [(NoBand.unknownSign, ValenceBand?.none, words.unknown), (NoBand.gapSign, nil, words.gap)]
        var (row, columns) = ("", 0)
        for (sign, band, name) in bands + rest {
            let added = 2 + Self.columns(name)
            if columns > 0, width < 76 || columns + 2 + added > width {
                line(row)
                (row, columns) = ("", 0)
            }
            row += (columns > 0 ? "  " : "") + colored(sign, band) + " " + name
            columns += (columns > 0 ? 2 : 0) + added
        }
        line(row)
    }

    // MARK: Days

    /// A row for each month, a sign for each day.
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
            line(words.shortMonths[month - 1] + " " + signs.joined(separator: gap))
        }
        line()
        legend()
    }

    /// A row for each week: the days of the month, each with its emoji.
    /// - Parameter weekStartsOn: 0 is Monday.
    mutating func month(_ faces: DayFaces, weekStartsOn: Int) {
        let cell = width < 41 ? 5 : 6
        for (year, month, days) in faces.drawnMonths {
            line("\(words.months[month - 1]) \(year)")
            line()
            line((0..<7).map { Self.padded(words.shortWeekdays[(weekStartsOn + $0) % 7], cell) }.joined())
            var row = ""
            for day in days {
                let column = (CivilDate.weekday(ofDay: day.day) - weekStartsOn + 7) % 7
                if row.isEmpty { row = String(repeating: " ", count: cell * column) }
                let number = (day.date.day < 10 ? " " : "") + String(day.date.day) + (cell > 5 ? " " : "")
                row += number + (day.face.emoji ?? colored(day.sign, day.band) + " ") + " "
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
        for sentence in summary.sentences(words) { paragraph(sentence) }
        let barMax = max(min(width - 44, 40), 4)
        let feelings = summary.feelings.most(Summary.feelingsMax)
        bars(words.titles.feelings, feelings.map { ("\($0.emoji) \($0.label)", $0.tally) }, barMax)
        let tags = summary.comparedTags
        if !tags.isEmpty {
            line()
            line(words.titles.tags)
            for (tag, average, without) in tags {
                let compared = LookBackWords.fill(
                    words.sentences.compared,
                    [("with", words.signed(average)), ("without", words.signed(without))])
                let counted = "  \(Self.padded(tag.spelling, 20)) \(tag.tally.count)"
                if Self.columns(counted) + 2 + Self.columns(compared) <= width {
                    line("\(counted)  \(compared)")
                } else {
                    line(counted)
                    paragraph(compared, indent: 4)
                }
            }
            paragraph(words.sentences.warning, indent: 2)
        }
        bars(words.titles.weekdays, zip(words.weekdays, summary.weekdays).map { ($0, $1) }, barMax)
        bars(words.titles.parts, zip(words.parts, summary.partsOfDay).map { ($0, $1) }, barMax)
    }

    private mutating func bars(_ title: String, _ rows: [(name: String, tally: Tally)], _ lengthMax: Int) {
        let most = rows.map(\.tally.count).max() ?? 0
        guard most > 0 else { return }
        line()
        line(title)
        for (name, tally) in rows {
            let length = (tally.count * lengthMax + most - 1) / most
            let bar = String(repeating: "█", count: length) + String(repeating: " ", count: lengthMax - length)
            let average = tally.average.map { "  " + words.signed($0) + " " + ValenceBand($0).sign } ?? ""
            line("  \(Self.padded(name, 20)) \(bar) \(tally.count)\(average)")
        }
    }

    /// Emojis take two columns.
    private static func padded(_ text: String, _ columns: Int) -> String {
        var width = 0
        var result = ""
        for character in text {
            let taken = Self.columns(character)
            if width + taken > columns { break }
            width += taken
            result.append(character)
        }
        return result + String(repeating: " ", count: columns - width)
    }

    private static func columns(_ character: Character) -> Int {
        character.unicodeScalars.first.map { $0.value > 0x1100 } ?? false ? 2 : 1
    }

    private static func columns(_ text: String) -> Int { text.reduce(0) { $0 + columns($1) } }
}

extension Summary {
    /// The numbers in sentences.
    mutating func sentences(_ words: LookBackWords) -> [String] {
        let forms = words.sentences
        guard whole.count > 0, let days = days() else { return [forms.none] }
        let (first, last) = (span.firstDay ?? days.lowerBound, span.lastDay ?? days.upperBound)
        var sentences = [
            LookBackWords.fill(
                forms.overview,
                [
                    ("first", Self.date(first)), ("last", Self.date(last)), ("moods", words.mood(whole.count)),
                    ("days", words.day(byDay.count)), ("favorites", words.favorite(favorites)),
                ])
        ]
        if let average = whole.average, let spread = whole.spread {
            let estimated = estimated > 0 ? LookBackWords.fill(forms.estimated, [("count", String(estimated))]) : ""
            sentences.append(
                LookBackWords.fill(
                    forms.pleasant,
                    [
                        ("average", words.signed(average)), ("band", words.name(ValenceBand(average))),
                        ("spread", words.plain(spread)), ("estimated", estimated),
                    ]))
        }
        if let previousSpan, let first = previousSpan.firstDay, let last = previousSpan.lastDay {
            let average = previous.average.map {
                LookBackWords.fill(forms.beforeAverage, [("average", words.signed($0))])
            }
            sentences.append(
                LookBackWords.fill(
                    forms.before,
                    [
                        ("first", Self.date(first)), ("last", Self.date(last)), ("moods", words.mood(previous.count)),
                        ("average", average ?? ""),
                    ]))
        }
        if let swings { sentences.append(LookBackWords.fill(forms.swings, [("number", words.plain(swings))])) }
        let (current, longest) = streaks.rows(today: lookBack.today)
        if let longest {
            let length = current.map { $0.last - $0.first + 1 } ?? 0
            sentences.append(
                LookBackWords.fill(
                    forms.row,
                    [
                        ("now", words.day(length)), ("most", words.day(longest.last - longest.first + 1)),
                        ("first", Self.date(longest.first)), ("last", Self.date(longest.last)),
                    ]))
        }
        return sentences
    }
}
