/// A cursor over valid JSON that reads single values, skips the rest, and builds no tree.
///
/// `JSONValidator` has accepted the text, so there is nothing to check and nothing to throw: a method called on a value
/// of another kind returns nil and leaves the value to be skipped. The unsafe pointer stays inside the text because a
/// valid text closes everything that it opens. (Equivalents: `XMLStreamReader` in Java, `serde`'s `Deserializer` in
/// Rust, the on-demand front end of simdjson in C++.)
///
///     var reader = JSONReader(text)
///     guard reader.enterObject() else { return }
///     while let key = reader.nextKey() {
///         if key.equals("id") { id = reader.text() } else { reader.skip() }
///     }
public struct JSONReader {
    @usableFromInline let base: UnsafePointer<UInt8>
    @usableFromInline let end: Int
    /// The cursor's place, in bytes from the start of the text.
    @inlinable public var at: Int { offset }
    @usableFromInline var offset: Int

    public init(_ text: ValidJSON) {
        base = text.bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? Self.nothing
        end = text.bytes.baseAddress == nil ? 4 : text.bytes.count
        offset = 0
    }

    /// The replacement for an empty text, so that there is always memory to read.
    private static var nothing: UnsafePointer<UInt8> { ("null" as StaticString).utf8Start }

    /// The kind of the next value.
    public var kind: JSONKind {
        @inlinable @inline(__always) mutating get {
            skipSpace()
            return JSONKind(firstByte: offset < end ? base[offset] : UInt8(ascii: "n"))
        }
    }

    /// Enters an object; false, without moving, if the next value is something else.
    @inlinable
    public mutating func enterObject() -> Bool { enter(UInt8(ascii: "{")) }

    /// Enters an array; false, without moving, if the next value is something else.
    @inlinable
    public mutating func enterArray() -> Bool { enter(UInt8(ascii: "[")) }

    /// The next member's name, with the cursor then at its value; nil at the end of the object.
    @inlinable
    public mutating func nextKey() -> JSONText? {
        skipComma()
        guard offset < end, base[offset] == UInt8(ascii: "\"") else {
            offset += 1
            return nil
        }
        let key = readString()
        skipSpace()
        offset += 1  // the colon
        return key
    }

    /// Skips the next member's name and moves to its value, if it is this name without white space and escapes, as
    /// `JSONWriter` writes it. False, without moving, otherwise.
    /// - Parameter name: the name in its quotes, with the colon, such as `"id":`.
    @inlinable @inline(__always)
    public mutating func pass(_ name: StaticString) -> Bool {
        let start = offset < end && base[offset] == UInt8(ascii: ",") ? offset + 1 : offset
        let count = name.utf8CodeUnitCount
        guard end - start >= count, ByteScan.areEqual(base + start, name.utf8Start, count) else { return false }
        offset = start + count
        return true
    }

    /// Whether there is another element, to which the cursor then moves; false at the end of the array.
    @inlinable
    public mutating func nextElement() -> Bool {
        skipComma()
        guard offset < end, base[offset] != UInt8(ascii: "]") else {
            offset += 1
            return false
        }
        return true
    }

    /// Reads a string.
    @inlinable
    public mutating func text() -> JSONText? {
        skipSpace()
        guard offset < end, base[offset] == UInt8(ascii: "\"") else { return nil }
        return readString()
    }

    /// Reads a number.
    public mutating func number() -> JSONNumber? {
        guard kind == .number else { return nil }
        return JSONNumber(raw: token())
    }

    /// Reads `true` or `false`.
    @inlinable
    public mutating func boolean() -> Bool? {
        guard kind == .boolean else { return nil }
        let isTrue = base[offset] == UInt8(ascii: "t")
        offset += isTrue ? 4 : 5
        return isTrue
    }

    /// Reads `null`; false, without moving, if something else comes.
    @inlinable
    public mutating func null() -> Bool {
        guard kind == .null else { return false }
        offset += 4
        return true
    }

    /// The offset of the next value.
    @inlinable public var valueStart: Int {
        mutating get {
            skipSpace()
            return offset
        }
    }

    /// The bytes from an offset up to the cursor: a value that was read, from its `valueStart` on.
    @inlinable public func slice(from start: Int) -> ValidJSON {
        ValidJSON(trusting: UnsafeRawBufferPointer(start: base + start, count: max(min(offset, end) - start, 0)))
    }

    /// Skips one value of any kind, and returns its bytes.
    @discardableResult
    public mutating func skip() -> ValidJSON {
        let kind = kind
        let start = offset
        switch kind {
        case .string: _ = readString()
        case .array, .object: skipContainer()
        default: _ = token()
        }
        // The end of a truncated text would give a negative count.
        return ValidJSON(trusting: UnsafeRawBufferPointer(start: base + start, count: max(min(offset, end) - start, 0)))
    }

    @inlinable @inline(__always)
    mutating func enter(_ opening: UInt8) -> Bool {
        skipSpace()
        guard offset < end, base[offset] == opening else { return false }
        offset += 1
        return true
    }

    @inlinable @inline(__always)
    mutating func skipSpace() {
        offset = JSONValidator.skipSpace(base, offset, end)
    }

    @inlinable @inline(__always)
    mutating func skipComma() {
        skipSpace()
        if offset < end, base[offset] == UInt8(ascii: ",") {
            offset += 1
            skipSpace()
        }
    }

    private mutating func token() -> UnsafeRawBufferPointer {
        let start = offset
        while offset < end {
            let byte = base[offset]
            if byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") {
                break
            }
            offset += 1
        }
        return UnsafeRawBufferPointer(start: base + start, count: offset - start)
    }

    @inlinable @inline(__always)
    mutating func readString() -> JSONText {
        let start = offset + 1
        var isEscaped = false
        offset = ByteScan.plainRun(base, start, end)
        while offset < end, base[offset] == UInt8(ascii: "\\") {
            isEscaped = true
            offset = ByteScan.plainRun(base, min(offset + 2, end), end)
        }
        let raw = UnsafeRawBufferPointer(start: base + start, count: min(offset, end) - start)
        offset += 1
        return JSONText(raw: raw, isEscaped: isEscaped)
    }

    private mutating func skipContainer() {
        var depth = 0
        while offset < end {
            switch base[offset] {
            case UInt8(ascii: "\""):
                _ = readString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            default: break
            }
            offset += 1
            if depth == 0 { return }
        }
    }
}
