/// A regular expression of JSON Schema (ECMA-262 with the flag `u`) that is matched in linear time.
///
/// The matcher reads the text once, and follows all possible places in the program at the same time (Thompson 1968;
/// Pike's machine without captures). No text makes it slow: it takes at most one step for each instruction and
/// character. The parser rejects features that need more: lookahead, lookbehind and back references.
final class Pattern: Sendable {
    /// The longest program. It bounds the steps for a character.
    static let instructionsMax = 4096
    static let repeatsMax = 1000
    static let groupsMax = 64

    /// The reason why a text is no supported pattern: a clause.
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

    /// - Throws: a syntax error or unsupported feature.
    init(_ text: String) throws(Problem) {
        var parser = PatternParser(text)
        var builder = PatternBuilder()
        try builder.add(parser.parse())
        try builder.add(.match)
        program = builder.program
    }

    /// Whether the text, which is UTF-8, contains a match.
    /// - Parameter steps: the counter of work; nil is returned when it exceeds the limit.
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

    /// Adds the places that can be reached from a place without reading.
    /// - Returns: whether the match is among them.
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
    /// The places that wait for a character.
    var waiting: [Int] = []
    /// The places that are still to be followed.
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

    /// Adds a node. An empty one gets an instruction: repeated a thousand times, and that again, it would take time but
    /// no space.
    private mutating func addOne(of node: PatternNode) throws(Pattern.Problem) {
        let before = program.count
        try add(node)
        if program.count == before { try add(.jump(before + 1)) }
    }
}
