/// SipHash-2-4 (Aumasson and Bernstein, "SipHash: a fast short-input PRF", 2012): a keyed hash for what a peer chose.
///
/// Without the key nobody can choose ids or texts that all fall into one bucket, and anybody with the key can look up.
struct SipHash: Sendable {
    private var a: UInt64
    private var b: UInt64
    private var c: UInt64
    private var d: UInt64

    /// - Parameter key: sixteen bytes as two little-endian words.
    @inline(__always)
    init(_ key: IndexKey) {
        a = key.first ^ 0x736f_6d65_7073_6575
        b = key.second ^ 0x646f_7261_6e64_6f6d
        c = key.first ^ 0x6c79_6765_6e65_7261
        d = key.second ^ 0x7465_6462_7974_6573
    }

    /// The hash of an id's sixteen bytes in the order in which they are written.
    @inline(__always)
    func callAsFunction(_ id: RecordID) -> UInt64 {
        var state = self
        state.absorb(id.high.byteSwapped)
        state.absorb(id.low.byteSwapped)
        state.absorb(16 << 56)
        return state.finish()
    }

    /// The hash of any bytes.
    func callAsFunction(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var state = self
        var at = 0
        while bytes.count - at >= 8 {
            state.absorb(UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
            at += 8
        }
        var last = UInt64(truncatingIfNeeded: bytes.count) << 56
        var shift: UInt64 = 0
        while at < bytes.count {
            last |= UInt64(bytes[at]) << shift
            shift += 8
            at += 1
        }
        state.absorb(last)
        return state.finish()
    }

    @inline(__always)
    private mutating func absorb(_ word: UInt64) {
        d ^= word
        round()
        round()
        a ^= word
    }

    @inline(__always)
    private mutating func finish() -> UInt64 {
        c ^= 0xff
        for _ in 0..<4 { round() }
        return a ^ b ^ c ^ d
    }

    @inline(__always)
    private mutating func round() {
        a &+= b
        b = Self.rotate(b, 13) ^ a
        a = Self.rotate(a, 32)
        c &+= d
        d = Self.rotate(d, 16) ^ c
        a &+= d
        d = Self.rotate(d, 21) ^ a
        c &+= b
        b = Self.rotate(b, 17) ^ c
        c = Self.rotate(c, 32)
    }

    @inline(__always)
    private static func rotate(_ word: UInt64, _ bits: UInt64) -> UInt64 { word << bits | word >> (64 - bits) }
}

/// Sixteen random bytes that each index has of its own: the key of its hash, and part of each of its checksums.
package struct IndexKey: Sendable, Equatable {
    let first: UInt64
    let second: UInt64

    package init(_ first: UInt64, _ second: UInt64) {
        self.first = first
        self.second = second
    }

    package static func random() -> IndexKey { IndexKey(.random(in: .min ... .max), .random(in: .min ... .max)) }
}
