/// UTF-8 by its definition: decode by the bit patterns, then refuse longer forms, surrogates and values beyond the last
/// code point. RFC 3629, section 3.
enum PlainUTF8 {
    /// Every scalar with the offset of its first byte; nil if the bytes are not UTF-8.
    static func decode(_ bytes: [UInt8]) -> [(value: UInt32, offset: Int)]? {
        var scalars: [(value: UInt32, offset: Int)] = []
        scalars.reserveCapacity(bytes.count)
        var at = 0
        while at < bytes.count {
            let first = UInt32(bytes[at])
            let (more, smallest, start): (Int, UInt32, UInt32)
            if first < 0x80 {
                (more, smallest, start) = (0, 0, first)
            } else if first & 0b1110_0000 == 0b1100_0000 {
                (more, smallest, start) = (1, 0x80, first & 0b0001_1111)
            } else if first & 0b1111_0000 == 0b1110_0000 {
                (more, smallest, start) = (2, 0x800, first & 0b0000_1111)
            } else if first & 0b1111_1000 == 0b1111_0000 {
                (more, smallest, start) = (3, 0x10000, first & 0b0000_0111)
            } else {
                return nil
            }
            guard bytes.count - at > more else { return nil }
            var value = start
            for index in 0..<more {
                let next = UInt32(bytes[at + 1 + index])
                guard next & 0b1100_0000 == 0b1000_0000 else { return nil }
                value = value * 64 + next & 0b0011_1111
            }
            if value < smallest || value > 0x10ffff || (0xd800...0xdfff).contains(value) { return nil }
            scalars.append((value, at))
            at += more + 1
        }
        return scalars
    }

    /// The bytes of a text, without `Character`.
    static func encode(_ scalars: [UInt32]) -> [UInt8] {
        var bytes: [UInt8] = []
        for scalar in scalars {
            func more(_ shift: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: 0x80 | scalar >> shift & 0x3f) }
            switch scalar {
            case 0..<0x80: bytes.append(UInt8(truncatingIfNeeded: scalar))
            case 0x80..<0x800: bytes += [UInt8(truncatingIfNeeded: 0xc0 | scalar >> 6), more(0)]
            case 0x800..<0x10000: bytes += [UInt8(truncatingIfNeeded: 0xe0 | scalar >> 12), more(6), more(0)]
            default: bytes += [UInt8(truncatingIfNeeded: 0xf0 | scalar >> 18), more(12), more(6), more(0)]
            }
        }
        return bytes
    }
}
