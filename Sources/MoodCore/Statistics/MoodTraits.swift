import JSONCodec

/// What statistics look at in a mood, without its record. Texts are given by numbers; 0 is none.
public struct MoodTraits {
    /// Hands out a text by its number, as it stands in a record.
    public typealias Texts = (Int) -> UnsafeRawBufferPointer

    public let time: Int64
    public let isFavorite: Bool
    /// Its own; nil if it has none.
    public let valence: Double?
    /// See `FeelingText`.
    public let feeling: Int
    /// An array of strings.
    public let tags: Int
    /// An object of numbers.
    public let scales: Int
    /// The contents of a string.
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

/// An emoji and a label as one text: `😊","label":"Happy`, as they stand in a mood.
public struct FeelingText {
    public static let separator: StaticString = "\",\"label\":\""
    public static let separatorLength = 11

    public let emoji: JSONText
    public let label: JSONText

    public init(_ text: UnsafeRawBufferPointer) {
        // No string of JSON has a quote in it that no backslash stands before, and no emoji has a backslash before a quote.
        let end = text.firstIndex(of: UInt8(ascii: "\"")) ?? text.count
        emoji = JSONText(column: UnsafeRawBufferPointer(rebasing: text[..<end]))
        label = JSONText(
            column: UnsafeRawBufferPointer(rebasing: text[min(end + Self.separatorLength, text.count)...]))
    }
}

extension JSONText {
    /// The contents of a string as they stood in a record.
    public init(column raw: UnsafeRawBufferPointer) {
        self.init(raw: raw, isEscaped: raw.contains(UInt8(ascii: "\\")))
    }
}

/// A list for each number of a text, found out once.
struct ListsByNumber<Element> {
    /// Where each list lies in `elements`; a start of -1: not known.
    private var places: [(start: Int32, count: Int32)] = []
    private var elements: [Element] = []

    /// - Parameter make: what the list is; asked once for a number.
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
