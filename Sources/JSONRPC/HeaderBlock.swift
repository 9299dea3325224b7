import JSONCodec

/// A header block of LSP's base protocol: `Name: value` lines, each ended by CRLF, then an empty line.
enum HeaderBlock {
    /// The value of `Content-Length` in any case, or nil when it is absent, not a plain decimal number, or given
    /// twice with different values (RFC 9112, section 6.3, calls that a fault that cannot be mended).
    static func contentLength(_ block: UnsafeRawBufferPointer) -> Int? {
        var length: Int?
        var start = 0
        while start < block.count {
            let end = lineEnd(block, start)
            if let value = value(of: "content-length", in: block, start, end) {
                guard let number = decimal(block, value, end), length == nil || length == number else { return nil }
                length = number
            }
            start = end + 2
        }
        return length
    }

    private static func lineEnd(_ block: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var at = start
        while let found = block.firstOffset(of: 0x0d, from: at) {
            if found + 1 < block.count, block[found + 1] == 0x0a { return found }
            at = found + 1
        }
        return block.count
    }

    /// Where the value of a line begins if the line has this name.
    private static func value(
        of name: StaticString, in block: UnsafeRawBufferPointer, _ start: Int, _ end: Int
    ) -> Int? {
        let count = name.utf8CodeUnitCount
        guard end - start > count, block[start + count] == UInt8(ascii: ":") else { return nil }
        for index in 0..<count where !isSame(block[start + index], name.utf8Start[index]) { return nil }
        return start + count + 1
    }

    /// Whether a byte is this lower-case letter in either case, or exactly this other character. (A blind `| 0x20`
    /// would take a CR for a hyphen.)
    static func isSame(_ byte: UInt8, _ letter: UInt8) -> Bool {
        byte == letter || letter >= UInt8(ascii: "a") && byte | 0x20 == letter
    }

    private static func decimal(_ block: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> Int? {
        var at = start
        var last = end
        while at < last, block[at] == 0x20 || block[at] == 0x09 { at += 1 }
        while last > at, block[last - 1] == 0x20 || block[last - 1] == 0x09 { last -= 1 }
        guard last > at else { return nil }
        var number = 0
        for index in at..<last {
            let digit = block[index] &- 48
            guard digit < 10 else { return nil }
            let (product, overflows) = number.multipliedReportingOverflow(by: 10)
            let (sum, carries) = product.addingReportingOverflow(Int(digit))
            // A length beyond `Int` is known to be too large, which is all that matters.
            number = overflows || carries ? .max : sum
        }
        return number
    }
}
