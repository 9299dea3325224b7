/// Rows and columns for people: as wide as their content, cut at the terminal's width.
struct Table {
    struct Column {
        let title: String
        /// Whether a terminal that is too narrow may cut it.
        let isFlexible: Bool
        /// The order in which columns are left out on a very narrow terminal: the lowest first. Nil stays.
        let rank: Int?
        let role: Style.Role
        /// The width for which columns of a lower rank are left out.
        let comfortable: Int

        init(
            _ title: String, isFlexible: Bool = false, rank: Int? = nil, role: Style.Role = .plain,
            comfortable: Int = narrowest
        ) {
            (self.title, self.isFlexible, self.rank, self.role, self.comfortable) = (
                title, isFlexible, rank, role, comfortable
            )
        }
    }

    private static let gap = "  "
    /// The narrowest flexible column.
    static let narrowest = 8

    let columns: [Column]
    /// The rows: escaped texts, one for each column.
    var rows: [[String]] = []

    init(_ columns: [Column]) { self.columns = columns }

    /// The lines, each ended by a line feed.
    /// - Parameter width: the terminal's; nil cuts nothing.
    func text(width: Int?, style: Style) -> String {
        var used = columns.indices.filter { index in
            rows.contains { index < $0.count && !$0[index].isEmpty }
        }
        if let width { leaveOut(&used, width) }
        let widths = fitted(natural: used.map(naturalWidth), used, width)
        var text = line(used.map { columns[$0].title }, used.map { _ in .heading }, widths, width, style)
        for row in rows {
            let cells = used.map { $0 < row.count ? row[$0] : "" }
            text += line(cells, used.map { columns[$0].role }, widths, width, style)
        }
        return text
    }

    private func naturalWidth(_ column: Int) -> Int {
        rows.reduce(DisplayWidth.of(columns[column].title)) { widest, row in
            column < row.count ? max(widest, DisplayWidth.of(row[column])) : widest
        }
    }

    /// Leaves columns out until the others fit when they are cut as far as possible.
    private func leaveOut(_ used: inout [Int], _ width: Int) {
        while true {
            let ranked = used.compactMap { index in columns[index].rank.map { (index, $0) } }
            guard let first = ranked.min(by: { $0.1 < $1.1 }) else { return }
            let least = used.reduce(Self.gap.count * (used.count - 1)) { sum, index in
                let (natural, column) = (naturalWidth(index), columns[index])
                let isBefore = column.rank.map { $0 > first.1 } ?? true
                let wanted = isBefore ? column.comfortable : Self.narrowest
                return sum + (column.isFlexible ? min(natural, wanted) : natural)
            }
            guard least > width else { return }
            used.removeAll { $0 == first.0 }
        }
    }

    /// Cuts the last flexible column first, because the first columns say most.
    private func fitted(natural: [Int], _ used: [Int], _ width: Int?) -> [Int] {
        guard let width else { return natural }
        var widths = natural
        var excess = widths.reduce(0, +) + Self.gap.count * max(widths.count - 1, 0) - width
        for isComfortable in [true, false] {
            for index in widths.indices.reversed() where columns[used[index]].isFlexible && excess > 0 {
                let least = isComfortable ? columns[used[index]].comfortable : Self.narrowest
                let taken = min(excess, max(widths[index] - least, 0))
                widths[index] -= taken
                excess -= taken
            }
        }
        return widths
    }

    private func line(
        _ cells: [String], _ roles: [Style.Role], _ widths: [Int], _ width: Int?, _ style: Style
    ) -> String {
        var line = ""
        var rest = width ?? .max
        for (index, cell) in cells.enumerated() {
            guard rest > 0 else { break }
            let isLast = index == cells.count - 1
            let shown = width == nil ? cell : DisplayWidth.cut(cell, to: min(widths[index], rest))
            line += style.apply(roles[index], to: shown)
            let taken = DisplayWidth.of(shown)
            rest -= min(taken, rest)
            guard !isLast else { break }
            let spaces = min(max(widths[index] - taken, 0) + Self.gap.count, rest)
            line += String(repeating: " ", count: spaces)
            rest -= spaces
        }
        while line.hasSuffix(" ") { line.removeLast() }
        return line + "\n"
    }
}
