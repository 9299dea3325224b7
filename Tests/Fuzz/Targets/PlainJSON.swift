/// JSON in the simplest form, for comparison with `JSONValidator` and `JSONReader`.
///
/// It shares no code and no idea with them: recursive descent along the productions of RFC 8259, one function for each,
/// over an array, building the whole tree; UTF-8 is decoded to scalars first; names are compared each with each. Slow.
public struct PlainJSON {
    public indirect enum Tree: Equatable {
        case null
        case boolean(Bool)
        /// The raw text of the number.
        case number([UInt8])
        case string([UInt32])
        case array([Tree])
        case object([Member])
    }

    public struct Member: Equatable {
        public let name: [UInt32]
        public let value: Tree
    }

    /// The result of a text: a tree, and the offset of the first doubled name (its opening quote).
    public struct Reading {
        public let tree: Tree
        public let duplicate: Int?
    }

    private struct Refusal: Error {}

    /// One scalar of the text and the offset of its first byte.
    private let scalars: [(value: UInt32, offset: Int)]
    private let depthLimit: Int
    private var at = 0
    private var depth = 0
    private var duplicate: Int?

    /// Reads a text; nil refuses it.
    public static func read(_ bytes: [UInt8], depthLimit: Int = 64) -> Reading? {
        guard let scalars = PlainUTF8.decode(bytes) else { return nil }
        var reader = PlainJSON(scalars: scalars, depthLimit: depthLimit)
        do {
            let tree = try reader.text()
            return Reading(tree: tree, duplicate: reader.duplicate)
        } catch {
            return nil
        }
    }

    private init(scalars: [(value: UInt32, offset: Int)], depthLimit: Int) {
        self.scalars = scalars
        self.depthLimit = depthLimit
    }

    private var peek: Unicode.Scalar? { at < scalars.count ? Unicode.Scalar(scalars[at].value) : nil }

    private mutating func take(_ expected: Unicode.Scalar) throws {
        guard peek == expected else { throw Refusal() }
        at += 1
    }

    /// JSON-text = ws value ws
    private mutating func text() throws -> Tree {
        ws()
        let tree = try value()
        ws()
        guard at == scalars.count else { throw Refusal() }
        return tree
    }

    private mutating func ws() {
        while at < scalars.count, [0x20, 0x09, 0x0a, 0x0d].contains(scalars[at].value) { at += 1 }
    }

    private mutating func value() throws -> Tree {
        switch peek {
        case "{": return try nested { try $0.object() }
        case "[": return try nested { try $0.array() }
        case "\"": return .string(try string())
        case "t": return try word("true", .boolean(true))
        case "f": return try word("false", .boolean(false))
        case "n": return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func nested(_ body: (inout PlainJSON) throws -> Tree) throws -> Tree {
        depth += 1
        guard depth <= depthLimit else { throw Refusal() }
        let tree = try body(&self)
        depth -= 1
        return tree
    }

    private mutating func word(_ word: String, _ tree: Tree) throws -> Tree {
        for letter in word.unicodeScalars { try take(letter) }
        return tree
    }

    /// object = begin-object [ member *( value-separator member ) ] end-object
    private mutating func object() throws -> Tree {
        try take("{")
        ws()
        var members: [Member] = []
        if peek == "}" {
            at += 1
            return .object(members)
        }
        while true {
            let offset = at < scalars.count ? scalars[at].offset : 0
            let name = try string()
            if members.contains(where: { $0.name == name }) { duplicate = min(duplicate ?? offset, offset) }
            ws()
            try take(":")
            ws()
            members.append(Member(name: name, value: try value()))
            ws()
            if peek == "}" { break }
            try take(",")
            ws()
        }
        at += 1
        return .object(members)
    }

    /// array = begin-array [ value *( value-separator value ) ] end-array
    private mutating func array() throws -> Tree {
        try take("[")
        ws()
        var elements: [Tree] = []
        if peek == "]" {
            at += 1
            return .array(elements)
        }
        while true {
            elements.append(try value())
            ws()
            if peek == "]" { break }
            try take(",")
            ws()
        }
        at += 1
        return .array(elements)
    }

    /// number = [ minus ] int [ frac ] [ exp ]
    private mutating func number() throws -> Tree {
        let start = at
        if peek == "-" { at += 1 }
        if peek == "0" { at += 1 } else { try digits() }
        if peek == "." {
            at += 1
            try digits()
        }
        if peek == "e" || peek == "E" {
            at += 1
            if peek == "+" || peek == "-" { at += 1 }
            try digits()
        }
        return .number(scalars[start..<at].map { UInt8(truncatingIfNeeded: $0.value) })
    }

    /// 1*DIGIT
    private mutating func digits() throws {
        let start = at
        while at < scalars.count, scalars[at].value >= 0x30, scalars[at].value <= 0x39 { at += 1 }
        guard at > start else { throw Refusal() }
    }

    /// string = quotation-mark *char quotation-mark; returns its scalars.
    private mutating func string() throws -> [UInt32] {
        try take("\"")
        var text: [UInt32] = []
        while true {
            guard at < scalars.count else { throw Refusal() }
            let scalar = scalars[at].value
            at += 1
            switch scalar {
            case 0x22: return text
            case 0x5c: text.append(try escape())
            case 0..<0x20: throw Refusal()
            default: text.append(scalar)
            }
        }
    }

    private mutating func escape() throws -> UInt32 {
        guard let letter = peek else { throw Refusal() }
        at += 1
        switch letter {
        case "\"", "\\", "/": return letter.value
        case "b": return 0x08
        case "f": return 0x0c
        case "n": return 0x0a
        case "r": return 0x0d
        case "t": return 0x09
        case "u": break
        default: throw Refusal()
        }
        let first = try unit()
        guard (0xd800...0xdfff).contains(first) else { return first }
        try take("\\")
        try take("u")
        let second = try unit()
        guard first <= 0xdbff, (0xdc00...0xdfff).contains(second) else { throw Refusal() }
        return (first - 0xd800) * 0x400 + (second - 0xdc00) + 0x10000
    }

    /// 4HEXDIG
    private mutating func unit() throws -> UInt32 {
        guard scalars.count - at >= 4 else { throw Refusal() }
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = peek, digit.isASCII, let value = Character(digit).hexDigitValue else { throw Refusal() }
            unit = unit * 16 + UInt32(value)
            at += 1
        }
        return unit
    }
}
