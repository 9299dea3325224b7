import JSONCodec

/// A name of the protocol: of a method, a param, a member or a choice. (Lisp, Ruby: a symbol.)
///
/// Those of the program are literals. Those that come while it runs, of plugins, are made by `KeptNames`.
///
/// Why unsafe memory: names are compared on the way of every request, and a `String` would be asked for its bytes each
/// time. Proof: a literal's bytes and a kept copy's stay where they are as long as the program runs, and nobody writes them.
public struct Name: Sendable, Hashable, ExpressibleByStringLiteral, CustomStringConvertible {
    private nonisolated(unsafe) let start: UnsafeRawPointer
    private let count: Int

    public init(stringLiteral literal: StaticString) { self.init(literal) }

    public init(_ literal: StaticString) {
        start = UnsafeRawPointer(literal.utf8Start)
        count = literal.utf8CodeUnitCount
    }

    fileprivate init(start: UnsafeRawPointer, count: Int) {
        self.start = start
        self.count = count
    }

    /// In UTF-8.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a text of a message is this name once it is decoded.
    public func matches(_ text: JSONText) -> Bool {
        text.isEscaped ? text.isEqual(to: JSONText(self)) : isSpelt(text.raw)
    }

    /// Whether these bytes are the name.
    @inline(__always)
    func isSpelt(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == count else { return false }
        // Equal literals are most often one and the same in the program.
        if other.baseAddress == start { return true }
        return JSONText.sameBytes(other, bytes)
    }

    public static func == (a: Name, b: Name) -> Bool { a.isSpelt(b.bytes) }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}

/// Names that are not in the program. The bytes of each are copied once and kept for ever, and only what a person has
/// trusted brings any, so the owner of the methods has one of these and never lets it go.
public struct KeptNames {
    private var names: [[UInt8]: Name] = [:]

    public init() {}

    public mutating func name(_ text: String) -> Name {
        let bytes = Array(text.utf8)
        if let name = names[bytes] { return name }
        let copy = UnsafeMutableRawPointer.allocate(byteCount: bytes.count, alignment: 1)
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(start: copy, count: bytes.count).copyMemory(from: $0) }
        let name = Name(start: copy, count: bytes.count)
        names[bytes] = name
        return name
    }
}

extension JSONText {
    /// A literal is taken as such.
    @_disfavoredOverload
    public init(_ name: Name) { self.init(raw: name.bytes, isEscaped: false) }
}
