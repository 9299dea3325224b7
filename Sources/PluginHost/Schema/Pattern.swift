/// A regular expression of JSON Schema (ECMA-262 with the flag `u`) that is matched in linear time.
///
/// The text is read once, and all places of the program where a match could be are followed at the same time (Thompson 1968;
/// Pike's machine without captures), so no text makes it slow: at most one step for each instruction and character. What this
/// way cannot do is refused when the pattern is read: looking ahead or behind, and back references.
final class Pattern: Sendable {
    /// The longest program. It bounds the steps for a character.
    static let instructionsMax = 4096
    static let repeatsMax = 1000
    static let groupsMax = 64

    /// Why a text is no pattern that is supported: a clause.
    struct Problem: Error {
        let reason: String
    }

    enum Instruction: Sendable {
        case scalar(UInt32)
        case set(ScalarSet)
        /// Both ways.
        case split(Int, Int)
        case jump(Int)
        case atStart
        case atEnd
        case atWordEdge(Bool)
        case match
    }

    private let program: [Instruction]

    /// - Throws: what is wrong with the text, or not supported.
    init(_ text: String) throws(Problem) {
        var parser = PatternParser(text)
        var builder = PatternBuilder()
        try builder.add(parser.parse())
        try builder.add(.match)
        program = builder.program
    }

    /// Whether the pattern is found anywhere in the text, which is UTF-8.
    /// - Parameter steps: the work that was done is added to it; over the limit the answer is nil.
    func isFound(in text: UnsafeRawBufferPointer, steps: inout Int, stepsMax: Int) -> Bool? {
        var threads = PatternThreads(count: program.count)
        var next = PatternThreads(count: program.count)
        var iterator = text.makeIterator()
        var decoder = UTF8()
        var before: UInt32?
        var current = Self.scalar(&decoder, &iterator)
        while true {
            // A match may begin anywhere.
            if follow(0, &threads, before, current, &steps) { return true }
            if steps > stepsMax { return nil }
            guard let scalar = current else { return false }
            let after = Self.scalar(&decoder, &iterator)
            next.removeAll()
            for place in threads.waiting {
                steps += 1
                let isTaken =
                    switch program[place] {
                    case .scalar(let wanted): wanted == scalar
                    case .set(let set): set.contains(scalar)
                    default: false
                    }
                if isTaken, follow(place + 1, &next, scalar, after, &steps) { return true }
            }
            swap(&threads, &next)
            (before, current) = (scalar, after)
        }
    }

    private static func scalar(_ decoder: inout UTF8, _ bytes: inout UnsafeRawBufferPointer.Iterator) -> UInt32? {
        switch decoder.decode(&bytes) {
        case .scalarValue(let scalar): scalar.value
        case .emptyInput: nil
        case .error: 0xfffd
        }
    }

    /// Adds what can be reached from a place without reading.
    /// - Returns: whether the match is among it.
    private func follow(
        _ start: Int, _ threads: inout PatternThreads, _ before: UInt32?, _ after: UInt32?, _ steps: inout Int
    ) -> Bool {
        threads.open.append(start)
        while let place = threads.open.popLast() {
            guard threads.visit(place) else { continue }
            steps += 1
            switch program[place] {
            case .scalar, .set: threads.waiting.append(place)
            case .split(let first, let second):
                threads.open.append(second)
                threads.open.append(first)
            case .jump(let target): threads.open.append(target)
            case .atStart: if before == nil { threads.open.append(place + 1) }
            case .atEnd: if after == nil { threads.open.append(place + 1) }
            case .atWordEdge(let wanted):
                let isEdge = Self.isWord(before) != Self.isWord(after)
                if isEdge == wanted { threads.open.append(place + 1) }
            case .match:
                threads.open.removeAll()
                return true
            }
        }
        return false
    }

    private static func isWord(_ scalar: UInt32?) -> Bool { scalar.map(ScalarSet.word.contains) ?? false }
}

/// The places of a program at which a match could be, each once.
private struct PatternThreads {
    /// Those that wait for a character.
    var waiting: [Int] = []
    /// Those that are still to be followed.
    var open: [Int] = []
    private var visited: [UInt64]

    init(count: Int) { visited = [UInt64](repeating: 0, count: (count + 63) / 64) }

    mutating func visit(_ place: Int) -> Bool {
        let bit = UInt64(1) << UInt64(place & 63)
        guard visited[place >> 6] & bit == 0 else { return false }
        visited[place >> 6] |= bit
        return true
    }

    mutating func removeAll() {
        waiting.removeAll(keepingCapacity: true)
        for index in visited.indices { visited[index] = 0 }
    }
}

/// Makes the program of a tree.
private struct PatternBuilder {
    var program: [Pattern.Instruction] = []

    mutating func add(_ instruction: Pattern.Instruction) throws(Pattern.Problem) {
        guard program.count < Pattern.instructionsMax else {
            throw Pattern.Problem(reason: "is too large; repeat less, or write it shorter")
        }
        program.append(instruction)
    }

    mutating func add(_ node: PatternNode) throws(Pattern.Problem) {
        switch node {
        case .empty: break
        case .one(let instruction): try add(instruction)
        case .sequence(let nodes): for node in nodes { try add(node) }
        case .choice(let nodes):
            var ends: [Int] = []
            for (index, node) in nodes.enumerated() {
                guard index < nodes.count - 1 else {
                    try add(node)
                    break
                }
                let split = program.count
                try add(.split(split + 1, split + 1))
                try add(node)
                ends.append(program.count)
                try add(.jump(0))
                program[split] = .split(split + 1, program.count)
            }
            for end in ends { program[end] = .jump(program.count) }
        case .repeated(let node, let least, let most):
            for _ in 0..<least { try addOne(of: node) }
            guard let most else {
                let split = program.count
                try add(.split(split + 1, split + 1))
                try add(node)
                try add(.jump(split))
                program[split] = .split(split + 1, program.count)
                return
            }
            var splits: [Int] = []
            for _ in least..<most {
                splits.append(program.count)
                try add(.split(program.count + 1, program.count + 1))
                try add(node)
            }
            for split in splits { program[split] = .split(split + 1, program.count) }
        }
    }

    /// An empty node repeated a thousand times, and that again, would take time and no place.
    private mutating func addOne(of node: PatternNode) throws(Pattern.Problem) {
        let before = program.count
        try add(node)
        if program.count == before { try add(.jump(before + 1)) }
    }
}
