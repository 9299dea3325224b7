import JSONCodec
import Platform

/// The texts by which records are sorted, equal ones stored once: usually many records share few texts. If they do not,
/// each text is stored without a search, which would cost more than it saves. Texts are stored folded, so their order
/// is that of their bytes.
struct TextRanks: ~Copyable {
    private struct Text {
        let prefix: Int64
        let start: Int
        let byteCount: Int
    }

    /// The buffer for the next text, before it is entered.
    var arena = ByteBuffer(capacity: 4096)
    private var end = 0
    private var texts: [Text] = []
    /// Entries with half of the hash in the high half and the number of a text + 1 in the low one, placed by the hash,
    /// with linear probing; 0 is empty. At most three quarters are used.
    private var table = [UInt64](repeating: 0, count: 256)
    private let hash: SipHash
    /// Whether to search for an equal text before storing one.
    private var isSharing = true
    /// The search ends when three quarters of this many texts are new.
    private static let trialTexts = 1 << 15
    private var trialLeft = TextRanks.trialTexts
    private var trialStart = 0

    init(_ key: IndexKey) { hash = SipHash(key) }

    var count: Int { texts.count }
    /// Bytes of all texts.
    var byteCount: Int { end }
    func bytes(_ number: Int) -> UnsafeRawBufferPointer { bytes(texts[number]) }
    func prefix(_ number: Int) -> Int64 { texts[number].prefix }

    mutating func enter(_ text: UnsafeRawBufferPointer) -> UInt32 {
        arena.append(text)
        return enter(prefix: 0)
    }

    /// Enters the text at the end of `arena`; returns its number.
    mutating func enter(prefix: Int64) -> UInt32 {
        guard isSharing else { return keep(prefix) }
        trialLeft -= 1
        if trialLeft == 0 { judge() }
        let bytes = UnsafeRawBufferPointer(rebasing: arena.bytes[end...])
        let hash = (hash(bytes) ^ UInt64(bitPattern: prefix)) & 0xffff_ffff
        if (texts.count + 1) * 4 > table.count * 3 { grow() }
        var at = Int(hash) & (table.count - 1)
        while table[at] != 0 {
            let number = Int(table[at] & 0xffff_ffff) - 1
            if table[at] >> 32 == hash, texts[number].prefix == prefix,
                JSONText.sameBytes(self.bytes(texts[number]), bytes)
            {
                arena.truncate(to: end)
                return UInt32(truncatingIfNeeded: number)
            }
            at = (at + 1) & (table.count - 1)
        }
        table[at] = hash << 32 | UInt64(texts.count + 1)
        return keep(prefix)
    }

    private mutating func keep(_ prefix: Int64) -> UInt32 {
        texts.append(Text(prefix: prefix, start: end, byteCount: arena.count - end))
        end = arena.count
        return UInt32(truncatingIfNeeded: texts.count - 1)
    }

    /// Ends the sharing if hardly any text was there before. It does not begin again, because the table then lacks
    /// texts.
    private mutating func judge() {
        if texts.count - trialStart > Self.trialTexts / 4 * 3 {
            isSharing = false
            table = [0]
        }
        trialLeft = Self.trialTexts
        trialStart = texts.count
    }

    /// Drops the bytes after the last text.
    mutating func discard() { arena.truncate(to: end) }

    /// The rank of each text by its number, from 0: by prefix, then by bytes. Equal texts have equal ranks.
    func ranks() -> [UInt32] {
        var sort = IndexSort(count: texts.count) { UInt64(bitPattern: texts[$0].prefix) ^ 1 << 63 }
        sort.sort()
        sortTies(&sort, 0..<texts.count, depth: 0)
        var ranks = [UInt32](repeating: 0, count: texts.count)
        var rank: UInt32 = 0
        for place in 0..<texts.count {
            // Equal texts were in one run to the end, and so have equal keys.
            if place > 0, sort.entries[place].key != sort.entries[place - 1].key || !isSame(sort, place) { rank += 1 }
            ranks[sort.row(place)] = rank
        }
        return ranks
    }

    /// Whether the text at a place equals the one before it.
    private func isSame(_ sort: borrowing IndexSort, _ place: Int) -> Bool {
        if isSharing { return false }
        let (text, other) = (texts[sort.row(place)], texts[sort.row(place - 1)])
        return text.prefix == other.prefix && JSONText.sameBytes(bytes(text), bytes(other))
    }

    /// Orders the runs of equal keys by the eight bytes from `depth` on, and the runs that are equal there by the next
    /// eight.
    private func sortTies(_ sort: inout IndexSort, _ range: Range<Int>, depth: Int) {
        var start = range.lowerBound
        while start < range.upperBound {
            let run = start..<sort.endOfRun(start, range.upperBound)
            start = run.upperBound
            guard run.count > 1 else { continue }
            if run.allSatisfy({ texts[sort.row($0)].byteCount <= depth }) {
                // Only zeros at the end distinguish them.
                sort.sort(run) { UInt64(texts[$0].byteCount) }
                continue
            }
            guard depth < Self.wordwiseBytesMax else {
                sort.sort(run) { Self.compare(bytes(texts[$0]), bytes(texts[$1])) < 0 }
                continue
            }
            sort.sort(run) { Self.word(bytes(texts[$0]), depth) }
            sortTies(&sort, run, depth: depth + 8)
        }
    }

    /// Texts that are equal up to here are compared as a whole: there are few, and the recursion stops.
    private static let wordwiseBytesMax = 64

    private func bytes(_ text: Text) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena.bytes[text.start..<text.start + text.byteCount])
    }

    /// Eight bytes, the first highest, zero after the end.
    private static func word(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt64 {
        if bytes.count - at >= 8 {
            return UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        }
        var word: UInt64 = 0
        for index in at..<at + 8 { word = word << 8 | (index < bytes.count ? UInt64(bytes[index]) : 0) }
        return word
    }

    private static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        guard let first = a.baseAddress, let second = b.baseAddress else { return a.count - b.count }
        let sign = memcmp(first, second, min(a.count, b.count))
        return sign != 0 ? Int(sign) : a.count - b.count
    }

    private mutating func grow() {
        var larger = [UInt64](repeating: 0, count: table.count * 2)
        for entry in table where entry != 0 {
            var at = Int(entry >> 32) & (larger.count - 1)
            while larger[at] != 0 { at = (at + 1) & (larger.count - 1) }
            larger[at] = entry
        }
        table = larger
    }
}
