import JSONCodec

/// Tags with what is counted of them, compared folded. Each keeps its first spelling.
public struct TagCounts {
    struct Tag {
        let spelling: String
        let folded: [UInt8]
        var tally = Tally()
        /// When it was last used, in milliseconds since 1970.
        var last: Int64
    }

    private(set) var tags: [Tag] = []
    private var byFolded: [[UInt8]: Int] = [:]
    /// By the bytes as they stand in a record, so that a tag is folded once for each spelling.
    private var bySpelling: [[UInt8]: Int] = [:]
    private static let spellingsMax = 10_000

    public init() {}

    /// Counts the tags of a mood. Moods come in order of time.
    public mutating func add(_ facts: MoodFacts, valence: Double? = nil) {
        guard let given = facts.tags else { return }
        var reader = JSONReader(given)
        guard reader.enterArray() else { return }
        var counted: [Int] = []
        while reader.nextElement() {
            guard let tag = reader.text() else {
                reader.skip()
                continue
            }
            let number = number(of: tag, at: facts.time)
            // A mood that was stored before tags were compared folded may have one twice.
            if counted.contains(number) { continue }
            counted.append(number)
            tags[number].tally.add(valence)
            tags[number].last = max(tags[number].last, facts.time)
        }
    }

    private mutating func number(of tag: JSONText, at time: Int64) -> Int {
        let raw = Array(tag.raw)
        if let number = bySpelling[raw] { return number }
        let folded = tag.withDecoded { bytes in
            var folded: [UInt8] = []
            CaseFolding.appendFolded(utf8: bytes, to: &folded)
            return folded
        }
        let number = byFolded[folded] ?? tags.count
        if number == tags.count {
            tags.append(Tag(spelling: tag.string, folded: folded, last: time))
            byFolded[folded] = number
        }
        if bySpelling.count < Self.spellingsMax { bySpelling[raw] = number }
        return number
    }

    /// By count, then tag.
    var sorted: [Tag] {
        tags.sorted { a, b in
            a.tally.count != b.tally.count
                ? a.tally.count > b.tally.count : a.folded.lexicographicallyPrecedes(b.folded)
        }
    }

    /// Writes `{tags: [{tag, count, last}]}`.
    public func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("tags")
        writer.beginArray()
        for tag in sorted {
            writer.beginObject()
            writer.member("tag", tag.spelling)
            writer.key("count")
            writer.integer(tag.tally.count)
            writer.member("last", Timestamp(milliseconds: tag.last)?.text)
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
    }
}
