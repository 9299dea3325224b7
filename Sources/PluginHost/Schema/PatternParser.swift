/// A pattern as a tree.
indirect enum PatternNode {
    case empty
    case one(Pattern.Instruction)
    case sequence([PatternNode])
    case choice([PatternNode])
    /// Without an upper bound if the last is nil.
    case repeated(PatternNode, Int, Int?)
}

/// Reads the text of a pattern. ECMA-262, section 22.2.1; `{`, `}` and `]` that mean nothing stand for themselves
/// (annex B.1.2).
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var at = 0
    private var depth = 0

    init(_ text: String) { scalars = Array(text.unicodeScalars) }

    mutating func parse() throws(Pattern.Problem) -> PatternNode {
        let node = try choice()
        // Only an unmatched bracket ends a choice before the end.
        guard at == scalars.count else {
            throw Pattern.Problem(reason: "has a ) too many; write \\) for the character")
        }
        return node
    }

    private var next: Unicode.Scalar? { at < scalars.count ? scalars[at] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        at += 1
        return true
    }

    private mutating func choice() throws(Pattern.Problem) -> PatternNode {
        var choices = [try sequence()]
        while take("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .choice(choices)
    }

    private mutating func sequence() throws(Pattern.Problem) -> PatternNode {
        var nodes: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = try atom()
            nodes.append(try repeated(atom, isAnchor: scalar == "^" || scalar == "$"))
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func atom() throws(Pattern.Problem) -> PatternNode {
        guard let scalar = next else { return .empty }
        at += 1
        switch scalar {
        case "^": return .one(.atStart)
        case "$": return .one(.atEnd)
        case ".": return .one(.set(.anyInLine))
        case "(": return try group()
        case "[": return .one(.set(try characterClass()))
        case "\\": return try escape()
        case "*", "+", "?":
            throw Pattern.Problem(reason: "has a \(scalar) with nothing before it; write \\\(scalar) for the character")
        default: return .one(.scalar(scalar.value))
        }
    }

    private mutating func group() throws(Pattern.Problem) -> PatternNode {
        depth += 1
        guard depth <= Pattern.groupsMax else {
            throw Pattern.Problem(reason: "has groups in more than \(Pattern.groupsMax) levels")
        }
        if take("?") {
            if take("<"), next != "=", next != "!" {
                while let scalar = next, scalar != ">" { at += scalar == ")" ? scalars.count - at : 1 }
                guard take(">") else { throw Pattern.Problem(reason: "has a group whose name does not end") }
            } else if !take(":") {
                throw Pattern.Problem(
                    reason:
                        "looks ahead or behind, which is not supported; say it with several patterns in allOf or not")
            }
        }
        let node = try choice()
        guard take(")") else { throw Pattern.Problem(reason: "has a ( without its )") }
        depth -= 1
        return node
    }

    // MARK: Repeating

    private mutating func repeated(_ node: PatternNode, isAnchor: Bool) throws(Pattern.Problem) -> PatternNode {
        let bounds: (Int, Int?)
        switch next {
        case "*": bounds = (0, nil)
        case "+": bounds = (1, nil)
        case "?": bounds = (0, 1)
        case "{":
            guard let counted = try counted() else { return node }
            bounds = counted
            at -= 1
        default: return node
        }
        at += 1
        // Lazy and greedy repetition find a match in the same texts.
        _ = take("?")
        if isAnchor { throw Pattern.Problem(reason: "repeats ^ or $, which have nothing to repeat") }
        return .repeated(node, bounds.0, bounds.1)
    }

    /// `{2}`, `{2,}` or `{2,5}`; nil for another text, of which it takes nothing.
    private mutating func counted() throws(Pattern.Problem) -> (Int, Int?)? {
        let start = at
        at += 1
        guard let least = number() else {
            at = start
            return nil
        }
        var most: Int? = least
        if take(",") { most = number() }
        guard take("}") else {
            at = start
            return nil
        }
        guard max(least, most ?? 0) <= Pattern.repeatsMax else {
            throw Pattern.Problem(reason: "repeats more than \(Pattern.repeatsMax) times")
        }
        guard most.map({ $0 >= least }) ?? true else {
            throw Pattern.Problem(reason: "has a {} whose bounds are turned round")
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let digit = next?.value, digit >= 48, digit <= 57 {
            value = min((value ?? 0) * 10 + Int(digit - 48), 1 << 20)
            at += 1
        }
        return value
    }

    // MARK: Escapes and classes

    private mutating func escape() throws(Pattern.Problem) -> PatternNode {
        switch next {
        case "b", "B":
            at += 1
            return .one(.atWordEdge(scalars[at - 1] == "b"))
        case .some(let scalar) where scalar.value >= 49 && scalar.value <= 57 || scalar == "k":
            throw Pattern.Problem(reason: "refers back to a group, which is not supported")
        default:
            let set = try escapedSet()
            return .one(set.single.map { .scalar($0) } ?? .set(set))
        }
    }

    /// The set of an escape, in a class or outside; the backslash was taken.
    private mutating func escapedSet() throws(Pattern.Problem) -> ScalarSet {
        guard let scalar = next else { throw Pattern.Problem(reason: "ends in a backslash") }
        at += 1
        switch scalar {
        case "d": return .digit
        case "D": return .digit.inverted
        case "w": return .word
        case "W": return .word.inverted
        case "s": return .space
        case "S": return .space.inverted
        case "t": return ScalarSet(0x09)
        case "n": return ScalarSet(0x0a)
        case "v": return ScalarSet(0x0b)
        case "f": return ScalarSet(0x0c)
        case "r": return ScalarSet(0x0d)
        case "0": return ScalarSet(0)
        case "c":
            guard let letter = next, letter.properties.isAlphabetic, letter.isASCII else { throw Self.unknown("\\c") }
            at += 1
            return ScalarSet(letter.value % 32)
        case "x": return ScalarSet(try hex(2))
        case "u": return ScalarSet(try unicodeEscape())
        case "p", "P":
            let set = try category()
            return scalar == "p" ? set : set.inverted
        default:
            guard !scalar.properties.isAlphabetic, scalar.value < 48 || scalar.value > 57 else {
                throw Self.unknown("\\\(scalar)")
            }
            return ScalarSet(scalar.value)
        }
    }

    private static func unknown(_ escape: String) -> Pattern.Problem {
        Pattern.Problem(reason: "has the escape \(escape), which ECMA-262 does not know")
    }

    private mutating func hex(_ count: Int) throws(Pattern.Problem) -> UInt32 {
        guard at + count <= scalars.count,
            let value = UInt32(String(String.UnicodeScalarView(scalars[at..<at + count])), radix: 16)
        else { throw Pattern.Problem(reason: "has an escape that needs \(count) hex digits") }
        at += count
        return value
    }

    private mutating func unicodeEscape() throws(Pattern.Problem) -> UInt32 {
        if take("{") {
            let digits = scalars[at...].prefix { $0 != "}" }
            guard let value = UInt32(String(String.UnicodeScalarView(digits)), radix: 16), value <= 0x10ffff,
                at + digits.count < scalars.count
            else { throw Pattern.Problem(reason: "has a \\u{} without a code point in it") }
            at += digits.count + 1
            return value
        }
        let high = try hex(4)
        guard high >> 10 == 0x36, at + 1 < scalars.count, scalars[at] == "\\", scalars[at + 1] == "u" else {
            return high
        }
        at += 2
        let low = try hex(4)
        guard low >> 10 == 0x37 else { throw Pattern.Problem(reason: "has half a surrogate pair") }
        return 0x10000 + (high & 0x3ff) << 10 + low & 0x3ff
    }

    private mutating func category() throws(Pattern.Problem) -> ScalarSet {
        guard take("{") else { throw Self.unknown("\\p without {}") }
        let name = String(String.UnicodeScalarView(scalars[at...].prefix { $0 != "}" }))
        at += name.unicodeScalars.count
        guard take("}"), let set = ScalarSet(category: name) else {
            throw Pattern.Problem(
                reason: "has a \\p{} that is not supported; general categories such as \\p{L} or \\p{Letter} are")
        }
        return set
    }

    /// The inside of `[…]`; the bracket was taken.
    private mutating func characterClass() throws(Pattern.Problem) -> ScalarSet {
        let isInverted = take("^")
        var set = ScalarSet()
        while !take("]") {
            let first = try classPart()
            guard next == "-", at + 1 < scalars.count, scalars[at + 1] != "]" else {
                set.add(first)
                continue
            }
            at += 1
            let last = try classPart()
            guard let lower = first.single, let upper = last.single else {
                throw Pattern.Problem(reason: "has a range in [] that is not between two characters")
            }
            guard lower <= upper else { throw Pattern.Problem(reason: "has a range in [] that is turned round") }
            set.add(lower...upper)
        }
        return isInverted ? set.inverted : set
    }

    private mutating func classPart() throws(Pattern.Problem) -> ScalarSet {
        guard let scalar = next else { throw Pattern.Problem(reason: "has a [ without its ]") }
        at += 1
        guard scalar == "\\" else { return ScalarSet(scalar.value) }
        if take("b") { return ScalarSet(0x08) }
        if take("-") { return ScalarSet(UInt32(UInt8(ascii: "-"))) }
        return try escapedSet()
    }
}
