import JSONCodec

/// Tags with their counts, compared by `NameFolding`. Each keeps its first spelling.
public struct TagCounts {
    struct Tag {
        let spelling: String
        let folded: [UInt8]
        var tally = Tally()
        /// The last use, in milliseconds since 1970.
        var last: Int64
    }

    private(set) var tags: [Tag] = []
    private var byFolded: [[UInt8]: Int] = [:]
    private var lists = TagLists()

    public init() {}

    /// Counts the tags of a mood. Moods come in order of time.
    public mutating func add(_ mood: MoodTraits, valence: Double? = nil, _ texts: MoodTraits.Texts) {
        guard mood.tags > 0 else { return }
        var (tags, byFolded) = ([Tag](), [[UInt8]: Int]())
        swap(&tags, &self.tags)
        swap(&byFolded, &self.byFolded)
        lists.forEach(mood.tags, { Self.read(texts(mood.tags), at: mood.time, &tags, &byFolded) }) { number in
            tags[number].tally.add(valence)
            tags[number].last = max(tags[number].last, mood.time)
        }
        swap(&tags, &self.tags)
        swap(&byFolded, &self.byFolded)
    }

    /// The numbers of the tags of a mood.
    @inline(never)
    private static func read(
        _ text: UnsafeRawBufferPointer, at time: Int64, _ tags: inout [Tag], _ byFolded: inout [[UInt8]: Int]
    ) -> [Int] {
        var reader = JSONReader(ValidJSON(trusting: text))
        guard reader.enterArray() else { return [] }
        var numbers: [Int] = []
        while reader.nextElement() {
            guard let tag = reader.text() else {
                reader.skip()
                continue
            }
            let folded = tag.withDecoded { NameFolding.key($0) }
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
                ? a.tally.count > b.tally.count : a.folded.lexicographicallyPrecedes(b.folded)
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

    /// - Parameter make: computes the list; called once for each number.
    @inline(__always)
    mutating func forEach(_ number: Int, _ make: () -> [Int], _ body: (Int) -> Void) {
        if number >= words.count || words[number] == 0 { add(number, make()) }
        let word = words[number]
        if word & Self.isShort == 0 {
            for tag in long[Int(word >> 3)] { body(tag) }
            return
        }
        var tags = word >> 3
        for _ in 0..<(word & 3) {
            body(Int(tags & (1 << Self.width - 1)))
            tags >>= Self.width
        }
    }

    @inline(never)
    private mutating func add(_ number: Int, _ list: [Int]) {
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
