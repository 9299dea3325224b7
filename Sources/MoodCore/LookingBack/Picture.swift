import MoodText

/// A drawing as a part of SVG, with its content in words.
struct Picture {
    static let width = 720

    enum Kind { case days, course, feelings, tags, weekdays, parts }

    let kind: Kind
    let title: String
    let description: String
    let height: Int
    let body: String

    /// Colors for light and dark. Text has a contrast of 4.5:1 or more on both.
    static let style = """
        text{font:13px system-ui,sans-serif;fill:#1a1a1a}.page{fill:#fff}.gap{fill:none;stroke:#767676;stroke-dasharray:2 2}\
        .unknown{fill:none;stroke:#767676}.line{fill:none;stroke:#1f63a8;stroke-width:2}.axis{stroke:#767676}\
        .head{font-weight:600;font-size:16px}@media (prefers-color-scheme:dark){text{fill:#f0f0f0}.page{fill:#161616}\
        .line{stroke:#8fc1e3}}@media print{text{fill:#000}.page{fill:#fff}.line{stroke:#000}}
        """

    /// Shortens a name to the 200 units beside a bar. Wide East Asian characters take about twice as much as others.
    private static func shortened(_ name: String) -> String {
        var room = 24 * 2
        for (place, character) in zip(name.indices, name) {
            let isNarrow = character.unicodeScalars.first.map {
                $0.value < 0x300 && !"MW@%".unicodeScalars.contains($0)
            }
            room -= isNarrow ?? true ? 2 : 4
            if room < 0 { return name[..<place].dropLast() + "…" }
        }
        return name
    }

    static func text(_ x: Int, _ y: Int, _ text: String, _ attributes: String = "") -> String {
        "<text x=\"\(x)\" y=\"\(y)\"\(attributes.isEmpty ? "" : " " + attributes)>\(Markup.escaped(text))</text>"
    }

    /// Draws a day: color and sign, with its words.
    private static func pixel(_ day: DrawnDay, _ x: Int, _ y: Int, _ size: Int, _ words: LookBackWords) -> String {
        let label = Markup.escaped(day.text(words))
        let form = "x=\"\(x)\" y=\"\(y)\" width=\"\(size)\" height=\"\(size)\" rx=\"3\""
        var body = "<g role=\"img\" aria-label=\"\(label)\"><title>\(label)</title>"
        if let band = day.band {
            body += "<rect \(form) fill=\"\(band.color)\"/>"
            body += text(
                x + size / 2, y + size * 3 / 4, band.sign,
                "text-anchor=\"middle\" style=\"fill:\(band.ink);font-size:\(size * 5 / 8)px\"")
        } else if day.face.count > 0 {
            body += "<rect class=\"unknown\" \(form)/>"
            body += text(x + size / 2, y + size * 3 / 4, NoBand.unknownSign, "text-anchor=\"middle\"")
        } else {
            body += "<rect class=\"gap\" \(form)/>"
        }
        return body + "</g>"
    }

    /// Draws the meaning of each color and sign.
    private static func legend(_ y: Int, _ words: LookBackWords) -> String {
        var body = ""
        for (place, band) in ValenceBand.allCases.reversed().enumerated() {
            let x = 40 + place * 132
            body += "<rect x=\"\(x)\" y=\"\(y)\" width=\"18\" height=\"18\" rx=\"3\" fill=\"\(band.color)\"/>"
            body += text(x + 9, y + 14, band.sign, "text-anchor=\"middle\" style=\"fill:\(band.ink)\"")
            body += text(x + 24, y + 14, words.name(band))
        }
        return body
    }

    /// A year in pixels: a row for each month, a square for each day.
    static func year(_ faces: DayFaces, _ words: LookBackWords) -> Picture {
        let months = faces.drawnMonths
        var body = ""
        for number in [1, 5, 10, 15, 20, 25, 30] {
            body += text(40 + (number - 1) * 22 + 10, 14, String(number), "text-anchor=\"middle\"")
        }
        for (row, month) in months.enumerated() {
            let y = 22 + row * 22
            body += text(0, y + 15, words.shortMonths[month.month - 1])
            for day in month.days { body += pixel(day, 40 + (day.date.day - 1) * 22, y, 20, words) }
        }
        let used = faces.days.filter { faces.face($0).count > 0 }.count
        let year = String(CivilDate(daysSince1970: faces.days.lowerBound).year)
        return Picture(
            kind: .days, title: LookBackWords.fill(words.titles.pixels, [("year", year)]),
            description: LookBackWords.fill(words.sentences.year, [("days", words.day(used))]),
            height: 22 + months.count * 22 + 34, body: body + legend(22 + months.count * 22 + 10, words))
    }

    /// A month as a calendar.
    /// - Parameter weekStartsOn: 0 is Monday.
    static func month(_ faces: DayFaces, weekStartsOn: Int, _ words: LookBackWords) -> Picture {
        var body = ""
        for place in 0..<7 {
            body += text(place * 100 + 4, 14, words.shortWeekdays[(weekStartsOn + place) % 7])
        }
        var row = 0
        let first = CivilDate(daysSince1970: faces.days.lowerBound)
        for number in faces.days {
            let day = DrawnDay(number, faces)
            let column = (CivilDate.weekday(ofDay: number) - weekStartsOn + 7) % 7
            if column == 0, number > faces.days.lowerBound { row += 1 }
            let (x, y) = (column * 100, 24 + row * 50)
            body += text(x + 4, y + 28, String(day.date.day))
            body += pixel(day, x + 28, y + 8, 28, words)
            if let emoji = day.face.emoji { body += text(x + 62, y + 30, emoji, "style=\"font-size:18px\"") }
        }
        let height = 24 + (row + 1) * 50
        let used = faces.days.filter { faces.face($0).count > 0 }.count
        return Picture(
            kind: .days, title: "\(words.months[first.month - 1]) \(first.year)",
            description: LookBackWords.fill(words.sentences.month, [("days", words.day(used))]),
            height: height + 34, body: body + legend(height + 10, words))
    }

    /// The course: the mean of each entry of the series, from −1 to 1.
    static func course(_ series: [(day: Int, tally: Tally)], _ words: LookBackWords) -> Picture {
        let points = series.enumerated().compactMap { place, entry in
            entry.tally.average.map { (place: place, day: entry.day, average: $0) }
        }
        let steps = max(series.count - 1, 1)
        func x(_ place: Int) -> Int { 40 + place * 660 / steps }
        func y(_ average: Double) -> Int { 80 - Int((average * 70).rounded()) }
        var body = ""
        for (value, name) in [(1.0, "+1"), (0, "0"), (-1, "\u{2212}1")] {
            body += "<path class=\"axis\" d=\"M40 \(y(value))H700\"/>" + text(0, y(value) + 4, name)
        }
        // The line has no point at a gap.
        var path = ""
        for (number, point) in points.enumerated() {
            let isNext = number > 0 && points[number - 1].place == point.place - 1
            path += "\(isNext ? "L" : "M")\(x(point.place)) \(y(point.average))"
        }
        body += "<path class=\"line\" d=\"\(path)\"/>"
        for point in points {
            let label = Markup.escaped("\(Summary.date(point.day)): \(words.signed(point.average))")
            body += "<g role=\"img\" aria-label=\"\(label)\"><title>\(label)</title>"
            body += "<circle class=\"line\" cx=\"\(x(point.place))\" cy=\"\(y(point.average))\" r=\"2\"/></g>"
        }
        if let first = series.first, let last = series.last {
            body += text(40, 176, Summary.date(first.day))
            body += text(700, 176, Summary.date(last.day), "text-anchor=\"end\"")
        }
        return Picture(
            kind: .course, title: words.titles.course, description: words.sentences.course, height: 184, body: body)
    }

    /// Counts as bars, each with its mean in sign and number.
    static func bars(
        _ kind: Kind, _ title: String, _ description: String, _ rows: [(name: String, tally: Tally)],
        _ words: LookBackWords
    ) -> Picture {
        let most = max(rows.map(\.tally.count).max() ?? 1, 1)
        var body = ""
        for (row, (name, tally)) in rows.enumerated() {
            let y = row * 24
            let band = tally.average.map { ValenceBand($0) }
            let length = tally.count * 300 / most
            body += text(0, y + 15, shortened(name))
            if length > 0 {
                body += "<rect x=\"200\" y=\"\(y + 2)\" width=\"\(max(length, 2))\" height=\"18\" rx=\"3\" "
                body += band.map { "fill=\"\($0.color)\"/>" } ?? "class=\"unknown\"/>"
            }
            let average = tally.average.map { "  \(band?.sign ?? "") \(words.signed($0))" } ?? ""
            body += text(208 + length, y + 15, "\(tally.count)\(average)")
        }
        return Picture(
            kind: kind, title: title, description: description, height: max(rows.count, 1) * 24 + 4, body: body)
    }
}
