import Seeds

/// The bytes of a file in two copies: as calls see them, and as the medium holds them.
///
/// It tracks unsynced writes block by block. Between two syncs the system may write back any block at any time, in any
/// order; the size of the file may reach the medium before its blocks or after them.
///
/// Invariants
/// 1. A block that is not in `unsynced` and lies in both copies is equal in both, unless a failed sync gave it up.
/// 2. `stored` may be shorter or longer than `storedSize`: blocks behind the size are on the medium but not in the
///    file, and bytes that no call wrote read as zeros or as rubbish.
struct FileContent {
    let blockBytes: Int
    /// The bytes that reads see.
    private(set) var cached: [UInt8] = []
    private var stored: [UInt8] = []
    private var storedSize = 0
    /// The smallest size since the last sync, if a call cut the file below the size on the medium.
    private var truncation: Int?
    private var unsynced = BlockSet()

    init(blockBytes: Int) { self.blockBytes = blockBytes }

    var size: Int { cached.count }
    var isSynced: Bool { unsynced.isEmpty && truncation == nil && storedSize == cached.count }

    func read(into target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let count = min(target.count, max(cached.count - offset, 0))
        guard count > 0 else { return 0 }
        cached.withUnsafeBytes { bytes in
            target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
        }
        return count
    }

    /// Writes to the cache. The disk may write back a pending block just before its next write.
    mutating func write(_ bytes: UnsafeRawBufferPointer, at offset: Int, _ random: inout SeededRandom) {
        guard !bytes.isEmpty else { return }
        let first = min(offset, cached.count) / blockBytes
        let last = (offset + bytes.count - 1) / blockBytes
        if !unsynced.isEmpty {
            for block in first...last where unsynced.contains(block) && random.isOne(in: 4) {
                writeBack(block)
                if random.isOne(in: 2) { storedSize = max(storedSize, cached.count) }
            }
        }
        if offset > cached.count { cached.appendZeros(offset - cached.count) }
        let inPlace = min(cached.count - offset, bytes.count)
        if inPlace > 0 {
            cached.withUnsafeMutableBytes { target in
                UnsafeMutableRawBufferPointer(rebasing: target[offset..<offset + inPlace])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<inPlace]))
            }
        }
        if inPlace < bytes.count { cached.append(contentsOf: bytes[inPlace...]) }
        for block in first...last { unsynced.insert(block) }
    }

    mutating func truncate(to size: Int, _ random: inout SeededRandom) {
        guard size != cached.count else { return }
        if size > cached.count {
            let first = cached.count / blockBytes
            cached.appendZeros(size - cached.count)
            for block in first...(size - 1) / blockBytes { unsynced.insert(block) }
            return
        }
        cached.removeLast(cached.count - size)
        unsynced.removeAll(from: (size + blockBytes - 1) / blockBytes)
        // The cut clears the rest of the last block, which is a write to it.
        if size % blockBytes != 0 { unsynced.insert(size / blockBytes) }
        truncation = min(truncation ?? size, size)
        if random.isOne(in: 4) { applyTruncation() }
    }

    /// Brings everything to the medium.
    mutating func sync() {
        guard !isSynced else { return }
        applyTruncation()
        for block in unsynced.members() { writeBack(block) }
        unsynced.removeAll()
        settle(at: cached.count)
    }

    /// Fails a sync: it may write any blocks and marks all of them clean, so no later sync writes them. With `forgets`
    /// reads take the lost blocks from the medium again, as on XFS and btrfs; else the cache keeps them, as on ext4
    /// (Rebello and others: Can Applications Recover from fsync Failures?, 2020).
    mutating func failSync(forgets: Bool, _ random: inout SeededRandom) {
        for block in unsynced.members() {
            if random.isOne(in: 3) {
                writeBack(block)
            } else if forgets {
                forget(block)
            }
        }
        unsynced.removeAll()
    }

    /// Writes some blocks back, as a sync does midway.
    mutating func writeBackSome(_ random: inout SeededRandom) {
        for block in unsynced.members() where random.isOne(in: 2) { writeBack(block) }
        if random.isOne(in: 2) { storedSize = max(storedSize, cached.count) }
    }

    private mutating func writeBack(_ block: Int) {
        applyTruncation()
        let range = block * blockBytes..<min((block + 1) * blockBytes, cached.count)
        unsynced.remove(block)
        guard !range.isEmpty else { return }
        let end = (block + 1) * blockBytes
        if stored.count < end { stored.appendZeros(end - stored.count) }
        stored.withUnsafeMutableBytes { target in
            cached.withUnsafeBytes { source in
                UnsafeMutableRawBufferPointer(rebasing: target[range])
                    .copyMemory(from: UnsafeRawBufferPointer(rebasing: source[range]))
            }
            // Behind the end of the file a block holds zeros.
            for index in range.upperBound..<end { target[index] = 0 }
        }
    }

    private mutating func forget(_ block: Int) {
        for index in block * blockBytes..<min((block + 1) * blockBytes, cached.count) {
            cached[index] = index < stored.count ? stored[index] : 0
        }
    }

    private mutating func applyTruncation() {
        guard let size = truncation else { return }
        truncation = nil
        if stored.count > size { stored.removeLast(stored.count - size) }
        storedSize = min(storedSize, size)
    }

    private mutating func settle(at size: Int) {
        if stored.count > size { stored.removeLast(stored.count - size) }
        if stored.count < size { stored.appendZeros(size - stored.count) }
        storedSize = size
    }

    // MARK: Power cut

    /// Keeps the synced bytes, and settles the rest by fate and dice.
    mutating func cutPower(_ fate: Disk.Fate, leavesRubbish: Bool, _ random: inout SeededRandom) {
        guard !isSynced || stored.count != cached.count else {
            // Blocks that a failed sync gave up are gone now, even with nothing else left to sync.
            cached = stored
            return
        }
        if truncation != nil, fate == .everythingKept || (fate == .anything && random.isOne(in: 2)) {
            applyTruncation()
        }
        truncation = nil
        let sizeBefore = storedSize
        let size = sizeAfterCut(fate, &random)
        let keptBytes = stored.count
        if fate != .everythingLost {
            for block in unsynced.members() { settle(block, fate, &random) }
        }
        settle(at: size)
        if leavesRubbish, size > max(keptBytes, sizeBefore) {
            scatterRubbish(max(keptBytes, sizeBefore)..<size, &random)
        }
        cached = stored
        unsynced.removeAll()
    }

    private func sizeAfterCut(_ fate: Disk.Fate, _ random: inout SeededRandom) -> Int {
        guard cached.count > storedSize else { return storedSize }
        switch fate {
        case .everythingLost: return storedSize
        case .everythingKept: return cached.count
        case .anything:
            switch random.below(4) {
            case 0: return storedSize
            // Several writes grew the file, and each of their ends was its size for a while.
            case 1: return storedSize + random.below(cached.count - storedSize)
            default: return cached.count
            }
        }
    }

    /// Settles one unsynced block: written, lost or torn.
    private mutating func settle(_ block: Int, _ fate: Disk.Fate, _ random: inout SeededRandom) {
        let choice = fate == .everythingKept ? 0 : random.below(8)
        if choice < 4 { return writeBack(block) }
        guard choice >= 6 else { return }
        let start = block * blockBytes
        let range = start..<min(start + blockBytes, cached.count)
        guard !range.isEmpty else { return }
        let before = range.map { $0 < stored.count ? stored[$0] : 0 }
        writeBack(block)
        if choice == 6, blockBytes > Self.sectorBytes {
            for sector in stride(from: 0, to: range.count, by: Self.sectorBytes) where random.isOne(in: 2) {
                for index in sector..<min(sector + Self.sectorBytes, range.count) {
                    stored[start + index] = before[index]
                }
            }
        } else {
            // The head is new and the tail is old, or the other way round.
            let tear = random.below(range.count + 1)
            let old = random.isOne(in: 4) ? 0..<tear : tear..<range.count
            for index in old { stored[start + index] = before[index] }
        }
    }

    private mutating func scatterRubbish(_ range: Range<Int>, _ random: inout SeededRandom) {
        for index in range where stored[index] == 0 { stored[index] = UInt8(truncatingIfNeeded: random.next()) }
    }

    static let sectorBytes = 512
}

extension [UInt8] {
    private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

    /// Appends pieces whole, which in a debug build is a hundred times faster than element by element.
    fileprivate mutating func appendZeros(_ count: Int) {
        var left = count
        while left > 0 {
            let part = Swift.min(left, Self.zeros.count)
            append(contentsOf: Self.zeros[..<part])
            left -= part
        }
    }
}
