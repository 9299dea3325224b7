import JSONCodec
import MoodCore
import MoodText

/// What a reader finds in a file.
public enum ImportItem: Sendable {
    case mood(ImportedMood)
    case problem(ImportProblem)
    /// The text of a `Settings` object.
    case settings(line: Int, [UInt8])
}

/// A mood as a file has it. What it says is not checked yet.
public struct ImportedMood: Sendable {
    /// Where it begins, from 1.
    public var line: Int
    /// Whether the file names its id; else that is made of what the file says.
    public var carriesID: Bool
    /// One JSON object: the members of a mood by their names, `id` among them.
    public var json: [UInt8]
    /// The beginning of what stands there.
    public var text: String
    /// Which column each member was taken from, from 1.
    public var columns: [String: Int] = [:]
    /// The things in it that could not be read and were left off.
    public var leftOff: [ImportProblem] = []

    public init(line: Int, carriesID: Bool, json: [UInt8], text: String) {
        self.line = line
        self.carriesID = carriesID
        self.json = json
        self.text = text
    }
}

/// Something that could not be read.
public struct ImportProblem: Sendable, Equatable {
    /// The loss that it is.
    public enum Loss: Sendable {
        /// A row that is not taken.
        case row
        /// A part of a row that is taken.
        case part
        /// No loss: a row that is no mood, such as an event that was cancelled.
        case none
    }

    /// From 1.
    public var line: Int
    /// From 1; nil where it is the line as a whole.
    public var column: Int?
    public var reason: String
    /// The beginning of what stands there.
    public var text: String
    public var loss: Loss

    public init(line: Int, column: Int? = nil, reason: String, text: String = "", loss: Loss = .row) {
        self.line = line
        self.column = column
        self.reason = reason
        self.text = text
        self.loss = loss
    }
}

/// A feeling that has a name, an emoji and a value of its own.
public struct KnownFeeling: Sendable {
    public var emoji: String
    public var label: String
    public var valence: Double?
    public var aliases: [String]

    public init(emoji: String, label: String, valence: Double?, aliases: [String]) {
        self.emoji = emoji
        self.label = label
        self.valence = valence
        self.aliases = aliases
    }
}

/// What a reader needs to know besides the file.
public struct ImportOptions: Sendable {
    /// The zone of times that have none, and whether the moods were lived in it; nil: such times are refused.
    public var timeZone: (name: String, isLivedIn: Bool)?
    /// Columns by the member that they are, and labels by the value that they have.
    public var map: [(name: String, target: String)] = []
    /// How dates are written that could be two days, such as `%d/%m/%Y`.
    public var dateFormat: String?
    public var feelings: [KnownFeeling] = [] {
        didSet { nameFeelings() }
    }
    /// What an unknown feeling is shown as.
    public static let plainEmoji = "💭"

    /// Places in `feelings` by folded label, else by folded alias.
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

    /// The feeling whose value is nearest; nil where there is no value, or no feeling that has one.
    func feeling(nearestTo valence: String?) -> KnownFeeling? {
        guard let valence = valence.flatMap({ Double($0) }), -1...1 ~= valence else { return nil }
        return feelings.filter { $0.valence != nil }.min {
            abs(($0.valence ?? 0) - valence) < abs(($1.valence ?? 0) - valence)
        }
    }

    /// The column names by member.
    var columns: [(name: String, target: String)] { map.filter { !JSONNumberText.isNumber($0.target) } }

    /// A moment as files write it, and the zone that it was lived in, where that is known.
    /// - Parameter own: the zone that stands beside it.
    public func moment(_ text: String, own: String?) -> (time: Timestamp, zone: String?)? {
        var times = TimeReader(self)
        do throws(TimeReader.Failure) {
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

/// Why a file is not read at all.
public struct UnreadableFile: Error, Sendable, Equatable {
    /// Which param is to blame: "text", "map", "timeZone", "dateFormat", "format".
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
    /// Whether a text is a number of JSON of the usual kind, such as `-0.35`: most are, and this is found out at once.
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

/// The ids of rows that have none: UUID version 5 of the format, the row's cells as they stand, and its number among equal
/// rows, with NUL between each two. So the same file again makes the same moods.
public struct RowIDs {
    /// Fixed for ever. 3114c0ec-5401-5847-a687-6761b40ea5da
    private static let namespace = MoodID(high: 0x3114_c0ec_5401_5847, low: 0xa687_6761_b40e_a5da)

    private let format: String
    private var counts: [MoodID: Int] = [:]

    /// - Parameter expected: how many rows there may be, as far as is known; another number is no error, only slower.
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

/// The beginning of what stands in a line, for people.
enum Excerpt {
    static let bytesMax = 160

    static func of(_ bytes: some Collection<UInt8>) -> String {
        let line = bytes.prefix { $0 != 10 && $0 != 13 }
        let cut = String(decoding: line.prefix(bytesMax), as: UTF8.self)
        return line.count > bytesMax ? cut + "…" : cut
    }
}
