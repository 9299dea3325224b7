import Seeds
import Testing

@testable import Storage

@Suite struct RecordIndexTests {
    /// Passes slots with the ids that the index compares.
    private static func withSlots(_ ids: [RecordID], _ body: (UnsafeMutablePointer<RecordSlot>) throws -> Void) rethrows
    {
        let slots = UnsafeMutablePointer<RecordSlot>.allocate(capacity: max(ids.count, 1))
        defer {
            for index in ids.indices { slots[index].deallocate() }
            slots.deallocate()
        }
        for (index, id) in ids.enumerated() {
            let head = RecordHead(id: id, time: 0, updated: 0, textPrefix: 0, isMarked: false)
            (slots + index).initialize(
                to: RecordSlot(head: head, copying: UnsafeRawBufferPointer(start: nil, count: 0)))
        }
        try body(slots)
    }

    @Test(arguments: SeededRandom.seeds)
    func findsWhatIsInItThroughAnyInsertionsAndRemovals(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // Ids that differ in few bits, like those of one millisecond.
        let ids = (0..<600).map { RecordID(high: UInt64($0 / 100), low: UInt64($0 % 100)) }
        try Self.withSlots(ids) { slots in
            var index = RecordIndex()
            var present: Set<Int32> = []
            for step in 0..<20_000 {
                let number = Int32.random(in: 0..<600, using: &random)
                let id = ids[Int(number)]
                // In waves, so that the table alternates between nearly full and nearly empty.
                let isGrowing = step / 2_000 % 2 == 0
                if present.contains(number) {
                    if !isGrowing || Int.random(in: 0..<4, using: &random) == 0 {
                        index.remove(id, slots)
                        present.remove(number)
                    }
                } else if isGrowing || Int.random(in: 0..<4, using: &random) == 0 {
                    index.insert(id, number)
                    present.insert(number)
                }
                if step % 97 == 0 {
                    for (number, id) in ids.enumerated() {
                        let expected = present.contains(Int32(number)) ? Int32(number) : nil
                        try #require(index.find(id, slots) == expected, "seed \(seed), step \(step)")
                    }
                }
            }
            var listed: [Int32] = []
            index.forEach { listed.append($0) }
            #expect(Set(listed) == present && listed.count == present.count)
        }
    }

    @Test func removingWhatIsNotThereChangesNothing() {
        let ids = [RecordID(high: 1, low: 1), RecordID(high: 2, low: 2)]
        Self.withSlots(ids) { slots in
            var index = RecordIndex()
            index.remove(ids[0], slots)
            index.insert(ids[0], 0)
            index.remove(ids[1], slots)
            #expect(index.find(ids[0], slots) == 0)
            #expect(index.find(ids[1], slots) == nil)
        }
    }

    /// An id whose words cancel out in a hash must not make all others collide.
    @Test func hostileIDsAreOnlyIDs() throws {
        let zeros = (0..<2_000).map { RecordID(high: UInt64($0), low: 0x9e37_79b9_7f4a_7c15) }
        try Self.withSlots(zeros) { slots in
            var index = RecordIndex()
            for (number, id) in zeros.enumerated() { index.insert(id, Int32(number)) }
            for (number, id) in zeros.enumerated() { try #require(index.find(id, slots) == Int32(number)) }
        }
    }
}
