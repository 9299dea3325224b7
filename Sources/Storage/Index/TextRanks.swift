import JSONCodec

/// The texts that records are sorted by, each kept once: many records share few of them. What is kept is folded already,
/// so the order of the texts is the order of their bytes.
struct TextRanks: ~Copyable {
    private struct Text {
        let prefix: Int64
        let start: Int
        let byteCount: Int
        let hash: UInt32
    }

    private struct SortedText {
        let prefix: Int64
        /// The first eight bytes, the first highest, zero behind the end.
        let start: UInt64
        let number: Int
    }

    /// Where a text is written before it is entered.
    var arena = ByteBuffer(capacity: 4096)
    private var end = 0
    private var texts: [Text] = []
    /// Number of a text + 1 at its hash, by linear probing; 0: empty. At most three quarters are used.
    private var table = [UInt32](repeating: 0, count: 256)
    private let hash: SipHash

    init(_ key: IndexKey) { hash = SipHash(key) }

    var count: Int { texts.count }

    /// Enters the text that stands behind the others in `arena`: its number.
    mutating func enter(prefix: Int64) -> UInt32 {
        let bytes = UnsafeRawBufferPointer(rebasing: arena.bytes[end...])
        let hash = UInt32(truncatingIfNeeded: hash(bytes) ^ UInt64(bitPattern: prefix))
        if (texts.count + 1) * 4 > table.count * 3 { grow() }
        var at = Int(hash) & (table.count - 1)
        while table[at] != 0 {
            let text = texts[Int(table[at]) - 1]
            if text.hash == hash, text.prefix == prefix, text.byteCount == bytes.count,
                JSONText.sameBytes(self.bytes(text), bytes)
            {
                arena.truncate(to: end)
                return table[at] - 1
            }
            at = (at + 1) & (table.count - 1)
        }
        texts.append(Text(prefix: prefix, start: end, byteCount: bytes.count, hash: hash))
        table[at] = UInt32(truncatingIfNeeded: texts.count)
        end = arena.count
        return table[at] - 1
    }

    /// Forgets what was written behind the last text.
    mutating func discard() { arena.truncate(to: end) }

    /// The rank of each text by its number, from 0: by prefix, then by bytes.
    func ranks() -> [UInt32] {
        var sorted = texts.enumerated().map {
            SortedText(prefix: $1.prefix, start: Self.start(bytes($1)), number: $0)
        }
        sorted.sort { a, b in
            if a.prefix != b.prefix { return a.prefix < b.prefix }
            if a.start != b.start { return a.start < b.start }
            return Self.compare(bytes(texts[a.number]), bytes(texts[b.number])) < 0
        }
        var ranks = [UInt32](repeating: 0, count: texts.count)
        for (rank, text) in sorted.enumerated() { ranks[text.number] = UInt32(truncatingIfNeeded: rank) }
        return ranks
    }

    private func bytes(_ text: Text) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena.bytes[text.start..<text.start + text.byteCount])
    }

    private static func start(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        if bytes.count >= 8 { return UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)) }
        var word: UInt64 = 0
        for index in 0..<8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
        return word
    }

    private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        var at = 0
        let shared = min(a.count, b.count)
        while at < shared {
            if a[at] != b[at] { return a[at] < b[at] ? -1 : 1 }
            at += 1
        }
        return a.count - b.count
    }

    private mutating func grow() {
        table = [UInt32](repeating: 0, count: table.count * 2)
        for (number, text) in texts.enumerated() {
            var at = Int(text.hash) & (table.count - 1)
            while table[at] != 0 { at = (at + 1) & (table.count - 1) }
            table[at] = UInt32(truncatingIfNeeded: number + 1)
        }
    }
}
