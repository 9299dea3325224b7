import CPlatform
import Platform

/// Matches bytes against a fixed form from the left: this program writes the lines of the store's files in one form
/// only, so any other form is not its own.
///
/// No bytes make it trap; a step that does not match leaves the position unchanged.
struct ByteMatcher {
    let bytes: UnsafeRawBufferPointer
    private(set) var position = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isAtEnd: Bool { position == bytes.count }
    var remaining: Int { bytes.count - position }
    /// Whether this byte comes next.
    func isAt(_ byte: UInt8) -> Bool { remaining > 0 && bytes[position] == byte }

    @inline(__always)
    mutating func take(_ literal: StaticString) -> Bool {
        let count = literal.utf8CodeUnitCount
        guard remaining >= count, let start = bytes.baseAddress else { return false }
        guard memcmp(start + position, literal.utf8Start, count) == 0 else { return false }
        position += count
        return true
    }

    /// An integer without sign or leading zero, of at most 18 digits.
    @inline(__always)
    mutating func takeInteger() -> Int? {
        var at = position
        var value = 0
        while at < bytes.count, at - position <= 18 {
            let digit = bytes[at] &- UInt8(ascii: "0")
            guard digit < 10 else { break }
            value = value &* 10 &+ Int(digit)
            at += 1
        }
        let digits = at - position
        guard digits > 0, digits <= 18, digits == 1 || bytes[position] != UInt8(ascii: "0") else { return nil }
        position = at
        return value
    }

    /// The next `count` bytes, if none of them ends or escapes a JSON string.
    @inline(__always)
    mutating func takeText(count: Int) -> UnsafeRawBufferPointer? {
        guard remaining >= count else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        for byte in text where byte < 0x20 || byte > 0x7E || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") {
            return nil
        }
        position += count
        return text
    }

    /// The rest of the bytes before `literal`, which must be their end.
    mutating func takeRest(before literal: StaticString) -> UnsafeRawBufferPointer? {
        let count = remaining - literal.utf8CodeUnitCount
        guard count >= 0, let start = bytes.baseAddress,
            memcmp(start + position + count, literal.utf8Start, literal.utf8CodeUnitCount) == 0
        else { return nil }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position = bytes.count
        return rest
    }

    /// The bytes of one JSON object, found by its brackets and strings alone: the caller has checked the checksum.
    mutating func takeObject() -> UnsafeRawBufferPointer? {
        guard remaining > 0, bytes[position] == UInt8(ascii: "{") else { return nil }
        let count = cplatform_object_length(bytes.baseAddress.map { $0 + position }, remaining)
        guard count > 0 else { return nil }
        let object = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
        position += count
        return object
    }

    /// The inside of a JSON string after its first quote; takes the last quote too.
    mutating func takeString() -> UnsafeRawBufferPointer? {
        let end = endOfString(from: position)
        guard end < bytes.count else { return nil }
        let text = UnsafeRawBufferPointer(rebasing: bytes[position..<end])
        position = end + 1
        return text
    }

    /// Sixteen lower-case hexadecimal digits.
    mutating func takeHexWord() -> UInt64? {
        guard remaining >= 16 else { return nil }
        var word: UInt64 = 0
        for byte in bytes[position..<position + 16] {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): word = word << 4 | UInt64(byte - 48)
            case UInt8(ascii: "a")...UInt8(ascii: "f"): word = word << 4 | UInt64(byte - 87)
            default: return nil
            }
        }
        position += 16
        return word
    }

    /// The offset of the quote that ends a string, or the end of the bytes; eight bytes a step.
    @inline(__always)
    private func endOfString(from start: Int) -> Int {
        var at = start
        while at < bytes.count {
            if bytes.count - at >= 8 {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let found = Self.zeroBytes(word ^ 0x2222_2222_2222_2222) | Self.zeroBytes(word ^ 0x5C5C_5C5C_5C5C_5C5C)
                guard found != 0 else {
                    at += 8
                    continue
                }
                at += found.trailingZeroBitCount >> 3
            }
            switch bytes[at] {
            case UInt8(ascii: "\""): return at
            case UInt8(ascii: "\\"): at += 2
            default: at += 1
            }
        }
        return bytes.count
    }

    /// The top bit of each byte that is zero; above the lowest such byte there may be false ones.
    @inline(__always)
    private static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- 0x0101_0101_0101_0101) & ~word & 0x8080_8080_8080_8080
    }
}
