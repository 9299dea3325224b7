import JSONCodec

/// SHA-256, FIPS 180-4, section 6.2.
public struct SHA256: Sendable {
    private static let blockBytes = 64

    /// The fractional parts of the square roots of the first eight primes. Section 5.3.3.
    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19)
    /// Fewer bytes than a block.
    private var rest: [UInt8] = []
    private var byteCount: UInt64 = 0

    public init() { rest.reserveCapacity(2 * Self.blockBytes) }

    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        byteCount &+= UInt64(bytes.count)
        var at = 0
        if !rest.isEmpty {
            at = min(Self.blockBytes - rest.count, bytes.count)
            rest.append(contentsOf: bytes[..<at])
            guard rest.count == Self.blockBytes else { return }
            rest.withUnsafeBytes { Self.mix($0, &state) }
            rest.removeAll(keepingCapacity: true)
        }
        let whole = at + (bytes.count - at) / Self.blockBytes * Self.blockBytes
        Self.mix(UnsafeRawBufferPointer(rebasing: bytes[at..<whole]), &state)
        rest.append(contentsOf: bytes[whole...])
    }

    public mutating func update(_ bytes: [UInt8]) { bytes.withUnsafeBytes { update($0) } }

    public mutating func update(_ text: String) { update(Array(text.utf8)) }

    /// The digest of all bytes so far, 32 bytes.
    public func digest() -> [UInt8] {
        // Section 5.1.1: a one bit, zeros, and the length in bits as the last eight bytes of a block.
        var (last, state) = (rest, state)
        last.append(0x80)
        while last.count % Self.blockBytes != Self.blockBytes - 8 { last.append(0) }
        withUnsafeBytes(of: (byteCount &* 8).bigEndian) { last.append(contentsOf: $0) }
        last.withUnsafeBytes { Self.mix($0, &state) }
        var digest: [UInt8] = []
        for index in 0..<8 { withUnsafeBytes(of: state[index].bigEndian) { digest.append(contentsOf: $0) } }
        return digest
    }

    /// The digest as 64 lower-case hex digits.
    public func hex() -> String {
        var text = ""
        for byte in digest() {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }

    /// Mixes whole blocks. Section 6.2.2; of the schedule of 64 words it keeps the last 16.
    private static func mix(_ blocks: UnsafeRawBufferPointer, _ state: inout SIMD8<UInt32>) {
        withUnsafeTemporaryAllocation(of: UInt32.self, capacity: 16) { words in
            constants.withUnsafeBufferPointer { constants in
                var at = 0
                while at + blockBytes <= blocks.count {
                    for index in 0..<16 {
                        let word = blocks.loadUnaligned(fromByteOffset: at + index * 4, as: UInt32.self)
                        words.initializeElement(at: index, to: UInt32(bigEndian: word))
                    }
                    mixBlock(words, constants, &state)
                    at += blockBytes
                }
            }
        }
    }

    @inline(__always)
    private static func mixBlock(
        _ words: UnsafeMutableBufferPointer<UInt32>, _ constants: UnsafeBufferPointer<UInt32>,
        _ state: inout SIMD8<UInt32>
    ) {
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for round in 0..<64 {
            let slot = round & 15
            if round >= 16 {
                let (older, newer) = (words[(round + 1) & 15], words[(round + 14) & 15])
                let low = turned(older, 7) ^ turned(older, 18) ^ older >> 3
                let high = turned(newer, 17) ^ turned(newer, 19) ^ newer >> 10
                words[slot] = words[slot] &+ low &+ words[(round + 9) & 15] &+ high
            }
            let first =
                h &+ (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) &+ (e & f ^ ~e & g) &+ constants[round]
                &+ words[slot]
            let second = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) &+ (a & b ^ a & c ^ b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        state = state &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    @inline(__always)
    private static func turned(_ word: UInt32, _ bits: UInt32) -> UInt32 { word >> bits | word << (32 &- bits) }

    /// The fractional parts of the cube roots of the first 64 primes. Section 4.2.2.
    private static let constants: [UInt32] = [
        0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
        0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
        0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
        0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
        0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
        0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
        0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
        0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
    ]
}
