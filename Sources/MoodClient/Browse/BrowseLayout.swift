import JSONCodec

/// Lays out a screen of the host as lines of a terminal, with the targets on them. It knows kinds of cells but no
/// screens: `nav.screen` is its only source. A cell of an unknown kind shows the members that all cells have.
struct BrowseLayout {
    /// An action with its label.
    struct Offer {
        let label: String
        let isDestructive: Bool
        let action: JSONValue

        /// - Returns: nil without an action.
        init?(_ value: JSONValue) {
            guard let action = value["action"] else { return nil }
            // A cell's own action is labeled by the cell's accessibility label.
            label = value["label"]?.string ?? value["accessibility"]?["label"]?.string ?? action.text(of: "type")
            isDestructive = value["destructive"]?.boolean ?? false
            self.action = action
        }
    }

    /// A place where the cursor can stand.
    struct Target {
        /// The cell's id, which is the same in each answer.
        let id: String
        /// The action of Enter.
        var primary: Offer?
        var offers: [Offer] = []
        /// The form's field and its content.
        var field: (name: String, title: String, text: String)?
    }

    struct Span {
        let text: String
        var role: Style.Role = .plain
        var target: Int?
    }

    private(set) var title = ""
    private(set) var lines: [[Span]] = []
    private(set) var targets: [Target] = []
    /// Actions of the whole screen, then those of its toolbar.
    private(set) var offers: [Offer] = []
    /// The offer that leads back.
    private(set) var dismissal: Offer?
    /// Whether it shows a form.
    var hasFields: Bool { targets.contains { $0.field != nil } }

    private let width: Int
    private let hidesProblems: Bool

    /// - Parameters:
    ///   - width: in columns.
    ///   - hidesProblems: for an untouched form, in which an empty field is no mistake yet.
    init(_ screen: JSONValue, width: Int, hidesProblems: Bool = false) {
        self.width = max(width, 10)
        self.hidesProblems = hidesProblems
        title = Escaping.visible(screen.text(of: "title"))
        offers = screen.list(of: "actions").compactMap(Offer.init)
        for tool in screen.list(of: "toolbar") {
            guard let offer = Offer(tool) else { continue }
            if tool["type"]?.string == "dismiss" { dismissal = offer } else { offers.append(offer) }
            if tool.isTrue("isFavorite") { title += " ★" }
        }
        let cells = screen.list(of: "cells")
        var at = 0
        while at < cells.count {
            if cells[at]["type"]?.string == "choice" {
                let end = cells[at...].firstIndex { $0["type"]?.string != "choice" } ?? cells.count
                addChoices(cells[at..<end])
                at = end
            } else {
                add(cells[at])
                at += 1
            }
        }
        let footer = screen.texts(of: "footer")
        if !footer.isEmpty { lines.append([]) }
        for text in footer { addText(text, .quiet) }
        while lines.last?.isEmpty == true { lines.removeLast() }
    }

    // MARK: Cells

    private mutating func add(_ cell: JSONValue) {
        let kind = cell.text(of: "type")
        let text = cell.text(of: "text")
        switch kind {
        case "hero":
            addBlank()
            lines.append([Span(text: Escaping.visible(cell.text(of: "emoji")))])
        case "section":
            addBlank()
            addText(cell.text(of: "title"), .heading)
            if let footer = cell["footer"]?.string { addText(footer, .quiet) }
        case "menuItem":
            addRow(
                cell,
                [
                    (DisplayWidth.padded(cell.text(of: "number"), to: 5), .quiet),
                    (DisplayWidth.padded(cell.text(of: "title"), to: 16), .plain),
                    (cell.text(of: "description"), .quiet),
                ])
        case "moodRow":
            let mood = "\(cell.text(of: "emoji")) \(cell.text(of: "title"))"
            addRow(
                cell,
                [
                    (cell.isTrue("isFavorite") ? "★" : " ", .mark),
                    (DisplayWidth.padded(DisplayWidth.cut(mood, to: 28), to: min(28, width / 2)), .plain),
                    (text, .quiet),
                ])
        case "field":
            let title = cell.text(of: "title")
            var parts: [(String, Style.Role)] = [
                (DisplayWidth.padded(title, to: 8), .quiet),
                (text.isEmpty ? "…" : text, text.isEmpty ? .quiet : .plain),
            ]
            if let problem = cell["problem"]?.string, !hidesProblems { parts.append(("✗ " + problem, .failure)) }
            addRow(cell, parts)
        case "notes":
            addBlank()
            addLines(text, cell.isTrue("isPlaceholder") ? .quiet : .plain, target: target(cell))
        case "empty":
            addBlank()
            addText(cell.text(of: "title"), .heading)
            addText(text, .plain)
        case "hint":
            addBlank()
            addText(text, .quiet)
        case "error": addText(text, .failure)
        default: addFact(cell, kind)
        }
    }

    /// Adds a cell as a term and its value.
    private mutating func addFact(_ cell: JSONValue, _ kind: String) {
        func told(_ name: String) -> String? {
            guard let member = cell[name] else { return nil }
            if let elements = member.array {
                return elements.compactMap { $0["title"]?.string }.joined(separator: ", ")
            }
            return member.string ?? member.text
        }
        guard let fact = CellFact.all[kind] else {
            let text = cell["text"]?.string ?? cell["value"]?.string ?? cell.text(of: "title")
            // The label repeats the title.
            if text == cell["text"]?.string, cell["style"]?.string == "largeTitle" { return }
            return addLines(text, .plain, target: target(cell))
        }
        let value = fact.members.compactMap(told).joined(separator: ", ")
        let note = fact.note.flatMap(told).flatMap { $0 == value ? nil : "(\($0))" } ?? ""
        let term = fact.term.map { told($0) ?? "" } ?? kind
        let isChoosable = cell["action"] != nil
        for (index, line) in value.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let parts: [(String, Style.Role)] = [
                (DisplayWidth.padded(index == 0 ? DisplayWidth.cut(term, to: 20) : "", to: 12), .quiet),
                (String(line), .plain), (index == 0 ? note : "", .quiet),
            ]
            if index == 0, isChoosable {
                addRow(cell, parts)
            } else {
                lines.append([Span(text: "  ")] + spans(parts, nil))
            }
        }
    }

    private mutating func addChoices(_ cells: ArraySlice<JSONValue>) {
        addBlank()
        var line: [Span] = []
        var used = 0
        for cell in cells {
            let text = Escaping.visible(cell.text(of: "text"))
            let shown = cell.isTrue("isSelected") ? "[\(text)]" : " \(text) "
            let columns = DisplayWidth.of(shown) + 1
            if used + columns > width - 2, !line.isEmpty {
                lines.append(line)
                line = []
                used = 0
            }
            line.append(Span(text: shown, target: target(cell)))
            line.append(Span(text: " "))
            used += columns
        }
        lines.append(line)
        lines.append([])
    }

    // MARK: Lines

    private mutating func addBlank() { if lines.last?.isEmpty == false { lines.append([]) } }

    private mutating func addText(_ text: String, _ role: Style.Role) { addLines(text, role, target: nil) }

    /// Adds a text wrapped to the width. The first line can be chosen if there is a target.
    private mutating func addLines(_ text: String, _ role: Style.Role, target: Int?) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            for part in Paragraph.wrapped(Escaping.visible(String(line)), to: width - 4) {
                lines.append(part.isEmpty && target == nil ? [] : [Span(text: part, role: role, target: target)])
            }
        }
    }

    private mutating func addRow(_ cell: JSONValue, _ parts: [(String, Style.Role)]) {
        lines.append(spans(parts, target(cell)))
    }

    private func spans(_ parts: [(String, Style.Role)], _ target: Int?) -> [Span] {
        var spans: [Span] = []
        for (text, role) in parts where !text.isEmpty {
            if !spans.isEmpty { spans.append(Span(text: " ", target: target)) }
            spans.append(Span(text: Escaping.visible(text.replacing("\n", with: "↵")), role: role, target: target))
        }
        return spans
    }

    /// - Returns: nil if nothing can be done with the cell.
    private mutating func target(_ cell: JSONValue) -> Int? {
        var target = Target(id: cell.text(of: "id"))
        target.offers = cell.list(of: "actions").compactMap(Offer.init)
        if let own = Offer(cell) {
            // If an equal action is among the offers, its label is shorter.
            target.primary = target.offers.first { $0.action.text == own.action.text } ?? own
        }
        // A tap on a row takes its offer that navigates.
        if target.primary == nil { target.primary = target.offers.first { $0.action["type"]?.string == "navigate" } }
        if cell["type"]?.string == "field", let name = cell["name"]?.string {
            target.field = (name, cell["title"]?.string ?? name, cell.text(of: "text"))
        }
        guard target.primary != nil || target.field != nil || !target.offers.isEmpty else { return nil }
        targets.append(target)
        return targets.count - 1
    }

}
