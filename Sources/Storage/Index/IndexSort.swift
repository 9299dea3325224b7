/// A row number and its sort key.
struct IndexSortEntry {
    var key: UInt64
    var row: UInt32
}

/// A stable sort by the key: byte by byte from the lowest (an LSD radix sort; Knuth, TAOCP 5.2.5), so the time is
/// linear for any keys. Bytes that are equal in all keys cost nothing. If more than four differ, it sorts by the
/// highest four first, and then only the keys that are equal in these: random ones hardly ever are.
///
/// Why unsafe memory: a million entries move up to eight times, and arrays would check each move. Proof: both buffers
/// have `count` entries, ranges lie in them, and a place is a sum of counts that add up to a range's.
struct IndexSort: ~Copyable {
    let count: Int
    private(set) var entries: UnsafeMutablePointer<IndexSortEntry>
    private var scratch: UnsafeMutablePointer<IndexSortEntry>

    /// Takes all rows in order, each with its key.
    init(count: Int, key: (Int) -> UInt64) {
        self.count = count
        entries = .allocate(capacity: max(count, 1))
        scratch = .allocate(capacity: max(count, 1))
        for row in 0..<count {
            (entries + row).initialize(to: IndexSortEntry(key: key(row), row: UInt32(truncatingIfNeeded: row)))
            (scratch + row).initialize(to: IndexSortEntry(key: 0, row: 0))
        }
    }

    deinit {
        entries.deallocate()
        scratch.deallocate()
    }

    /// The row at a place of the order.
    func row(_ place: Int) -> Int { Int(entries[place].row) }

    /// Puts the rows in this order with new keys.
    mutating func reset(to order: UnsafePointer<UInt32>, key: (Int) -> UInt64) {
        for place in 0..<count {
            entries[place] = IndexSortEntry(key: key(Int(order[place])), row: order[place])
        }
    }

    mutating func sort() { sort(0..<count) }

    /// Gives the entries of a range new keys and sorts by them.
    mutating func sort(_ range: Range<Int>, by key: (Int) -> UInt64) {
        for place in range { entries[place].key = key(Int(entries[place].row)) }
        sort(range)
    }

    /// Sorts the entries of a range by a comparison.
    mutating func sort(_ range: Range<Int>, _ precedes: (Int, Int) -> Bool) {
        var part = UnsafeMutableBufferPointer(start: entries + range.lowerBound, count: range.count)
        part.sort { precedes(Int($0.row), Int($1.row)) }
    }

    /// The end of the run of equal keys that begins at a place; may ignore up to 63 lower bits.
    func endOfRun(_ start: Int, _ end: Int, ignoring bits: UInt64 = 0) -> Int {
        let key = entries[start].key >> bits
        var place = start + 1
        while place < end, entries[place].key >> bits == key { place += 1 }
        return place
    }

    private mutating func sort(_ range: Range<Int>) {
        // For few entries comparing costs less than counting.
        guard range.count > 64 else { return insert(range) }
        let rest = sortByHighest(range)
        guard rest > 0 else { return }
        var start = range.lowerBound
        while start < range.upperBound {
            let end = endOfRun(start, range.upperBound, ignoring: rest)
            if end - start > 1 { sort(start..<end) }
            start = end
        }
    }

    /// Sorts by the highest four bytes of those that differ.
    /// - Returns: number of the lower bits that are not sorted yet.
    private mutating func sortByHighest(_ range: Range<Int>) -> UInt64 {
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 8 * 256) { counts in
            counts.initialize(repeating: 0)
            for place in range {
                var key = entries[place].key
                for digit in 0..<8 {
                    counts[digit * 256 + Int(truncatingIfNeeded: key & 0xff)] += 1
                    key >>= 8
                }
            }
            let key = entries[range.lowerBound].key
            var lowest = 8
            var different = 0
            while lowest > 0, different < Self.digitsAtOnce {
                lowest -= 1
                if counts[lowest * 256 + Self.byte(key, lowest)] < range.count { different += 1 }
            }
            for digit in lowest..<8 where counts[digit * 256 + Self.byte(key, digit)] < range.count {
                let digits = counts[digit * 256..<(digit + 1) * 256]
                distribute(range, digit, UnsafeMutableBufferPointer(rebasing: digits))
            }
            let isRestSame = (0..<lowest).allSatisfy { counts[$0 * 256 + Self.byte(key, $0)] == range.count }
            return isRestSame ? 0 : UInt64(lowest * 8)
        }
    }

    private static let digitsAtOnce = 4

    @inline(__always)
    private static func byte(_ key: UInt64, _ digit: Int) -> Int {
        Int(truncatingIfNeeded: key >> UInt64(digit * 8) & 0xff)
    }

    private mutating func insert(_ range: Range<Int>) {
        for place in range.dropFirst() {
            let entry = entries[place]
            var free = place
            while free > range.lowerBound, entries[free - 1].key > entry.key {
                entries[free] = entries[free - 1]
                free -= 1
            }
            entries[free] = entry
        }
    }

    private mutating func distribute(
        _ range: Range<Int>, _ digit: Int, _ counts: UnsafeMutableBufferPointer<Int>
    ) {
        var next = range.lowerBound
        for byte in 0..<256 {
            let count = counts[byte]
            counts[byte] = next
            next += count
        }
        for place in range {
            let entry = entries[place]
            let byte = Self.byte(entry.key, digit)
            scratch[counts[byte]] = entry
            counts[byte] += 1
        }
        if range.count == count {
            swap(&entries, &scratch)
        } else {
            (entries + range.lowerBound).update(from: scratch + range.lowerBound, count: range.count)
        }
    }

    /// Sorts each run of equal keys in a range by the first of these words of a row, and what is equal there by the
    /// next. These are its keys then.
    mutating func sortRuns(_ range: Range<Int>, byWords words: Range<Int>, _ word: (Int, Int) -> UInt64) {
        guard let first = words.first else { return }
        var start = range.lowerBound
        while start < range.upperBound {
            let run = start..<endOfRun(start, range.upperBound)
            start = run.upperBound
            guard run.count > 1 else { continue }
            sort(run) { word($0, first) }
            sortRuns(run, byWords: words.dropFirst(), word)
        }
    }

    /// Sorts each run of equal keys by a second key.
    mutating func sortRuns(by key: (Int) -> UInt64) {
        var start = 0
        while start < count {
            let end = endOfRun(start, count)
            if end - start > 1 { sort(start..<end) { key($0) < key($1) } }
            start = end
        }
    }
}
