/// A set of block numbers with one bit for each. Callers walk it in ascending order, so one seed draws the same dice
/// for each block.
struct BlockSet {
    private var words: [UInt64] = []
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    func contains(_ block: Int) -> Bool {
        block >> 6 < words.count && words[block >> 6] & 1 << UInt64(block & 63) != 0
    }

    mutating func insert(_ block: Int) {
        while words.count <= block >> 6 { words.append(0) }
        let bit: UInt64 = 1 << UInt64(block & 63)
        guard words[block >> 6] & bit == 0 else { return }
        words[block >> 6] |= bit
        count += 1
    }

    mutating func remove(_ block: Int) {
        guard contains(block) else { return }
        words[block >> 6] &= ~(1 << UInt64(block & 63))
        count -= 1
    }

    /// Removes every block from `block` on.
    mutating func removeAll(from block: Int) {
        for number in members() where number >= block { remove(number) }
    }

    mutating func removeAll() {
        words.removeAll(keepingCapacity: true)
        count = 0
    }

    func members() -> [Int] {
        guard count > 0 else { return [] }
        var members: [Int] = []
        members.reserveCapacity(count)
        for (index, word) in words.enumerated() {
            var rest = word
            while rest != 0 {
                members.append(index << 6 + rest.trailingZeroBitCount)
                rest &= rest - 1
            }
        }
        return members
    }
}
