/// The strict validator of a whole text: RFC 8259 with no leniency, in one pass, in linear time, without recursion.
///
/// It refuses more than the grammar does: invalid UTF-8 (section 8.1), a byte order mark, lone surrogates (section
/// 8.2), nesting deeper than the limit (section 9). It reports duplicate names in one object, which the caller refuses
/// (section 4 only says "SHOULD be unique", and readers disagree on their meaning).
///
/// The result is a `ValidJSON`, and `JSONReader` reads only that, so it needs no checks of its own. A connection uses
/// one validator for all its messages: its scratch memory stays.
///
/// Invariants
/// 1. `at` never passes `end`; every look ahead is checked against it.
/// 2. Depth is at most 64, so the kinds of the open containers fit one word.
/// 3. Names are compared by their decoded bytes, never as `String`, whose equality is quadratic on hostile text.
public struct JSONValidator: ~Copyable {
    /// The deepest nesting that can be allowed: one bit of a word for each level.
    public static let depthMax = 64

    let depthLimit: Int
    var names: NameTable
    /// The members (of an object) or elements (of an array) of the top level of the last text.
    private var parts: UnsafeMutablePointer<JSONPart>
    private var partCount = 0
    private var partCapacity = 16
    /// Limit of recorded parts; further ones are only counted.
    private let partsMax: Int
    /// The end of the name that was read last.
    private var memberEnd = 0

    public init(depthLimit: Int, partsMax: Int = .max) {
        self.partsMax = partsMax
        self.depthLimit = min(max(depthLimit, 1), Self.depthMax)
        names = NameTable()
        parts = .allocate(capacity: partCapacity)
    }

    deinit { parts.deallocate() }

    @inline(__always)
    private mutating func appendPart(_ part: JSONPart) {
        if partCount < partsMax {
            if partCount == partCapacity { growParts() }
            (parts + partCount).initialize(to: part)
        }
        partCount += 1
    }

    private mutating func growParts() {
        let larger = UnsafeMutablePointer<JSONPart>.allocate(capacity: partCapacity * 2)
        larger.moveInitialize(from: parts, count: partCount)
        parts.deallocate()
        parts = larger
        partCapacity *= 2
    }

    /// Checks one text.
    /// - Returns: the text for reading, the parts of its top level, and the first duplicate name.
    /// - Throws: the offset and the reason why it is not JSON.
    /// - Complexity: linear in the length of the text.
    public mutating func validate(_ text: UnsafeRawBufferPointer) throws(JSONError) -> JSONOutline {
        partCount = 0
        if partCapacity > 4096 {
            parts.deallocate()
            partCapacity = 16
            parts = .allocate(capacity: partCapacity)
        }
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self), text.count > 0 else {
            throw JSONError(offset: 0, reason: .unexpectedEnd)
        }
        names.reset()
        var fault = TokenFault()
        let last = walk(base, 0, text.count, depthLimit, isWhole: true, &fault)
        guard last >= 0 else { throw fault.error(base, text.count, depthLimit) }
        let first = Self.skipSpace(base, 0, text.count)
        return JSONOutline(
            text: ValidJSON(trusting: text), kind: JSONKind(firstByte: base[first]),
            parts: UnsafeBufferPointer(start: parts, count: min(partCount, partsMax)), count: partCount,
            duplicate: names.duplicate)
    }

    /// Whether the text is JSON by these rules, without duplicate names.
    public mutating func accepts(_ text: UnsafeRawBufferPointer) -> Bool {
        do { return try validate(text).duplicate == nil } catch { return false }
    }

    /// Checks the value that begins at `start`; anything may follow it.
    /// - Parameter depth: the number of open containers around the value.
    /// - Returns: the offset after the value; nil if it is not JSON, or has a duplicate name.
    public mutating func endOfValue(_ text: UnsafeRawBufferPointer, from start: Int, depth: Int) -> Int? {
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self), start < text.count else { return nil }
        names.reset()
        let end = skipValue(base, start, text.count, depth)
        return end >= 0 && names.duplicate == nil ? end : nil
    }

    /// Checks a value inside a text that a cursor reads; records duplicate names.
    /// - Returns: the offset after the value, or -1 if it is not JSON.
    @inline(never)
    mutating func skipValue(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ depth: Int) -> Int {
        var fault = TokenFault()
        let outer = names.depth
        let after = walk(base, start, end, depthLimit - depth, isWhole: false, &fault)
        if after < 0 { names.unwind(to: outer) }
        return after
    }

    /// Checks the string whose opening quote is at `start`; anything may follow it.
    /// - Returns: the text between its quotes; nil if there is none.
    @inline(__always)
    public static func string(_ text: UnsafeRawBufferPointer, from start: Int) -> JSONText? {
        guard let base = text.baseAddress?.assumingMemoryBound(to: UInt8.self), start < text.count,
            base[start] == UInt8(ascii: "\"")
        else { return nil }
        var fault = TokenFault()
        var isEscaped = false
        let end = skipString(base, start + 1, text.count, &isEscaped, &fault)
        guard end >= 0 else { return nil }
        return JSONText(
            raw: UnsafeRawBufferPointer(start: base + start + 1, count: end - start - 2), isEscaped: isEscaped)
    }

    /// Skips one value, which is all of the text if `isWhole`.
    /// - Returns: the offset after it; -1, with the reason in `fault`, if it is not JSON.
    @inline(__always)
    private mutating func walk(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ depthLimit: Int, isWhole: Bool,
        _ fault: inout TokenFault
    ) -> Int {
        var at = start
        var depth = 0
        var objects: UInt64 = 0  // bit d: the container at depth d + 1 is an object
        var partStart = 0
        var keyStart = 0
        var keyEnd = 0

        values: while true {
            at = Self.skipSpace(base, at, end)
            guard at < end else { return fault.at(.unexpectedEnd, at) }
            let first = base[at]
            if isWhole && depth == 1 { partStart = at }
            switch first {
            case UInt8(ascii: "\""):
                var isEscaped = false
                at = Self.skipString(base, at + 1, end, &isEscaped, &fault)
            case UInt8(ascii: "{"):
                guard depth < depthLimit else { return fault.at(.tooDeep, at) }
                objects |= 1 << UInt64(depth)
                depth += 1
                at = Self.skipSpace(base, at + 1, end)
                guard at < end else { return fault.at(.unexpectedEnd, at) }
                names.open()
                if base[at] == UInt8(ascii: "}") {
                    names.close(base)
                    depth -= 1
                    at += 1
                    break
                }
                let start = at + 1
                at = skipMember(base, at, end, &fault)
                guard at >= 0 else { return -1 }
                if isWhole && depth == 1 { (keyStart, keyEnd) = (start, memberEnd) }
                continue values
            case UInt8(ascii: "["):
                guard depth < depthLimit else { return fault.at(.tooDeep, at) }
                objects &= ~(1 << UInt64(depth))
                depth += 1
                at = Self.skipSpace(base, at + 1, end)
                guard at < end else { return fault.at(.unexpectedEnd, at) }
                guard base[at] == UInt8(ascii: "]") else { continue values }
                depth -= 1
                at += 1
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
                at = Self.skipNumber(base, at, end, &fault)
            case UInt8(ascii: "t"):
                at = Self.skipLiteral(base, at, at, end, 0x6575_7274, &fault)
            case UInt8(ascii: "f"):
                at = Self.skipLiteral(base, at, at + 1, end, 0x6573_6c61, &fault)
            case UInt8(ascii: "n"):
                at = Self.skipLiteral(base, at, at, end, 0x6c6c_756e, &fault)
            default:
                return fault.at(Self.isWordByte(first) ? .invalidLiteral : .unexpectedByte, at)
            }
            guard at >= 0 else { return -1 }

            // After a value: close the containers that end here, or go on to the next member or element.
            while true {
                if isWhole && depth == 1 {
                    appendPart(JSONPart(keyStart: keyStart, keyEnd: keyEnd, valueStart: partStart, valueEnd: at))
                }
                if depth == 0 && !isWhole { return at }
                at = Self.skipSpace(base, at, end)
                if depth == 0 { return at == end ? at : fault.at(.trailingBytes, at) }
                guard at < end else { return fault.at(.unexpectedEnd, at) }
                let isObject = objects >> UInt64(depth - 1) & 1 == 1
                let next = base[at]
                if next == UInt8(ascii: ",") {
                    at += 1
                    guard isObject else { continue values }
                    at = Self.skipSpace(base, at, end)
                    let start = at + 1
                    at = skipMember(base, at, end, &fault)
                    guard at >= 0 else { return -1 }
                    if isWhole && depth == 1 { (keyStart, keyEnd) = (start, memberEnd) }
                    continue values
                }
                guard next == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
                    return fault.at(.unexpectedByte, at)
                }
                if isObject { names.close(base) }
                depth -= 1
                at += 1
            }
        }
    }

    /// Skips a name and its colon, and enters the name into the table of its object.
    /// - Returns: the offset after the colon, or -1.
    @inline(__always)
    private mutating func skipMember(
        _ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ fault: inout TokenFault
    ) -> Int {
        guard start < end else { return fault.at(.unexpectedEnd, start) }
        guard base[start] == UInt8(ascii: "\"") else { return fault.at(.unexpectedByte, start) }
        var isEscaped = false
        var at = Self.skipString(base, start + 1, end, &isEscaped, &fault)
        guard at >= 0 else { return -1 }
        memberEnd = at - 1
        names.enter(base, start + 1, at - 1, isEscaped: isEscaped)
        at = Self.skipSpace(base, at, end)
        guard at < end else { return fault.at(.unexpectedEnd, at) }
        guard base[at] == UInt8(ascii: ":") else { return fault.at(.unexpectedByte, at) }
        return at + 1
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        (byte | 0x20) >= UInt8(ascii: "a") && (byte | 0x20) <= UInt8(ascii: "z")
    }
}

/// The fault that a token function found. The functions return -1 and leave the reason here: a thrown error would cost
/// something at every return of every token.
struct TokenFault {
    enum Reason {
        case unexpectedEnd, unexpectedByte, trailingBytes, invalidLiteral, invalidNumber, invalidEscape, loneSurrogate,
            controlCharacter, invalidUTF8, tooDeep
    }

    private var reason = Reason.unexpectedEnd
    private var offset = 0

    /// Records the fault; always returns -1.
    @inline(never)
    mutating func at(_ reason: Reason, _ offset: Int) -> Int {
        self.reason = reason
        self.offset = offset
        return -1
    }

    /// The fault as an error for people.
    func error(_ base: UnsafePointer<UInt8>, _ end: Int, _ depthLimit: Int) -> JSONError {
        if end >= 3, base[0] == 0xef, base[1] == 0xbb, base[2] == 0xbf {
            return JSONError(offset: 0, reason: .byteOrderMark)
        }
        let reason: JSONError.Reason =
            switch self.reason {
            case .unexpectedEnd: .unexpectedEnd
            case .unexpectedByte: offset < end ? .unexpectedByte(base[offset]) : .unexpectedEnd
            case .trailingBytes: .trailingBytes
            case .invalidLiteral: .invalidLiteral
            case .invalidNumber: .invalidNumber
            case .invalidEscape: .invalidEscape
            case .loneSurrogate: .loneSurrogate
            case .controlCharacter: .controlCharacter
            case .invalidUTF8: .invalidUTF8
            case .tooDeep: .tooDeep(limit: depthLimit)
            }
        return JSONError(offset: offset, reason: reason)
    }
}
