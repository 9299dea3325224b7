import JSONCodec

/// The members of a mood for statistics, without its record. Numbers stand for texts; 0 is none.
public struct MoodTraits {
    /// Returns a raw text of a record by its number.
    public typealias Texts = (Int) -> UnsafeRawBufferPointer

    public let time: Int64
    public let isFavorite: Bool
    /// The mood's own valence; nil if it has none.
    public let valence: Double?
    /// The number of a `FeelingText`.
    public let feeling: Int
    /// The number of an array of strings.
    public let tags: Int
    /// The number of an object of numbers.
    public let scales: Int
    /// The number of a string's contents.
    public let timeZone: Int

    @inline(__always)
    public init(
        time: Int64, isFavorite: Bool, valence: Double?, feeling: Int, tags: Int, scales: Int, timeZone: Int
    ) {
        self.time = time
        self.isFavorite = isFavorite
        self.valence = valence
        self.feeling = feeling
        self.tags = tags
        self.scales = scales
        self.timeZone = timeZone
    }
}

/// An emoji and a label as one text: `😊","label":"Happy`, as in a mood's record.
public struct FeelingText {
    public static let separator: StaticString = "\",\"label\":\""
    public static let separatorLength = 11

    public let emoji: JSONText
    public let label: JSONText

    public init(_ text: UnsafeRawBufferPointer) {
        // In a JSON string each quote follows a backslash, and no emoji has a backslash before a quote.
        let end = text.firstIndex(of: UInt8(ascii: "\"")) ?? text.count
        emoji = JSONText(column: UnsafeRawBufferPointer(rebasing: text[..<end]))
        label = JSONText(
            column: UnsafeRawBufferPointer(rebasing: text[min(end + Self.separatorLength, text.count)...]))
    }
}

extension JSONText {
    /// Makes a text from a string's raw contents in a record.
    public init(column raw: UnsafeRawBufferPointer) {
        self.init(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\")))
    }
}

/// A list for each number of a text, computed once.
struct ListsByNumber<Element> {
    /// The range of each list in `elements`; a start of -1 is not known yet.
    private var places: [(start: Int32, count: Int32)] = []
    private var elements: [Element] = []

    /// - Parameter make: computes the list; called once for each number.
    @inline(__always)
    mutating func forEach(_ number: Int, _ make: () -> [Element], _ body: (Element) -> Void) {
        if number >= places.count || places[number].start < 0 { add(number, make()) }
        let place = places[number]
        var at = Int(place.start)
        for _ in 0..<place.count {
            body(elements[at])
            at += 1
        }
    }

    @inline(never)
    private mutating func add(_ number: Int, _ list: [Element]) {
        while places.count <= number { places.append((-1, 0)) }
        places[number] = (Int32(clamping: elements.count), Int32(clamping: list.count))
        elements += list
    }
}
