public import CPlatform

/// Tests of eight bytes at a time, shared by all loops over text.
///
/// Each returns a word with bit 7 set in the matching bytes. The lowest set bit is always right; higher ones may be
/// false because a borrow runs upwards, so callers use only the lowest one. (H. S. Warren, Hacker's Delight, 6-1.)
@usableFromInline enum ByteScan {
    @usableFromInline static var ones: UInt64 { @inlinable @inline(__always) get { 0x0101_0101_0101_0101 } }
    @usableFromInline static var tops: UInt64 { @inlinable @inline(__always) get { 0x8080_8080_8080_8080 } }

    @inlinable @inline(__always)
    static func zeroBytes(_ word: UInt64) -> UInt64 {
        (word &- ones) & ~word & tops
    }

    @inlinable @inline(__always)
    static func bytes(_ word: UInt64, equalTo byte: UInt8) -> UInt64 {
        zeroBytes(word ^ (ones &* UInt64(byte)))
    }

    /// Bytes that end a plain run of a string: a quote, a backslash, a control character.
    @inlinable @inline(__always)
    static func special(_ word: UInt64) -> UInt64 {
        let controls = (word &- 0x2020_2020_2020_2020) & ~word & tops
        return controls | bytes(word, equalTo: 0x22) | bytes(word, equalTo: 0x5c)
    }

    @inlinable @inline(__always)
    static func load(_ base: UnsafePointer<UInt8>, _ at: Int) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self))
    }

    /// Whether `count` bytes are equal. For a literal, whose length the compiler knows, this is a few comparisons of
    /// words.
    @inlinable @inline(__always)
    static func areEqual(_ one: UnsafePointer<UInt8>, _ other: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        if count < 8 {
            for place in 0..<count where one[place] != other[place] { return false }
            return true
        }
        var at = 0
        while count - at > 8 {
            if load(one, at) != load(other, at) { return false }
            at += 8
        }
        // The last words may overlap.
        return load(one, count - 8) == load(other, count - 8)
    }

    /// The offset of the next quote or backslash in a string of valid JSON, or `end`.
    @inlinable @inline(__always)
    static func plainRun(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Int {
        cplatform_known_run(base, at, end)
    }

    @inlinable @inline(__always)
    static func lowest(_ hits: UInt64) -> Int { hits.trailingZeroBitCount >> 3 }

    /// The length of the UTF-8 sequence that begins with a byte of 0x80 or more, or 0 if it is not valid there.
    /// RFC 3629, section 4: no overlong forms, no surrogates, nothing above U+10FFFF.
    @inlinable @inline(__always)
    static func sequenceLength(_ base: UnsafePointer<UInt8>, _ at: Int, _ end: Int) -> Int {
        let first = base[at]
        if first < 0xc2 || first > 0xf4 { return 0 }
        if first < 0xe0 {
            return end - at >= 2 && base[at + 1] & 0xc0 == 0x80 ? 2 : 0
        }
        if first < 0xf0 {
            guard end - at >= 3 else { return 0 }
            let second = base[at + 1]
            let low: UInt8 = first == 0xe0 ? 0xa0 : 0x80
            let high: UInt8 = first == 0xed ? 0x9f : 0xbf
            return second >= low && second <= high && base[at + 2] & 0xc0 == 0x80 ? 3 : 0
        }
        guard end - at >= 4 else { return 0 }
        let second = base[at + 1]
        let low: UInt8 = first == 0xf0 ? 0x90 : 0x80
        let high: UInt8 = first == 0xf4 ? 0x8f : 0xbf
        return second >= low && second <= high && base[at + 2] & 0xc0 == 0x80 && base[at + 3] & 0xc0 == 0x80 ? 4 : 0
    }
}

/// A keyed hash of bytes from a peer: linear, and without the key a peer cannot cause collisions. The mixing is a
/// folded 64 × 64 bit multiplication (the idea of wyhash); it is not a cryptographic hash.
struct ByteHash {
    private let key: UInt64
    /// One key per process, not one system call for each text.
    private static let keyOfProcess = UInt64.random(in: .min ... .max) | 1

    init() { key = Self.keyOfProcess }

    @inline(__always)
    func callAsFunction(_ base: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
        var hash = key ^ UInt64(truncatingIfNeeded: end - start)
        var at = start
        while end - at >= 8 {
            hash = Self.fold(hash ^ ByteScan.load(base, at), 0x9e37_79b9_7f4a_7c15 ^ key)
            at += 8
        }
        // The length is in the hash, so the pieces of the rest may overlap.
        let count = end - at
        var rest: UInt64 = 0
        if count >= 4 {
            let bytes = UnsafeRawPointer(base)
            rest =
                UInt64(bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)) << 32
                | UInt64(bytes.loadUnaligned(fromByteOffset: end - 4, as: UInt32.self))
        } else if count > 0 {
            rest = UInt64(base[at]) << 16 | UInt64(base[at + count / 2]) << 8 | UInt64(base[end - 1])
        }
        return Self.fold(hash ^ rest, 0xe703_7ed1_a0b4_28db ^ key)
    }

    @inline(__always)
    private static func fold(_ a: UInt64, _ b: UInt64) -> UInt64 {
        let product = a.multipliedFullWidth(by: b)
        return product.high ^ product.low
    }
}

extension UnsafeRawBufferPointer {
    /// The offset of the first `byte` at or after `start`, or nil.
    @inlinable
    public func firstOffset(of byte: UInt8, from start: Int = 0) -> Int? {
        guard let base = baseAddress, start >= 0, start < count else { return nil }
        let found = cplatform_find_byte(base + start, Int32(byte), count - start)
        return found < 0 ? nil : start + found
    }

    /// The offset of the quote that ends a string of valid JSON, whose inside begins at `start`, and whether the string
    /// has a backslash; nil if it does not end.
    @inlinable @inline(__always)
    public func endOfString(from start: Int) -> (offset: Int, isEscaped: Bool)? {
        guard let base = baseAddress?.assumingMemoryBound(to: UInt8.self), start >= 0 else { return nil }
        var at = start
        var isEscaped = false
        while at < count {
            at = ByteScan.plainRun(base, at, count)
            guard at < count else { return nil }
            if base[at] == UInt8(ascii: "\"") { return (at, isEscaped) }
            isEscaped = true
            at += 2
        }
        return nil
    }
}
