/// A cursor over bytes that nobody has checked yet: it checks what it passes over, and hands it out to be used at once.
///
/// Where a text is read for what it must say, checking and reading are one pass. It knows the tokens; which of them may
/// come is known by who moves it. So where something else comes it stays and answers no, and who moves it gives up:
/// `JSONValidator.fault` then says what is wrong with the text. Objects and arrays are the validator's, which also knows
/// the names (`JSONReader` is the cursor over text that has been checked.)
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

    /// Whether nothing but white space is left.
    @inlinable public var isAtEnd: Bool {
        mutating get {
            if offset < end { skipSpace() }
            return offset == end
        }
    }

    /// The byte with which the next token begins; 0, which begins none, at the end.
    @inlinable public var next: UInt8 {
        @inline(__always) mutating get {
            if offset < end, base[offset] > 0x20 { return base[offset] }
            skipSpace()
            return offset < end ? base[offset] : 0
        }
    }

    /// Goes back to where the cursor has been.
    @inlinable
    public mutating func move(to place: Int) { offset = min(max(place, 0), end) }

    /// Passes over bytes that were looked at.
    @inlinable @inline(__always)
    public mutating func pass(_ count: Int) { offset = min(offset + count, end) }

    /// Passes over a number of at most so many digits and nothing else, if it comes next without white space around it.
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

    /// Passes over a sign of the grammar if it comes next.
    @inlinable @inline(__always)
    public mutating func take(_ sign: UInt8) -> Bool {
        guard next == sign else { return false }
        offset += 1
        return true
    }

    /// Passes over these bytes if they come next, without white space before them.
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

    /// The next bytes, to be looked at before they are passed over; nil where there are not so many.
    @inlinable @inline(__always)
    public func bytes(_ count: Int) -> UnsafeRawBufferPointer? {
        count <= end - offset ? UnsafeRawBufferPointer(start: base + offset, count: count) : nil
    }

    /// The text from an offset up to the cursor, which has passed over it as one value.
    @inlinable
    public func slice(from start: Int) -> ValidJSON {
        ValidJSON(trusting: UnsafeRawBufferPointer(start: base + start, count: max(offset - start, 0)))
    }

    /// Passes over a string.
    /// - Returns: the text between its quotes; nil where none comes or something is wrong with it.
    @inlinable
    public mutating func string() -> JSONText? {
        guard next == UInt8(ascii: "\"") else { return nil }
        offset += 1
        if let text = restOfPlainString() { return text }
        offset -= 1
        return anyString()
    }

    /// Passes over the rest of a string, whose opening quote was passed over, if it is of plain ASCII and short: most are.
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

    /// Passes over one value. Names that stand twice in it are noted by the validator.
    /// - Parameter depth: how many containers are open around the value.
    /// - Returns: the value; nil where none comes or something is wrong with it.
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

/// An object of which a cursor reads the members that its mover knows: the validator keeps account of the others.
extension JSONValidator {
    /// The offset of the first doubled name that was noted since `begin`.
    /// Mutating, because every request asks, and a question to a borrowed validator copies it.
    public var duplicate: Int? { mutating get { names.duplicate } }

    /// Called where a text begins.
    public mutating func begin() { names.reset() }

    /// Called where the mover of the cursor meets the first name that it does not know in the text's outermost object.
    public mutating func openObject() { names.open() }

    /// Called where that object has ended.
    public mutating func closeObject(_ cursor: borrowing JSONCursor) { names.close(cursor.base) }

    /// Enters a name that the mover of the cursor does not know.
    public mutating func enter(_ name: JSONText, _ cursor: borrowing JSONCursor) {
        guard let start = name.raw.baseAddress else { return }
        let offset = start - UnsafeRawPointer(cursor.base)
        names.enter(cursor.base, offset, offset + name.raw.count, isEscaped: name.isEscaped)
    }

    /// Notes that a name that the mover knows stands a second time.
    public mutating func note(duplicate offset: Int) { names.note(duplicate: offset) }

    /// Whether containers may be nested so deep.
    @inline(__always)
    public func allows(depth: Int) -> Bool { depth <= depthLimit }

    /// Why a text is not JSON over which a cursor did not get.
    public mutating func fault(of text: UnsafeRawBufferPointer) -> JSONError {
        do throws(JSONError) {
            let outline = try validate(text)
            // A cursor is moved over an object, so it is right to stop at something else.
            return JSONError(offset: 0, reason: .unexpectedByte(outline.text.bytes.first ?? 0))
        } catch {
            return error
        }
    }
}
