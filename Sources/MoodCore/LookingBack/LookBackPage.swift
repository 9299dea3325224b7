import JSONCodec
import MoodText

/// A look back as a document: its content and its formats.
///
/// SVG and HTML are one file each: no script, no request to anywhere. Every picture is there in words too.
public struct LookBackPage {
    public enum What: String, CaseIterable, Sendable { case year, month, summary, report }
    public enum Format: String, CaseIterable, Sendable {
        case text, svg, html

        public var mediaType: StaticString {
            switch self {
            case .text: "text/plain; charset=utf-8"
            case .svg: "image/svg+xml; charset=utf-8"
            case .html: "text/html; charset=utf-8"
            }
        }
    }

    let what: What
    /// The days of a year, a month, or a report's year.
    let faces: DayFaces?
    /// The numbers of a summary and a report.
    var summary: Summary?
    /// Moods of this day in earlier years, as sentences.
    let onThisDay: [String]
    /// The moods, the latest first, as sentences; only a report has them.
    let moods: [String]
    let weekStartsOn: Int
    private let words: LookBackWords

    /// - Parameter locale: gives the language of the words; English if we have none.
    public init(
        _ what: What, faces: DayFaces?, summary: Summary?, onThisDay: [String] = [], moods: [String] = [],
        weekStartsOn: Int, locale: String
    ) {
        words = .of(locale)
        self.what = what
        self.faces = faces
        self.summary = summary
        self.onThisDay = onThisDay
        self.moods = moods
        self.weekStartsOn = weekStartsOn
    }

    /// - Parameters:
    ///   - width: of text, in columns.
    ///   - hasColor: whether text has terminal colors.
    public func text(_ format: Format, width: Int, hasColor: Bool) -> String {
        switch format {
        case .text: plainText(width, hasColor)
        case .svg: svg()
        case .html: html()
        }
    }

    private func plainText(_ width: Int, _ hasColor: Bool) -> String {
        var page = LookBackText(width: width, hasColor: hasColor, words)
        if let faces {
            if what == .month { page.month(faces, weekStartsOn: weekStartsOn) } else { page.year(faces) }
        }
        if let summary {
            if faces != nil { page.line() }
            page.summary(summary)
        }
        for (title, lines) in [(words.titles.onThisDay, onThisDay), (words.titles.moods, moods)]
        where !lines.isEmpty {
            page.line()
            page.line(title)
            for line in lines { page.paragraph(line, indent: 2) }
        }
        return page.text
    }

    private var title: String {
        switch what {
        case .year, .month: pictures().first?.title ?? words.titles.moods
        case .summary: words.titles.summary
        case .report: words.titles.report
        }
    }

    private func pictures() -> [Picture] {
        var pictures: [Picture] = []
        if let faces {
            pictures.append(what == .month ? .month(faces, weekStartsOn: weekStartsOn, words) : .year(faces, words))
        }
        guard var summary, summary.whole.count > 0 else { return pictures }
        pictures.append(.course(summary.series(summary.days()), words))
        let (titles, counted) = (words.titles, words.sentences.counted)
        let feelings = summary.feelings.most(Summary.feelingsMax).map { ("\($0.emoji) \($0.label)", $0.tally) }
        pictures.append(.bars(.feelings, titles.feelings, counted, feelings, words))
        let tags = summary.comparedTags.map { ($0.tag.spelling, $0.tag.tally) }
        if !tags.isEmpty { pictures.append(.bars(.tags, titles.tags, words.sentences.warning, tags, words)) }
        let weekdays = zip(words.weekdays, summary.weekdays).map { ($0, $1) }
        pictures.append(.bars(.weekdays, titles.weekdays, counted, weekdays, words))
        let parts = zip(words.parts, summary.partsOfDay).map { ($0, $1) }
        pictures.append(.bars(.parts, titles.parts, counted, parts, words))
        return pictures
    }

    // MARK: SVG

    private func svg() -> String {
        let pictures = pictures()
        var summary = summary
        let sentences = summary?.sentences(words) ?? []
        var body = ""
        var y = 44
        for sentence in sentences {
            body += Picture.text(20, y, sentence)
            y += 20
        }
        for picture in pictures {
            // A single picture has its name above it already.
            if picture.title != title {
                y += 14
                body += Picture.text(20, y + 14, picture.title, "class=\"head\"")
            } else {
                y -= 12
            }
            body += "<g transform=\"translate(20,\(y + 26))\" role=\"group\" aria-label=\""
            body += Markup.escaped(picture.title + ". " + picture.description) + "\">\(picture.body)</g>"
            y += 30 + picture.height
        }
        let description = (sentences + pictures.map { $0.title + ": " + $0.description }).joined(separator: " ")
        let width = max(Picture.width + 40, (sentences.map(\.count).max() ?? 0) * 7 + 40)
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(y + 20)" width="\(width)" height="\(y + 20)" \
            style="max-width:100%;height:auto" role="img" aria-labelledby="title description" lang="\(words.language)">
            <title id="title">\(Markup.escaped(title))</title>
            <desc id="description">\(Markup.escaped(description))</desc>
            <style>\(Picture.style)</style>
            <rect class="page" width="\(width)" height="\(y + 20)"/>
            \(Picture.text(20, 24, title, "class=\"head\""))
            \(body)
            </svg>

            """
    }

    // MARK: HTML

    private static let style = """
        :root{color-scheme:light dark;--ink:#1a1a1a;--page:#fff;--rule:#767676}\
        @media (prefers-color-scheme:dark){:root{--ink:#f0f0f0;--page:#161616;--rule:#8a8a8a}}\
        *{box-sizing:border-box}body{margin:0 auto;max-width:48rem;padding:1rem;font:1rem/1.5 system-ui,sans-serif;\
        color:var(--ink);background:var(--page);overflow-wrap:anywhere}svg{max-width:100%;height:auto;display:block}\
        section{margin-block:2rem;break-inside:avoid}h1,h2{line-height:1.2}table{border-collapse:collapse;max-width:100%}\
        th,td{border-bottom:1px solid var(--rule);padding:.2rem .6rem;text-align:start}.scroll{overflow-x:auto}\
        summary{cursor:pointer}@media print{:root{--ink:#000;--page:#fff}details{display:none}}
        """

    private func html() -> String {
        var body = ""
        var summary = summary
        for sentence in summary?.sentences(words) ?? [] { body += "<p>\(Markup.escaped(sentence))</p>\n" }
        for (number, picture) in pictures().enumerated() {
            let title = Markup.escaped(picture.title)
            body += """
                <section aria-labelledby="h\(number)">
                <h2 id="h\(number)">\(title)</h2>
                <p>\(Markup.escaped(picture.description))</p>
                <svg viewBox="0 0 \(Picture.width) \(picture.height)" width="\(Picture.width)" height="\(picture.height)" role="img" \
                aria-labelledby="t\(number) d\(number)"><title id="t\(number)">\(title)</title>\
                <desc id="d\(number)">\(Markup.escaped(picture.description))</desc>\(picture.body)</svg>
                \(table(for: picture))</section>

                """
        }
        body += list(words.titles.onThisDay, onThisDay, isFolded: false)
        body += list(words.titles.moods, moods, isFolded: true)
        return """
            <!DOCTYPE html>
            <html lang="\(words.language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(Markup.escaped(title))</title>
            <style>\(Self.style)\(Picture.style)</style>
            </head>
            <body>
            <main>
            <h1>\(Markup.escaped(title))</h1>
            \(body)</main>
            </body>
            </html>

            """
    }

    private func list(_ title: String, _ lines: [String], isFolded: Bool) -> String {
        guard !lines.isEmpty else { return "" }
        let items = lines.map { "<li>\(Markup.escaped($0))</li>" }.joined(separator: "\n")
        let body = "<ul>\n\(items)\n</ul>"
        return "<section>\n<h2>\(title)</h2>\n"
            + (isFolded
                ? "<details><summary>\(LookBackWords.fill(words.table.show, [("count", String(lines.count))]))</summary>\n\(body)\n</details>"
                : body)
            + "\n</section>\n"
    }

    /// A picture's data as a table.
    private func table(for picture: Picture) -> String {
        var rows: [[String]] = []
        let names = words.table
        var head = ["", names.moods, names.average]
        var summary = summary
        func row(_ name: String, _ tally: Tally) -> [String] {
            [name, String(tally.count), tally.average.map(words.signed) ?? ""]
        }
        switch picture.kind {
        case .feelings:
            rows = summary?.feelings.most(Summary.feelingsMax).map { row("\($0.emoji) \($0.label)", $0.tally) } ?? []
        case .tags:
            head = ["", names.moods, names.with, names.without, names.difference]
            rows =
                summary?.comparedTags.map { tag, average, without in
                    [tag.spelling, String(tag.tally.count)] + [average, without, average - without].map(words.signed)
                } ?? []
        case .weekdays: rows = summary.map { zip(words.weekdays, $0.weekdays).map(row) } ?? []
        case .parts: rows = summary.map { zip(words.parts, $0.partsOfDay).map(row) } ?? []
        case .course:
            let days = summary?.days()
            rows = summary?.series(days).filter { $0.tally.count > 0 }.map { row(Summary.date($0.day), $0.tally) } ?? []
        case .days:
            head = [names.day, names.moods, names.average, names.mood]
            for day in faces.map({ faces in faces.days.map { DrawnDay($0, faces) } }) ?? [] where day.face.count > 0 {
                rows.append(
                    [
                        day.date.text, String(day.face.count), day.face.average.map(words.signed) ?? "",
                        "\(day.face.emoji ?? "") \(day.face.label ?? "")",
                    ])
            }
        }
        let header = head.map { "<th scope=\"col\">\($0)</th>" }.joined()
        let lines = rows.map { row in
            let cells = row.dropFirst().map { "<td>\(Markup.escaped($0))</td>" }.joined()
            return "<tr><th scope=\"row\">\(Markup.escaped(row[0]))</th>\(cells)</tr>"
        }
        return """
            <details><summary>\(names.asTable)</summary><div class="scroll" tabindex="0"><table>
            <caption>\(Markup.escaped(picture.title))</caption>
            <thead><tr>\(header)</tr></thead>
            <tbody>
            \(lines.joined(separator: "\n"))
            </tbody>
            </table></div></details>

            """
    }
}
