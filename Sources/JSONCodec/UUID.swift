/// A UUID (RFC 9562), stored as two words, written in lower case, read in either case; ordered as its text.
///
/// It identifies moods and records: `MoodID` and `RecordID` are this type.
public struct UUID: Sendable, Hashable {
    public let high: UInt64
    public let low: UInt64

    /// The length of the written form.
    public static let textLength = 36

    @inlinable
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads the form 8-4-4-4-12. RFC 9562, section 4.
    public init?(_ text: UnsafeRawBufferPointer) {
        guard text.count == Self.textLength, let base = text.baseAddress else { return nil }
        let dash = UInt8(ascii: "-")
        guard text[8] == dash, text[13] == dash, text[18] == dash, text[23] == dash else { return nil }
        // Eight digits at a time; the dashes are after digits 8, 12, 16 and 20.
        @inline(__always) func load(_ at: Int) -> UInt64 {
            UInt64(littleEndian: base.loadUnaligned(fromByteOffset: at, as: UInt64.self))
        }
        @inline(__always) func join(_ first: Int, _ second: Int) -> UInt64 {
            load(first) & 0xffff_ffff | load(second) << 32
        }
        guard let words = Self.digits(SIMD4(load(0), join(9, 14), join(19, 24), load(28))) else { return nil }
        self.init(
            high: (words[0] | words[1] << 32).byteSwapped, low: (words[2] | words[3] << 32).byteSwapped)
    }

    /// The four bytes of each eight hex digits, in order, the first in the lowest byte; nil for any other character.
    @inline(__always)
    private static func digits(_ text: SIMD4<UInt64>) -> SIMD4<UInt64>? {
        @inline(__always) func all(_ byte: UInt8) -> SIMD4<UInt64> {
            SIMD4(repeating: 0x0101_0101_0101_0101 &* UInt64(byte))
        }
        let letters = text &>> 6 & all(1)
        let nibbles = (text & all(0x0f)) &+ (letters &<< 3) &+ letters
        // Only a letter gives a nibble above 9, and writing the nibbles again gives the same text.
        let isAboveNine = (nibbles &+ all(6)) &>> 4 & all(1)
        let again = nibbles &+ all(0x30) &+ (letters &<< 5) &+ (letters &<< 3) &- letters
        let wrong =
            (text & all(0x80)) | (nibbles & all(0xf0)) | (isAboveNine ^ letters) | (again ^ (text | letters &<< 5))
        let halves = wrong.lowHalf | wrong.highHalf
        guard halves[0] | halves[1] == 0 else { return nil }
        let pairs = (nibbles &<< 4 | nibbles &>> 8) & SIMD4(repeating: 0x00ff_00ff_00ff_00ff)
        let fours = (pairs | pairs &>> 8) & SIMD4(repeating: 0x0000_ffff_0000_ffff)
        return (fours | fours &>> 16) & SIMD4(repeating: 0xffff_ffff)
    }

    public init?(_ text: String) {
        var text = text
        guard let value = text.withUTF8({ UUID(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = value
    }

    /// The written form, 36 bytes of ASCII.
    public var text: String {
        var buffer = ByteBuffer(capacity: 40)
        write(to: &buffer)
        return buffer.string()
    }

    public func write(to buffer: inout ByteBuffer) {
        let a = Self.hex(high >> 32)
        let b = Self.hex(high & 0xffff_ffff)
        let c = Self.hex(low >> 32)
        let d = Self.hex(low & 0xffff_ffff)
        let dash = UInt64(UInt8(ascii: "-"))
        // aaaaaaaa -bbbb-bb bb-cccc- ccccdddd dddd
        buffer.append(word: a)
        buffer.append(word: dash | (b & 0xffff_ffff) << 8 | dash << 40 | (b >> 32) << 48)
        buffer.append(word: b >> 48 | dash << 16 | (c & 0xffff_ffff) << 24 | dash << 56)
        buffer.append(word: c >> 32 | d << 32)
        buffer.append(word: d >> 32)
        buffer.truncate(to: buffer.count - 4)
    }

    /// Eight hex digits of 32 bits, the first in the lowest byte.
    @inline(__always)
    private static func hex(_ value: UInt64) -> UInt64 {
        var nibbles = value
        nibbles = (nibbles | nibbles << 16) & 0x0000_ffff_0000_ffff
        nibbles = (nibbles | nibbles << 8) & 0x00ff_00ff_00ff_00ff
        nibbles = (nibbles | nibbles << 4) & 0x0f0f_0f0f_0f0f_0f0f
        nibbles = nibbles.byteSwapped
        let letters = (nibbles &+ 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return nibbles &+ 0x3030_3030_3030_3030 &+ letters &* 0x27
    }
}

extension UUID: Comparable {
    @inlinable
    public static func == (a: UUID, b: UUID) -> Bool { a.high == b.high && a.low == b.low }

    @inlinable
    public static func < (a: UUID, b: UUID) -> Bool {
        a.high != b.high ? a.high < b.high : a.low < b.low
    }
}
