import JSONCodec

extension RecordID {
    /// Reads the form 8-4-4-4-12. RFC 9562, section 4.
    init?(text: UnsafeRawBufferPointer) {
        guard text.count == 36 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        for (at, byte) in text.enumerated() {
            if at == 8 || at == 13 || at == 18 || at == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
                continue
            }
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 48
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - 87
            default: return nil
            }
            if at < 18 { words.0 = words.0 << 4 | UInt64(digit) } else { words.1 = words.1 << 4 | UInt64(digit) }
        }
        self.init(high: words.0, low: words.1)
    }

    /// In the form of RFC 9562.
    var text: String {
        var buffer = ByteBuffer(capacity: 36)
        write(to: &buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    func write(to buffer: inout ByteBuffer) {
        for index in 0..<32 {
            if index == 8 || index == 12 || index == 16 || index == 20 { buffer.append(UInt8(ascii: "-")) }
            let word = index < 16 ? high : low
            let digit = UInt8(truncatingIfNeeded: word >> UInt64(60 - index % 16 * 4)) & 15
            buffer.append(digit < 10 ? digit &+ 48 : digit &+ 87)
        }
    }
}
