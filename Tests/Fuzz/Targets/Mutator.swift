import Seeds

/// Makes new inputs from old ones: bits and bytes changed, pieces cut out, doubled, inserted or taken from another.
struct Mutator {
    private let seeds: [[UInt8]]
    private let tokens: [[UInt8]]
    private let inputBytesMax: Int
    private var random: SeededRandom
    /// Useful inputs, replaced in turn.
    private var kept: [[UInt8]] = []
    private var nextKept = 0
    private static let keptMax = 512

    init(seeds: [[UInt8]], tokens: [[UInt8]], inputBytesMax: Int, seed: UInt64) {
        self.seeds = seeds
        self.tokens = tokens
        self.inputBytesMax = inputBytesMax
        random = SeededRandom(seed: seed)
    }

    mutating func keep(_ input: [UInt8]) {
        if kept.count < Self.keptMax {
            kept.append(input)
        } else {
            kept[nextKept] = input
            nextKept = (nextKept + 1) % Self.keptMax
        }
    }

    mutating func next() -> [UInt8] {
        var input = pick()
        for _ in 0..<1 + random.below(6) { mutate(&input) }
        if input.count > inputBytesMax { input.removeLast(input.count - inputBytesMax) }
        return input
    }

    private mutating func pick() -> [UInt8] {
        if !kept.isEmpty, random.below(2) == 0 { return kept[random.below(kept.count)] }
        return seeds[random.below(seeds.count)]
    }

    private mutating func mutate(_ input: inout [UInt8]) {
        let at = random.below(input.count + 1)
        let end = min(input.count, at + random.below(16))
        switch random.below(10) {
        case 0 where at < input.count: input[at] ^= 1 << UInt8(random.below(8))
        case 1 where at < input.count: input[at] = UInt8(random.below(256))
        case 2: input.insert(UInt8(random.below(256)), at: at)
        case 3: input.removeSubrange(at..<end)
        case 4: input.insert(contentsOf: Array(input[at..<end]), at: random.below(input.count + 1))
        case 5: input.removeSubrange(at...)
        case 6:
            let other = pick()
            let start = random.below(other.count + 1)
            input.replaceSubrange(at..<end, with: other[start..<min(other.count, start + random.below(48))])
        case 7:
            let token = tokens[random.below(tokens.count)]
            let times = random.below(8) == 0 ? 1 + random.below(20) : 1
            input.insert(contentsOf: [[UInt8]](repeating: token, count: times).joined(), at: at)
        default: input.replaceSubrange(at..<end, with: tokens[random.below(tokens.count)])
        }
    }
}
