import MoodCore

/// The content of a table's column.
enum CSVColumn: Equatable {
    case member(MoodField)
    case date, time, hour, minute
    case scale(String)
    /// A valence on another scale: the first number is -1, the last 1.
    case valence(from: Double, to: Double)

    /// A column by the name of its content, as in `map`.
    init?(target name: String) {
        let folded = Folded.text(name)
        switch folded {
        case "date": self = .date
        case "time": self = .time
        case "hour": self = .hour
        case "minute": self = .minute
        default:
            if folded.hasPrefix("scales."), name.utf8.count > 7 {
                self = .scale(String(name.dropFirst(7)))
            } else if folded.hasPrefix("valence:") {
                let ends = folded.dropFirst(8).split(separator: "..", omittingEmptySubsequences: false)
                guard ends.count == 2, let first = Double(ends[0]), let last = Double(ends[1]), first != last,
                    first.isFinite, last.isFinite
                else { return nil }
                self = .valence(from: first, to: last)
            } else if let field = Self.members.first(where: { Folded.text("\($0.name)") == folded }) {
                self = .member(field)
            } else {
                return nil
            }
        }
    }

    /// The members that have a column.
    static let members = MoodField.allCases.filter { $0 != .revision }

    static let targets =
        members.map { "\($0.name)" }.joined(separator: ", ") + ", date, time, hour, minute, valence:1..10, scales.NAME"

    /// Whether two columns would give the same member.
    func isSame(as other: CSVColumn) -> Bool {
        if isValence, other.isValence { return true }
        return self == other
    }

    private var isValence: Bool {
        if case .valence = self { return true }
        return self == .member(.valence)
    }

    /// Whether several columns may hold parts of it.
    var isJoined: Bool { self == .member(.notes) || self == .member(.tags) }

    /// A column by its heading in English, German, Spanish, French or Finnish.
    init?(heading: String) {
        let folded = Folded.text(heading)
        let words = folded.split { !$0.isLetter && !$0.isNumber }.joined(separator: " ")
        guard let column = Self.headings[words] ?? Self.headings[folded] else { return nil }
        self = column
    }

    private static let names: [(CSVColumn, String)] = [
        (
            .member(.label),
            "mood|moods|feeling|feelings|emotion|state of mind|stimmung|laune|gefühl|gefuehl|estado de ánimo|estado de animo|ánimo|animo"
                + "|humor|emoción|emocion|humeur|ressenti|émotion|sentiment|mieliala|fiilis|tunne|tunnetila|tunnelma"
        ),
        (
            .member(.timestamp),
            "when|datetime|date time|date and time|zeitpunkt|zeitstempel|datum uhrzeit|datum und uhrzeit|datum zeit|fecha hora"
                + "|fecha y hora|date heure|date et heure|horodatage|ajankohta|aikaleima|päivä ja aika"
        ),
        (.date, "day|full date|datum|tag datum|fecha|día|dia|jour|päivä|päivämäärä|pvm"),
        (.time, "uhrzeit|zeit|hora|heure|aika|kello|kellonaika|klo"),
        (.hour, "stunde|tunti"), (.minute, "minuto|minuutti"),
        (
            .member(.notes),
            "note|comment|comments|text|journal entry|reflection|reflections|notiz|notizen|kommentar|kommentare|bemerkung|bemerkungen|nota|notas|comentario"
                + "|comentarios|commentaire|commentaires|remarque|remarques|muistiinpano|muistiinpanot|kommentti|kommentit"
                + "|huomautus|merkintä"
        ),
        (
            .member(.tags),
            "tag|activities|activity|schlagwörter|schlagworte|stichwörter|aktivitäten|etiquetas|actividades"
                + "|étiquettes|etiquettes|mots clés|activités|tunnisteet|avainsanat|aktiviteetit"
        ),
        (.member(.isFavorite), "favorite|favourite|starred|star|favorit|favorito|favori|suosikki"),
        (.member(.timeZone), "time zone|timezone|tz|zeitzone|zona horaria|fuseau horaire|aikavyöhyke"),
    ]

    private static let headings: [String: CSVColumn] = {
        var headings: [String: CSVColumn] = [:]
        for (column, names) in names {
            for name in names.split(separator: "|") { headings[Folded.text(String(name))] = column }
        }
        return headings
    }()
}

/// The columns of a table with their contents.
struct CSVColumns {
    let kinds: [CSVColumn?]
    private let names: [String]
    /// The places of columns whose content is unknown.
    let untaken: Set<Int>
    /// The number of each member's column, from 1.
    let numbers: [String: Int]

    /// - Throws: if `map` names a missing column, or there are no columns for a time and a feeling.
    /// - Parameter isTable: whether each row has as many cells as the header; called before an error names columns.
    init(
        _ names: [String], _ map: [(name: String, target: String)], isTable: () -> Bool
    ) throws(UnreadableFile) {
        let folded = names.map(Folded.text)
        var mapped: [CSVColumn?] = Array(repeating: nil, count: names.count)
        var dropped: Set<Int> = []
        for (name, target) in map {
            guard let place = folded.firstIndex(of: Folded.text(name)) else {
                throw UnreadableFile(
                    "has no column \(name)" + (isTable() ? "; it has \(Self.list(names))" : ""), param: "map")
            }
            if target.isEmpty {
                dropped.insert(place)
                continue
            }
            guard let column = CSVColumn(target: target) else {
                throw UnreadableFile("\(target) is no member of a mood; known are \(CSVColumn.targets)", param: "map")
            }
            if !column.isJoined, let other = mapped.firstIndex(where: { $0?.isSame(as: column) == true }),
                other != place
            {
                throw UnreadableFile(
                    "makes two columns \(target), \(names[other]) and \(name): give one of them another target",
                    param: "map")
            }
            mapped[place] = column
        }
        var kinds = mapped
        // The map comes first, then names of members, then headings in other words.
        let readers: [(String) -> CSVColumn?] = [{ CSVColumn(target: $0) }, { CSVColumn(heading: $0) }]
        for read in readers {
            for (place, name) in names.enumerated() where kinds[place] == nil && !dropped.contains(place) {
                guard let column = read(name), column.isJoined && mapped[place] == nil || !kinds.contains(column) else {
                    continue
                }
                kinds[place] = column
            }
        }
        if !kinds.contains(.member(.timestamp)), !kinds.contains(.date), let time = kinds.firstIndex(of: .time) {
            kinds[time] = .member(.timestamp)
        }
        self.kinds = kinds
        self.names = names
        untaken = Set(kinds.indices.filter { kinds[$0] == nil && !dropped.contains($0) })
        numbers = Self.numbers(kinds)
        let hasTime = kinds.contains(.member(.timestamp)) || kinds.contains(.date)
        guard hasTime, kinds.contains(where: { $0?.isFeeling == true }) else {
            let missing = "has no column for the \(hasTime ? "label" : "timestamp")"
            guard isTable() else {
                throw UnreadableFile(missing + ", and is no table of which each row has as many cells")
            }
            throw UnreadableFile(
                missing
                    + ": say which it is with map (mood=label, when=timestamp); the columns are \(Self.list(names))",
                param: "map")
        }
    }

    /// The members that a row with cells can say.
    /// - Parameter leftOff: places of cells that are left off.
    func says(_ cellCount: Int, leftOff: Set<Int>) -> [String] {
        kinds.enumerated().compactMap { place, column in
            guard place < cellCount, !leftOff.contains(place) else { return nil }
            switch column {
            case .member(let field): return "\(field.name)"
            case .date: return "timestamp"
            case .valence: return "valence"
            case .scale, .time, .hour, .minute, nil: return nil
            }
        }
    }

    /// Whether the columns say all members.
    var isWhole: Bool { CSVColumn.members.allSatisfy { kinds.contains(.member($0)) } }

    /// The problem of columns that are not taken.
    /// - Parameter isTable: whether each row has as many cells as the header, so that columns may be named.
    func problem(ofUntaken places: [Int], line: Int, isTable: Bool) -> ImportProblem {
        let shown = places.prefix(20).map { isTable && !names[$0].isEmpty ? names[$0].prefix(40) : "\($0 + 1)" }
        let list = shown.joined(separator: ", ") + (places.count > 20 ? ", …" : "")
        let columns = places.count == 1 ? "the column \(list)" : "the columns \(list)"
        let example = isTable && !names[places[0]].isEmpty ? String(names[places[0]].prefix(40)) : "NAME"
        return ImportProblem(
            line: line, column: places[0] + 1,
            reason:
                "Nothing is taken of \(columns): say what it is with map (\(example)=notes, \(example)=tags), or that"
                + " it is not wanted (\(example)=).",
            loss: .part)
    }

    func name(_ place: Int) -> String { names[place] }

    private static func list(_ names: [String]) -> String {
        names.prefix(20).map { $0.isEmpty ? "one without a name" : String($0.prefix(40)) }.joined(separator: ", ")
    }

    private static func numbers(_ kinds: [CSVColumn?]) -> [String: Int] {
        var numbers: [String: Int] = [:]
        for (place, column) in kinds.enumerated() {
            let name: String
            switch column {
            case .member(let field): name = "\(field.name)"
            case .scale: name = "scales"
            case .date: name = "timestamp"
            case .valence: name = "valence"
            case .time, .hour, .minute, nil: continue
            }
            if numbers[name] == nil { numbers[name] = place + 1 }
        }
        return numbers
    }
}

extension CSVColumn {
    fileprivate var isFeeling: Bool {
        switch self {
        case .member(.label), .member(.emoji), .member(.valence), .valence: true
        default: false
        }
    }
}
