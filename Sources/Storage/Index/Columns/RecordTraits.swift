import JSONCodec

/// The values of a record for sums over all records. The index stores them in columns, so that no record is read for
/// them.
public struct RecordTraits {
    /// Number of texts that a record can have.
    public static let textCount = 4

    /// Eight bytes that only the caller interprets.
    public var word: UInt64
    /// Views of the record, or of the caller's buffer; nil for a missing text.
    public var texts: InlineArray<4, UnsafeRawBufferPointer?>

    public init(word: UInt64, texts: InlineArray<4, UnsafeRawBufferPointer?>) {
        self.word = word
        self.texts = texts
    }
}

/// The traits of a record as stored in a column, each text as a number.
///
/// | offset | bytes | |
/// | --- | --- | --- |
/// | 0 | 8 | time, signed |
/// | 8 | 8 | word |
/// | 16 | 16 | numbers of the texts, 4 bytes each, from 1 on, 0 for none; the highest bit of the last: it is marked |
public struct ColumnEntry {
    public let time: Int64
    public let word: UInt64
    public let isMarked: Bool
    /// 0 for no text. Equal numbers are equal texts; a text may have several numbers.
    public let texts: InlineArray<4, UInt32>

    private static let mark: UInt32 = 1 << 31

    init(time: Int64, word: UInt64, isMarked: Bool, texts: InlineArray<4, UInt32>) {
        self.time = time
        self.word = word
        self.isMarked = isMarked
        self.texts = texts
    }

    @inline(__always)
    init(_ entry: UnsafeRawBufferPointer, at offset: Int) {
        time = entry.integer(at: offset, Int64.self)
        word = entry.integer(at: offset + 8, UInt64.self)
        let last = entry.integer(at: offset + 28, UInt32.self)
        isMarked = last & Self.mark != 0
        texts = [
            entry.integer(at: offset + 16, UInt32.self), entry.integer(at: offset + 20, UInt32.self),
            entry.integer(at: offset + 24, UInt32.self), last & ~Self.mark,
        ]
    }

    @inline(__always)
    func append(to image: inout ByteBuffer) {
        image.append(word: UInt64(bitPattern: time))
        image.append(word: word)
        image.append(word: UInt64(texts[0]) | UInt64(texts[1]) << 32)
        image.append(word: UInt64(texts[2]) | UInt64(texts[3] | (isMarked ? Self.mark : 0)) << 32)
    }
}

/// The texts of columns by their numbers: those of the index, then those of later records.
///
/// A class, because a summing caller uses it during a walk.
public final class ColumnTexts {
    /// The texts of the index, each after four bytes, and the end of each. Constants, which need no check of access.
    private let arena: ByteBuffer
    private let ends: [Int]
    private static let lengthBytes = 4
    private var added = TextRanks(.random())
    private var scratch = ByteBuffer(capacity: 256)

    public init() {
        arena = ByteBuffer()
        ends = []
    }

    /// - Parameter section: the texts, each after its length; nil if it is cut short.
    init?(_ section: UnsafeRawBufferPointer, count: Int) {
        var ends: [Int] = []
        ends.reserveCapacity(count)
        var at = 0
        for _ in 0..<count {
            guard section.count - at >= Self.lengthBytes else { return nil }
            let length = Int(section.integer(at: at, UInt32.self))
            at += Self.lengthBytes
            guard section.count - at >= length else { return nil }
            at += length
            ends.append(at)
        }
        self.ends = ends
        var arena = ByteBuffer(capacity: section.count)
        arena.append(section)
        self.arena = arena
    }

    /// One more than the highest number of a text.
    public var numbersEnd: Int { ends.count + added.count + 1 }

    /// A text by its number, which is not 0; valid until the walk moves on.
    public subscript(number: UInt32) -> UnsafeRawBufferPointer {
        let place = Int(number) - 1
        if ends.indices.contains(place) {
            let start = (place == 0 ? 0 : ends[place - 1]) + Self.lengthBytes
            return UnsafeRawBufferPointer(rebasing: arena.bytes[start..<ends[place]])
        }
        guard place >= 0, place - ends.count < added.count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return added.bytes(place - ends.count)
    }

    /// The column entry of a record that the index does not have.
    public func entry(_ head: RecordHead, _ record: UnsafeRawBufferPointer, _ extractor: RecordExtractor) -> ColumnEntry
    {
        entry(head, extractor.traits(record, &scratch))
    }

    /// The column entry of a record with these traits.
    func entry(_ head: RecordHead, _ traits: RecordTraits) -> ColumnEntry {
        var numbers = InlineArray<4, UInt32>(repeating: 0)
        for place in 0..<RecordTraits.textCount {
            if let text = traits.texts[place] { numbers[place] = number(of: text) }
        }
        return ColumnEntry(time: head.time, word: traits.word, isMarked: head.isMarked, texts: numbers)
    }

    private func number(of text: UnsafeRawBufferPointer) -> UInt32 {
        UInt32(truncatingIfNeeded: ends.count + 1) + added.enter(text)
    }
}
