import Platform

/// Records in one order: entries of (key, slot) in sorted chunks, a B+ tree of two levels.
///
/// An insertion finds its chunk among the chunks' first keys and moves at most half a chunk; a walk goes through
/// arrays. The full order is (key, tie): the caller's `tie` compares two slots with equal keys.
///
/// Invariants
/// 1. Entries are strictly ascending within and across chunks.
/// 2. No chunk is empty, except the single one of an empty run.
/// 3. `firstKeys[c]` is the key of `chunks[c][0]`.
struct RecordRun {
    struct Entry {
        var key: Int64
        var slot: Int32
    }

    /// A place of an entry.
    struct Index {
        var chunk: Int
        var offset: Int
    }

    /// An insertion moves half a chunk: a kilobyte costs little, and the list of chunks stays short.
    static let chunkMax = 128
    private var chunks: [[Entry]] = []
    private var firstKeys: [Int64] = []

    /// Builds a run from entries in its order.
    init(_ sorted: [Entry]) {
        var start = 0
        while start < sorted.count {
            // Three quarters full, so that the next insertions need no split.
            let end = min(start + Self.chunkMax * 3 / 4, sorted.count)
            chunks.append(Array(sorted[start..<end]))
            firstKeys.append(sorted[start].key)
            start = end
        }
    }

    init() {}

    var chunkCount: Int { chunks.count }

    func entry(_ index: Index) -> Entry { chunks[index.chunk][index.offset] }

    /// The first entry for which `isAfter` holds; it must be false, then true along the order.
    func firstIndex(key: Int64, isAfter: (Int32) -> Bool) -> Index {
        func isAfterKeys(_ entry: Entry) -> Bool {
            entry.key != key ? entry.key > key : isAfter(entry.slot)
        }
        // The last chunk whose first entry is not after may contain the place; otherwise the place is the start of the
        // next.
        var low = 0
        var high = chunks.count
        while low < high {
            let middle = (low + high) / 2
            let first = firstKeys[middle]
            if first != key ? first > key : isAfter(chunks[middle][0].slot) {
                high = middle
            } else {
                low = middle + 1
            }
        }
        guard low > 0 else { return Index(chunk: 0, offset: 0) }
        let chunk = low - 1
        let offset = chunks[chunk].withUnsafeBufferPointer { entries in
            var low = 0
            var high = entries.count
            while low < high {
                let middle = (low + high) / 2
                if isAfterKeys(entries[middle]) { high = middle } else { low = middle + 1 }
            }
            return low
        }
        if offset == chunks[chunk].count, chunk + 1 < chunks.count { return Index(chunk: chunk + 1, offset: 0) }
        return Index(chunk: chunk, offset: offset)
    }

    /// Whether the index is after the last entry.
    func isAtEnd(_ index: Index) -> Bool {
        index.chunk >= chunks.count || index.offset >= chunks[index.chunk].count
    }

    /// Moves to the next entry.
    func advance(_ index: inout Index) {
        index.offset += 1
        if index.offset >= chunks[index.chunk].count, index.chunk + 1 < chunks.count {
            index = Index(chunk: index.chunk + 1, offset: 0)
        }
    }

    /// Moves to the entry before; false if there is none.
    func retreat(_ index: inout Index) -> Bool {
        if index.offset > 0 {
            index.offset -= 1
            return true
        }
        guard index.chunk > 0, !chunks.isEmpty else { return false }
        index.chunk -= 1
        index.offset = chunks[index.chunk].count - 1
        return true
    }

    /// The place after the last entry.
    var endIndex: Index {
        guard let last = chunks.last else { return Index(chunk: 0, offset: 0) }
        return Index(chunk: chunks.count - 1, offset: last.count)
    }

    mutating func insert(_ entry: Entry, tie: (Int32, Int32) -> Bool) {
        guard !chunks.isEmpty else {
            chunks.append([entry])
            firstKeys.append(entry.key)
            return
        }
        var index = firstIndex(key: entry.key) { tie(entry.slot, $0) }
        // At a chunk's start the entry may as well end the chunk before, which keeps ascending insertions cheap.
        if index.offset == 0, index.chunk > 0, chunks[index.chunk - 1].count < Self.chunkMax {
            index = Index(chunk: index.chunk - 1, offset: chunks[index.chunk - 1].count)
        }
        chunks[index.chunk].insert(entry, at: index.offset)
        if index.offset == 0 { firstKeys[index.chunk] = entry.key }
        if chunks[index.chunk].count > Self.chunkMax { split(index.chunk, isAtEnd: index.offset == Self.chunkMax) }
    }

    /// Removes the entry of this key and slot; false if there is none.
    @discardableResult
    mutating func remove(key: Int64, slot: Int32, tie: (Int32, Int32) -> Bool) -> Bool {
        let index = firstIndex(key: key) { $0 == slot || tie(slot, $0) }
        guard !isAtEnd(index), entry(index).slot == slot, entry(index).key == key else { return false }
        chunks[index.chunk].remove(at: index.offset)
        if chunks[index.chunk].isEmpty {
            chunks.remove(at: index.chunk)
            firstKeys.remove(at: index.chunk)
        } else if index.offset == 0 {
            firstKeys[index.chunk] = chunks[index.chunk][0].key
        }
        return true
    }

    private mutating func split(_ chunk: Int, isAtEnd: Bool) {
        // Ascending insertions leave full chunks instead of half-full ones.
        let at = isAtEnd ? Self.chunkMax - 8 : chunks[chunk].count / 2
        var upper: [Entry] = []
        upper.reserveCapacity(Self.chunkMax + 1)
        upper.append(contentsOf: chunks[chunk][at...])
        chunks[chunk].removeSubrange(at...)
        chunks.insert(upper, at: chunk + 1)
        firstKeys.insert(upper[0].key, at: chunk + 1)
    }
}

/// A set of row numbers: one bit each. It allocates memory for the first row.
struct RowBits: ~Copyable {
    private var words: UnsafeMutablePointer<UInt64>?
    private let count: Int

    /// An empty set for rows below `count`.
    init(count: Int) { self.count = count }

    deinit { free(words) }

    @inline(__always)
    func contains(_ row: Int) -> Bool {
        guard let words, row >= 0, row < count else { return false }
        return words[row >> 6] >> UInt64(row & 63) & 1 == 1
    }

    mutating func insert(_ row: Int) {
        guard row >= 0, row < count else { return }
        if words == nil { allocate() }
        words?[row >> 6] |= 1 << UInt64(row & 63)
    }

    /// calloc: memory of a large set is not touched before a bit in it is set.
    private mutating func allocate() {
        words = calloc((count + 63) / 64, 8)?.bindMemory(to: UInt64.self, capacity: (count + 63) / 64)
    }

    /// Inserts each row, counted from `first`, that is meant.
    mutating func insert(_ verdicts: [RowVerdict], from first: Int) {
        if words == nil { allocate() }
        guard let words, first >= 0, first <= count else { return }
        let end = min(first + verdicts.count, count)
        var row = first
        while row < end {
            let place = row >> 6
            var word: UInt64 = 0
            while row < min((place + 1) << 6, end) {
                word |= (verdicts[row - first] == .yes ? 1 : 0) << UInt64(row & 63)
                row += 1
            }
            words[place] |= word
        }
    }

    /// Number of rows here that are not in the other set.
    func count(besides others: borrowing RowBits) -> Int {
        guard let words else { return 0 }
        var sum = 0
        for place in 0..<(count + 63) / 64 {
            sum += (words[place] & ~(others.words?[place] ?? 0)).nonzeroBitCount
        }
        return sum
    }

    mutating func remove(_ row: Int) {
        guard row >= 0, row < count else { return }
        words?[row >> 6] &= ~(1 << UInt64(row & 63))
    }

    /// All rows, ascending.
    var rows: [Int] {
        var rows: [Int] = []
        appendRows(of: 0..<count, to: &rows)
        return rows
    }

    /// Appends the rows of a range that are in the set, ascending.
    func appendRows(of range: Range<Int>, to rows: inout [Int]) {
        guard let words, !range.isEmpty else { return }
        for place in range.lowerBound >> 6...(range.upperBound - 1) >> 6 {
            var word = words[place]
            if place == range.lowerBound >> 6 { word &= ~0 << UInt64(range.lowerBound & 63) }
            while word != 0 {
                let row = place << 6 | word.trailingZeroBitCount
                guard row < range.upperBound else { return }
                rows.append(row)
                word &= word - 1
            }
        }
    }
}
