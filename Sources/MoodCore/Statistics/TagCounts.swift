import JSONCodec

/// Tags with their counts, compared by `NameFolding`. Each keeps its first spelling.
public struct TagCounts {
    struct Tag {
        let spelling: String
        let folded: Folded
        var tally = Tally()
        /// The last use, in milliseconds since 1970.
        var last: Int64
    }

    /// Hashed as a whole, which takes less time than byte by byte.
    struct Folded: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) { bytes.withUnsafeBytes { hasher.combine(bytes: $0) } }
    }

    private(set) var tags: [Tag] = []
    private var byFolded: [Folded: Int] = [:]
    private var lists = TagLists()

    public init() {}

    /// Counts the tags of a mood. Moods come in order of time.
    public mutating func add(_ mood: MoodTraits, valence: Double? = nil, _ texts: MoodTraits.Texts) {
        guard mood.tags > 0 else { return }
        if !lists.has(mood.tags) { lists.add(mood.tags, read(texts(mood.tags), at: mood.time)) }
        let list = lists[mood.tags]
        for place in 0..<lists.count(list) {
            let number = lists.tag(list, place)
            tags[number].tally.add(valence)
            tags[number].last = max(tags[number].last, mood.time)
        }
    }

    /// The numbers of the tags of a mood.
    @inline(never)
    private mutating func read(_ text: UnsafeRawBufferPointer, at time: Int64) -> [Int] {
        var reader = JSONReader(ValidJSON(trusting: text))
        guard reader.enterArray() else { return [] }
        var numbers: [Int] = []
        while reader.nextElement() {
            guard let tag = reader.text() else {
                reader.skip()
                continue
            }
            let folded = tag.withDecoded { Folded(bytes: NameFolding.key($0)) }
            let number = byFolded[folded] ?? tags.count
            if number == tags.count {
                tags.append(Tag(spelling: tag.string, folded: folded, last: time))
                byFolded[folded] = number
            }
            // Earlier versions stored moods with a tag in two spellings.
            if !numbers.contains(number) { numbers.append(number) }
        }
        return numbers
    }

    /// The tags by count, then tag.
    var sorted: [Tag] {
        tags.sorted { a, b in
            a.tally.count != b.tally.count
                ? a.tally.count > b.tally.count : a.folded.bytes.lexicographicallyPrecedes(b.folded.bytes)
        }
    }

    /// Writes `{tags: [{tag, count, last}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.beginArray("tags")
        for tag in sorted {
            writer.beginObject()
            writer.member("tag", tag.spelling)
            writer.member("count", tag.tally.count)
            writer.member("last", Timestamp(milliseconds: tag.last)?.text)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}

/// The numbers of the tags in each list, found out once.
///
/// A few are in the word of the list itself: a million moods name the lists in no order, so each further place costs a
/// miss of the processor's caches.
private struct TagLists {
    /// By number of the list: 0 for one that is not known; with `isShort` the tags, 20 bits each, and their number in the
    /// lowest bits; else a place in `long`.
    private var words: [UInt64] = []
    private var long: [[Int]] = []

    private static let isShort: UInt64 = 4
    private static let shortMax = 3
    private static let width: UInt64 = 20

    func has(_ number: Int) -> Bool { number < words.count && words[number] != 0 }
    subscript(number: Int) -> UInt64 { words[number] }

    func count(_ word: UInt64) -> Int {
        word & Self.isShort == 0 ? long[Int(word >> 3)].count : Int(word & 3)
    }

    func tag(_ word: UInt64, _ place: Int) -> Int {
        if word & Self.isShort == 0 { return long[Int(word >> 3)][place] }
        return Int(word >> (3 + UInt64(place) * Self.width) & (1 << Self.width - 1))
    }

    @inline(never)
    mutating func add(_ number: Int, _ list: [Int]) {
        if number >= words.count { words += repeatElement(0, count: number + 1 - words.count) }
        if list.count <= Self.shortMax, list.allSatisfy({ $0 >> Self.width == 0 }) {
            let tags = list.reversed().reduce(0 as UInt64) { $0 << Self.width | UInt64($1) }
            words[number] = tags << 3 | Self.isShort | UInt64(list.count)
        } else {
            // The first place is that of no word.
            if long.isEmpty { long.append([]) }
            words[number] = UInt64(long.count) << 3
            long.append(list)
        }
    }
}
