import JSONCodec

/// A mood's identity.
public typealias MoodID = UUID

extension UUID {
    /// Version 7: 48 bits of milliseconds, then random bits. RFC 9562, section 5.7.
    public init(version7At time: Timestamp, random: (UInt64, UInt64)) {
        let milliseconds = UInt64(truncatingIfNeeded: max(time.milliseconds, 0)) & 0xffff_ffff_ffff
        self.init(
            high: milliseconds << 16 | 0x7000 | random.0 & 0x0fff,
            low: 0x8000_0000_0000_0000 | random.1 & 0x3fff_ffff_ffff_ffff)
    }

    /// Version 5: from a name alone. RFC 9562, section 5.5.
    /// - Parameter write: appends the name.
    public init(version5In namespace: UUID, _ write: (inout ByteBuffer) -> Void) {
        var name = ByteBuffer(capacity: 256)
        name.append(word: namespace.high.byteSwapped)
        name.append(word: namespace.low.byteSwapped)
        write(&name)
        let digest = SHA1.prefix(of: name.bytes)
        self.init(
            high: digest.high & ~0xf000 | 0x5000,
            low: digest.low & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000)
    }
}
