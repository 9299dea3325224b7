/// A JSON string in place: the valid bytes between its quotes, decoded only on demand.
public struct JSONText {
    /// The bytes as written, with escapes.
    public let raw: UnsafeRawBufferPointer
    /// Whether it contains a backslash; if not, `raw` is the text.
    public let isEscaped: Bool

    @inlinable
    public init(raw: UnsafeRawBufferPointer, isEscaped: Bool) {
        self.raw = raw
        self.isEscaped = isEscaped
    }

    /// Text from a literal without anything to escape.
    public init(_ literal: StaticString) {
        self.init(
            raw: UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount), isEscaped: false)
    }

    /// The text as a `String`.
    public var string: String {
        guard isEscaped else { return String(decoding: raw, as: UTF8.self) }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        decode { bytes.append($0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Calls `body` with each byte of the decoded text.
    public func decode(_ body: (UInt8) -> Void) {
        var at = 0
        while at < raw.count {
            let byte = raw[at]
            guard byte == UInt8(ascii: "\\"), at + 1 < raw.count else {
                body(byte)
                at += 1
                continue
            }
            at += 2
            switch raw[at - 1] {
            case UInt8(ascii: "b"): body(0x08)
            case UInt8(ascii: "f"): body(0x0c)
            case UInt8(ascii: "n"): body(0x0a)
            case UInt8(ascii: "r"): body(0x0d)
            case UInt8(ascii: "t"): body(0x09)
            case UInt8(ascii: "u"):
                var value = unit(at)
                at += 4
                if value >> 10 == 0x36 {
                    value = 0x10000 + (value & 0x3ff) << 10 + unit(at + 2) & 0x3ff
                    at += 6
                }
                Self.encode(value, body)
            case let other: body(other)
            }
        }
    }

    /// Passes the decoded bytes to `body`, in place if there is nothing to decode.
    @inlinable @inline(__always)
    public func withDecoded<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if !isEscaped { return try body(raw) }
        let buffer = decoded()
        return try buffer.withBytes(body)
    }

    /// The decoded bytes, copied.
    @usableFromInline
    func decoded() -> ByteBuffer {
        // The decoded text is never longer than `raw`; the extra room is for copies of whole words.
        let width = MemoryLayout<UInt64>.size
        var buffer = ByteBuffer(capacity: raw.count + width)
        buffer.append(upTo: raw.count + width) { decode(into: $0) }
        return buffer
    }

    /// Decodes, eight bytes at a time up to each backslash. Returns the number of bytes.
    private func decode(into text: UnsafeMutableRawBufferPointer) -> Int {
        let width = MemoryLayout<UInt64>.size
        var (at, end) = (0, 0)
        while at < raw.count {
            if raw.count - at >= width {
                let word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                text.storeBytes(of: word, toByteOffset: end, as: UInt64.self)
                let backslashes = ByteScan.bytes(UInt64(littleEndian: word), equalTo: UInt8(ascii: "\\"))
                let count = min(backslashes.trailingZeroBitCount / 8, width)
                at += count
                end += count
                if count == width { continue }
            } else if raw[at] != UInt8(ascii: "\\") {
                text[end] = raw[at]
                at += 1
                end += 1
                continue
            }
            // Quotation marks are the most frequent escapes.
            if at + 1 < raw.count, raw[at + 1] == UInt8(ascii: "\"") {
                text[end] = raw[at + 1]
                at += 2
                end += 1
                continue
            }
            let escape = at..<Self.escapeEnd(raw, at)
            JSONText(raw: UnsafeRawBufferPointer(rebasing: raw[escape]), isEscaped: true).decode {
                text[end] = $0
                end += 1
            }
            at = escape.upperBound
        }
        return end
    }

    /// Whether the decoded text equals this ASCII literal.
    @inlinable @inline(__always)
    public func equals(_ literal: StaticString) -> Bool {
        let other = UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
        if !isEscaped { return JSONText.sameBytes(raw, other) }
        return isEqual(to: JSONText(raw: other, isEscaped: false))
    }

    /// Whether two decoded texts are equal, byte by byte.
    public func isEqual(to other: JSONText) -> Bool {
        if !isEscaped && !other.isEscaped { return Self.sameBytes(raw, other.raw) }
        return withDecoded { mine in other.withDecoded { theirs in Self.sameBytes(mine, theirs) } }
    }

    /// Compares eight bytes at a time, or four; the last word overlaps the one before, so that no bytes remain.
    @inlinable @inline(__always)
    public static func sameBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
        guard a.count == b.count else { return false }
        guard let first = a.baseAddress, let second = b.baseAddress else { return true }
        if a.count < 8 {
            if a.count >= 4 {
                let last = a.count - 4
                return first.loadUnaligned(as: UInt32.self) == second.loadUnaligned(as: UInt32.self)
                    && first.loadUnaligned(fromByteOffset: last, as: UInt32.self)
                        == second.loadUnaligned(fromByteOffset: last, as: UInt32.self)
            }
            for index in 0..<a.count
            where first.load(fromByteOffset: index, as: UInt8.self)
                != second.load(fromByteOffset: index, as: UInt8.self)
            {
                return false
            }
            return true
        }
        var at = 0
        let last = a.count - 8
        while at < last {
            if first.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                != second.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            {
                return false
            }
            at += 8
        }
        return first.loadUnaligned(fromByteOffset: last, as: UInt64.self)
            == second.loadUnaligned(fromByteOffset: last, as: UInt64.self)
    }

    /// The end of the escape that begins at `backslash`; a surrogate pair is one escape.
    static func escapeEnd(_ raw: UnsafeRawBufferPointer, _ backslash: Int) -> Int {
        guard backslash + 5 < raw.count, raw[backslash + 1] == UInt8(ascii: "u") else {
            return min(backslash + 2, raw.count)
        }
        let isHigh = raw[backslash + 2] | 0x20 == UInt8(ascii: "d") && "89abAB".utf8.contains(raw[backslash + 3])
        return min(backslash + (isHigh ? 12 : 6), raw.count)
    }

    private func unit(_ at: Int) -> UInt32 {
        guard at + 4 <= raw.count else { return 0xfffd }
        return (at..<at + 4).reduce(0) { $0 << 4 | (JSONValidator.hexDigit(raw[$1]) ?? 0) }
    }

    private static func encode(_ value: UInt32, _ body: (UInt8) -> Void) {
        guard let scalar = Unicode.Scalar(value) else { return }
        for byte in UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter { body(byte) }
    }
}

/// A JSON number in place: its text is its value until a caller needs a machine number.
public struct JSONNumber {
    public let raw: UnsafeRawBufferPointer

    @inlinable
    public init(raw: UnsafeRawBufferPointer) { self.raw = raw }

    public var text: String { String(decoding: raw, as: UTF8.self) }

    /// The value if it is an integer that fits, such as `50`, `5e1` and `50.0`; `1e300` is nil, never a trap, and no
    /// fraction is rounded.
    public var integer: Int? {
        var value = 0
        var at = 0
        let isNegative = raw.first == UInt8(ascii: "-")
        if isNegative { at = 1 }
        guard raw.count - at <= 18 else { return anyInteger }
        while at < raw.count {
            let digit = raw[at] &- 48
            guard digit < 10 else { return anyInteger }
            value = value * 10 + Int(digit)
            at += 1
        }
        return isNegative ? -value : value
    }

    /// The nearest double; nil if the magnitude is beyond the largest one.
    public var double: Double? {
        if let short = shortDouble { return short }
        guard let value = Double(raw.count <= Self.digitsMax ? text : shortened), value.isFinite else { return nil }
        return value
    }

    /// The double of at most fifteen digits without an exponent: both the digits and the power of ten are doubles, so
    /// that the division rounds once, to the nearest. (W. D. Clinger, "How to Read Floating Point Numbers Accurately",
    /// 1990.)
    private var shortDouble: Double? {
        let isNegative = raw.first == UInt8(ascii: "-")
        var at = isNegative ? 1 : 0
        guard raw.count - at <= 16 else { return nil }
        var (digits, power, count, isFraction) = (0, 1.0, 0, false)
        while at < raw.count {
            let digit = raw[at] &- 48
            at += 1
            guard digit < 10 else {
                if raw[at - 1] != UInt8(ascii: ".") || isFraction { return nil }
                isFraction = true
                continue
            }
            digits = digits * 10 + Int(digit)
            count += 1
            if isFraction { power *= 10 }
        }
        guard 1...15 ~= count else { return nil }
        let value = Double(digits) / power
        return isNegative ? -value : value
    }

    /// The middle between two doubles has at most 768 digits: further ones only tell whether a number lies above it.
    private static let digitsMax = 800

    /// A text of bounded length with the same nearest double: the first digits, a 1 for the others if one of them is
    /// not 0, and the power of ten.
    private var shortened: String {
        var digits: [UInt8] = []
        var power = 0
        var isFraction = false
        var isMore = false
        var at = 0
        while at < raw.count, raw[at] | 0x20 != UInt8(ascii: "e") {
            let byte = raw[at]
            at += 1
            if byte == UInt8(ascii: ".") { isFraction = true }
            guard byte &- 48 < 10 else { continue }
            if isFraction { power -= 1 }
            if digits.count < Self.digitsMax {
                if byte != 48 || !digits.isEmpty { digits.append(byte) }
            } else {
                power += 1
                isMore = isMore || byte != 48
            }
        }
        if isMore {
            digits.append(49)
            power -= 1
        }
        let sign = raw.first == UInt8(ascii: "-") ? "-" : ""
        return digits.isEmpty
            ? sign + "0" : "\(sign)\(String(decoding: digits, as: UTF8.self))e\(power + exponent(from: at + 1))"
    }

    /// The integer in any form: its digits up to the last that is not 0, and their power of ten.
    private var anyInteger: Int? {
        var magnitude: UInt = 0
        var zeros = 0
        var power = 0
        var isFraction = false
        var at = raw.first == UInt8(ascii: "-") ? 1 : 0
        while at < raw.count, raw[at] | 0x20 != UInt8(ascii: "e") {
            let digit = raw[at] &- 48
            at += 1
            guard digit < 10 else {
                isFraction = true
                continue
            }
            if isFraction { power -= 1 }
            zeros += 1
            if digit != 0 {
                // A value that is too large now is too large or no integer at the end: this digit is not a trailing
                // zero.
                guard let shifted = Self.shift(magnitude, zeros) else { return nil }
                let (sum, overflows) = shifted.addingReportingOverflow(UInt(digit))
                if overflows { return nil }
                magnitude = sum
                zeros = 0
            }
        }
        guard magnitude > 0 else { return 0 }
        power += zeros + exponent(from: at + 1)
        guard power >= 0, let value = Self.shift(magnitude, power) else { return nil }
        if raw.first != UInt8(ascii: "-") { return Int(exactly: value) }
        return value <= Int.min.magnitude ? Int(truncatingIfNeeded: 0 &- value) : nil
    }

    private static func shift(_ magnitude: UInt, _ power: Int) -> UInt? {
        if magnitude == 0 { return 0 }
        guard power <= 20 else { return nil }
        var value = magnitude
        for _ in 0..<power {
            let (product, overflows) = value.multipliedReportingOverflow(by: 10)
            if overflows { return nil }
            value = product
        }
        return value
    }

    /// The exponent's value, limited below overflow: no text is long enough to make up for it.
    private func exponent(from start: Int) -> Int {
        guard start < raw.count else { return 0 }
        var value = 0
        for at in start..<raw.count where raw[at] &- 48 < 10 && value < 1 << 50 {
            value = value * 10 + Int(raw[at] &- 48)
        }
        return raw[start] == UInt8(ascii: "-") ? -value : value
    }
}
