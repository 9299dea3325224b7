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
    private var lists = ListsByNumber<Int>()

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
