/// A cursor over unchecked bytes: it checks each token and returns it for immediate use.
///
/// With it, checking and reading are one pass. The cursor reads tokens. The caller decides which token is allowed next.
/// If another one comes, the cursor stays and returns nil or false, and the caller gives up: `JSONValidator.fault` then
/// reports what is wrong. The validator handles objects and arrays, and their names. (`JSONReader` is the cursor over
/// checked text.)
///
/// Invariant: `at` never passes `end`; every look ahead is checked against it.
public struct JSONCursor {
    @usableFromInline let base: UnsafePointer<UInt8>
    @usableFromInline let end: Int
    /// The cursor's place, in bytes from the start of the text.
    @inlinable public var at: Int { offset }
    @usableFromInline var offset = 0

    @inlinable
    public init(_ text: UnsafeRawBufferPointer) {
        base = text.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? ("" as StaticString).utf8Start
        end = text.count
    }

    /// Whether only white space is left.
    @inlinable public var isAtEnd: Bool {
        mutating get {
            if offset < end { skipSpace() }
            return offset == end
        }
    }

    /// The first byte of the next token; at the end 0, which begins none.
    @inlinable public var next: UInt8 {
        @inline(__always) mutating get {
            if offset < end, base[offset] > 0x20 { return base[offset] }
            skipSpace()
            return offset < end ? base[offset] : 0
        }
    }

    /// Moves back to an earlier offset.
    @inlinable
    public mutating func move(to place: Int) { offset = min(max(place, 0), end) }

    /// Skips bytes that were already checked.
    @inlinable @inline(__always)
    public mutating func pass(_ count: Int) { offset = min(offset + count, end) }

    /// Takes a number of at most `limit` digits and nothing else, if it comes next without white space around it.
    @inlinable @inline(__always)
    public mutating func digits(upTo limit: Int) -> UnsafeRawBufferPointer? {
        var place = offset
        while place < end, base[place] &- 48 < 10 { place += 1 }
        let count = place - offset
        guard count > 0, count <= limit, place < end,
            base[place] == UInt8(ascii: ",") || base[place] == UInt8(ascii: "}"),
            count == 1 || base[offset] != UInt8(ascii: "0")
        else { return nil }
        defer { offset = place }
        return UnsafeRawBufferPointer(start: base + offset, count: count)
    }

    /// Takes a sign of the grammar if it comes next.
    @inlinable @inline(__always)
    public mutating func take(_ sign: UInt8) -> Bool {
        guard next == sign else { return false }
        offset += 1
        return true
    }

    /// Takes these bytes if they come next, without white space before them.
    @inlinable @inline(__always)
    public mutating func take(exactly bytes: UnsafeRawBufferPointer) -> Bool {
        guard end - offset >= bytes.count,
            JSONText.sameBytes(UnsafeRawBufferPointer(start: base + offset, count: bytes.count), bytes)
        else { return false }
        offset += bytes.count
        return true
    }

    @inlinable @inline(__always)
    public mutating func take(exactly literal: StaticString) -> Bool {
        take(exactly: UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount))
    }

    /// The next bytes, without moving; nil if there are fewer.
    @inlinable @inline(__always)
    public func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        count <= end - offset ? UnsafeRawBufferPointer(start: base + offset, count: count) : nil
    }

    /// The text from an offset up to the cursor, which has moved over it as one value.
    @inlinable
    public func slice(from start: Int) -> ValidJSON {
        ValidJSON(trusting: UnsafeRawBufferPointer(start: base + start, count: max(offset - start, 0)))
    }

    /// Takes a string.
    /// - Returns: the text between its quotes; nil if none comes or it is invalid.
    @inlinable
    public mutating func string() -> JSONText? {
        guard next == UInt8(ascii: "\"") else { return nil }
        offset += 1
        if let text = restOfPlainString() { return text }
        offset -= 1
        return anyString()
    }

    /// Takes the rest of a string after its opening quote, if it is plain ASCII and short, as most are.
    @inlinable @inline(__always)
    public mutating func restOfPlainString() -> JSONText? {
        let start = offset
        var place = start
        while end - place >= 8, place - start < Self.shortStringMax {
            let word = ByteScan.load(base, place)
            let hits = ByteScan.special(word) | (word & ByteScan.tops)
            if hits == 0 {
                place += 8
                continue
            }
            place += ByteScan.lowest(hits)
            break
        }
        // The last bytes of the text.
        while place < end, base[place] &- 0x20 < 0x60, base[place] != UInt8(ascii: "\""),
            base[place] != UInt8(ascii: "\\")
        {
            place += 1
        }
        guard place < end, base[place] == UInt8(ascii: "\"") else { return nil }
        offset = place + 1
        return JSONText(raw: UnsafeRawBufferPointer(start: base + start, count: place - start), isEscaped: false)
    }

    @usableFromInline static var shortStringMax: Int { @inlinable @inline(__always) get { 32 } }

    @usableFromInline @inline(never)
    mutating func anyString() -> JSONText? {
        let start = offset + 1
        var isEscaped = false
        var fault = TokenFault()
        let after = JSONValidator.skipString(base, start, end, &isEscaped, &fault)
        guard after >= 0 else { return nil }
        offset = after
        return JSONText(
            raw: UnsafeRawBufferPointer(start: base + start, count: after - 1 - start), isEscaped: isEscaped)
    }

    /// Moves over one value. The validator records duplicate names in it.
    /// - Parameter depth: the number of open containers around the value.
    /// - Returns: the value; nil if none comes or it is invalid.
    public mutating func value(_ validator: inout JSONValidator, depth: Int) -> ValidJSON? {
        let first = next
        let start = offset
        var fault = TokenFault()
        let after: Int
        switch first {
        case UInt8(ascii: "\""):
            var isEscaped = false
            after = JSONValidator.skipString(base, start + 1, end, &isEscaped, &fault)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
            after = JSONValidator.skipNumber(base, start, end, &fault)
        default: after = validator.skipValue(base, start, end, depth)
        }
        guard after >= 0 else { return nil }
        offset = after
        return slice(from: start)
    }

    @inlinable
    mutating func skipSpace() { offset = JSONValidator.skipSpace(base, offset, end) }
}

/// Support for an object whose known members the cursor's caller reads: the validator records the other names.
extension JSONValidator {
    /// The offset of the first duplicate name since `begin`. Mutating, because every request asks, and a call on a
    /// borrowed validator copies it.
    public var duplicate: Int? { mutating get { names.duplicate } }

    /// Begins a text.
    public mutating func begin() { names.reset() }

    /// Opens the table for the text's outermost object, at the first name that the caller does not know.
    public mutating func openObject() { names.open() }

    /// Closes that object's table.
    public mutating func closeObject(_ cursor: borrowing JSONCursor) { names.close(cursor.base) }

    /// Enters a name that the caller does not know.
    public mutating func enter(_ name: JSONText, _ cursor: borrowing JSONCursor) {
        guard let start = name.raw.baseAddress else { return }
        let offset = start - UnsafeRawPointer(cursor.base)
        names.enter(cursor.base, offset, offset + name.raw.count, isEscaped: name.isEscaped)
    }

    /// Records that a known name occurs a second time.
    public mutating func note(duplicate offset: Int) { names.note(duplicate: offset) }

    /// Whether containers may be nested this deep.
    @inline(__always)
    public func allows(depth: Int) -> Bool { depth <= depthLimit }

    /// The reason why a text is not JSON, after a cursor stopped in it.
    public mutating func fault(of text: UnsafeRawBufferPointer) -> JSONError {
        do throws(JSONError) {
            let outline = try validate(text)
            // A cursor reads an object, so it is right to stop at anything else.
            return JSONError(offset: 0, reason: .unexpectedByte(outline.text.bytes.first ?? 0))
        } catch {
            return error
        }
    }
}
