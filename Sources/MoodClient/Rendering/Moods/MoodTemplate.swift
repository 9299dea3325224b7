/// A person's own format for a line about a mood: `{emoji} {label}`; `{{` and `}}` are braces.
struct MoodTemplate {
    struct Fault: Error { let message: String }

    private static let names = [
        "id", "emoji", "label", "notes", "tags", "valence", "date", "time", "timestamp", "timeZone", "favorite",
    ]

    /// The names, for help.
    static let namesText = names.map { "{\($0)}" }.joined(separator: " ")

    private enum Piece { case text(String), name(String) }

    private var pieces: [Piece] = []

    init(_ template: String) throws(Fault) {
        var text = ""
        var rest = Substring(template)
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                rest.removeFirst()
                text.append(character)
            } else if character == "{" {
                guard let end = rest.firstIndex(of: "}") else {
                    throw Fault(message: "a brace is not closed; write {{ for a brace.")
                }
                let name = String(rest[..<end])
                guard Self.names.contains(name) else {
                    let nearest = Suggestion.question(Suggestion.nearest(to: name, among: Self.names))
                    throw Fault(message: "there is no {\(name)}; there are \(Self.namesText).\(nearest)")
                }
                rest = rest[rest.index(after: end)...]
                pieces += [.text(text), .name(name)]
                text = ""
            } else {
                text.append(character)
            }
        }
        pieces.append(.text(text))
    }

    /// The line for a mood, escaped for a terminal.
    func line(of mood: MoodView, console: Console) -> String {
        pieces.reduce(into: "") { line, piece in
            switch piece {
            case .text(let text): line += text
            case .name(let name):
                let value = value(name, mood, console)
                line += console.isOutputTerminal ? Escaping.visibleLines(value) : value
            }
        }
    }

    private func value(_ name: String, _ mood: MoodView, _ console: Console) -> String {
        switch name {
        case "id": mood.id
        case "emoji": mood.emoji
        case "label": mood.label
        case "notes": mood.notes
        case "tags": mood.tags.joined(separator: ",")
        case "valence": mood.valence ?? ""
        case "date": mood.localTime(console)?.time.date ?? ""
        case "time": mood.localTime(console)?.time.clock ?? ""
        case "timestamp": mood.timestamp
        case "timeZone": mood.timeZone ?? ""
        default: mood.isFavorite ? "★" : ""
        }
    }
}
