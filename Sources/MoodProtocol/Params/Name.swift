import JSONCodec

/// A name of the protocol: of a method, a param, a member or a choice. (Lisp, Ruby: a symbol.)
///
/// The program's own names are literals. `KeptNames` makes those of plugins.
///
/// Unsafe memory, because every request compares names, and a `String` would have to give its bytes each time. It is
/// safe: the bytes of a literal or a kept copy stay in place while the program runs, and are never written.
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

    /// The name in UTF-8.
    public var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Whether a text of a message is this name after decoding.
    public func matches(_ text: JSONText) -> Bool {
        text.isEscaped ? text.isEqual(to: JSONText(self)) : isSpelt(text.raw)
    }

    /// Whether these bytes are the name.
    @inline(__always)
    func isSpelt(_ other: UnsafeRawBufferPointer) -> Bool {
        guard other.count == count else { return false }
        // Most equal literals are one literal of the program.
        if other.baseAddress == start { return true }
        return JSONText.sameBytes(other, bytes)
    }

    public static func == (a: Name, b: Name) -> Bool { a.isSpelt(b.bytes) }

    public func hash(into hasher: inout Hasher) { hasher.combine(bytes: bytes) }
}

/// Names of plugins. The bytes of each are copied once and never freed. Only trusted plugins add names, and one owner
/// of the methods keeps them.
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
    /// Takes the name of a literal.
    @_disfavoredOverload
    public init(_ name: Name) { self.init(raw: name.bytes, isEscaped: false) }
}
