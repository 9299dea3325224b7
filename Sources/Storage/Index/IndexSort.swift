/// A row number and the word that it is sorted by.
struct IndexSortEntry {
    var key: UInt64
    var row: UInt32
}

/// Sorts by the key, equal keys staying in their order: byte by byte from the lowest (an LSD radix sort; Knuth, TAOCP
/// 5.2.5), so the time is linear whatever somebody put into the keys. Bytes that are the same in all keys cost nothing.
///
/// Why unsafe memory: a million entries are moved up to eight times, and arrays would check each move. Proof: both
/// buffers have `count` entries, and a place is a sum of counts that add up to `count`.
struct IndexSort: ~Copyable {
    let count: Int
    private(set) var entries: UnsafeMutablePointer<IndexSortEntry>
    private var scratch: UnsafeMutablePointer<IndexSortEntry>

    /// All rows in their order, each with its key.
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

    /// Puts the rows in this order and gives each another key.
    mutating func reset(to order: UnsafePointer<UInt32>, key: (Int) -> UInt64) {
        for place in 0..<count {
            entries[place] = IndexSortEntry(key: key(Int(order[place])), row: order[place])
        }
    }

    mutating func sort() {
        guard count > 1 else { return }
        withUnsafeTemporaryAllocation(of: Int.self, capacity: 8 * 256) { counts in
            counts.initialize(repeating: 0)
            for place in 0..<count {
                var key = entries[place].key
                for digit in 0..<8 {
                    counts[digit * 256 + Int(truncatingIfNeeded: key & 0xff)] += 1
                    key >>= 8
                }
            }
            for digit in 0..<8 {
                let shift = UInt64(digit * 8)
                let first = Int(truncatingIfNeeded: entries[0].key >> shift & 0xff)
                if counts[digit * 256 + first] == count { continue }
                distribute(shift, UnsafeMutableBufferPointer(rebasing: counts[digit * 256..<(digit + 1) * 256]))
            }
        }
    }

    private mutating func distribute(_ shift: UInt64, _ counts: UnsafeMutableBufferPointer<Int>) {
        var next = 0
        for byte in 0..<256 {
            let count = counts[byte]
            counts[byte] = next
            next += count
        }
        for place in 0..<count {
            let entry = entries[place]
            let byte = Int(truncatingIfNeeded: entry.key >> shift & 0xff)
            scratch[counts[byte]] = entry
            counts[byte] += 1
        }
        swap(&entries, &scratch)
    }

    /// Sorts each run of equal keys by another word.
    mutating func sortRuns(by key: (Int) -> UInt64) {
        var start = 0
        while start < count {
            var end = start + 1
            while end < count, entries[end].key == entries[start].key { end += 1 }
            if end - start > 1 {
                var run = UnsafeMutableBufferPointer(start: entries + start, count: end - start)
                run.sort { key(Int($0.row)) < key(Int($1.row)) }
            }
            start = end
        }
    }
}
