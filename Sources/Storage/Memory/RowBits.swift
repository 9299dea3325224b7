import Platform

/// A set of row numbers: one bit each, allocated when the first is put in, touched only where one is.
struct RowBits: ~Copyable {
    private var words: UnsafeMutablePointer<UInt64>?
    private let count: Int

    /// Of rows below `count`.
    init(count: Int) { self.count = count }

    deinit { free(words) }

    @inline(__always)
    func contains(_ row: Int) -> Bool {
        guard let words, row >= 0, row < count else { return false }
        return words[row >> 6] >> UInt64(row & 63) & 1 == 1
    }

    mutating func insert(_ row: Int) {
        guard row >= 0, row < count else { return }
        // calloc: memory of a large set is not touched before a bit in it is set.
        if words == nil {
            words = calloc((count + 63) / 64, 8)?.bindMemory(to: UInt64.self, capacity: (count + 63) / 64)
        }
        words?[row >> 6] |= 1 << UInt64(row & 63)
    }

    mutating func remove(_ row: Int) {
        guard row >= 0, row < count else { return }
        words?[row >> 6] &= ~(1 << UInt64(row & 63))
    }
}
