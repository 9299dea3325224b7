import JSONCodec

/// A screen of the host as lines of text. A cell of an unknown kind shows the members that all cells have.
struct ScreenView {
    private let screen: JSONValue
    private let style: Style
    /// The terminal's width; nil cuts nothing.
    private let width: Int?
    /// The form of an id to show.
    private let shorten: (String) -> String
    private var text = ""
    /// Terms and their meanings, written together so that they can be aligned.
    private var facts: [(term: String, value: String, note: String)] = []

    /// - Parameter screen: the result of `nav.screen`.
    static func text(
        of screen: JSONValue, style: Style, width: Int?, shorten: @escaping (String) -> String
    ) -> String {
        var view = ScreenView(screen: screen, style: style, width: width, shorten: shorten)
        view.write()
        return view.text
    }

    private init(screen: JSONValue, style: Style, width: Int?, shorten: @escaping (String) -> String) {
        (self.screen, self.style, self.width, self.shorten) = (screen, style, width, shorten)
    }

    private mutating func write() {
        let cells = screen.list(of: "cells")
        let title = screen.text(of: "title")
        let hero = cells.first { $0["type"]?.string == "hero" }?["emoji"]?.string
        let isFavorite = screen["toolbar"]?.array?.contains { $0.isTrue("isFavorite") } == true
        text += style.apply(.heading, to: Escaping.visible((hero.map { $0 + " " } ?? "") + title))
        text += isFavorite ? " " + style.apply(.mark, to: "★") + "\n" : "\n"
        for run in Self.runs(cells) {
            let kind = run[0].text(of: "type")
            if let fact = CellFact.all[kind] {
                for cell in run { add(fact, of: cell, kind) }
                continue
            }
            writeFacts()
            write(run, kind, title)
        }
        writeFacts()
        writeOffers()
        let footer = screen.texts(of: "footer")
        if !footer.isEmpty { text += "\n" }
        for sentence in footer { line(sentence, .quiet) }
    }

    /// Groups neighboring cells of one kind.
    private static func runs(_ cells: [JSONValue]) -> [[JSONValue]] {
        var runs: [[JSONValue]] = []
        for cell in cells {
            if let last = runs.last?.last, last["type"]?.string == cell["type"]?.string {
                runs[runs.count - 1].append(cell)
            } else {
                runs.append([cell])
            }
        }
        return runs
    }

    private mutating func line(_ text: String, _ role: Style.Role = .plain, indent: String = "") {
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let shown = Escaping.visible(String(part))
            self.text += shown.isEmpty ? "\n" : indent + style.apply(role, to: shown) + "\n"
        }
    }

    // MARK: Single cells

    private mutating func write(_ run: [JSONValue], _ kind: String, _ title: String) {
        switch kind {
        case "hero": break
        case "menuItem": writeMenu(run)
        case "moodRow": writeMoods(run)
        case "choice":
            let choices = run.map { cell in
                let text = cell.text(of: "text")
                return cell.isTrue("isSelected") ? "[\(text)]" : text
            }
            line(choices.joined(separator: " "), indent: "  ")
        case "notes":
            text += "\n"
            for cell in run {
                line(cell.text(of: "text"), cell.isTrue("isPlaceholder") ? .quiet : .plain, indent: "  ")
            }
        default: for cell in run { write(cell, kind, title) }
        }
    }

    private mutating func write(_ cell: JSONValue, _ kind: String, _ title: String) {
        let heading = cell["title"]?.string
        let text = cell["text"]?.string ?? cell["value"]?.string
        switch kind {
        case "text": if let text, text != title { line(text) }
        case "section":
            self.text += "\n"
            line(heading ?? "", .heading)
            if let footer = cell["footer"]?.string { line(footer, .quiet) }
        case "hint":
            self.text += "\n"
            line(text ?? "", .quiet)
        case "empty":
            self.text += "\n"
            line(heading ?? "", .heading)
            if let text, !text.isEmpty { line(text) }
        case "error": line(text ?? "", .failure)
        default:
            let told = [heading, text].compactMap(\.self).joined(separator: ": ")
            if !told.isEmpty { line(told) }
        }
    }

    private mutating func writeMenu(_ run: [JSONValue]) {
        var table = Table([.init("NUMBER"), .init("SCREEN"), .init("ABOUT", isFlexible: true, role: .quiet)])
        for cell in run {
            table.rows.append(
                ["number", "title", "description"].map { Escaping.visible(cell[$0]?.string ?? "") })
        }
        text += table.text(width: width, style: style)
    }

    private mutating func writeMoods(_ run: [JSONValue]) {
        var table = Table([
            .init("ID", role: .quiet), .init("★", role: .mark), .init("MOOD", isFlexible: true), .init("WHEN"),
        ])
        for cell in run {
            let mood = "\(cell.text(of: "emoji")) \(cell.text(of: "title"))"
            table.rows.append([
                shorten(cell.text(of: "moodId")), cell.isTrue("isFavorite") ? "★" : "",
                Escaping.visible(mood), Escaping.visible(cell.text(of: "text")),
            ])
        }
        text += "\n" + table.text(width: width, style: style)
    }

    // MARK: Facts

    private mutating func add(_ fact: CellFact, of cell: JSONValue, _ kind: String) {
        func told(_ name: String) -> String? {
            guard let member = cell[name] else { return nil }
            // A list shows the titles of its elements.
            if let elements = member.array {
                return elements.compactMap { $0["title"]?.string }.joined(separator: ", ")
            }
            return member.string ?? member.text
        }
        let value = fact.members.compactMap(told).joined(separator: ", ")
        let note = fact.note.flatMap(told) ?? ""
        facts.append((fact.term.map { told($0) ?? "" } ?? kind, value, Self.note(note, value)))
    }

    /// Leaves out a note that repeats the value.
    private static func note(_ text: String, _ value: String) -> String { text == value ? "" : text }

    private mutating func writeFacts() {
        guard !facts.isEmpty else { return }
        let terms = facts.map { Escaping.visible($0.term) }
        let column = min(terms.map(DisplayWidth.of).max() ?? 0, 24)
        text += "\n"
        for (term, fact) in zip(terms, facts) {
            let lines = fact.value.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            for (number, value) in lines.enumerated() {
                let shown = number == 0 ? style.apply(.quiet, to: DisplayWidth.padded(term, to: column)) : nil
                let note = number == 0 && !fact.note.isEmpty ? "(\(Escaping.visible(fact.note)))" : ""
                let told = [Escaping.visible(value), note].filter { !$0.isEmpty }.joined(separator: " ")
                var row = "  \(shown ?? String(repeating: " ", count: column))  \(told)"
                while row.hasSuffix(" ") { row.removeLast() }
                text += row + "\n"
            }
        }
        facts.removeAll()
    }

    // MARK: What can be done

    private mutating func writeOffers() {
        let labels = screen.list(of: "actions").compactMap { $0["label"]?.string }
        guard !labels.isEmpty else { return }
        text += "\n"
        line(labels.map { "[\($0)]" }.joined(separator: " "))
    }
}
