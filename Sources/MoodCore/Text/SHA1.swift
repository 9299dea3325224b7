import JSONCodec

/// SHA-1 (RFC 3174), for UUIDs made from names only. Never for a secret or a signature.
public struct SHA1 {
    private static let blockBytes = 64

    private var state: (UInt32, UInt32, UInt32, UInt32, UInt32) =
        (0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0)

    /// The first 128 bits of the digest, the first byte highest.
    public static func prefix(of message: UnsafeRawBufferPointer) -> (high: UInt64, low: UInt64) {
        var hash = SHA1()
        let whole = message.count / blockBytes * blockBytes
        var at = 0
        while at < whole {
            hash.mix(UnsafeRawBufferPointer(rebasing: message[at..<at + blockBytes]))
            at += blockBytes
        }
        // RFC 3174, section 4: a one bit, zeros, and the length in bits as the last eight bytes of a block.
        var rest = ByteBuffer(capacity: 2 * blockBytes)
        rest.append(UnsafeRawBufferPointer(rebasing: message[whole...]))
        rest.append(0x80)
        while rest.count % blockBytes != blockBytes - 8 { rest.append(0) }
        rest.append(word: (UInt64(message.count) &* 8).byteSwapped)
        at = 0
        while at < rest.count {
            hash.mix(UnsafeRawBufferPointer(rebasing: rest.bytes[at..<at + blockBytes]))
            at += blockBytes
        }
        let (a, b, c, d, _) = hash.state
        return (UInt64(a) << 32 | UInt64(b), UInt64(c) << 32 | UInt64(d))
    }

    /// RFC 3174, section 6.2. Only the last 16 words of the schedule of 80 are kept.
    private mutating func mix(_ block: UnsafeRawBufferPointer) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { words in
            for index in 0..<16 {
                words.initializeElement(
                    at: index, to: UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self)))
            }
            var (a, b, c, d, e) = state
            for round in 0..<80 {
                let slot = round & 15
                if round >= 16 {
                    let word =
                        words[(round + 13) & 15] ^ words[(round + 8) & 15] ^ words[(round + 2) & 15] ^ words[slot]
                    words[slot] = word << 1 | word >> 31
                }
                let (mixed, constant): (UInt32, UInt32) =
                    switch round {
                    case 0..<20: (b & c | ~b & d, 0x5a82_7999)
                    case 20..<40: (b ^ c ^ d, 0x6ed9_eba1)
                    case 40..<60: (b & c | b & d | c & d, 0x8f1b_bcdc)
                    default: (b ^ c ^ d, 0xca62_c1d6)
                    }
                let next = (a << 5 | a >> 27) &+ mixed &+ e &+ constant &+ words[slot]
                (e, d, c, b, a) = (d, c, b << 30 | b >> 2, a, next)
            }
            state = (state.0 &+ a, state.1 &+ b, state.2 &+ c, state.3 &+ d, state.4 &+ e)
        }
    }
}
