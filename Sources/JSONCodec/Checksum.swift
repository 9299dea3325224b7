import CPlatform

/// CRC-32C (Castagnoli): the checksum of journal lines, snapshots and other stored data.
///
/// Polynomial 1EDC6F41, bits reflected, register inverted at both ends; `123456789` gives e3069283 (RFC 3720, appendix
/// B.4). It finds every burst of up to 32 bits. It is no protection against an attacker.
public enum CRC32C {
    /// The checksum of `bytes`; `seed` is the checksum of the bytes before, so that a file can be summed in pieces.
    ///
    /// Complexity: linear; about 20 GB/s where the processor has the instruction, 1-2 GB/s elsewhere.
    @inline(__always)
    public static func checksum(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
        guard let start = bytes.baseAddress else { return seed }
        return hasInstruction
            ? ~cplatform_crc32c_instruction(~seed, start, bytes.count)
            : portable(bytes, seed: seed)
    }

    /// Determined once: under a hypervisor the cpuid instruction costs more than summing a megabyte.
    @usableFromInline static let hasInstruction = cplatform_has_crc_instruction() != 0

    /// The checksum by tables, eight bytes a step.
    static func portable(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> UInt32 {
        var register = ~seed
        var at = 0
        tables.withUnsafeBufferPointer { table in
            while bytes.count - at >= 8 {
                let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self))
                let mixed = word ^ UInt64(register)
                register = 0
                for lane in 0..<8 {
                    let byte = Int(truncatingIfNeeded: (mixed >> (8 * UInt64(lane))) & 0xFF)
                    register ^= table[(7 - lane) * 256 + byte]
                }
                at += 8
            }
            while at < bytes.count {
                let byte = UInt8(truncatingIfNeeded: register) ^ bytes[at]
                register = (register >> 8) ^ table[Int(byte)]
                at += 1
            }
        }
        return ~register
    }

    /// Entry `lane * 256 + byte`: the effect of `byte` on the register when `lane` zero bytes follow it.
    private static let tables: [UInt32] = {
        var tables = [UInt32](repeating: 0, count: 8 * 256)
        for byte in 0..<256 {
            var register = UInt32(byte)
            for _ in 0..<8 { register = (register >> 1) ^ (register & 1 == 1 ? 0x82F6_3B78 : 0) }
            tables[byte] = register
        }
        for lane in 1..<8 {
            for byte in 0..<256 {
                let before = tables[(lane - 1) * 256 + byte]
                tables[lane * 256 + byte] = (before >> 8) ^ tables[Int(before & 0xFF)]
            }
        }
        return tables
    }()

    /// The eight lower-case hexadecimal digits of a checksum, in the byte order of memory: storing the result writes
    /// them, and one comparison of eight loaded bytes checks them.
    public static func hexDigits(of checksum: UInt32) -> UInt64 {
        // One nibble in each byte, the first digit lowest; then all eight become digits at once.
        var nibbles = UInt64(checksum.byteSwapped)
        nibbles = (nibbles | nibbles << 16) & 0x0000_FFFF_0000_FFFF
        nibbles = (nibbles | nibbles << 8) & 0x00FF_00FF_00FF_00FF
        nibbles = (nibbles >> 4 & 0x000F_000F_000F_000F) | (nibbles & 0x000F_000F_000F_000F) << 8
        let letters = (nibbles + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
        return (nibbles + 0x3030_3030_3030_3030 + letters * 39).littleEndian
    }
}
