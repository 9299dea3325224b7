import JSONCodec
import MoodCore
import MoodText

/// A reader's finding in a file.
public enum ImportItem: Sendable {
    case mood(ImportedMood)
    case problem(ImportProblem)
    /// The text of a `Settings` object.
    case settings(line: Int, [UInt8])
}

/// A mood in a file, before any check.
public struct ImportedMood: Sendable {
    /// The line where it begins, from 1.
    public var line: Int
    /// Whether the file has its id. Otherwise the id comes from the content.
    public var carriesID: Bool
    /// One JSON object: the members of a mood by their names, `id` among them.
    public var json: [UInt8]
    /// The beginning of the raw text.
    public var text: String
    /// The column of each member, from 1.
    public var columns: [String: Int] = [:]
    /// The members that the file can say; nil is all. Of a mood that is there the others stay.
    public var says: [String]?
    /// The unreadable parts that are left out.
    public var leftOff: [ImportProblem] = []

    public init(line: Int, carriesID: Bool, json: [UInt8], text: String, leftOff: [ImportProblem] = []) {
        (self.line, self.carriesID, self.json, self.text) = (line, carriesID, json, text)
        self.leftOff = leftOff
    }
}

/// A part of a file that cannot be read.
public struct ImportProblem: Sendable, Equatable {
    /// The loss that a problem means.
    public enum Loss: Sendable {
        /// A row that is not imported.
        case row
        /// A part of an imported row.
        case part
        /// No loss: the row is not a mood, such as a cancelled event.
        case none
    }

    /// The line, from 1.
    public var line: Int
    /// The column, from 1; nil is the whole line.
    public var column: Int?
    public var reason: String
    /// The beginning of the raw text.
    public var text: String
    public var loss: Loss

    public init(line: Int, column: Int? = nil, reason: String, text: String = "", loss: Loss = .row) {
        (self.line, self.column, self.reason, self.text, self.loss) = (line, column, reason, text, loss)
    }
}

/// A feeling with its own name, emoji and value.
public struct KnownFeeling: Sendable {
    public var emoji: String
    public var label: String
    public var valence: Double?
    public var aliases: [String]

    public init(emoji: String, label: String, valence: Double?, aliases: [String]) {
        (self.emoji, self.label, self.valence, self.aliases) = (emoji, label, valence, aliases)
    }
}

/// A reader's options besides the file.
public struct ImportOptions: Sendable {
    /// The zone of times without one, and whether the moods were lived in it; nil refuses such times.
    public var timeZone: (name: String, isLivedIn: Bool)?
    /// Members by column, and values by label.
    public var map: [(name: String, target: String)] = []
    /// The form of dates with two readings, such as `%d/%m/%Y`.
    public var dateFormat: String?
    public var feelings: [KnownFeeling] = [] {
        didSet { nameFeelings() }
    }
    /// The emoji of an unknown feeling.
    public static let plainEmoji = "💭"

    /// Indices in `feelings` by folded label, else by folded alias.
    private var places: [String: Int] = [:]

    public init() {}

    private mutating func nameFeelings() {
        places = [:]
        for (place, feeling) in feelings.enumerated() where places[Folded.text(feeling.label)] == nil {
            places[Folded.text(feeling.label)] = place
        }
        for (place, feeling) in feelings.enumerated() {
            for alias in feeling.aliases where places[Folded.text(alias)] == nil { places[Folded.text(alias)] = place }
        }
    }

    /// The feeling with the nearest value; nil without a value, or without a feeling that has one.
    func feeling(nearestTo valence: String?) -> KnownFeeling? {
        guard let valence = valence.flatMap({ Double($0) }), -1...1 ~= valence else { return nil }
        return feelings.filter { $0.valence != nil }.min {
            abs(($0.valence ?? 0) - valence) < abs(($1.valence ?? 0) - valence)
        }
    }

    /// The column names by member.
    var columns: [(name: String, target: String)] { map.filter { !JSONNumberText.isNumber($0.target) } }

    /// Reads a time, and the zone of the place if it is known.
    /// - Parameter own: the zone next to the time.
    public func moment(_ text: String, own: String?) -> (time: Timestamp, zone: String?)? {
        var times = ImportTimeParser(self)
        do throws(ImportTimeParser.Failure) {
            let moment = try times.read(text, own: own)
            return (moment.time, moment.zone)
        } catch {
            return nil
        }
    }

    /// The feeling of a label or alias.
    public func feeling(_ label: String) -> KnownFeeling? {
        places[Folded.text(label)].map { feelings[$0] }
    }
}

/// The reason why a file is not read at all.
public struct UnreadableFile: Error, Sendable, Equatable {
    /// The param to blame: "text", "map", "timeZone", "dateFormat", "format".
    public var param: String
    public var reason: String

    init(_ reason: String, param: String = "text") {
        self.reason = reason
        self.param = param
    }
}

enum Folded {
    static func text(_ text: String) -> String {
        var folded: [UInt8] = []
        var text = text
        text.withUTF8 { CaseFolding.appendFolded(utf8: UnsafeRawBufferPointer($0), to: &folded) }
        return String(decoding: folded, as: UTF8.self)
    }
}

enum JSONNumberText {
    /// Whether a text is a simple JSON number, such as `-0.35`: most are, and this check is fast.
    static func isPlain(_ text: String) -> Bool {
        var digits = text.utf8.first == 45 ? text.utf8.dropFirst() : text.utf8[...]
        guard digits.count <= 15, let first = digits.popFirst(), (48...57).contains(first) else { return false }
        if digits.isEmpty { return true }
        guard digits.popFirst() == 46, !digits.isEmpty else { return false }
        return digits.allSatisfy { (48...57).contains($0) }
    }

    /// Whether a text is a number of JSON.
    static func isNumber(_ text: String) -> Bool {
        guard let first = text.utf8.first, first == 45 || (48...57).contains(first) else { return false }
        return Double(text) != nil && (try? JSONValue.parse(Array(text.utf8))) != nil
    }
}

/// The ids of rows without one: UUID version 5 of the format, the row's raw cells, and its number among equal rows,
/// separated by NUL. So importing a file again gives the same moods.
public struct RowIDs {
    /// The namespace, which never changes. 3114c0ec-5401-5847-a687-6761b40ea5da
    private static let namespace = MoodID(high: 0x3114_c0ec_5401_5847, low: 0xa687_6761_b40e_a5da)

    private let format: String
    private var counts: [MoodID: Int] = [:]

    /// - Parameter expected: the likely number of rows; a wrong one only costs time.
    public init(_ format: String, expected: Int = 0) {
        self.format = format
        counts.reserveCapacity(min(expected, Self.expectedMax))
    }

    private static let expectedMax = 1 << 17

    public mutating func next(_ cells: [[UInt8]]) -> MoodID {
        let plain = Self.id(format, cells, 0)
        let number = counts[plain, default: 0]
        counts[plain] = number + 1
        return number == 0 ? plain : Self.id(format, cells, number)
    }

    private static func id(_ format: String, _ cells: [[UInt8]], _ number: Int) -> MoodID {
        MoodID(version5In: namespace) { name in
            name.append(utf8: format)
            name.append(0)
            for (place, cell) in cells.enumerated() {
                if place > 0 { name.append(0) }
                cell.withUnsafeBytes { name.append($0) }
            }
            name.append(0)
            name.append(integer: number)
        }
    }
}

/// The beginning of a line's text, for people.
enum Excerpt {
    static let bytesMax = 160

    static func of(_ bytes: some Collection<UInt8>) -> String {
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        let cut = String(decoding: line.prefix(bytesMax), as: UTF8.self)
        return line.count > bytesMax ? cut + "…" : cut
    }
}
