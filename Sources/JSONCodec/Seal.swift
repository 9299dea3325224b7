/// The end of a line or file with a checksum: `"crc":"xxxxxxxx"}`, the CRC-32C of every byte before it, including the
/// comma.
public enum Seal {
    /// `"crc":"` and eight digits and `"}`.
    public static let byteCount = 17

    /// The bytes of a line before its seal, if the seal is right.
    /// - Parameter seed: the checksum of the bytes before the line, if the seal is also theirs.
    @inline(__always)
    public static func content(of line: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UnsafeRawBufferPointer? {
        guard line.count > byteCount else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: line[..<(line.count - byteCount)])
        let seal = UnsafeRawBufferPointer(rebasing: line[(line.count - byteCount)...])
        return matches(seal, CRC32C.checksum(content, seed: seed)) ? content : nil
    }

    /// Whether `seal` is the seal with this checksum.
    @inline(__always)
    public static func matches(_ seal: UnsafeRawBufferPointer, _ checksum: UInt32) -> Bool {
        guard let stated = digits(in: seal) else { return false }
        return stated == CRC32C.hexDigits(of: checksum)
    }

    /// The digits of bytes in the form of a seal, in the byte order of memory.
    @inline(__always)
    public static func digits(in seal: UnsafeRawBufferPointer) -> UInt64? {
        guard seal.count == byteCount,
            // `"crc":"` as the upper seven bytes of a word.
            UInt64(littleEndian: seal.loadUnaligned(fromByteOffset: 0, as: UInt64.self)) << 8 == 0x223a_2263_7263_2200,
            seal[byteCount - 2] == UInt8(ascii: "\""), seal[byteCount - 1] == UInt8(ascii: "}")
        else { return nil }
        return seal.loadUnaligned(fromByteOffset: 7, as: UInt64.self)
    }

    /// The digits of a right seal at the end of a line without its line feed.
    @inline(__always)
    public static func digits(ofSealed line: UnsafeRawBufferPointer) -> UInt64 {
        line.loadUnaligned(fromByteOffset: line.count - 10, as: UInt64.self)
    }

    /// Number of bytes that are as in every seal.
    public static func likeness(of bytes: UnsafeRawBufferPointer) -> Int {
        zip(bytes, "\"crc\":\"00000000\"}".utf8).count { byte, form in
            form == UInt8(ascii: "0") ? (48...57).contains(byte) || (97...102).contains(byte) : byte == form
        }
    }

    /// Ends an object whose brace is still open.
    public static func sealed(_ buffer: inout ByteBuffer) -> [UInt8] {
        buffer.append(UInt8(ascii: ","))
        buffer.appendSeal(from: 0)
        return Array(buffer.bytes)
    }

    // MARK: The checksum alone

    /// The checksum in a line, unchecked.
    public static func crc(of line: [UInt8]) -> UInt32? {
        line.count > byteCount ? crc(digits: line[(line.count - 10)..<(line.count - 2)]) : nil
    }

    /// The checksum of eight digits.
    public static func crc(digits: some Collection<UInt8>) -> UInt32? {
        guard digits.count == 8 else { return nil }
        var crc: UInt32 = 0
        for digit in digits {
            switch digit {
            case 48...57: crc = crc << 4 | UInt32(digit - 48)
            case 97...102: crc = crc << 4 | UInt32(digit - 87)
            default: return nil
            }
        }
        return crc
    }

    public static func crc(_ text: String) -> UInt32? { crc(digits: text.utf8) }

    /// The eight digits of a checksum.
    public static func text(_ crc: UInt32) -> String {
        withUnsafeBytes(of: CRC32C.hexDigits(of: crc)) { String(decoding: $0, as: UTF8.self) }
    }
}

extension ByteBuffer {
    /// Appends the seal of the bytes from `start` on.
    @inline(__always)
    public mutating func appendSeal(from start: Int) {
        appendSeal(checksum: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...])))
    }

    @inline(__always)
    public mutating func appendSeal(checksum: UInt32) {
        append("\"crc\":\"")
        let digits = CRC32C.hexDigits(of: checksum)
        withUnsafeBytes(of: digits) { append($0) }
        append("\"}")
    }
}
