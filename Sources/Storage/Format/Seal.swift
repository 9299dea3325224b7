import JSONCodec
import Platform

/// The end of a sealed line: `"crc":"xxxxxxxx"}`, the CRC-32C of every byte of the line before it, the comma included.
enum Seal {
    /// `"crc":"` and eight digits and `"}`.
    static let byteCount = 17

    /// The bytes of a line before its seal, where the seal is right.
    @inline(__always)
    static func content(of line: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard line.count > byteCount else { return nil }
        let content = UnsafeRawBufferPointer(rebasing: line[..<(line.count - byteCount)])
        let seal = UnsafeRawBufferPointer(rebasing: line[(line.count - byteCount)...])
        return matches(seal, CRC32C.checksum(content)) ? content : nil
    }

    /// Whether `seal` is the seal with this checksum.
    static func matches(_ seal: UnsafeRawBufferPointer, _ checksum: UInt32) -> Bool {
        guard let stated = digits(in: seal) else { return false }
        return stated == CRC32C.hexDigits(of: checksum)
    }

    /// The digits of something that is formed like a seal, as they lie in memory.
    static func digits(in seal: UnsafeRawBufferPointer) -> UInt64? {
        guard seal.count == byteCount, let start = seal.baseAddress,
            memcmp(start, "\"crc\":\"", 7) == 0, memcmp(start + 15, "\"}", 2) == 0
        else { return nil }
        return seal.loadUnaligned(fromByteOffset: 7, as: UInt64.self)
    }
}

extension ByteBuffer {
    /// Appends a record. A line feed in it can only be white space, but would end the line that it stands in.
    @inline(__always)
    mutating func append(record: UnsafeRawBufferPointer) {
        let start = count
        append(record)
        if let base = bytes.baseAddress, memchr(base + start, 0x0A, record.count) != nil { blankLineFeeds(from: start) }
    }

    @inline(never)
    private mutating func blankLineFeeds(from start: Int) {
        let space: StaticString = " "
        for offset in start..<count where bytes[offset] == 0x0A {
            overwrite(UnsafeRawBufferPointer(start: space.utf8Start, count: 1), at: offset)
        }
    }

    /// Appends the seal of the bytes from `start` on.
    @inline(__always)
    mutating func appendSeal(from start: Int) {
        appendSeal(checksum: CRC32C.checksum(UnsafeRawBufferPointer(rebasing: bytes[start...])))
    }

    @inline(__always)
    mutating func appendSeal(checksum: UInt32) {
        append("\"crc\":\"")
        let digits = CRC32C.hexDigits(of: checksum)
        withUnsafeBytes(of: digits) { append($0) }
        append("\"}")
    }
}
