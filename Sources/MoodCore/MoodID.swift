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
}
