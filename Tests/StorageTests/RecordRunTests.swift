import Seeds
import Testing

@testable import Storage

@Suite struct RecordRunTests {
    /// Slots tie by their number.
    private static let tie: @Sendable (Int32, Int32) -> Bool = { $0 < $1 }

    private struct Pair: Hashable, Comparable {
        var key: Int64
        var slot: Int32

        static func < (a: Pair, b: Pair) -> Bool { a.key != b.key ? a.key < b.key : a.slot < b.slot }
    }

    private static func ascending(_ run: RecordRun) -> [Pair] {
        var pairs: [Pair] = []
        var index = RecordRun.Index(chunk: 0, offset: 0)
        while !run.isAtEnd(index) {
            pairs.append(Pair(key: run.entry(index).key, slot: run.entry(index).slot))
            run.advance(&index)
        }
        return pairs
    }

    private static func descending(_ run: RecordRun) -> [Pair] {
        var pairs: [Pair] = []
        var index = run.endIndex
        while run.retreat(&index) { pairs.append(Pair(key: run.entry(index).key, slot: run.entry(index).slot)) }
        return pairs
    }

    private func expectRemoval(
        from run: inout RecordRun, key: Int64, slot: Int32, is expected: Bool,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let isRemoved = run.remove(key: key, slot: slot, tie: Self.tie)
        #expect(isRemoved == expected, sourceLocation: sourceLocation)
    }

    @Test(arguments: SeededRandom.seeds, [1, 40, 1_000_000] as [Int64])
    func isASortedArrayThroughAnyInsertionsAndRemovals(seed: UInt64, keys: Int64) throws {
        var random = SeededRandom(seed: seed)
        var run = RecordRun()
        var model: Set<Pair> = []
        for step in 0..<6_000 {
            let isGrowing = step < 4_000
            let pair = Pair(key: .random(in: 0..<keys, using: &random), slot: .random(in: 0..<3_000, using: &random))
            if model.contains(pair) {
                expectRemoval(from: &run, key: pair.key, slot: pair.slot, is: true)
                model.remove(pair)
            } else if isGrowing || model.isEmpty {
                run.insert(.init(key: pair.key, slot: pair.slot), tie: Self.tie)
                model.insert(pair)
            } else {
                expectRemoval(from: &run, key: pair.key, slot: pair.slot, is: false)
                let other = try #require(model.randomElement(using: &random))
                expectRemoval(from: &run, key: other.key, slot: other.slot, is: true)
                model.remove(other)
            }
            if step % 499 == 0 || step == 5_999 {
                let sorted = model.sorted()
                try #require(Self.ascending(run) == sorted, "seed \(seed), step \(step)")
                try #require(Self.descending(run) == sorted.reversed(), "seed \(seed), step \(step)")
            }
        }
    }

    @Test(arguments: SeededRandom.seeds)
    func findsTheFirstEntryBehindAnyPosition(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pairs = (0..<2_000).map { Pair(key: Int64($0 / 7) * 2, slot: Int32($0)) }
        let run = RecordRun(pairs.map { .init(key: $0.key, slot: $0.slot) })
        #expect(Self.ascending(run) == pairs)
        for _ in 0..<2_000 {
            let wanted = Pair(key: .random(in: -2...580, using: &random), slot: .random(in: -1...2_001, using: &random))
            let index = run.firstIndex(key: wanted.key) { $0 > wanted.slot }
            let expected = pairs.first { $0 > wanted }
            let found = run.isAtEnd(index) ? nil : Pair(key: run.entry(index).key, slot: run.entry(index).slot)
            #expect(found == expected, "seed \(seed), behind \(wanted)")
        }
    }

    @Test func keepsChunksSmallAndMostlyFull() {
        var ascending = RecordRun()
        var descending = RecordRun()
        for number in 0..<20_000 {
            ascending.insert(.init(key: Int64(number), slot: Int32(number)), tie: Self.tie)
            descending.insert(.init(key: Int64(-number), slot: Int32(number)), tie: Self.tie)
        }
        #expect(Self.ascending(ascending).count == 20_000)
        #expect(Self.ascending(descending).count == 20_000)
        #expect(
            ascending.chunkCount <= 20_000 / (RecordRun.chunkMax * 3 / 4) + 1,
            "ascending insertions leave full chunks behind")
        #expect(descending.chunkCount <= 20_000 / (RecordRun.chunkMax / 2) + 1)
    }

    @Test func anEmptyRunHasNothingAnywhere() {
        var run = RecordRun()
        #expect(Self.ascending(run).isEmpty && Self.descending(run).isEmpty)
        #expect(run.isAtEnd(run.firstIndex(key: 0) { _ in true }))
        expectRemoval(from: &run, key: 0, slot: 0, is: false)
        run.insert(.init(key: 1, slot: 1), tie: Self.tie)
        expectRemoval(from: &run, key: 1, slot: 1, is: true)
        #expect(Self.ascending(run).isEmpty && Self.descending(run).isEmpty)
        run.insert(.init(key: 2, slot: 2), tie: Self.tie)
        #expect(Self.ascending(run) == [Pair(key: 2, slot: 2)])
    }

    @Test func takesTheSmallestAndLargestKeys() {
        var run = RecordRun()
        for key in [Int64.max, .min, 0, .max - 1, .min + 1] {
            run.insert(.init(key: key, slot: 1), tie: Self.tie)
        }
        #expect(Self.ascending(run).map(\.key) == [.min, .min + 1, 0, .max - 1, .max])
    }
}
